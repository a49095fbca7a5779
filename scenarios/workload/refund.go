package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// Refund gives money of a payment back, as a merchant asks for it.
var Refund = register(Kind{
	Name:    "refund",
	Doc:     "a client asks for a part of a payment back, or all of it, and tries again while nothing can be concluded",
	Example: "refund: {of: A, id: r1, amount: 60, copies: 5}",
	New:     func() Action { return &refund{} },
})

// defaultRefund is the refund that a step means where it names none.
const defaultRefund = "r1"

type refund struct {
	about    `yaml:",inline"`
	ID       string          `yaml:"id"`        // the refund's name in the scenario; a name that comes again for a payment is the same refund; r1 where not given
	KeyOf    string          `yaml:"key-of"`    // its id is the idempotency key of this payment
	Amount   int64           `yaml:"amount"`    // minor units; all that was paid where not given
	Copies   int             `yaml:"copies"`    // so many at the same instant
	FreshIDs bool            `yaml:"fresh-ids"` // each copy is a refund of its own
	Times    int             `yaml:"times"`     // one after the other, so many times
	Caller   string          `yaml:"caller"`    // somebody else than the merchant of the payment, by the name under callers
	Retries  *retries        `yaml:"retries"`   // as clients do where not given: after 1 s, 2 s and 4 s
	GivesUp  decode.Duration `yaml:"gives-up"`  // how long the client waits for each answer, in real life
}

func (s *refund) Validate() error {
	switch {
	case s.Amount < 0 || s.Amount > maxAmount:
		return fmt.Errorf("amount: from 1 to %d", int64(maxAmount))
	case s.Copies < 0 || s.Copies == 1 || s.Copies > maxCopies:
		return fmt.Errorf("copies: from 2 to %d", maxCopies)
	case s.Copies > 0 && (s.Times > 0 || s.Retries != nil):
		return errors.New("copies are sent once and at the same instant; times and retries go without them")
	case s.FreshIDs && (s.Copies == 0 || s.KeyOf != ""):
		return errors.New("fresh-ids goes with copies, and without key-of")
	case s.Times < 0:
		return errors.New("times: from 1")
	}
	return s.Retries.check()
}

// Needs is that the target takes refunds, and the caller.
func (s *refund) Needs() []string {
	out := []string{targets.Refunding}
	if s.Caller != "" {
		out = append(out, targets.Caller(s.Caller))
	}
	return out
}

// RestsOn is the payment, and the one whose key is taken.
func (s *refund) RestsOn() []Thing {
	if s.KeyOf != "" {
		return []Thing{aPayment(s.Of), aKey(s.KeyOf)}
	}
	return []Thing{aPayment(s.Of)}
}

// names are the refunds that it is about.
func (s *refund) names() []string {
	label := cmp.Or(s.ID, defaultRefund)
	if !s.FreshIDs {
		return []string{label}
	}
	out := make([]string, s.Copies)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%d", label, i+1)
	}
	return out
}

// Begins are the refunds.
func (s *refund) Begins() (out []Thing) {
	for _, name := range s.names() {
		out = append(out, aRefund(s.Of, name))
	}
	return out
}

func (s *refund) Do(ctx context.Context, e *Env) error {
	p, err := e.known(s.Of)
	if err != nil {
		return err
	}
	if e.Stack.Target.Refund.Submit == nil {
		return errors.New("the target has no refund request")
	}
	names := s.names()
	if s.Copies > 0 {
		subs := make([]submission, s.Copies)
		for i := range subs {
			if subs[i], err = s.submission(e, p, names[i%len(names)]); err != nil {
				return err
			}
		}
		return e.volley(ctx, p, subs)
	}
	sub, err := s.submission(e, p, names[0])
	if err != nil {
		return err
	}
	for range max(1, s.Times) {
		if _, err := e.untilAnswered(ctx, sub, s.Retries.orUsual()); err != nil {
			return err
		}
	}
	return nil
}

// submission is the request for the refund of a name.
func (s *refund) submission(e *Env, p *payment, label string) (submission, error) {
	sub := e.asking(p, history.OpRefund, e.Stack.Target.Refund.Submit, "")
	r, err := s.begin(e, p, label)
	if err != nil {
		return sub, err
	}
	sub.refund, sub.amount, sub.caller = r.RefundID, cmp.Or(s.Amount, r.Amount), cmp.Or(s.Caller, p.caller)
	sub.within(e, s.GivesUp)
	return sub, nil
}

// begin finds the refund by its name, and records it where it is new.
func (s *refund) begin(e *Env, p *payment, label string) (*history.Refund, error) {
	id := ""
	if s.KeyOf != "" {
		var err error
		if id, err = e.keyOf(s.KeyOf); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	name := p.Label + "/" + label
	if r := e.refunds[name]; r != nil {
		return r, nil
	}
	r := &history.Refund{
		Order: p.Order, Amount: cmp.Or(s.Amount, p.Amount), Currency: p.Currency, Label: label,
		RefundID: cmp.Or(id, "R-"+word(e.Stream("refund "+name), 8)),
	}
	e.refunds[name] = r
	e.Stack.Joiner.Learn(p.Order, r.RefundID)
	record := *r
	e.Recorder.Add(history.Event{Refund: &record})
	return r, nil
}

// refundOf finds a refund of a payment that has begun.
func (e *Env) refundOf(p *payment, label string) (*history.Refund, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var known []string
	for name, r := range e.refunds {
		if name == p.Label+"/"+label {
			return r, nil
		}
		if r.Order == p.Order {
			known = append(known, r.Label)
		}
	}
	return nil, errors.New(decode.UnknownName("refund", label, known) + "; a refund begins with its first refund step")
}
