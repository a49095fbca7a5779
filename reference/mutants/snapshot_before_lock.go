package mutants

import (
	"context"
	"database/sql"
	"errors"

	"onedebit/reference"
)

// SnapshotBeforeLock locks a row of the order and then looks whether the order has a payment. A harmless look-up before
// the lock has fixed what the transaction sees: the state of before it waited.
var SnapshotBeforeLock = register(Mutant{
	Name:     "snapshot-before-lock",
	Doc:      "the lock of the order is waited for inside a REPEATABLE READ transaction that has read before, so that the look-up after it sees the past",
	Scenario: "db-slow-commit",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"ury-erp/ury#366", "apache/incubator-seata#535"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return append(paymentsUnique(), `CREATE TABLE IF NOT EXISTS order_lock (id VARCHAR(160) NOT NULL PRIMARY KEY)`)
		}
		p.Admit = admitBySnapshot
	},
})

func admitBySnapshot(ctx context.Context, s *reference.Service, r reference.PayRequest) (a reference.Admission, err error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	lock := r.Merchant + ":" + r.OrderID
	if err := makeLock(ctx, s, lock); err != nil {
		return a, err
	}
	p := s.NewPayment(r, 1)
	err = s.Store.Once(ctx, sql.LevelRepeatableRead, func(tx *reference.Tx) error {
		var used int
		if err := tx.Get(ctx, &used, `SELECT COUNT(*) FROM pay_transaction WHERE merchant = ? AND idem_key = ?`, r.Merchant, r.Key); err != nil {
			return err
		}
		var held string
		if err := tx.GetLocked(ctx, &held, `SELECT id FROM order_lock WHERE id = ?`, lock); err != nil {
			return err
		}
		a, err = lookAndInsert(ctx, s, tx, r, p)
		return err
	})
	return a, err
}

// makeLock stores the row of an order that is locked, where it is missing.
func makeLock(ctx context.Context, s *reference.Service, lock string) error {
	var id string
	err := s.Store.Get(ctx, &id, `SELECT id FROM order_lock WHERE id = ?`, lock)
	if !errors.Is(err, reference.ErrAbsent) {
		return err
	}
	_, err = s.Store.Exec(ctx, `INSERT INTO order_lock (id) VALUES (?)`, lock)
	if errors.Is(err, reference.ErrDuplicate) {
		return nil
	}
	return err
}
