package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestBankSettles(t *testing.T) {
	refuses(t,
		[2]string{"- bank-settles: {status: SUCESS}", `s.yaml:1:17: status: unknown result "SUCESS"; did you mean "SUCCESS"?`},
		[2]string{"- bank-settles: {status: PROCESSING}", `unknown result "PROCESSING"; valid are: FAILED, SUCCESS`},
		[2]string{"- bank-settles: {callback: never}", "expected true or false"})

	for _, s := range []struct {
		step              string
		debits, callbacks int
	}{{"", 1, 1}, {"callback: false", 1, 0}, {"status: FAILED, callback: false", 0, 0}} {
		t.Run(s.step, func(t *testing.T) {
			r := newRig(t, "")
			r.run("- during: {fault: {bank-accept: {}}, steps: [{pay: {}}]}")
			assert.Equal(t, []history.Outcome{history.Pending}, outcomes(r.pays()))
			assert.Empty(t, r.ledger("A", history.LedgerDebit))
			r.run("- bank-settles: {" + s.step + "}")
			assert.Len(t, r.ledger("A", history.LedgerDebit), s.debits)
			if s.callbacks > 0 {
				require.Eventually(t, func() bool { return len(r.ledger("A", history.LedgerCallback)) == s.callbacks }, awaitWait, rowTick)
				return
			}
			assert.Empty(t, r.ledger("A", history.LedgerCallback))
		})
	}
}

func TestBankSettlesWhatIsSettled(t *testing.T) {
	r := newRig(t, "")
	err := r.try("- pay: {}\n- bank-settles: {}")
	require.ErrorContains(t, err, "step bank-settles (line 2): the bank's control API refused POST /control/settle: 409")
}
