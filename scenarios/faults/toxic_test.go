package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestToxic(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"toxic: {link: bank, type: latency, attributes: {latency: 20000, jitter: 5}}", "toxic latency (jitter=5 latency=20000) on link bank, downstream"},
		sample{"toxic: {link: bank, type: timeout, stream: upstream, attributes: {timeout: 0}}", "toxic timeout (timeout=0) on link bank, upstream"},
		sample{"toxic: {link: bank, type: slicer, attributes: {average_size: 2, size_variation: 1, delay: 3}}", "toxic slicer (average_size=2 delay=3 size_variation=1) on link bank, downstream"})
	refuses(t,
		sample{"toxic: {type: latency}", "s.yaml:1:8: toxic needs a link and a type"},
		sample{"toxic: {link: bank}", "toxic needs a link and a type"},
		sample{"toxic: {link: bank, type: latncy}", `type: unknown toxic "latncy"; did you mean "latency"?`},
		sample{"toxic: {link: bank, type: onedebit_tap}", `type: unknown toxic "onedebit_tap"`},
		sample{"toxic: {link: bank, type: latency, stream: down}", `stream: unknown stream "down"; did you mean "downstream"?`},
		sample{"toxic: {link: bank, type: latency, attributes: {latncy: 5}}", `attributes: unknown attribute of latency "latncy"; did you mean "latency"?`},
		sample{"toxic: {link: bank, type: latency, attributes: {latency: 1s}}", `expected a whole number, found "1s"`},
		sample{"toxic: {link: bank, type: bandwidth, attributes: {rate: -1}}", "attributes: rate is negative"},
		sample{"toxic: {link: bank, type: slicer}", "slicer needs an average_size of at least 1 and a size_variation below it"},
		sample{"toxic: {link: bank, type: slicer, attributes: {average_size: 4, size_variation: 4}}", "slicer needs an average_size"},
		sample{"toxic: {link: bank, type: latency, toxicity: 0.5}", `unknown key "toxicity"`})
}

func TestToxicCountsWhatCrosses(t *testing.T) {
	r := newRig(t)
	a := r.arm("toxic: {link: bank, type: latency, attributes: {latency: 180000000}}")
	r.givesUpWaiting(a, 1, 0)
	late := r.begin(r.patient())
	r.await(a, 1, 0)
	require.Empty(t, late)
	require.NoError(t, a.Release(t.Context()))
	require.Empty(t, late, "there is nothing to be released")
	r.heal(a, 1)
	require.Equal(t, "SUCCESS", (<-late).Status)
	r.debited()
	r.felt(a, 1, 0)
}

func TestToxicTimesAreScaled(t *testing.T) {
	r := newRig(t)
	f := &toxic{Attributes: map[string]int64{"latency": 1000, "jitter": 1, "timeout": 0, "delay": 500, "rate": 1000, "average_size": 7}}
	assert.Equal(t, map[string]any{
		"latency": int64(2), "jitter": int64(1), "timeout": int64(0), "delay": int64(1), "rate": int64(1000), "average_size": int64(7),
	}, f.scaled(r.stack), "times are divided by the speed, at least 1; 0 stays, and so does what is no time")
}

func TestOneToxicOfAName(t *testing.T) {
	r := newRig(t)
	first := r.arm("toxic: {link: bank, type: latency, attributes: {latency: 50}}")
	_, err := (&toxic{Link: "bank", Type: "latency", Stream: "downstream"}).Arm(t.Context(), r.env())
	require.ErrorContains(t, err, "arming fault "+r.id)
	r.debited()
	r.heal(first, 1)
}
