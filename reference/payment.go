package reference

import (
	"context"
	"errors"
	"fmt"
)

// Payment is one row of pay_transaction: one attempt to pay one order.
type Payment struct {
	ID          string `db:"id"`
	Merchant    string `db:"merchant"`
	OrderID     string `db:"order_id"`
	Channel     string `db:"channel"`
	Amount      int64  `db:"amount"` // minor units
	Currency    string `db:"currency"`
	Account     string `db:"account"`
	Status      Status `db:"status"`
	TradeNo     string `db:"trade_no"` // the newest number, empty before the first
	Attempt     int    `db:"attempt"`  // from 1
	Key         string `db:"idem_key"`
	Fingerprint string `db:"fingerprint"`
	BankID      string `db:"bank_id"`
	Reason      string `db:"reason"`
	TraceID     string `db:"trace_id"`
	Refunded    int64  `db:"refunded"`   // minor units given back, or promised to be
	ExpiresAt   int64  `db:"expires_at"` // Unix milliseconds from which on it is closed and not driven; 0: closing was asked for
	CreatedAt   int64  `db:"created_at"` // Unix milliseconds
	UpdatedAt   int64  `db:"updated_at"` // Unix milliseconds
}

// Trade is one row of bank_trade: a trade number that was sent, or was about to be.
type Trade struct {
	TradeNo   string `db:"trade_no"`
	PaymentID string `db:"payment_id"`
	Merchant  string `db:"merchant"`
	OrderID   string `db:"order_id"`
	Status    string `db:"status"` // SENT, SUCCESS, FAILED or CLOSED
	CreatedAt int64  `db:"created_at"`
}

// TradeSent is the state of a trade number of which the bank has not yet said the end.
const TradeSent = "SENT"

// reader is what both Store and Tx can do.
type reader interface {
	Get(ctx context.Context, dest any, query string, args ...any) error
}

const selectPayment = `SELECT * FROM pay_transaction `

// PaymentByID reads one payment; a missing one wraps ErrAbsent.
func PaymentByID(ctx context.Context, r reader, id string) (Payment, error) {
	return onePayment(ctx, r, `WHERE id = ?`, id)
}

// PaymentByKey reads the payment that an idempotency key of a merchant made; a missing one wraps ErrAbsent.
func PaymentByKey(ctx context.Context, r reader, merchant, key string) (Payment, error) {
	return onePayment(ctx, r, `WHERE merchant = ? AND idem_key = ? ORDER BY created_at DESC LIMIT 1`, merchant, key)
}

// PaymentByOrder reads the live row of an order, or its last attempt where all have failed; a missing one wraps ErrAbsent.
func PaymentByOrder(ctx context.Context, r reader, merchant, order string) (Payment, error) {
	return onePayment(ctx, r, `WHERE merchant = ? AND order_id = ?
		ORDER BY CASE status WHEN 'FAILED' THEN 1 ELSE 0 END, attempt DESC, created_at DESC LIMIT 1`, merchant, order)
}

func onePayment(ctx context.Context, r reader, where string, args ...any) (p Payment, err error) {
	if err = r.Get(ctx, &p, selectPayment+where, args...); err != nil {
		return Payment{}, fmt.Errorf("payment of %v: %w", args, err)
	}
	return p, nil
}

// LockPayment reads one payment that nobody else changes before the transaction has ended; a missing one wraps ErrAbsent.
// A transaction locks its payment before it writes anything else, so that no two wait for each other.
func LockPayment(ctx context.Context, tx *Tx, id string) (p Payment, err error) {
	if err = tx.GetLocked(ctx, &p, selectPayment+`WHERE id = ?`, id); err != nil {
		return Payment{}, fmt.Errorf("locking payment %s: %w", id, err)
	}
	return p, nil
}

// TradeByNo reads a trade number that we sent; a missing one wraps ErrAbsent.
func TradeByNo(ctx context.Context, r reader, tradeNo string) (t Trade, err error) {
	if err = r.Get(ctx, &t, `SELECT * FROM bank_trade WHERE trade_no = ? ORDER BY created_at DESC LIMIT 1`, tradeNo); err != nil {
		return Trade{}, fmt.Errorf("trade number %s: %w", tradeNo, err)
	}
	return t, nil
}

// InsertPayment stores a new row; a row that a unique index refuses wraps ErrDuplicate.
func (t *Tx) InsertPayment(ctx context.Context, p Payment) error {
	_, err := t.Exec(ctx, `INSERT INTO pay_transaction
		(id, merchant, order_id, channel, amount, currency, account, status, trade_no, attempt, idem_key, fingerprint, bank_id, reason, trace_id,
		refunded, expires_at, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.ID, p.Merchant, p.OrderID, p.Channel, p.Amount, p.Currency, p.Account, p.Status, p.TradeNo, p.Attempt, p.Key, p.Fingerprint,
		p.BankID, p.Reason, p.TraceID, p.Refunded, p.ExpiresAt, p.CreatedAt, p.UpdatedAt)
	return err
}

// InsertTrade stores a trade number of a payment that is about to be sent.
func (t *Tx) InsertTrade(ctx context.Context, p Payment, tradeNo string, now int64) error {
	_, err := t.Exec(ctx, `INSERT INTO bank_trade (trade_no, payment_id, merchant, order_id, status, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		tradeNo, p.ID, p.Merchant, p.OrderID, TradeSent, now)
	return err
}

// Move takes a payment from the state that p was read in to another, writing p's trade number, bank id and reason
// with it, and reports whether it did: false means that somebody else was faster and the row must be read again.
// A step that the transition table forbids is an error.
func (t *Tx) Move(ctx context.Context, p Payment, to Status, now int64) (bool, error) {
	if !CanMove(p.Status, to) {
		return false, fmt.Errorf("moving payment %s: %s to %s is no legal transition", p.ID, p.Status, to)
	}
	rows, err := t.Exec(ctx, `UPDATE pay_transaction SET status = ?, trade_no = ?, bank_id = ?, reason = ?, updated_at = ? WHERE id = ? AND status = ?`,
		to, p.TradeNo, p.BankID, p.Reason, now, p.ID, p.Status)
	return rows == 1, err
}

// Alarm is one row of alarm: something that a person must look at.
type Alarm struct {
	ID        string `db:"id" json:"id"`
	Merchant  string `db:"merchant" json:"merchant"`
	OrderID   string `db:"order_id" json:"order_id"`
	Kind      string `db:"kind" json:"kind"`
	Detail    string `db:"detail" json:"detail"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
}

// InsertAlarm records an alarm, once for each id.
func (t *Tx) InsertAlarm(ctx context.Context, a Alarm) error {
	var one int
	err := t.Get(ctx, &one, `SELECT 1 FROM alarm WHERE id = ?`, a.ID)
	if err == nil || !errors.Is(err, ErrAbsent) {
		return err
	}
	_, err = t.Exec(ctx, `INSERT INTO alarm (id, merchant, order_id, kind, detail, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		a.ID, a.Merchant, a.OrderID, a.Kind, clip(a.Detail, 1000), a.CreatedAt)
	return err
}
