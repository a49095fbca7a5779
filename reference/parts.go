package reference

import (
	"context"
	"net/http"
	"time"
)

// Parts is what the service is put together from. Each field is the whole of one defence; Correct fills all of them.
// A part may call the exported methods of the Service that it is given.
type Parts struct {
	// Schema returns the statements that make the tables; the unique rows are the last word about who may pay.
	Schema func() []string

	// Fingerprint is what makes two requests the same request.
	Fingerprint func(PayRequest) string

	// Keyed says under which key a request is carried out, or answers one that came without a usable key.
	Keyed func(PayRequest) (key string, refusal *Answer)

	// Admit lets one request of an order through and answers the others. Its error means that nothing was done.
	Admit func(context.Context, *Service, PayRequest) (Admission, error)

	// Checkout is Admit for the requests that come by the checkout page's door.
	Checkout func(context.Context, *Service, PayRequest) (Admission, error)

	// Repeat answers a request whose payment exists. sameKey tells whether it came with the key of that payment.
	Repeat func(p Payment, sameKey bool) Answer

	// TradeNo makes the number under which a payment is sent to the bank.
	TradeNo func(Payment) string

	// Bank makes the way to the bank, breaker included.
	Bank func(Config) Bank

	// Debit takes a PENDING payment to the bank and returns the row as it is afterwards.
	Debit func(context.Context, *Service, Payment) (Payment, error)

	// Outcome reads what the bank says about a debit, in answers and in queries alike.
	Outcome func(Reply, error) Said

	// Unanswered persists that the bank gave no usable answer to a debit.
	Unanswered func(context.Context, *Service, Payment, Word) error

	// Event makes the event of a payment that a word has just made SUCCESS; false for none.
	Event func(Config, Payment, Word) (Event, bool)

	// Tell hands the event of a SUCCESS over, in the transaction of the SUCCESS.
	Tell func(context.Context, *Service, *Tx, Event) error

	// Surplus keeps the books of a debit that its order did not need, in the transaction of the word that told of it. The
	// payment is locked; the same debit may be told of again.
	Surplus func(context.Context, *Service, *Tx, Payment, Word) error

	// Expired says whether an unpaid payment is to be closed instead of driven; now is in Unix milliseconds.
	Expired func(p Payment, now int64) bool

	// Close gives an unpaid payment up, asked to or because its time is over, and returns the row as it is afterwards.
	Close func(context.Context, *Service, Payment) (Payment, error)

	// Authentic verifies that a notification is the bank's.
	Authentic func(cfg Config, h http.Header, body []byte) error

	// Fresh verifies that an authentic notification was sent a short while ago.
	Fresh func(cfg Config, h http.Header, now time.Time) error

	// Callback carries out an authentic notification and returns what is kept as its result. After an error the bank
	// sends it again.
	Callback func(context.Context, *Service, Notification) (string, error)

	// Seen stores a notification and reports whether it was stored before, in the transaction of its effect. Where it was,
	// an error undoes the transaction.
	Seen func(context.Context, *Service, *Tx, Notification) (bool, error)

	// Matches says whether a word of the bank is about the money that a payment asked for.
	Matches func(Word, Payment) bool

	// Park keeps a notification whose number is not known, in the transaction that stores it.
	Park func(context.Context, *Service, *Tx, Notification) error

	// Reconcile finishes one row that was left behind and that this instance has taken up.
	Reconcile func(context.Context, *Service, Payment) error

	// TakeUp claims a payment that was left behind; false where somebody else was faster.
	TakeUp func(context.Context, *Service, *Payment) (bool, error)

	// RefundNo makes the number under which a refund is sent to the bank, when it is admitted.
	RefundNo func(Refund) string

	// AdmitRefund lets one request of a refund id through and answers the others. Its error means that nothing was done.
	AdmitRefund func(context.Context, *Service, RefundRequest) (RefundAdmission, error)

	// Reserve takes an amount out of what is left of a locked payment; false where there is not so much left.
	Reserve func(ctx context.Context, tx *Tx, p Payment, amount int64) (bool, error)

	// Refund takes a refund that is PENDING, or UNKNOWN and not at the bank, to the bank and returns the row as it is
	// afterwards.
	Refund func(context.Context, *Service, Refund) (Refund, error)

	// RefundOutcome reads what the bank says about a refund, in answers and in queries alike.
	RefundOutcome func(Reply, error) Said

	// RefundUnanswered persists that the bank gave no usable answer to a refund.
	RefundUnanswered func(context.Context, *Service, Refund, Word) error

	// GiveBack keeps the books of a refund that has just become SUCCESS, in the transaction of its SUCCESS: event, state of
	// the payment, end of the surplus. The payment is locked.
	GiveBack func(context.Context, *Service, *Tx, Refund) error

	// ReconcileRefund finishes one refund that was left behind and that this instance has taken up.
	ReconcileRefund func(context.Context, *Service, Refund) error

	// TakeUpRefund claims a refund that was left behind; false where somebody else was faster.
	TakeUpRefund func(context.Context, *Service, *Refund) (bool, error)

	// TakeEvents claims the events that this relay is to publish, oldest first.
	TakeEvents func(context.Context, *Service) ([]OutboxEvent, error)

	// Unsent is told of an event that the broker has not confirmed, each time.
	Unsent func(ctx context.Context, s *Service, eventID string, cause error) error

	// Deliver carries out one message of the queue for one consumer and ends the delivery.
	Deliver func(context.Context, *Service, Consumer, Delivery) error

	// Consume carries out one event for one consumer; false where that was done before.
	Consume func(context.Context, *Service, Consumer, Event) (bool, error)
}

// Correct returns the parts of the correct service.
func Correct() Parts {
	return Parts{
		Schema:           Schema,
		Fingerprint:      fingerprint,
		Keyed:            keyed,
		Admit:            admit,
		Checkout:         sameGuard,
		Repeat:           repeat,
		TradeNo:          tradeNo,
		Bank:             newBank,
		Debit:            debit,
		Outcome:          outcome,
		Unanswered:       unanswered,
		Event:            successEvent,
		Tell:             storeEvent,
		Surplus:          returnSurplus,
		Expired:          expired,
		Close:            closeOrder,
		Authentic:        authentic,
		Fresh:            fresh,
		Callback:         settleCallback,
		Seen:             seenBefore,
		Matches:          matches,
		Park:             park,
		Reconcile:        reconcile,
		TakeUp:           takeUp,
		RefundNo:         refundNo,
		AdmitRefund:      admitRefund,
		Reserve:          reserve,
		Refund:           sendRefund,
		RefundOutcome:    refundOutcome,
		RefundUnanswered: refundUnanswered,
		GiveBack:         giveBack,
		ReconcileRefund:  reconcileRefund,
		TakeUpRefund:     takeUpRefund,
		TakeEvents:       takeEvents,
		Unsent:           keepEvent,
		Deliver:          deliver,
		Consume:          consumeOnce,
	}
}
