package reference_test

import (
	"strings"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

// channel speaks to the broker of a rig as a stranger does.
func channel(t *testing.T, r *referencetest.Rig) *amqp.Channel {
	t.Helper()
	connection, err := amqp.Dial(r.Config.Queue)
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	ch, err := connection.Channel()
	require.NoError(t, err)
	return ch
}

func tell(t *testing.T, ch *amqp.Channel, r *referencetest.Rig, body string) {
	t.Helper()
	require.NoError(t, ch.PublishWithContext(t.Context(), r.Config.Topic, "", false, false, amqp.Publishing{Body: []byte(body)}))
}

func TestRabbitMQ(t *testing.T) {
	r := start(t, referencetest.RabbitMQ())
	r.PayNew("O")
	r.Until(func() bool { return granted(r, "O") == [2]int{1, 1} }, "no effects")
	r.Until(func() bool { return r.Count("outbox_event", "sent_at IS NOT NULL") == 1 }, "the event is not marked")
	ch := channel(t, r)
	var payload string
	require.NoError(t, r.Service.Store.Get(t.Context(), &payload, `SELECT payload FROM outbox_event`))
	for range 10 {
		tell(t, ch, r, payload)
	}
	r.Until(func() bool { return strings.Count(r.Log.String(), "[SKIP_DUPLICATE]") == 20 }, "the replays were not seen")
	assert.Equal(t, [2]int{1, 1}, granted(r, "O"))
	for _, c := range reference.Consumers() {
		r.Until(func() bool {
			queue, err := ch.QueueDeclarePassive(r.Config.Topic+"."+c.Name, true, false, false, false, nil)
			return err == nil && queue.Messages == 0
		}, "messages stay in the queue of %s", c.Name)
	}
}

func TestRabbitMQPutsPoisonAside(t *testing.T) {
	r := start(t, referencetest.RabbitMQ())
	r.PayNew("O1")
	r.Until(func() bool { return granted(r, "O1") == [2]int{1, 1} }, "no effects")
	ch := channel(t, r)
	bad := []string{"not JSON", "{}", `{"event_id":"E"}`, `{"event_id":"` + strings.Repeat("E", 161) + `","order_id":"O"}`}
	for _, body := range bad {
		tell(t, ch, r, body)
	}
	r.PayNew("O2")
	r.Until(func() bool { return granted(r, "O2") == [2]int{1, 1} }, "the consumers are stuck")
	r.Until(func() bool {
		queue, err := ch.QueueDeclarePassive(r.Config.Topic+".dead", true, false, false, false, nil)
		return err == nil && queue.Messages == 2*len(bad)
	}, "each consumer puts each bad message aside")
}

func TestRabbitMQDeliversAgainAfterDatabaseTrouble(t *testing.T) {
	r := start(t, referencetest.RabbitMQ())
	_, err := r.Service.Store.Exec(t.Context(), `ALTER TABLE coupon RENAME TO coupon_gone`)
	require.NoError(t, err)
	r.PayNew("O")
	r.Until(func() bool { return strings.Count(r.Log.String(), "[consume.coupon] [ERROR]") > 2 }, "not delivered again")
	_, err = r.Service.Store.Exec(t.Context(), `ALTER TABLE coupon_gone RENAME TO coupon`)
	require.NoError(t, err)
	r.Until(func() bool { return granted(r, "O") == [2]int{1, 1} }, "the message was lost")
}

// An event whose queues are gone is confirmed by the broker and kept by nobody.
func TestRabbitMQConfirmsWhatNoQueueTakes(t *testing.T) {
	r := start(t, referencetest.RabbitMQ())
	r.PayNew("O1")
	r.Until(func() bool { return granted(r, "O1") == [2]int{1, 1} }, "no effects")
	ch := channel(t, r)
	for _, c := range reference.Consumers() {
		require.NoError(t, ch.QueueUnbind(r.Config.Topic+"."+c.Name, "", r.Config.Topic, nil))
	}
	r.PayNew("O2")
	r.Until(func() bool { return strings.Contains(r.Log.String(), "no queue takes this message") }, "nobody noticed")
	assert.Equal(t, 1, r.Count("outbox_event", "sent_at IS NULL"))
	r.Until(func() bool { return granted(r, "O2") == [2]int{1, 1} }, "the next connection makes the bindings again")
}

func TestRabbitMQAwayDelaysEffectsOnly(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.Queue = "amqp://guest:guest@127.0.0.1:9" }))
	assert.Equal(t, 200, r.PayNew("O").HTTP)
	r.Until(func() bool { return strings.Contains(r.Log.String(), "connecting to queue") }, "nobody tried")
	assert.NotContains(t, r.Log.String(), "guest:guest")
	assert.Equal(t, 1, r.Count("outbox_event", "sent_at IS NULL"))
	r.Stop()
	topic := r.Config.Topic // of the event that waits
	referencetest.RabbitMQ()(r)
	r.Config.Topic = topic
	r.Start()
	r.Until(func() bool { return granted(r, "O") == [2]int{1, 1} }, "the event was given up")
}
