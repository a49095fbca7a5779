package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAcceptMovesMoneyWhenSettled(t *testing.T) {
	for _, tc := range []struct {
		name             string
		opening          int64
		settle           object
		status, reason   string
		debited          int64
		line             string
		callbackExpected bool
	}{
		{"success", 500, object{"status": Success, "callback": true}, Success, "", 500, kindDebit, true},
		{"no callback", 500, object{"status": Success}, Success, "", 500, kindDebit, false},
		{"failed", 500, object{"status": Failed, "callback": true}, Failed, "DECLINED", 0, kindDecline, true},
		{"failed with a reason", 500, object{"status": Failed, "reason": "RISK"}, Failed, "RISK", 0, kindDecline, false},
		{"no funds by then", 499, object{"status": Success}, Failed, "INSUFFICIENT_FUNDS", 0, kindDecline, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t, func(c *Config) { c.OpeningBalance = tc.opening })
			hook := listen(t)
			id := f.arm(object{"kind": accept.Name})
			require.Equal(t, Processing, f.debit("T1", object{"notify_url": hook.URL}).field(t, "status"))
			require.Equal(t, Processing, f.query("T1").field(t, "status"))
			require.Equal(t, 409, f.close("T1").status, "what may still be debited cannot be closed")
			require.EqualValues(t, 0, f.account("A").Debited)
			require.Len(t, f.ledger(kindAccept), 1)
			require.Empty(t, f.ledger(kindDebit))
			require.Equal(t, 1, f.wait(id, "fired=1").Fired)

			tc.settle["trade_no"] = "T1"
			r := f.rule("POST", "settle", tc.settle)
			require.Equal(t, 200, r.status, r.text)
			assert.Equal(t, tc.status, r.field(t, "status"))
			said := f.debit("T1")
			assert.Equal(t, tc.status, said.field(t, "status"), "a repeat hears what is so by now")
			assert.Equal(t, tc.debited, f.account("A").Debited)
			lines := f.ledger(kindDebit, kindDecline)
			require.Len(t, lines, 1)
			assert.Equal(t, tc.line, lines[0].Kind)
			assert.Equal(t, tc.reason, lines[0].Detail)
			assert.Equal(t, 409, f.rule("POST", "settle", tc.settle).status, "settled once")
			if tc.callbackExpected {
				assert.Equal(t, tc.status, receive(t, hook.got).body.Status)
			}
			assert.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
			assert.Empty(t, hook.got)
		})
	}
}
