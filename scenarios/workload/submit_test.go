package workload

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestKeysAreAskedForAgain(t *testing.T) {
	const p, ref, u = history.Pending, history.Refused, history.Unknown
	for _, s := range []struct {
		script, err string
		want        []history.Outcome
	}{
		{"key=ok", "", []history.Outcome{p}},
		{"key=503,500,ok", "", []history.Outcome{ref, u, p}},
		{"key=503", "answer 503 503", slices.Repeat([]history.Outcome{ref}, tokenTries)},
		{"key=400", "answer 400 400", []history.Outcome{ref}},
	} {
		t.Run(s.script, func(t *testing.T) {
			r := newRig(t, s.script)
			err := r.try("- pay: {}")
			assert.Equal(t, s.want, outcomes(r.attempts("A", history.OpToken)))
			if s.err == "" {
				require.NoError(t, err)
				assert.Len(t, r.pays(), 1)
				return
			}
			require.ErrorContains(t, err, "no idempotency key to be had for order "+r.order("A")+": "+s.err)
			assert.Empty(t, r.pays())
		})
	}
}

func TestKeysAreAskedForLaterAndLater(t *testing.T) {
	r := newRig(t, "key=503")
	require.Error(t, r.try("- keys: {}"))
	asked := r.attempts("A", history.OpToken)
	require.Len(t, asked, tokenTries)
	for i, real := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		assert.GreaterOrEqual(t, asked[i+1].Sent-asked[i].Done, r.Stack.Scale(real))
	}
}

func TestKeysAreMadeWhereTheServiceGivesNone(t *testing.T) {
	r := newRig(t, "")
	token := r.Stack.Target.Payment.Token
	r.Stack.Target.Payment.Token = nil
	defer func() { r.Stack.Target.Payment.Token = token }()
	r.run("- pay: {times: 2}")
	pays := r.pays()
	require.Len(t, pays, 2)
	assert.Regexp(t, `^K-[A-Z2-9]{20}$`, pays[0].Key)
	assert.NotEqual(t, pays[0].Key, pays[1].Key)
	assert.Equal(t, r.order("A"), r.Stack.Joiner.Order(pays[1].Key))
	assert.Empty(t, r.attempts("A", history.OpToken))
}

// booked shows a SUCCESS row for every payment that the test has begun.
func (r *rig) booked() {
	r.reading = func() (out history.Reading) {
		for _, label := range r.Env.order {
			out.Rows = append(out.Rows, history.Row{Order: r.payments[label].Order, State: history.StateSuccess})
		}
		return out
	}
}

func TestProbe(t *testing.T) {
	r := newRig(t, "")
	r.booked()
	require.NoError(t, r.Probe(t.Context()))
	assert.Equal(t, 1, r.calmed)
	require.Len(t, r.Env.order, 1)
	p := r.payments[r.Env.order[0]]
	assert.True(t, p.Probe)
	assert.Nil(t, p.Expect, "what a scenario expects is not expected of a probe")
	assert.Len(t, r.attempts(p.Label, history.OpPay), 1)
	_, err := r.known("")
	require.Error(t, err, "a probe is no payment of the scenario")
}

func TestProbeThatFails(t *testing.T) {
	for _, s := range []struct {
		name, script string
		edit         func(*rig)
		want         string
	}{
		{"refused", "pay=400", (*rig).booked, "is refused: answer 400 400"},
		{"declined", "pay=402", (*rig).booked, "is declined: answer 402 402"},
		{"no key", "key=404", (*rig).booked, "no idempotency key to be had"},
		{"no row", "", func(*rig) {}, "has no SUCCESS row: answer 200 SUCCESS"},
		{"never calm", "", func(r *rig) { r.Calm = func(context.Context) error { return errors.New("still under way") } }, "still under way"},
		{"no books", "", func(r *rig) {
			r.Observe = func(context.Context) (history.Reading, error) { return history.Reading{}, errors.New("no books") }
		}, "no books"},
	} {
		t.Run(s.name, func(t *testing.T) {
			r := newRig(t, s.script)
			s.edit(r)
			err := r.Probe(t.Context())
			require.ErrorIs(t, err, errNotClean)
			require.ErrorContains(t, err, s.want)
			assert.Len(t, r.Env.order, probeTries)
		})
	}
}

func TestProbeMayFailBeforeItWorks(t *testing.T) {
	r := newRig(t, "")
	r.Calm = func(context.Context) error {
		if r.calmed++; r.calmed == 1 {
			return errors.New("busy")
		}
		return nil
	}
	r.booked()
	require.NoError(t, r.Probe(t.Context()))
	assert.Len(t, r.Env.order, 2)
}
