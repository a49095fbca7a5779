package reference_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestUniqueRows(t *testing.T) {
	row := reference.Payment{ID: "P1", Merchant: "M1", OrderID: "O1", Attempt: 1, Key: "K1", Status: reference.Pending}
	for name, c := range map[string]struct {
		change  func(*reference.Payment)
		refused bool
	}{
		"same order and attempt": {func(p *reference.Payment) { p.ID, p.Key = "P2", "K2" }, true},
		"same key":               {func(p *reference.Payment) { p.ID, p.OrderID = "P2", "O2" }, true},
		"same id":                {func(p *reference.Payment) { p.OrderID, p.Key = "O2", "K2" }, true},
		"next attempt":           {func(p *reference.Payment) { p.ID, p.Key, p.Attempt = "P2", "K2", 2 }, false},
		"other merchant":         {func(p *reference.Payment) { p.ID, p.Merchant = "P2", "M2" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, with(quiet))
			other := row
			c.change(&other)
			write := func(p reference.Payment) error {
				return r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error { return tx.InsertPayment(t.Context(), p) })
			}
			require.NoError(t, write(row))
			assert.Equal(t, c.refused, errors.Is(write(other), reference.ErrDuplicate))
		})
	}
}

func TestOtherViolationsAreNotDuplicates(t *testing.T) {
	r := start(t)
	_, err := r.Service.Store.Exec(t.Context(), `INSERT INTO consumed_event (consumer, event_id) VALUES (NULL, 'E')`)
	require.Error(t, err)
	assert.NotErrorIs(t, err, reference.ErrDuplicate)
}

func TestTxIsAllOrNothing(t *testing.T) {
	r := start(t)
	mark := func(tx *reference.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO consumed_event (consumer, event_id) VALUES ('c', 'E')`)
		return err
	}
	cause := errors.New("second thoughts")
	assert.ErrorIs(t, r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error { return errors.Join(mark(tx), cause) }), cause)
	assert.Panics(t, func() {
		_ = r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error { panic(mark(tx)) })
	})
	assert.Zero(t, r.Count("consumed_event", "1 = 1"))
	require.NoError(t, r.Service.Store.Tx(t.Context(), mark), "the one writer is free again")
	assert.Equal(t, 1, r.Count("consumed_event", "1 = 1"))
}

func TestDatabaseThatIsNotThere(t *testing.T) {
	r := referencetest.Setup(t)
	r.Config.Database = "sqlite:///no/such/folder/pay.db"
	_, err := reference.New(t.Context(), r.Config, r.Parts, r.Log, time.Now)
	assert.ErrorContains(t, err, "/no/such/folder/pay.db")
}

func TestAddressTaken(t *testing.T) {
	r := start(t)
	second := referencetest.Setup(t)
	second.Config.Listen = r.Service.Addr()
	_, err := reference.New(t.Context(), second.Config, second.Parts, second.Log, time.Now)
	assert.ErrorContains(t, err, "another instance")
}

// A further attempt and the late success of an earlier one exclude each other, whichever comes first.
func TestNewAttemptAgainstLateSuccess(t *testing.T) {
	for range 10 {
		r := start(t, with(quiet))
		r.Bank.Act(on(referencetest.Debit, 1, act{Decline: "NO"}))
		declined := r.PayNew("O")
		key := r.Token("O")
		var both sync.WaitGroup
		both.Go(func() { r.Pay(req{Order: "O", Key: key}) })
		both.Go(func() { r.Notify(notice("N1", declined.TradeNo, "SUCCESS")) })
		both.Wait()
		paid := r.Count("pay_transaction", "status = 'SUCCESS'")
		assert.Equal(t, 1, paid)
		if len(r.Rows("O")) == 2 {
			assert.Equal(t, 1, r.Count("alarm", "kind = 'surplus'"), "%s", r.Log.String())
		} else {
			assert.False(t, strings.Contains(r.Log.String(), "surplus"))
		}
	}
}

func TestCloseWithoutRun(t *testing.T) {
	r := referencetest.Setup(t)
	service, err := reference.New(t.Context(), r.Config, r.Parts, r.Log, time.Now)
	require.NoError(t, err)
	require.NoError(t, service.Close())
}
