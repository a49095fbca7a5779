package faults

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankError(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-error: {}", "the bank answers every debit with 502 after it has acted"},
		sample{"bank-error: {on: query, status: 503, before: true, nth: 2, count: 1}", "the bank answers query number 2 with 503 without having acted"})
	requests(t, "bank-error", "")
	refuses(t,
		sample{"bank-error: {status: 404}", "s.yaml:1:13: status: a server error from 500 to 599"},
		sample{"bank-error: {status: 600}", "status: a server error from 500 to 599"},
		sample{"bank-error: {before: maybe}", `expected true or false, found "maybe"`})

	for _, c := range []struct {
		text  string
		acted bool
	}{{"bank-error: {status: 503}", true}, {"bank-error: {status: 503, before: true}", false}} {
		t.Run(c.text, func(t *testing.T) {
			r := newRig(t)
			a := r.arm(c.text)
			failed := r.debit()
			require.Equal(t, http.StatusServiceUnavailable, failed.http)
			r.heal(a, 1)
			if c.acted {
				require.Equal(t, "SUCCESS", r.query(failed.Trade).Status)
			} else {
				require.Equal(t, http.StatusNotFound, r.query(failed.Trade).http)
			}
			r.debited()
			r.felt(a, 1, 0)
		})
	}
}
