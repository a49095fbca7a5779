package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Ends of a surplus.
const (
	SurplusFound    = "FOUND"    // recorded, and its refund is under way
	SurplusReturned = "RETURNED" // the bank has given it back
	SurplusKept     = "KEPT"     // the bank will not give it back; for a person to look into
)

// Surplus is one row of surplus: money that was debited beyond the price of an order.
type Surplus struct {
	TradeNo   string `db:"trade_no" json:"trade_no"`
	Merchant  string `db:"merchant" json:"merchant"`
	OrderID   string `db:"order_id" json:"order_id"`
	PaymentID string `db:"payment_id" json:"payment_id"`
	Amount    int64  `db:"amount" json:"amount"` // minor units, as the bank says
	Currency  string `db:"currency" json:"currency"`
	Status    string `db:"status" json:"status"`
	RefundNo  string `db:"refund_no" json:"refund_no"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
	UpdatedAt int64  `db:"updated_at" json:"updated_at"`
}

// returnSurplus records a debit that an order did not need, and its refund, in the transaction of the word that told of
// it, once for each trade number; the reconciler takes the refund to the bank. The payment is locked.
func returnSurplus(ctx context.Context, s *Service, tx *Tx, p Payment, w Word) error {
	var one int
	err := tx.Get(ctx, &one, `SELECT 1 FROM surplus WHERE trade_no = ?`, w.TradeNo)
	if err == nil || !errors.Is(err, ErrAbsent) {
		return err
	}
	now := s.Millis()
	f := Refund{
		ID: "F" + uuid.NewString(), Merchant: p.Merchant, OrderID: p.OrderID, RefundID: "surplus/" + w.TradeNo, PaymentID: p.ID, TradeNo: w.TradeNo,
		Kind: KindSurplus, Amount: w.Amount, Currency: w.Currency, Status: Pending, Reason: "surplus", TraceID: p.TraceID, CreatedAt: now, UpdatedAt: now,
	}
	f.RefundNo = s.Parts.RefundNo(f)
	if err = tx.InsertRefund(ctx, f); err != nil {
		return fmt.Errorf("storing the refund of surplus %s: %w", w.TradeNo, err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO surplus (trade_no, merchant, order_id, payment_id, amount, currency, status, refund_no, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, w.TradeNo, p.Merchant, p.OrderID, p.ID, w.Amount, w.Currency, SurplusFound, f.RefundNo, now, now)
	return err
}

func surplusEnds(ctx context.Context, tx *Tx, f Refund, status string, now int64) error {
	_, err := tx.Exec(ctx, `UPDATE surplus SET status = ?, updated_at = ? WHERE trade_no = ?`, status, now, f.TradeNo)
	return err
}
