package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestFaultReads(t *testing.T) {
	refuses(t,
		[2]string{"- fault: pause", "s.yaml:1:10: expected a fault such as lost-answer: {link: bank, message: debit}"},
		[2]string{"- fault: {}", "s.yaml:1:10: a fault step needs a fault: bank-accept, "},
		[2]string{"- fault: {as: x}", "a fault step needs a fault: "},
		[2]string{"- fault: {lost-anser: {link: bank}}", `s.yaml:1:11: unknown fault "lost-anser"; did you mean "lost-answer"?`},
		[2]string{"- fault: {hold: {link: bank},\n    pause: {}}", "s.yaml:2:5: one fault step, two faults: hold and pause; begin a new list item with -"},
		[2]string{"- fault: {hold: {}}", "link: say on which link"},
		[2]string{"- fault: {pause: , as: [x]}", "expected text, found a list"},
		[2]string{"- fault: {pause: , optional: perhaps}", "expected true or false"})
	steps, err := read("- fault: {hold: {link: cache}}\n- fault: {as: x, pause: }")
	require.NoError(t, err)
	assert.Equal(t, []string{"cache"}, steps[0].Action.(Needer).Needs())
	assert.Empty(t, steps[1].Action.(Needer).Needs())
}

func TestFaultsAreRecorded(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {bank-decline: {count: 1}}\n- fault: {hold: {link: bank, message: query}, as: unfelt, optional: true}\n- pay: {}\n- heal: bank-decline\n- heal: unfelt")
	decline := history.Fault{Name: "bank-decline", Kind: "bank-decline", Text: "the bank declines debit number 1 (DECLINED)", State: history.Armed}
	unfelt := history.Fault{Name: "unfelt", Kind: "hold", Text: "held back: query answer number 1 on link bank", State: history.Armed, Optional: true}
	healed := func(f history.Fault, fired int) history.Fault {
		f.State, f.Fired = history.Healed, fired
		return f
	}
	assert.Equal(t, []history.Fault{decline, unfelt, healed(decline, 1), healed(unfelt, 0)}, r.faults())
	assert.Equal(t, []history.Outcome{history.Declined}, outcomes(r.pays()))
}

func TestFaultThatCannotBeArmed(t *testing.T) {
	r := newRig(t, "")
	require.ErrorContains(t, r.try("- fault: {link-down: {link: nowhere}}"), `step fault (line 1): this stack has no link "nowhere"; it has bank, cache,`)
	require.ErrorContains(t, r.try("- fault: {queue-replay: {topic: t, of: B}}"), `step fault (line 1): unknown payment "B"`)
	assert.Empty(t, r.faults(), "what is not in force is not recorded")
}
