package reference_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

type (
	act = referencetest.Act
	req = referencetest.Request
)

var with = referencetest.With

func TestMain(m *testing.M) {
	defer referencetest.StopServers()
	m.Run()
}

// start runs a service on the database that the name of the test asks for, by default a file.
func start(t testing.TB, options ...referencetest.Option) *referencetest.Rig {
	t.Helper()
	kind := ""
	for _, server := range []string{referencetest.Postgres, referencetest.MySQL} {
		if strings.Contains(t.Name(), "/"+server+"/") {
			kind = server
		}
	}
	return referencetest.Start(t, append([]referencetest.Option{referencetest.On(kind)}, options...)...)
}

// quiet keeps the reconciler out of a test.
func quiet(c *reference.Config) {
	c.ReconcileUnknownAfter, c.ReconcileProcessingAfter = reference.Duration(time.Hour), reference.Duration(time.Hour)
}

// brief makes the service answer before a bank that holds its answer, and not before a slow machine.
func brief(c *reference.Config) { c.ServiceTimeout = reference.Duration(time.Second) }

// begin pays an order and returns, with its trade number, when the bank has debited it and holds its answer until
// release is closed.
func begin(t *testing.T, r *referencetest.Rig, q req, release <-chan struct{}) (tradeNo string, answer <-chan reference.Answer) {
	t.Helper()
	numbers, answers := make(chan string, 1), make(chan reference.Answer, 1)
	r.Bank.Act(func(op string, n int, tradeNo string) act {
		if op != referencetest.Debit || n != 1 {
			return act{}
		}
		numbers <- tradeNo
		return act{Hold: release}
	})
	go func() { answers <- r.Pay(q) }()
	return referencetest.Next(t, numbers), answers
}

// on does this to the n-th request of an operation.
func on(op string, nth int, do act) func(string, int, string) act {
	return func(got string, n int, _ string) act {
		if got == op && n == nth {
			return do
		}
		return act{}
	}
}

// always does this to every request of an operation.
func always(op string, do act) func(string, int, string) act {
	return func(got string, _ int, _ string) act {
		if got == op {
			return do
		}
		return act{}
	}
}

func notice(id, tradeNo, status string) reference.Notification {
	return reference.Notification{ID: id, TradeNo: tradeNo, Status: status, Amount: 500, Currency: "CNY"}
}

// insert puts rows into the database as a process that died would have left them.
func insert(t *testing.T, r *referencetest.Rig, p reference.Payment, trades ...string) {
	t.Helper()
	p.Merchant, p.Channel, p.Amount, p.Currency, p.Account = referencetest.Merchant, "WECHAT", 500, "CNY", "A-"+p.OrderID
	p.ID, p.Key, p.TraceID = orElse(p.ID, "P-"+p.OrderID), orElse(p.Key, "K-"+p.OrderID), "T-"+p.OrderID
	p.Attempt, p.CreatedAt, p.UpdatedAt = max(p.Attempt, 1), time.Now().UnixMilli(), time.Now().UnixMilli()
	p.ExpiresAt = p.CreatedAt + time.Hour.Milliseconds()
	p.Fingerprint = r.Parts.Fingerprint(reference.PayRequest{OrderID: p.OrderID, Channel: p.Channel, Amount: p.Amount, Currency: p.Currency, Account: p.Account})
	require.NoError(t, r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error {
		for _, number := range trades {
			if err := tx.InsertTrade(t.Context(), p, number, p.CreatedAt); err != nil {
				return err
			}
		}
		return tx.InsertPayment(t.Context(), p)
	}))
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// openOrMended holds of an answer that was given while the bank had said nothing usable: nothing is known yet; or, where
// this machine was so slow that the reconciler came first, what it found is told.
func openOrMended(t *testing.T, a reference.Answer) {
	t.Helper()
	if a.HTTP != http.StatusAccepted {
		assert.Contains(t, []reference.Status{reference.Success, reference.Failed, reference.Closed}, a.Status, "%+v", a)
		return
	}
	assert.NotContains(t, []reference.Status{reference.Success, reference.Failed, reference.Closed}, a.Status, "%+v", a)
}
