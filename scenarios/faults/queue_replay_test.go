package faults

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"onedebit/scenarios/stack"
)

func TestQueueReplay(t *testing.T) {
	reads(t, []string{"queue"},
		sample{"queue-replay: {topic: pay.success, times: 10}", "the message of payment A on pay.success is published 10 times again"},
		sample{"queue-replay: {topic: pay.success, of: B}", "the message of payment B on pay.success is published 1 times again"})
	refuses(t,
		sample{"queue-replay: {}", "s.yaml:1:15: queue-replay needs a topic and times (at least 1)"},
		sample{"queue-replay: {topic: t, times: 0}", "queue-replay needs a topic and times (at least 1)"},
		sample{"queue-replay: {topic: t, times: often}", `expected a whole number, found "often"`})

	r := newRig(t)
	p, err := r.stack.Link(stack.QueueLink)
	require.NoError(t, err)
	c, err := kgo.NewClient(kgo.SeedBrokers(p.Address()), kgo.AllowAutoTopicCreation(), kgo.ConsumeTopics(r.id))
	require.NoError(t, err)
	defer c.Close()
	for key, value := range map[string]string{r.id: "mine", "other": "another's"} {
		sent := &kgo.Record{Topic: r.id, Key: []byte(key), Value: []byte(value), Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("v")}}}
		require.NoError(t, c.ProduceSync(r.patient(), sent).FirstErr())
	}
	a := r.arm("queue-replay: {topic: " + r.id + ", times: 3}")
	r.felt(a, 3, 0)
	r.heal(a, 3)

	seen := map[string]int{}
	for n := 0; n < 5; {
		fetches := c.PollFetches(r.patient())
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(got *kgo.Record) {
			n++
			seen[string(got.Key)+" "+string(got.Value)]++
			assert.Len(t, got.Headers, 1)
		})
	}
	assert.Equal(t, map[string]int{r.id + " mine": 4, "other another's": 1}, seen)
}

func TestQueueReplayOfWhatIsNotThere(t *testing.T) {
	r := newRig(t)
	f, err := read("queue-replay: {topic: t, of: B}")
	require.NoError(t, err)
	_, err = f.Arm(t.Context(), r.env())
	require.EqualError(t, err, "no payment B")

	f, err = read("queue-replay: {topic: none}")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Arm(ctx, r.env())
	require.ErrorContains(t, err, "fault "+r.id+": replaying none: no message of order "+r.id)
}
