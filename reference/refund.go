package reference

import (
	"context"
	"fmt"
)

// Kinds of a refund.
const (
	KindOrder   = "ORDER"   // asked for by the merchant, out of what was paid for the order
	KindSurplus = "SURPLUS" // money that was debited beyond the price of the order, given back by ourselves
)

// Refund is one row of refund.
type Refund struct {
	ID          string `db:"id"`
	Merchant    string `db:"merchant"`
	OrderID     string `db:"order_id"`
	RefundID    string `db:"refund_id"` // the merchant's idempotency key
	PaymentID   string `db:"payment_id"`
	TradeNo     string `db:"trade_no"`  // of the debit that is given back
	RefundNo    string `db:"refund_no"` // stored before it is sent, and never another
	Kind        string `db:"kind"`
	Amount      int64  `db:"amount"` // minor units
	Currency    string `db:"currency"`
	Status      Status `db:"status"`
	Reason      string `db:"reason"`  // the merchant's words
	Refusal     string `db:"refusal"` // the bank's, where it refused
	Fingerprint string `db:"fingerprint"`
	TraceID     string `db:"trace_id"`
	CreatedAt   int64  `db:"created_at"` // Unix milliseconds
	UpdatedAt   int64  `db:"updated_at"` // Unix milliseconds
}

const selectRefund = `SELECT * FROM refund `

// RefundByKey reads the refund that a merchant made under this refund id; a missing one wraps ErrAbsent.
func RefundByKey(ctx context.Context, r reader, merchant, refundID string) (Refund, error) {
	return oneRefund(ctx, r, `WHERE merchant = ? AND refund_id = ? ORDER BY created_at LIMIT 1`, merchant, refundID)
}

// RefundByNo reads the refund that was sent, or is about to be, under this number; a missing one wraps ErrAbsent.
func RefundByNo(ctx context.Context, r reader, refundNo string) (Refund, error) {
	return oneRefund(ctx, r, `WHERE refund_no = ?`, refundNo)
}

// RefundRowByID reads one refund; a missing one wraps ErrAbsent.
func RefundRowByID(ctx context.Context, r reader, id string) (Refund, error) {
	return oneRefund(ctx, r, `WHERE id = ?`, id)
}

func oneRefund(ctx context.Context, r reader, where string, args ...any) (f Refund, err error) {
	if err = r.Get(ctx, &f, selectRefund+where, args...); err != nil {
		return Refund{}, fmt.Errorf("refund of %v: %w", args, err)
	}
	return f, nil
}

// InsertRefund stores a new row; a row that a unique index refuses wraps ErrDuplicate.
func (t *Tx) InsertRefund(ctx context.Context, f Refund) error {
	_, err := t.Exec(ctx, `INSERT INTO refund (id, merchant, order_id, refund_id, payment_id, trade_no, refund_no, kind, amount, currency, status,
		reason, refusal, fingerprint, trace_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		f.ID, f.Merchant, f.OrderID, f.RefundID, f.PaymentID, f.TradeNo, f.RefundNo, f.Kind, f.Amount, f.Currency, f.Status,
		f.Reason, f.Refusal, f.Fingerprint, f.TraceID, f.CreatedAt, f.UpdatedAt)
	return err
}

// MoveRefund takes a refund from the state that f was read in to another, writing f's refusal with it, and reports
// whether it did: false means that somebody else was faster. A step that the transition table forbids is an error.
func (t *Tx) MoveRefund(ctx context.Context, f Refund, to Status, now int64) (bool, error) {
	if !CanMoveRefund(f.Status, to) {
		return false, fmt.Errorf("moving refund %s: %s to %s is no legal transition", f.RefundNo, f.Status, to)
	}
	rows, err := t.Exec(ctx, `UPDATE refund SET status = ?, refusal = ?, updated_at = ? WHERE id = ? AND status = ?`, to, f.Refusal, now, f.ID, f.Status)
	return rows == 1, err
}

// reserve takes the amount of a refund out of what is left of a payment, in one statement, so that no two refunds can
// count on the same money. It reports false where there is not so much left.
func reserve(ctx context.Context, tx *Tx, p Payment, amount int64) (bool, error) {
	if amount > p.Amount {
		return false, nil // also keeps the sum within what a column holds
	}
	rows, err := tx.Exec(ctx, `UPDATE pay_transaction SET refunded = refunded + ?
		WHERE id = ? AND status IN ('SUCCESS', 'PARTLY_REFUNDED') AND refunded + ? <= amount`, amount, p.ID, amount)
	return rows == 1, err
}

// unreserve gives back what a refund reserved that the bank refused. Only refunds of the order have reserved anything.
func unreserve(ctx context.Context, tx *Tx, f Refund) error {
	if f.Kind != KindOrder {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE pay_transaction SET refunded = refunded - ? WHERE id = ?`, f.Amount, f.PaymentID)
	return err
}
