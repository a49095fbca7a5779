package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestRequeueAckFirst(t *testing.T) {
	for broker, queue := range map[string]referencetest.Option{"kafka": referencetest.Queue(), "rabbitmq": referencetest.RabbitMQ()} {
		t.Run(broker, func(t *testing.T) {
			contrast(t, "requeue-ack-first", true, false, func(r *rig) bool {
				failOnce(r)
				return r.Count("membership", "order_id = 'O'") > 1
			}, queue)
		})
	}
}
