package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// Types of events.
const (
	EventPaid     = "pay.success"
	EventRefunded = "pay.refunded"
)

// Event is what other parts of the house learn of a payment. Its id is the same whenever it is told again.
type Event struct {
	ID        string `json:"event_id"`
	Type      string `json:"type"`
	PaymentID string `json:"payment_id"`
	OrderID   string `json:"order_id"`
	Merchant  string `json:"merchant"`
	Amount    int64  `json:"amount"` // minor units
	Currency  string `json:"currency"`
	TradeNo   string `json:"trade_no"`
	RefundID  string `json:"refund_id,omitempty"`
	Kind      string `json:"kind,omitempty"` // of a refund: KindOrder or KindSurplus

	Topic string `json:"-"`
}

// successEvent makes the event of a payment that has just become SUCCESS.
func successEvent(cfg Config, p Payment, _ Word) (Event, bool) {
	return NewEvent(cfg, "pay.success:"+p.ID, p), true
}

// NewEvent makes a success event of a payment with this id.
func NewEvent(cfg Config, id string, p Payment) Event {
	return Event{
		ID: id, Type: EventPaid, PaymentID: p.ID, OrderID: p.OrderID, Merchant: p.Merchant,
		Amount: p.Amount, Currency: p.Currency, TradeNo: p.TradeNo, Topic: cfg.Topic,
	}
}

// RefundEvent makes the event of a refund that has just become SUCCESS.
func RefundEvent(cfg Config, f Refund) Event {
	return Event{
		ID: EventRefunded + ":" + f.ID, Type: EventRefunded, PaymentID: f.PaymentID, OrderID: f.OrderID, Merchant: f.Merchant, Amount: f.Amount,
		Currency: f.Currency, TradeNo: f.TradeNo, RefundID: f.RefundID, Kind: f.Kind, Topic: cfg.Topic,
	}
}

// Ref names what the event is about: the refund id, or the trade number of the payment.
func (e Event) Ref() string { return orElse(e.RefundID, e.TradeNo) }

// storeEvent leaves the event to the relay: the broker learns of nothing that may yet be undone.
func storeEvent(ctx context.Context, s *Service, tx *Tx, e Event) error {
	return tx.InsertEvent(ctx, e, s.Millis())
}

// eventRule is what the id of an event looks like, within what every database keeps: a message that no database takes
// would come again for ever.
var eventRule = regexp.MustCompile(`^[!-~]{1,160}$`)

// EventOf reads the event that a message carries.
func EventOf(message []byte) (e Event, err error) {
	if err = json.Unmarshal(message, &e); err == nil && !(eventRule.MatchString(e.ID) && nameRule.MatchString(e.OrderID) && len(e.Merchant) <= 64) {
		err = errors.New("event_id or order_id is missing, or not a name")
	}
	if err != nil {
		return Event{}, fmt.Errorf("reading a message as an event: %w", err)
	}
	return e, nil
}

// InsertEvent stores an event for the relay, in the transaction of the change that it tells.
func (t *Tx) InsertEvent(ctx context.Context, e Event, now int64) error {
	payload, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encoding event %s: %w", e.ID, err)
	}
	_, err = t.Exec(ctx, `INSERT INTO outbox_event (event_id, type, merchant, order_id, ref, topic, payload, claimed_by, claimed_until, created_at, sent_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, ?, NULL)`, e.ID, e.Type, e.Merchant, e.OrderID, e.Ref(), e.Topic, string(payload), now)
	return err
}
