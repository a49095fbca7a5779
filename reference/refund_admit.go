package reference

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// RefundRequest is a legal request to give money of an order back.
type RefundRequest struct {
	OrderID  string `json:"order_id"`
	RefundID string `json:"refund_id"` // the idempotency key
	Amount   int64  `json:"amount"`    // minor units
	Reason   string `json:"reason"`

	Merchant string `json:"-"`
	TraceID  string `json:"-"`
}

// RefundAdmission is the verdict on a request for a refund: a new PENDING row that the caller must drive, or an Answer.
type RefundAdmission struct {
	Refund Refund
	Answer *Answer // nil where the refund is admitted
}

// refundFingerprint is over the order and the amount, as the fingerprint of a payment is over what moves money.
func refundFingerprint(r RefundRequest) string {
	h := sha256.New()
	for _, field := range []string{r.OrderID, strconv.FormatInt(r.Amount, 10)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(field), field)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// refundNo makes a number that was never used and says nothing.
func refundNo(Refund) string { return "R" + uuid.NewString() }

// admitRefund lets one request of a refund id through, and only within what is left of the payment. The row, its number
// and the reservation are stored in one transaction, before anybody is asked.
func admitRefund(ctx context.Context, s *Service, r RefundRequest) (RefundAdmission, error) {
	answer, err := knownRefund(ctx, s, r)
	if err != nil || answer != nil {
		return RefundAdmission{Answer: answer}, err
	}
	p, err := PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	switch {
	case errors.Is(err, ErrAbsent):
		return refundRefused(r, http.StatusNotFound, CodeNotFound, "no payment of this order"), nil
	case err != nil:
		return RefundAdmission{}, err
	case !p.Status.Paid():
		return refundRefused(r, http.StatusConflict, CodeNotRefundable, "the order is not paid"), nil
	}
	f := s.NewRefund(r, p)
	left := false
	err = s.Store.Tx(ctx, func(tx *Tx) (err error) {
		if p, err = LockPayment(ctx, tx, p.ID); err != nil {
			return err
		}
		if err = tx.InsertRefund(ctx, f); err != nil {
			return err
		}
		if left, err = s.Parts.Reserve(ctx, tx, p, f.Amount); err == nil && !left {
			err = errExceeds
		}
		return err
	})
	switch {
	case err == nil:
		return RefundAdmission{Refund: f}, nil
	case errors.Is(err, errExceeds):
		return refundRefused(r, http.StatusConflict, CodeRefundExceeds,
			fmt.Sprintf("%d of %d %s are refunded or being refunded, so %d more cannot be", p.Refunded, p.Amount, p.Currency, f.Amount)), nil
	}
	return s.refundNotInserted(ctx, r, f, err)
}

// errExceeds undoes a refund for which there is not enough left.
var errExceeds = errors.New("more than is left of the payment")

// knownRefund answers a request whose refund id was seen before, or returns nil.
func knownRefund(ctx context.Context, s *Service, r RefundRequest) (*Answer, error) {
	f, err := RefundByKey(ctx, s.Store, r.Merchant, r.RefundID)
	switch {
	case errors.Is(err, ErrAbsent):
		return nil, nil
	case err != nil:
		return nil, err
	case f.Fingerprint != refundFingerprint(r):
		return refundRefused(r, http.StatusUnprocessableEntity, CodeConflict, "this refund id was used for another order or amount").Answer, nil
	}
	a := AnswerOfRefund(f)
	a.Replayed = true
	return &a, nil
}

// refundNotInserted answers for a refund that could not be stored: the unique index refused it, or the database failed.
func (s *Service) refundNotInserted(ctx context.Context, r RefundRequest, f Refund, cause error) (RefundAdmission, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Config.ServiceTimeout.Std())
	defer cancel()
	stored, err := RefundRowByID(ctx, s.Store, f.ID)
	switch {
	case err == nil: // the commit went through although its answer was lost
		return RefundAdmission{Refund: stored}, nil
	case errors.Is(cause, ErrInDoubt) && !errors.Is(cause, ErrDuplicate):
		// The row may be there, or may yet come, and would be driven: nobody is told that nothing was done.
		s.Log.Step(f.OrderID, f.TraceID, "db.update", "UNKNOWN", errors.Join(cause, err).Error())
		a := AnswerOfRefund(f)
		return RefundAdmission{Answer: &a}, nil
	case !errors.Is(cause, ErrDuplicate):
		return RefundAdmission{}, fmt.Errorf("storing refund %s: %w", f.RefundID, cause)
	}
	answer, err := knownRefund(ctx, s, r)
	if err == nil && answer == nil {
		err = fmt.Errorf("storing refund %s: %w", f.RefundID, cause)
	}
	return RefundAdmission{Answer: answer}, err
}

// NewRefund makes the PENDING row of a request.
func (s *Service) NewRefund(r RefundRequest, p Payment) Refund {
	f := Refund{
		ID: "F" + uuid.NewString(), Merchant: r.Merchant, OrderID: r.OrderID, RefundID: r.RefundID, PaymentID: p.ID, TradeNo: p.TradeNo,
		Kind: KindOrder, Amount: r.Amount, Currency: p.Currency, Status: Pending, Reason: clip(r.Reason, 128),
		Fingerprint: refundFingerprint(r), TraceID: r.TraceID, CreatedAt: s.Millis(),
	}
	f.UpdatedAt, f.RefundNo = f.CreatedAt, s.Parts.RefundNo(f)
	return f
}

// refundRefused tells that a request for a refund is not carried out.
func refundRefused(r RefundRequest, status int, code, message string) RefundAdmission {
	return RefundAdmission{Answer: &Answer{HTTP: status, Code: code, Message: message, OrderID: r.OrderID, RefundID: r.RefundID, TraceID: r.TraceID}}
}

// AnswerOfRefund tells the state of a refund: 200 where the bank has said its end, otherwise 202.
func AnswerOfRefund(f Refund) Answer {
	a := Answer{
		HTTP: http.StatusAccepted, Code: CodeProcessing, Message: "the refund is under way; ask for it by its id", OrderID: f.OrderID, RefundID: f.RefundID,
		RefundNo: f.RefundNo, Status: f.Status, Amount: f.Amount, Currency: f.Currency, TradeNo: f.TradeNo, TraceID: f.TraceID,
	}
	switch f.Status {
	case Success:
		a.HTTP, a.Code, a.Message = http.StatusOK, CodeSuccess, ""
	case Failed:
		a.HTTP, a.Code, a.Message = http.StatusOK, CodeDeclined, f.Refusal
	}
	return a
}
