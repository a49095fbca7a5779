package fakebank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxCopies bounds the notifications that one control request fires.
const maxCopies = 10_000

// maxAttempt bounds the number that a try can be told to have.
const maxAttempt = 1_000_000

// firing is a request to send callbacks, true or forged.
type firing struct {
	TradeNo         string        `json:"trade_no"`
	RefundNo        string        `json:"refund_no"`
	Merchant        string        `json:"merchant"`
	Status          string        `json:"status"`
	Amount          *int64        `json:"amount"`
	Currency        string        `json:"currency"`
	NotificationIDs []string      `json:"notification_ids"`
	FreshIDs        bool          `json:"fresh_ids"`
	Copies          int           `json:"copies"`
	Together        bool          `json:"together"`
	Every           time.Duration `json:"every"`
	Sign            string        `json:"sign"`
	Once            bool          `json:"once"`
	Skew            time.Duration `json:"skew"`
	Attempt         int           `json:"attempt"` // the number that the first try has, where the bank's language tells it
	NotifyURL       string        `json:"notify_url"`
}

// firedView is how they all ended.
type firedView struct {
	Deliveries []delivery    `json:"deliveries"`
	Spread     time.Duration `json:"spread_ns"` // from the first to the last that was sent
}

func (b *Bank) fireCallbacks(r *http.Request, body []byte) (int, any, error) {
	f := firing{Sign: signGood}
	if err := decodeStrict(body, &f); err != nil {
		return 0, nil, err
	}
	if f.Copies == 0 {
		f.Copies = max(1, len(f.NotificationIDs))
	}
	if err := f.validate(); err != nil {
		return 0, nil, err
	}
	b.mu.Lock()
	notices, err := b.aimLocked(f)
	life := b.notifying
	b.pending += len(notices)
	b.mu.Unlock()
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		b.mu.Lock()
		b.pending -= len(notices)
		b.mu.Unlock()
	}()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	done := b.fire(ctx, f, notices)
	return http.StatusOK, firedView{done, spread(done)}, nil
}

func (f firing) validate() error {
	var errs []error
	errs = append(errs, CheckWord("trade_no", f.TradeNo), CheckWord("status", f.Status), CheckURL("notify_url", f.NotifyURL))
	if !slices.Contains(signings, f.Sign) {
		errs = append(errs, fmt.Errorf("sign %q: use %s%s", f.Sign, strings.Join(signings, ", "), nearest(f.Sign, signings)))
	}
	if f.Copies < 1 || f.Copies > maxCopies {
		errs = append(errs, fmt.Errorf("copies %d: use 1 to %d", f.Copies, maxCopies))
	}
	if f.Attempt < 0 || f.Attempt > maxAttempt {
		errs = append(errs, fmt.Errorf("attempt %d: use 1 to %d", f.Attempt, maxAttempt))
	}
	if f.Every < 0 || f.Every > maxWait {
		errs = append(errs, fmt.Errorf("every %d: use 0 to %d nanoseconds", f.Every, maxWait))
	}
	if f.Together && f.Every > 0 {
		errs = append(errs, errors.New("together and every exclude each other: use one"))
	}
	if f.FreshIDs && len(f.NotificationIDs) > 0 {
		errs = append(errs, errors.New("fresh_ids and notification_ids exclude each other: use one"))
	}
	return errors.Join(errs...)
}

// aimLocked makes the notifications of a firing. What it leaves open is taken from the debit, where the bank knows it.
func (b *Bank) aimLocked(f firing) ([]*notice, error) {
	line := entry{Op: OpDebit, TradeNo: f.TradeNo, RefundNo: f.RefundNo, Status: f.Status, Currency: f.Currency}
	to, own, of := b.last, "", (*act)(nil)
	var says Outcome
	if t, known := b.trades[f.TradeNo]; known {
		of, says = t.standing(), t.outcome()
	}
	if r, known := b.refunds[f.RefundNo]; known {
		says, to = r.outcome(b.trades[r.tradeNo]), r.notify
	}
	if f.RefundNo != "" {
		line.Op = OpRefund
	}
	if of != nil {
		line.BankID, line.Merchant, line.Account, line.Amount = of.bankID, of.merchant, of.account, of.amount
		line.Currency, own = cmp.Or(f.Currency, of.currency), of.notificationID
		if f.RefundNo == "" && of.notify.URL != "" {
			to = of.notify
		}
	}
	if r, known := b.refunds[f.RefundNo]; known {
		line.Amount = r.amount
	}
	if f.Amount != nil {
		line.Amount = *f.Amount
	}
	if f.Merchant != "" {
		line.Merchant, says.Merchant = f.Merchant, f.Merchant
	}
	to.URL = cmp.Or(f.NotifyURL, to.URL)
	if of == nil && (f.Amount == nil || f.Currency == "") {
		return nil, fmt.Errorf("no debit is known under trade number %s: give amount and currency", f.TradeNo)
	}
	if to.URL == "" {
		return nil, errors.New("no debit has named a notify_url yet: give one")
	}
	if own == "" {
		own = b.newID(cmp.Or(to.Prefix, "N"))
	}
	says.TradeNo, says.RefundNo, says.Status, says.Amount, says.Currency = f.TradeNo, f.RefundNo, f.Status, line.Amount, line.Currency
	genuine := f.Sign == signGood && of != nil && of.status == f.Status && line.Amount == of.amount &&
		line.Currency == of.currency && line.Merchant == of.merchant && f.RefundNo == "" && f.Skew == 0
	notices := make([]*notice, f.Copies)
	for i := range notices {
		id := own
		switch {
		case f.FreshIDs:
			id = b.newID(cmp.Or(to.Prefix, "N"))
		case len(f.NotificationIDs) > 0:
			id = f.NotificationIDs[i%len(f.NotificationIDs)]
		}
		n := b.newNotice(to, id, says, line)
		n.Sign, n.skew, n.Attempt = f.Sign, f.Skew, max(f.Attempt, 1)
		if f.Once {
			n.tries = 1
		}
		if genuine {
			n.debit, n.life = of, b.notifying
		}
		notices[i] = n
	}
	return notices, nil
}

// fire sends them all, together, spaced, or each as soon as the one before it is done with.
func (b *Bank) fire(ctx context.Context, f firing, notices []*notice) []delivery {
	if f.Together {
		return b.volley(ctx, notices)
	}
	out := make([]delivery, len(notices))
	if f.Every > 0 {
		each(len(notices), func(i int) {
			if out[i] = unsent(notices[i]); b.sleep(ctx, time.Duration(i)*f.Every) {
				out[i] = b.deliver(ctx, notices[i], b.post)
			}
		})
		return out
	}
	for i, n := range notices {
		if out[i] = unsent(n); ctx.Err() == nil {
			out[i] = b.deliver(ctx, n, b.post)
		}
	}
	return out
}

func unsent(n *notice) delivery {
	return delivery{NotificationID: n.ID, Error: "not sent: the firing was stopped before its turn"}
}

// spread is the time between the first and the last of those that were sent.
func spread(all []delivery) time.Duration {
	var from, to time.Time
	for _, d := range all {
		if d.sent.IsZero() {
			continue
		}
		if from.IsZero() || d.sent.Before(from) {
			from = d.sent
		}
		if d.sent.After(to) {
			to = d.sent
		}
	}
	return to.Sub(from)
}
