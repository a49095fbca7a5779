package workload

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestAwaitReads(t *testing.T) {
	refuses(t,
		[2]string{"- await: {}", "s.yaml:1:10: await needs either fault: or row:"},
		[2]string{"- await: {fault: f, row: SUCCESS}", "await needs either fault: or row:"},
		[2]string{"- await: {row: [SUCCESS, FAILD]}", `row: unknown state "FAILD"; did you mean "FAILED"?`},
		[2]string{"- await: {fault: f, published: true}", "published: goes with row:"},
		[2]string{"- await: {row: SUCCESS, holding: 1}", "fired and holding count what a fault did"},
		[2]string{"- await: {fault: f, fired: -1}", "fired and holding count what a fault did"},
		[2]string{"- await: {fault: f, within: 5}", "expected a duration"},
		[2]string{"- await: {fault: f, optional: perhaps}", "expected true or false"})
	steps, err := read("- await: {fault: f}\n- await: {fault: f, holding: 2}")
	require.NoError(t, err)
	assert.Equal(t, &await{Fault: "f", Fired: 1}, steps[0].Action, "a fault is awaited to be felt, where nothing else is said")
	assert.Equal(t, &await{Fault: "f", Holding: 2}, steps[1].Action)
}

func TestAwaitAFault(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank, message: debit}, as: held}\n- {pay: {gives-up: 10m}, background: true}\n- await: {fault: held, holding: 1}")
	assert.Len(t, r.ledger("A", history.LedgerDebit), 1, "the bank has acted")
	assert.Empty(t, r.pays(), "the answer is held")
	r.run("- release: held\n- join\n- await: {fault: held}")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()))
}

func TestAwaitWhatNeverComes(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank}, as: held, optional: true}\n- keys: {}")
	r.run("- await: {fault: held, within: 1s, optional: true}\n- await: {row: SUCCESS, within: 1s, optional: true}")
	assert.Empty(t, r.awaited(), "a scenario may say that it need not come")
	assert.Positive(t, r.looks)
	require.ErrorContains(t, r.try("- await: {fault: hled}"), `step await (line 1): unknown fault "hled"; did you mean "held"?`)
	require.ErrorContains(t, r.try("- await: {row: SUCCESS, of: B}"), `step await (line 1): unknown payment "B"`)
}

func TestAwaitWhatMustComeIsAGap(t *testing.T) {
	if testing.Short() {
		t.Skip("what must come is waited for long enough on any machine")
	}
	r := newRig(t, "")
	r.reading = func() history.Reading {
		return history.Reading{Rows: []history.Row{{Order: r.order("A"), State: history.StateFailed}}}
	}
	r.run("- keys: {}\n- fault: {hold: {link: bank}, as: held, optional: true}\n- together: [{await: {row: [SUCCESS, UNKNOWN], within: 1s}}, {await: {fault: held}}]")
	assert.ElementsMatch(t, []string{
		"payment A in SUCCESS or UNKNOWN did not come within 10s; it was FAILED",
		"fault held felt 1 times did not come within 10s; it was felt 0 times and held back 0",
	}, r.awaited(), "an await of an optional fault is not optional for that")
}

func TestAwaitSaysWhatWasThereInstead(t *testing.T) {
	s := await{Row: []string{history.StateSuccess}, Published: true}
	row := func(order, state string) history.Row { return history.Row{Order: order, State: state} }
	for want, r := range map[string]history.Reading{
		"there was no row":                                {Rows: []history.Row{row("B", history.StateSuccess)}},
		"it was FAILED, PENDING":                          {Rows: []history.Row{row("A", history.StateFailed), row("A", history.StatePending)}},
		"it was SUCCESS, and 3 events were not published": {Rows: []history.Row{row("A", history.StateSuccess)}, Waiting: 3},
		"": {Rows: []history.Row{row("A", history.StateFailed), row("A", history.StateSuccess)}},
	} {
		assert.Equal(t, want, s.others(r, "A"))
	}
}

func TestAwaitARow(t *testing.T) {
	r := newRig(t, "")
	r.run("- keys: {}\n- keys: {of: B}")
	state := []string{"", history.StatePending, history.StateProcessing, history.StateSuccess}
	r.reading = func() (out history.Reading) {
		out.Rows = append(out.Rows, history.Row{Order: r.order("B"), State: history.StateSuccess})
		if s := state[min(r.looks-1, len(state)-1)]; s != "" {
			out.Rows = append(out.Rows, history.Row{Order: r.order("A"), State: s})
		}
		return out
	}
	r.run("- await: {row: [SUCCESS, PROCESSING]}")
	assert.Equal(t, 3, r.looks, "the first of the states, in the payment's own row")
	r.run("- await: {row: SUCCESS}")
	assert.Equal(t, 4, r.looks)
}

func TestAwaitThatAllIsPublished(t *testing.T) {
	r := newRig(t, "")
	r.run("- keys: {}")
	r.reading = func() history.Reading {
		return history.Reading{Rows: []history.Row{{Order: r.order("A"), State: history.StateSuccess}}, Waiting: max(0, 4-r.looks)}
	}
	r.run("- await: {row: SUCCESS, published: true}")
	assert.Equal(t, 4, r.looks)
}

func TestAwaitThatIsInterrupted(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank}, as: held}\n- keys: {}")
	for _, step := range []string{"- await: {fault: held}", "- await: {row: SUCCESS}"} {
		steps, err := read(step)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx, steps) }()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled, step)
	}
}
