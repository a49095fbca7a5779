package reference_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func publish(t *testing.T, r *referencetest.Rig, values ...string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.TrimPrefix(r.Config.Queue, "kafka://")))
	require.NoError(t, err)
	defer client.Close()
	for _, value := range values {
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: r.Config.Topic, Value: []byte(value)}).FirstErr())
	}
}

func granted(r *referencetest.Rig, order string) [2]int {
	return [2]int{r.Count("membership", "order_id = ?", order), r.Count("coupon", "order_id = ?", order)}
}

func TestEffectsOnceThoughTheMessageIsReplayed(t *testing.T) {
	r := start(t, referencetest.Queue())
	r.PayNew("O")
	r.Until(func() bool { return granted(r, "O") == [2]int{1, 1} }, "no effects")
	var payload string
	require.NoError(t, r.Service.Store.Get(t.Context(), &payload, `SELECT payload FROM outbox_event`))
	var event map[string]any
	require.NoError(t, json.Unmarshal([]byte(payload), &event))
	for _, field := range []string{"event_id", "type", "payment_id", "order_id", "merchant", "amount", "currency", "trade_no"} {
		assert.NotEmpty(t, event[field], field)
	}
	for range 10 {
		publish(t, r, payload)
	}
	r.Until(func() bool { return strings.Count(r.Log.String(), "[SKIP_DUPLICATE]") == 20 }, "the replays were not seen")
	assert.Equal(t, [2]int{1, 1}, granted(r, "O"))
	r.Until(func() bool { return r.Count("outbox_event", "sent_at IS NOT NULL") == 1 }, "the event is not marked")
}

func TestBadMessagesArePassedOver(t *testing.T) {
	r := start(t, referencetest.Queue())
	r.PayNew("O1")
	r.Until(func() bool { return granted(r, "O1") == [2]int{1, 1} }, "no effects")
	publish(t, r, "not JSON", "{}", `{"event_id":"E"}`)
	r.PayNew("O2")
	r.Until(func() bool { return granted(r, "O2") == [2]int{1, 1} }, "the consumers are stuck")
	assert.Equal(t, 6, strings.Count(r.Log.String(), "[BAD_MESSAGE]"))
}

func TestQueueAwayDelaysEffectsOnly(t *testing.T) {
	r := start(t)
	assert.Equal(t, 200, r.PayNew("O").HTTP)
	assert.Equal(t, 1, r.Count("outbox_event", "sent_at IS NULL"))
	r.Stop()
	referencetest.Queue()(r)
	r.Start()
	r.Until(func() bool { return granted(r, "O") == [2]int{1, 1} }, "the event was given up")
}

func TestConsumersGoOnAfterARestart(t *testing.T) {
	r := start(t, referencetest.Queue())
	r.PayNew("O1")
	r.Until(func() bool { return granted(r, "O1") == [2]int{1, 1} }, "no effects")
	r.Stop()
	r.Start()
	r.PayNew("O2")
	r.Until(func() bool { return granted(r, "O2") == [2]int{1, 1} }, "the restarted consumers are stuck")
	assert.Equal(t, [2]int{1, 1}, granted(r, "O1"))
}

func TestConsumeIsOneTransaction(t *testing.T) {
	r := start(t)
	event := reference.Event{ID: "E1", Type: reference.EventPaid, OrderID: "O", Merchant: "M1"}
	_, err := r.Service.Store.Exec(t.Context(), `ALTER TABLE coupon RENAME TO coupon_gone`)
	require.NoError(t, err)
	coupon := reference.Consumers()[1]
	_, err = r.Parts.Consume(t.Context(), r.Service, coupon, event)
	require.Error(t, err)
	_, err = r.Service.Store.Exec(t.Context(), `ALTER TABLE coupon_gone RENAME TO coupon`)
	require.NoError(t, err)
	for _, want := range []bool{true, false} {
		done, err := r.Parts.Consume(t.Context(), r.Service, coupon, event)
		require.NoError(t, err)
		assert.Equal(t, want, done, "the mark of the failed try is gone with its effect")
	}
	assert.Equal(t, 1, r.Count("coupon", "order_id = 'O'"))
}
