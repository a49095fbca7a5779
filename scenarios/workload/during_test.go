package workload

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestDuringReads(t *testing.T) {
	refuses(t,
		[2]string{"- during: {}", "s.yaml:1:11: during needs a fault and steps"},
		[2]string{"- during: {fault: {pause: }}", "during needs a fault and steps"},
		[2]string{"- during: {steps: [join]}", "during needs a fault and steps"},
		[2]string{"- during: {fault: {puase: }, steps: [join]}", `unknown fault "puase"; did you mean "pause"?`},
		[2]string{"- during: {falt: {pause: }, steps: [join]}", `unknown key "falt"; did you mean "fault"?`})
	steps, err := read("- during: {fault: {link-down: {link: cache}}, steps: [{pay: {}}, join]}")
	require.NoError(t, err)
	assert.Equal(t, []string{"cache"}, steps[0].Action.(Needer).Needs())
	assert.Len(t, steps[0].Action.(Parent).Children(), 2)
}

func TestDuring(t *testing.T) {
	r := newRig(t, "")
	r.run("- during: {fault: {link-down: {link: bank}}, steps: [{pay: {retries: {max: 0}}}]}\n- pay: {same-key: true}")
	assert.Equal(t, []history.Outcome{history.Unknown, history.Confirmed}, outcomes(r.pays()), "down for the steps within, and no longer")
	seen := r.faults()
	require.Len(t, seen, 2)
	assert.Equal(t, []string{history.Armed, history.Healed}, []string{seen[0].State, seen[1].State})
	require.ErrorContains(t, r.try("- during: {fault: {hold: {link: nowhere}}, steps: [{pay: {}}]}"), `this stack has no link "nowhere"`)
	assert.Len(t, r.pays(), 2, "without the fault the steps are not carried out")
}

func TestDuringThatIsInterruptedIsHealedInTheEnd(t *testing.T) {
	r := newRig(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	r.Observe = func(context.Context) (history.Reading, error) {
		cancel()
		return history.Reading{}, nil
	}
	steps, err := read("- during: {fault: {bank-accept: {}}, steps: [observe, {pay: {}}]}")
	require.NoError(t, err)
	require.ErrorIs(t, r.Run(ctx, steps), context.Canceled)
	require.NoError(t, r.HealAll(t.Context()))
	r.run("- pay: {}")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()), "the bank is well again")
}
