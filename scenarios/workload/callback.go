package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// Callback makes the bank notify the service about a payment.
var Callback = register(Kind{
	Name:    "callback",
	Doc:     "the bank notifies the service about a payment: once or in copies, together or one after the other, true, forged or stale",
	Example: "callback: {of: A, status: SUCCESS, copies: 100, together: true, fresh-ids: false}",
	New:     func() Action { return &callback{Status: []string{"SUCCESS"}, Sign: "good"} },
})

type callback struct {
	about    `yaml:",inline"`
	Status   []string        `yaml:"status"`   // several are sent one after the other
	Shuffled bool            `yaml:"shuffled"` // several in an order that the seed chooses
	Copies   int             `yaml:"copies"`
	Together bool            `yaml:"together"`        // all at the same instant
	Every    decode.Duration `yaml:"every"`           // between copies and between several, in real life
	FreshIDs bool            `yaml:"fresh-ids"`       // each copy under a notification id of its own
	Amount   int64           `yaml:"amount"`          // another amount than was debited
	Currency string          `yaml:"currency"`        // another currency than was debited
	Sign     string          `yaml:"sign"`            // good, bad (with a key that is not the bank's) or none
	Skew     decode.Shift    `yaml:"skew" zero:"now"` // from now to when it was signed, such as -10m; not divided by the speed
	Unknown  bool            `yaml:"unknown"`         // about a trade number that was never debited
	Once     bool            `yaml:"once"`            // the bank does not try again where the service refuses
}

// tradeWait is how long a step waits, in wall time, for the payment to reach the bank at all.
const tradeWait = 10 * time.Second

// tradeTick is how often the bank's ledger is looked at meanwhile, in real life.
const tradeTick = 100 * time.Millisecond

func (s *callback) Validate() error {
	valid := []string{"SUCCESS", "FAILED", "PROCESSING", "CLOSED"}
	for _, status := range s.Status {
		if !slices.Contains(valid, status) {
			return errors.New("status: " + decode.UnknownName("status of the bank", status, valid))
		}
	}
	signs := []string{"good", "bad", "none"}
	switch {
	case len(s.Status) == 0:
		return errors.New("status: say what the bank tells")
	case s.Copies < 0 || s.Copies > maxCopies:
		return fmt.Errorf("copies: from 1 to %d", maxCopies)
	case s.Amount < 0:
		return fmt.Errorf("amount: %d is negative", s.Amount)
	case s.Together && s.Every > 0:
		return errors.New("together and every exclude each other")
	case s.Currency != "" && !currencyForm.MatchString(s.Currency):
		return fmt.Errorf("currency: %q is not a code such as CNY", s.Currency)
	case !slices.Contains(signs, s.Sign):
		return errors.New("sign: " + decode.UnknownName("kind of signature", s.Sign, signs))
	case s.Shuffled && len(s.Status) < 2:
		return errors.New("shuffled: there is only one status to send")
	}
	return nil
}

// Needs is that the service is notified, and that it takes the truth only, where this is not it.
func (s *callback) Needs() []string {
	out := []string{stack.CallbackLink}
	if slices.ContainsFunc(s.Status, func(status string) bool { return status != "SUCCESS" }) || s.Sign != "good" || s.Skew != 0 ||
		s.Amount != 0 || s.Currency != "" || s.Unknown {
		out = append(out, targets.Notices)
	}
	return out
}

// fresh is how old a notification may be that a service has to take: what is usual among providers.
const fresh = 5 * time.Minute

// RestsOn is the payment.
func (s *callback) RestsOn() []Thing { return []Thing{aPayment(s.Of)} }

func (s *callback) Do(ctx context.Context, e *Env) error {
	p, err := e.known(s.Of)
	if err != nil {
		return err
	}
	trade := "B-" + word(e.Stream("unknown callback of "+p.Label), 12)
	if !s.Unknown {
		if trade, err = e.trade(ctx, s.Of); err != nil {
			return err
		}
	}
	statuses := slices.Clone(s.Status)
	if s.Shuffled {
		e.Stream("callbacks of "+p.Label).Shuffle(len(statuses), func(i, j int) { statuses[i], statuses[j] = statuses[j], statuses[i] })
	}
	for i, status := range statuses {
		if i > 0 && s.Every > 0 {
			if err := e.Stack.Wait(ctx, time.Duration(s.Every)); err != nil {
				return err
			}
		}
		if err := s.notify(ctx, e, p, trade, status); err != nil {
			return err
		}
	}
	return nil
}

// notify makes the bank send one notification in its copies, and records what became of each.
func (s *callback) notify(ctx context.Context, e *Env, p *payment, trade, status string) error {
	sent := history.SentCallback{
		Order: p.Order, TradeNo: trade, Status: status, Amount: cmp.Or(s.Amount, p.Amount), Currency: cmp.Or(s.Currency, p.Currency),
		Why: s.wrong(e, p),
	}
	sent.Authentic = sent.Why == ""
	c := stack.Callback{
		TradeNo: trade, Status: status, Amount: s.Amount, Currency: s.Currency, FreshIDs: s.FreshIDs, Copies: max(1, s.Copies),
		Together: s.Together, Every: e.Stack.Scale(time.Duration(s.Every)), Sign: s.Sign, Skew: time.Duration(s.Skew), Once: s.Once,
	}
	if s.Unknown {
		sent.Order, c.Amount, c.Currency = "", sent.Amount, sent.Currency
	}
	sent.Sent = e.Recorder.Since()
	all, err := e.Stack.Bank.Notify(ctx, c)
	if err != nil {
		return err
	}
	for _, d := range all.Deliveries {
		one := sent
		one.NotificationID, one.HTTP, one.Done = d.NotificationID, d.Status, e.Recorder.Since()
		e.Recorder.Add(history.Event{Sent: &one})
	}
	return nil
}

// wrong says in words what is not authentic about the notification, or "". The status is the bank's own word, whatever it
// is: a bank may contradict itself.
func (s *callback) wrong(e *Env, p *payment) string {
	var out []string
	add := func(wrong bool, why string) {
		if wrong {
			out = append(out, why)
		}
	}
	add(s.Sign == "bad", "signed with another key")
	add(s.Sign == "none", "not signed")
	age := e.Stack.ClockAhead() - time.Duration(s.Skew)
	add(age > fresh, fmt.Sprintf("signed %s ago", age))
	add(-age > fresh, fmt.Sprintf("signed in %s", -age))
	add(s.Amount != 0 && s.Amount != p.Amount, "another amount than was debited")
	add(s.Currency != "" && s.Currency != p.Currency, "another currency than was debited")
	add(s.Unknown, "about a trade number that was never debited")
	return strings.Join(out, ", ")
}

// trade is the trade number under which a payment last reached the bank. It waits until there is one.
func (e *Env) trade(ctx context.Context, label string) (string, error) {
	p, err := e.known(label)
	if err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, tradeWait)
	defer cancel()
	for {
		_, err := e.Stack.ReadLedger(wait)
		if t := e.Stack.TradeOf(p.Order); t != "" && err == nil {
			return t, nil
		}
		if err == nil {
			err = e.Stack.Wait(wait, tradeTick)
		}
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case wait.Err() != nil:
			return "", fmt.Errorf("payment %s (order %s) did not reach the bank within %s", labelled(label), p.Order, tradeWait)
		case err != nil:
			return "", err
		}
	}
}
