package workload

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/faults"
	"onedebit/scenarios/history"
)

func TestHeal(t *testing.T) {
	refuses(t,
		[2]string{"- heal:", "s.yaml:1:8: say which fault: the name that it has by as:, or else its kind"},
		[2]string{"- heal: {fault: x}", "s.yaml:1:9: expected text, found keys and values"})

	r := newRig(t, "")
	r.run("- fault: {bank-decline: {}, as: no}\n- pay: {}\n- heal: no\n- pay: {of: B}\n- heal: no")
	assert.Equal(t, []history.Outcome{history.Declined}, outcomes(r.pays()))
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.attempts("B", history.OpPay)))
	assert.Len(t, r.faults(), 2, "a second healing is none")
	require.ErrorContains(t, r.try("- heal: nope"), `step heal (line 1): unknown fault "nope"`)
}

func TestHealEndsTheFaultThatWasArmedLast(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {bank-decline: {reason: FIRST}, as: no}\n- heal: no\n- fault: {bank-decline: {reason: SECOND}, as: no}\n- heal: no\n- pay: {}")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()))
}

// sick is a fault that cannot be healed.
type sick struct {
	faults.Armed
	name  string
	heals *[]string
}

func (s sick) Links() []string                                        { return nil }
func (s sick) Text() string                                           { return s.name }
func (s sick) Arm(context.Context, *faults.Env) (faults.Armed, error) { return s, nil }
func (s sick) Felt(context.Context) (fired, holding int, err error)   { return 0, 0, nil }
func (s sick) Heal(context.Context) error {
	*s.heals = append(*s.heals, s.name)
	return errors.New(s.name + " is incurable")
}

func TestHealAllGoesOnInReverseOrder(t *testing.T) {
	r := newRig(t, "")
	var heals []string
	for _, name := range []string{"first", "second", "third"} {
		require.NoError(t, r.Arm(t.Context(), "sick", name, sick{name: name, heals: &heals}, false))
	}
	err := r.HealAll(t.Context())
	assert.Equal(t, []string{"third", "second", "first"}, heals)
	for _, name := range heals {
		require.ErrorContains(t, err, "healing fault "+name+": "+name+" is incurable")
	}
	require.NoError(t, r.HealAll(t.Context()), "each is healed once")
	assert.Len(t, heals, 3)
}
