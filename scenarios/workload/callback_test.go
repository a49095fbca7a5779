package workload

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestCallbackReads(t *testing.T) {
	refuses(t,
		[2]string{"- callback: {status: SUCESS}", `s.yaml:1:13: status: unknown status of the bank "SUCESS"; did you mean "SUCCESS"?`},
		[2]string{"- callback: {copies: -1}", "copies: from 1 to 1000"},
		[2]string{"- callback: {copies: 1001}", "copies: from 1 to 1000"},
		[2]string{"- callback: {amount: -5}", "amount: -5 is negative"},
		[2]string{"- callback: {copies: 2, together: true, every: 1s}", "together and every exclude each other"},
		[2]string{"- callback: {every: 10}", "expected a duration"},
		[2]string{"- callback: {status: []}", "status: say what the bank tells"},
		[2]string{"- callback: {status: [SUCCESS, FAILD]}", `unknown status of the bank "FAILD"; did you mean "FAILED"?`},
		[2]string{"- callback: {sign: fake}", `sign: unknown kind of signature "fake"`},
		[2]string{"- callback: {skew: 10}", `expected a duration such as 10m or -25h, found "10"`},
		[2]string{"- callback: {currency: yen}", `currency: "yen" is not a code such as CNY`},
		[2]string{"- callback: {shuffled: true}", "shuffled: there is only one status to send"})
}

// notified are the bank's notifications of payment A: their ids, status, and how they were acknowledged.
func (r *rig) notified() (ids, status []string, http []int) {
	for _, l := range r.ledger("A", history.LedgerCallback) {
		ids, status, http = append(ids, l.NotificationID), append(status, l.Status), append(http, l.HTTP)
	}
	return ids, status, http
}

func TestCallbacks(t *testing.T) {
	for _, s := range []struct {
		name, script, step string
		ids                int
		status             []string
		http               []int
	}{
		{"one", "", "", 1, []string{"SUCCESS"}, []int{200}},
		{"another status", "", "status: FAILED", 1, []string{"FAILED"}, []int{200}},
		{"copies", "", "copies: 3", 1, []string{"SUCCESS", "SUCCESS", "SUCCESS"}, []int{200, 200, 200}},
		{"copies under fresh ids", "", "copies: 3, fresh-ids: true", 3, []string{"SUCCESS", "SUCCESS", "SUCCESS"}, []int{200, 200, 200}},
		{"one after the other", "", "copies: 2, every: 1s", 1, []string{"SUCCESS", "SUCCESS"}, []int{200, 200}},
		{"tried again", "callback=500,200", "", 1, []string{"SUCCESS", "SUCCESS"}, []int{500, 200}},
		{"once", "callback=500,200", "once: true", 1, []string{"SUCCESS"}, []int{500}},
	} {
		t.Run(s.name, func(t *testing.T) {
			r := newRig(t, s.script)
			r.run("- pay: {}\n- callback: {" + s.step + "}")
			ids, status, http := r.notified()
			assert.Equal(t, s.ids, distinct(ids))
			assert.Equal(t, s.status, status)
			assert.Equal(t, s.http, http)
		})
	}
}

func TestCallbacksTogether(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {}")
	met := r.meet(stack.CallbackLink, "callback", 4)
	r.run("- callback: {copies: 4, together: true, fresh-ids: true}")
	assert.Equal(t, 4, met(), "all copies are under way at once")
	ids, _, http := r.notified()
	assert.Equal(t, 4, distinct(ids))
	assert.Equal(t, []int{200, 200, 200, 200}, http)
}

func TestCallbackWithAnotherAmount(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {}\n- callback: {amount: 7}")
	var told []string
	for _, e := range r.events() {
		if m := e.Message; m != nil && m.Link == stack.CallbackLink && m.Dir == history.Request && m.Order == r.order("A") {
			told = append(told, m.Text)
		}
	}
	require.Len(t, told, 1)
	assert.Contains(t, told[0], `"amount":7`)
}

func TestCallbackOfWhatNeverReachedTheBank(t *testing.T) {
	r := newRig(t, "pay=400")
	require.ErrorContains(t, r.try("- callback: {of: B}"), `step callback (line 1): unknown payment "B"`)
	r.run("- pay: {}")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	steps, err := read("- callback: {}")
	require.NoError(t, err)
	go func() { done <- r.Run(ctx, steps) }()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled, "an interruption is not taken for a payment that did not arrive")
}

func TestCallbackWaitsForThePayment(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank, message: debit, part: request}, as: held}\n- {pay: {gives-up: 10m}, background: true}\n" +
		"- await: {fault: held, holding: 1}\n- {callback: {}, background: true}\n- release: held\n- join")
	_, status, _ := r.notified()
	assert.Equal(t, []string{"SUCCESS"}, status)
}

// sent are the notifications that the test made the bank send.
func (r *rig) sent() (out []history.SentCallback) {
	for _, e := range r.events() {
		if e.Sent != nil {
			out = append(out, *e.Sent)
		}
	}
	return out
}

func TestWhatIsWrongWithACallback(t *testing.T) {
	r := newRig(t, "callback=200,401")
	r.run("- pay: {}")
	ahead := r.Stack.ClockAhead()
	for _, s := range []struct{ step, why string }{
		{"once: true", ""},
		{"status: FAILED, once: true", ""},
		{"amount: 500, currency: CNY, once: true", ""},
		{"sign: bad, once: true", "signed with another key"},
		{"sign: none, once: true", "not signed"},
		{"amount: 1, once: true", "another amount than was debited"},
		{"currency: JPY, once: true", "another currency than was debited"},
		{"unknown: true, once: true", "about a trade number that was never debited"},
		{"sign: bad, amount: 1, once: true", "signed with another key, another amount than was debited"},
	} {
		before := len(r.sent())
		r.run("- callback: {skew: " + ahead.String() + ", " + s.step + "}")
		all := r.sent()
		require.Len(t, all, before+1)
		got := all[before]
		assert.Equal(t, s.why, got.Why)
		assert.Equal(t, s.why == "", got.Authentic)
		assert.NotEmpty(t, got.NotificationID)
		if before == 0 {
			assert.Equal(t, []any{r.order("A"), "SUCCESS", int64(500), "CNY", 200},
				[]any{got.Order, got.Status, got.Amount, got.Currency, got.HTTP})
		}
	}
	r.run("- callback: {skew: " + (ahead - 10*time.Minute).String() + ", once: true}")
	r.run("- callback: {skew: " + (ahead + 6*time.Minute).String() + ", once: true}")
	all := r.sent()
	assert.Equal(t, []string{"signed 10m0s ago", "signed in 6m0s"}, []string{all[len(all)-2].Why, all[len(all)-1].Why})
	assert.Equal(t, 401, all[len(all)-1].HTTP)
	assert.Empty(t, all[7].Order, "no order of ours has that number")
}

func TestCallbacksInAnyOrder(t *testing.T) {
	orders := map[string]bool{}
	for range 8 {
		r := newRig(t, "")
		r.run("- pay: {}\n- callback: {status: [PROCESSING, SUCCESS, FAILED, CLOSED], shuffled: true, fresh-ids: true}")
		ids, status, _ := r.notified()
		assert.ElementsMatch(t, []string{"PROCESSING", "SUCCESS", "FAILED", "CLOSED"}, status)
		assert.Equal(t, 4, distinct(ids))
		orders[fmt.Sprint(status)] = true
	}
	assert.Greater(t, len(orders), 1, "the seed decides")
}
