package reference

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// Admission is the verdict on a request: either a new PENDING row that the caller must drive, or an Answer.
type Admission struct {
	Payment Payment
	Answer  *Answer // nil where the payment is admitted
}

// fingerprint is over what the client asks for, and over nothing that changes from one try to the next, such as trace
// ids, times or the order of the fields.
func fingerprint(r PayRequest) string {
	h := sha256.New()
	for _, field := range []string{r.OrderID, r.Channel, strconv.FormatInt(r.Amount, 10), r.Currency, r.Account} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(field), field)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// admit lets one request of an order through: rows first, then the token, then the unique row, which has the last word.
func admit(ctx context.Context, s *Service, r PayRequest) (Admission, error) {
	last, answer, err := known(ctx, s, r)
	if err != nil || answer != nil {
		return Admission{Answer: answer}, err
	}
	p := s.NewPayment(r, last.Attempt+1)
	if answer, err = s.Claim(ctx, r, p); err != nil || answer != nil {
		return Admission{Answer: answer}, err
	}
	err = s.Store.Tx(ctx, func(tx *Tx) error { return insertAttempt(ctx, tx, p) })
	if err == nil {
		return Admission{Payment: p}, nil
	}
	return s.notInserted(ctx, r, p, err)
}

// known looks the request up among the rows. It returns an answer where they have one, and otherwise the last failed
// attempt of the order, if any, after which the request is a new attempt.
func known(ctx context.Context, s *Service, r PayRequest) (last Payment, answer *Answer, err error) {
	p, err := PaymentByKey(ctx, s.Store, r.Merchant, r.Key)
	if err == nil {
		return last, s.Existing(r, p, true), nil
	}
	if !errors.Is(err, ErrAbsent) {
		return last, nil, err
	}
	p, err = PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	switch {
	case errors.Is(err, ErrAbsent):
		return last, nil, nil
	case err != nil:
		return last, nil, err
	case p.Status == Failed:
		return p, nil, nil
	}
	return last, s.Existing(r, p, false), nil
}

// Existing answers a request for which a row was found, made by the same key or only for the same order.
func (s *Service) Existing(r PayRequest, p Payment, sameKey bool) *Answer {
	if p.Fingerprint != s.Parts.Fingerprint(r) {
		return Conflict(r, sameKey)
	}
	a := s.Parts.Repeat(p, sameKey)
	return &a
}

// repeat answers a request whose payment exists: with its end where it has one, otherwise with its state so far.
func repeat(p Payment, sameKey bool) Answer {
	a := AnswerOf(p)
	a.Replayed = p.Status.Final()
	if sameKey && !p.Status.Final() {
		a.HTTP, a.Code, a.Message = 409, CodeRepeat, "this request is already being carried out; ask for the order"
	}
	return a
}

// insertAttempt stores a row. A further attempt locks the earlier ones and goes ahead only while all of them are FAILED.
func insertAttempt(ctx context.Context, tx *Tx, p Payment) error {
	if earlier := int64(p.Attempt - 1); earlier > 0 {
		failed, err := tx.Exec(ctx, `UPDATE pay_transaction SET attempt = attempt WHERE merchant = ? AND order_id = ? AND status = 'FAILED'`, p.Merchant, p.OrderID)
		if err != nil {
			return err
		}
		if failed != earlier {
			return fmt.Errorf("an earlier attempt of order %s has come to life: %w", p.OrderID, ErrDuplicate)
		}
	}
	return tx.InsertPayment(ctx, p)
}

// notInserted answers for a row that could not be stored: the unique index refused it, or the database failed.
func (s *Service) notInserted(ctx context.Context, r PayRequest, p Payment, cause error) (Admission, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Config.ServiceTimeout.Std())
	defer cancel()
	stored, err := PaymentByID(ctx, s.Store, p.ID)
	switch {
	case err == nil: // the commit went through although its answer was lost
		return Admission{Payment: stored}, nil
	case errors.Is(cause, ErrInDoubt) && !errors.Is(cause, ErrDuplicate):
		// The row may be there, or may yet come, and would be driven: the key stays taken, and nobody is told that
		// nothing was done.
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "UNKNOWN", errors.Join(cause, err).Error())
		a := AnswerOf(p)
		return Admission{Answer: &a}, nil
	}
	s.Release(ctx, p)
	if !errors.Is(cause, ErrDuplicate) {
		return Admission{}, fmt.Errorf("storing payment %s: %w", p.ID, cause)
	}
	_, answer, err := known(ctx, s, r)
	if err != nil || answer != nil {
		return Admission{Answer: answer}, err
	}
	return Admission{}, fmt.Errorf("storing payment %s: another attempt of the order has just ended: %w", p.ID, cause)
}

// NewPayment makes the PENDING row of a request.
func (s *Service) NewPayment(r PayRequest, attempt int) Payment {
	now := s.Millis()
	return Payment{
		ID: "P" + uuid.NewString(), Merchant: r.Merchant, OrderID: r.OrderID, Channel: r.Channel, Amount: r.Amount, Currency: r.Currency,
		Account: r.Account, Status: Pending, Attempt: attempt, Key: r.Key, Fingerprint: s.Parts.Fingerprint(r), TraceID: r.TraceID,
		ExpiresAt: now + s.Config.OrderTTL.Std().Milliseconds(), CreatedAt: now, UpdatedAt: now,
	}
}

// tradeNo makes a number that was never used and says nothing.
func tradeNo(Payment) string { return "B" + uuid.NewString() }
