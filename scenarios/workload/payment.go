package workload

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// payment is one payment of the scenario: what the harness means to make, and the keys that it has used for it.
type payment struct {
	history.Payment
	caller string // whose payment it is; "" is the usual merchant
	trace  string
	rng    *rand.Rand
	keys   []string       // used, newest last
	ready  []string       // obtained ahead and not used yet
	tries  map[string]int // by operation

	n        int                          // which payment of the experiment it is, from 1
	each     atomic.Pointer[targets.Vars] // what was captured for it
	prepared sync.Once                    // the steps before the submit
	followed sync.Once                    // the steps behind it
	unready  error                        // why it could not be prepared
}

func word(rng *rand.Rand, n int) string { return targets.Word(rng, n) }

func labelled(label string) string {
	if label == "" {
		return DefaultLabel
	}
	return label
}

// payment finds a payment by its label, and begins it where it is new, as one of the caller's.
func (e *Env) payment(label, caller string) *payment { return e.begin(labelled(label), caller, false) }

// beginProbe begins a clean payment, before the first fault, under a label that no scenario uses.
func (e *Env) beginProbe(label string) *payment { return e.begin(label, "", true) }

func (e *Env) begin(label, caller string, probe bool) *payment {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.payments[label]; p != nil {
		return p
	}
	rng := e.Stream("payment " + label)
	id := word(rng, 6)
	spec := e.spec(label)
	p := &payment{
		Payment: history.Payment{
			Order: "O-" + id, Label: label, Merchant: e.Stack.Target.VarsOf(caller)["merchant"], Account: "A-" + id,
			Channel: spec.Channel, Amount: spec.Amount, Currency: spec.Currency, Probe: probe,
		},
		caller: caller, trace: "T-" + id, rng: rng, tries: map[string]int{}, n: len(e.order) + 1,
	}
	if p.Channel == "" {
		p.Channel = "WECHAT"
	}
	if p.Currency == "" {
		p.Currency = e.Stack.Target.Currency()
	}
	p.Amount = e.amountOf(p, probe)
	if !probe {
		p.Expect = e.Expect(label)
	}
	e.payments[label] = p
	e.order = append(e.order, label)
	e.Stack.Joiner.Learn(p.Order, p.Order, p.Account, p.trace)
	if e.Stack.Target.JoinedByAmount() {
		e.Stack.Joiner.LearnAmount(p.Order, p.Amount)
	}
	if e.Stack.Target.Rows.Alone {
		e.Stack.Joiner.Alone(p.Order)
	}
	e.Stack.Rows.Learn(e.subject(p, ""))
	record := p.Payment
	e.Recorder.Add(history.Event{Payment: &record})
	return p
}

// amountOf is the amount of a payment: the scenario's as far as the service takes it, else one by chance. Where only the
// amount joins bank and payment, no two have the same.
func (e *Env) amountOf(p *payment, probe bool) int64 {
	a := &e.Stack.Target.Payment.Amount
	amount := a.Fit(p.Amount, p.Currency)
	if p.Amount == 0 || probe {
		amount = a.Draw(p.rng, p.Currency)
	}
	if e.Stack.Target.JoinedByAmount() {
		for range maxDraws {
			if !slices.ContainsFunc(slices.Collect(maps.Values(e.payments)), func(o *payment) bool { return o.Amount == amount }) {
				break
			}
			amount = a.Draw(p.rng, p.Currency)
		}
	}
	return amount
}

// maxDraws bounds the search for an amount that no other payment has.
const maxDraws = 1000

// subject is what the service's rows are asked with after a payment.
func (e *Env) subject(p *payment, key string) targets.Subject {
	s := submission{p: p, key: key, amount: p.Amount, currency: p.Currency, channel: p.Channel, caller: p.caller}
	return targets.Subject{Order: p.Order, Amount: p.Amount, Currency: p.Currency, Vars: s.vars(e, p.trace)}
}

// learn lets everybody who joins things to payments know of a word that belongs to one.
func (e *Env) learn(p *payment, key string) {
	e.Stack.Joiner.Learn(p.Order, key)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Stack.Rows.Learn(e.subject(p, key))
}

// captures are what was captured for the payment so far.
func (p *payment) captures() targets.Vars {
	if each := p.each.Load(); each != nil {
		return *each
	}
	return nil
}

// newTrace is a trace id that no request had before.
func (e *Env) newTrace(p *payment) string {
	e.mu.Lock()
	trace := "T-" + word(p.rng, 10)
	e.mu.Unlock()
	e.Stack.Joiner.Learn(p.Order, trace)
	return trace
}

// known finds a payment that has begun.
func (e *Env) known(label string) (*payment, error) {
	label = labelled(label)
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.payments[label]; p != nil {
		return p, nil
	}
	return nil, errors.New(decode.UnknownName("payment", label, e.order) + "; a payment begins with its first pay step")
}

// keyOf is the newest idempotency key of a payment.
func (e *Env) keyOf(label string) (string, error) {
	p, err := e.known(label)
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(p.keys) == 0 {
		return "", fmt.Errorf("payment %s has no idempotency key yet", labelled(label))
	}
	return p.keys[len(p.keys)-1], nil
}

// readyKey takes a key that was obtained ahead, or "".
func (e *Env) readyKey(p *payment) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(p.ready) == 0 {
		return ""
	}
	key := p.ready[0]
	p.ready = p.ready[1:]
	p.keys = append(p.keys, key)
	return key
}

// nextTry counts the requests of an operation, from 1.
func (e *Env) nextTry(p *payment, op string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.tries[op]++
	return p.tries[op]
}
