package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestPayReads(t *testing.T) {
	refuses(t,
		[2]string{"- pay: {same-key: true, key-of: B}", "s.yaml:1:8: same-key, key-of, key, key-length and omit-key exclude each other"},
		[2]string{"- pay: {key: '', omit-key: true}", "s.yaml:1:8: same-key, key-of, key, key-length and omit-key exclude each other"},
		[2]string{"- pay: {key-length: -1}", "key-length: from 1 to 1048576"},
		[2]string{"- pay: {retries: {max: 3}}", "s.yaml:1:8: retries need a backoff, for example {backoff: 1s, max: 3}"},
		[2]string{"- pay: {retries: {backoff: 1s, max: -1}}", "retries are counted from 0"},
		[2]string{"- pay: {times: -1}", "times: from 1"},
		[2]string{"- pay: {amount: 5.5}", `expected a whole number, found "5.5"`},
		[2]string{"- pay: {gives-up: 3}", `expected a duration such as 250ms, 3s or 10m, found "3"`},
		[2]string{"- pay: {samekey: true}", `unknown key "samekey"; did you mean "same-key"?`})
}

func TestPayOnce(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {}")
	pays := r.pays()
	require.Len(t, pays, 1)
	got := pays[0]
	assert.Equal(t, history.Confirmed, got.Outcome)
	assert.LessOrEqual(t, got.Sent, got.Done)
	got.Sent, got.Done = 0, 0
	order := r.order("A")
	assert.Equal(t, history.Attempt{
		Order: order, Op: history.OpPay, Key: got.Key, Trace: "T-" + order[2:], Try: 1, Amount: 500, Currency: "CNY",
		Channel: "WECHAT",
		HTTP:    200, Code: "SUCCESS", State: "SUCCESS", Outcome: history.Confirmed,
	}, got)
	assert.Contains(t, got.Key, "K-"+order, "the key is the one that the service gave out")
	assert.Len(t, r.ledger("A", history.LedgerDebit), 1)
	assert.Equal(t, int64(500), r.ledger("A", history.LedgerDebit)[0].Amount)
}

func TestRetriesStopAtAnAnswer(t *testing.T) {
	const c, d, p, ref, u = history.Confirmed, history.Declined, history.Pending, history.Refused, history.Unknown
	for _, s := range []struct {
		name, script, step string
		want               []history.Outcome
	}{
		{"already submitted", "pay=504,504,409", "", []history.Outcome{u, u, p}},
		{"paid at last", "pay=500,ok", "", []history.Outcome{u, c}},
		{"declined", "pay=504,402", "", []history.Outcome{u, d}},
		{"under way", "pay=202", "", []history.Outcome{p}},
		{"refused for good", "pay=400", "", []history.Outcome{ref}},
		{"busy is tried again", "pay=503,ok", "", []history.Outcome{ref, c}},
		{"as often as a client does", "pay=504", "", []history.Outcome{u, u, u, u}},
		{"as often as the scenario says", "pay=504", "retries: {backoff: 1s, max: 1}", []history.Outcome{u, u}},
		{"never", "pay=504", "retries: {max: 0}", []history.Outcome{u}},
		{"sent elsewhere", "pay=302", "retries: {max: 0}", []history.Outcome{u}},
	} {
		t.Run(s.name, func(t *testing.T) {
			r := newRig(t, s.script)
			r.run("- pay: {" + s.step + "}")
			pays := r.pays()
			assert.Equal(t, s.want, outcomes(pays))
			assert.Equal(t, 1, distinct(keysOf(pays)), "the same key on every try")
			assert.Equal(t, 1, distinct(column(pays, func(a history.Attempt) string { return a.Trace })))
			for i, a := range pays {
				assert.Equal(t, i+1, a.Try)
			}
		})
	}
}

func TestBackoffDoubles(t *testing.T) {
	r := newRig(t, "pay=504")
	r.run("- pay: {}")
	pays := r.pays()
	require.Len(t, pays, 4)
	for i, real := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		assert.GreaterOrEqual(t, pays[i+1].Sent-pays[i].Done, r.Stack.Scale(real), "before retry %d", i+1)
	}
}

func TestClientThatGivesUpKnowsNothing(t *testing.T) {
	r := newRig(t, "pay=hang")
	r.run("- pay: {gives-up: 1s, retries: {backoff: 1s, max: 1}}")
	pays := r.pays()
	require.Len(t, pays, 2)
	assert.Equal(t, history.Unknown, pays[0].Outcome)
	assert.Zero(t, pays[0].HTTP)
	assert.Contains(t, pays[0].Error, "context deadline exceeded")
	assert.Equal(t, pays[0].Key, pays[1].Key)
}

func TestKeysOfPayments(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {}\n- pay: {same-key: true, amount: 900, retries: {max: 0}}\n- pay: {}\n- pay: {same-key: true}\n- pay: {of: B, key-of: A}\n- pay: {of: C, times: 3}")
	a := r.pays()
	require.Len(t, a, 4)
	assert.Equal(t, a[0].Key, a[1].Key)
	assert.NotEqual(t, a[0].Key, a[2].Key, "a new key for each payment, where the scenario does not say otherwise")
	assert.Equal(t, a[2].Key, a[3].Key, "the newest key")
	assert.Equal(t, []int64{500, 900, 500, 500}, column(a, func(a history.Attempt) int64 { return a.Amount }))
	b := r.attempts("B", history.OpPay)
	require.Len(t, b, 1)
	assert.Equal(t, a[3].Key, b[0].Key)
	assert.NotEqual(t, r.order("A"), r.order("B"))
	assert.Empty(t, r.attempts("B", history.OpToken))
	assert.Equal(t, 3, distinct(keysOf(r.attempts("C", history.OpPay))))
}

func TestPayUnderAKeyThatIsNotThere(t *testing.T) {
	r := newRig(t, "")
	require.ErrorContains(t, r.try("- pay: {same-key: true}"), "step pay (line 1): payment A has no idempotency key yet")
	require.ErrorContains(t, r.try("- pay: {key-of: paymnt}"), `unknown payment "paymnt"`)
	require.ErrorContains(t, r.try("- pay: {key-of: paymnt}"), "a payment begins with its first pay step")
	assert.Empty(t, r.pays())
}

func TestPayUnderOddKeys(t *testing.T) {
	r := newRig(t, "")
	r.run("[{pay: {key: ''}}, {pay: {key: K-odd}}, {pay: {omit-key: true}}, {pay: {key-length: 10000}}]")
	keys := keysOf(r.pays())
	assert.Equal(t, []string{"", "K-odd", ""}, keys[:3])
	assert.Regexp(t, `^[A-Z0-9]{128}… \(10000 bytes\)$`, keys[3], "a history keeps the beginning")
	assert.Empty(t, r.attempts("A", history.OpToken), "no key is asked for")
}

func TestPayDiffers(t *testing.T) {
	r := newRig(t, "pay=504")
	r.run("- pay: {amount: 7, currency: JPY, channel: 'pay=504', fresh-trace: true, reordered: true, body: {extra: 1}, retries: {backoff: 1s, max: 2}}")
	pays := r.pays()
	require.Len(t, pays, 3)
	assert.Equal(t, []any{int64(7), "JPY"}, []any{pays[2].Amount, pays[2].Currency})
	assert.Equal(t, 3, distinct(column(pays, func(a history.Attempt) string { return a.Trace })))
	assert.Equal(t, 1, distinct(keysOf(pays)))
}

func TestPayByAnotherDoor(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {door: checkout}")
	assert.Equal(t, "checkout", r.pays()[0].Door)
	assert.Equal(t, history.Confirmed, r.pays()[0].Outcome)
	steps, err := read("- pay: {door: checkout, caller: other}")
	require.NoError(t, err)
	assert.Equal(t, []string{"door checkout", "caller other"}, steps[0].Action.(Needer).Needs())
	assert.ErrorContains(t, r.try("- pay: {door: chekout}"), `unknown door "chekout"; did you mean "checkout"?`)
}

func TestPayAsSomebodyElse(t *testing.T) {
	r := newRig(t, "")
	r.run("[{pay: {}}, {pay: {of: B, caller: other, key-of: A}}, {pay: {same-key: true, caller: other}}]")
	assert.Equal(t, "M-2", r.payment("B", "").Merchant, "a payment that begins so is theirs")
	b := r.attempts("B", history.OpPay)[0]
	assert.Empty(t, b.Merchant)
	assert.Equal(t, r.pays()[0].Key, b.Key)
	assert.Equal(t, []string{"", "M-2"}, column(r.pays(), func(a history.Attempt) string { return a.Merchant }))
}
