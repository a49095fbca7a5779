package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// DefaultLabel is the payment that a step means where it names none.
const DefaultLabel = "A"

// Env is the experiment that the steps act upon.
type Env struct {
	Stack    *stack.Stack
	Recorder *history.Recorder
	Spec     PaymentSpec            // of payments that Specs does not name
	Specs    map[string]PaymentSpec // of payments by their labels
	Expect   func(label string) *history.Expect
	// Stream is a stream of chance of its own for each name.
	Stream func(name string) *rand.Rand
	// Observe takes one reading of the service's books into the history, now.
	Observe func(context.Context) (history.Reading, error)
	// Settle waits until ledger and rows stand still, at most so long in real life; 0 is the target's own bound.
	Settle func(context.Context, time.Duration) error
	// Calm waits until nothing is under way, without the time for which everything must then stand still.
	Calm func(context.Context) error
	// Progress tells what is being done, for somebody who watches.
	Progress func(string)

	client     *http.Client
	setup      targets.Vars // what was captured in the setup of the target
	background sync.WaitGroup

	mu       sync.Mutex
	payments map[string]*payment
	refunds  map[string]*history.Refund // by the labels of payment and refund
	order    []string                   // labels, in the order of their beginning
	armed    []*armedFault
	failures []error // of background steps
	bursts   int
}

// PaymentSpec is the payment that a scenario is about. What is not given is made up from the seed.
type PaymentSpec struct {
	Amount   int64  `yaml:"amount"` // minor units
	Currency string `yaml:"currency"`
	Channel  string `yaml:"channel"`
}

// Validate checks what no single field can know.
func (p *PaymentSpec) Validate() error {
	if p.Amount < 0 || p.Amount > maxAmount {
		return fmt.Errorf("amount: from 1 to %d", int64(maxAmount))
	}
	if p.Currency != "" && !currencyForm.MatchString(p.Currency) {
		return fmt.Errorf("currency: %q is not a code such as CNY", p.Currency)
	}
	return nil
}

// maxAmount is the largest whole number that every reader of JSON takes for one.
const maxAmount = 1<<53 - 1

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// spec is what a scenario says about the payment of a label: its own, and for what it leaves open that of all.
func (e *Env) spec(label string) PaymentSpec {
	own := e.Specs[label]
	return PaymentSpec{
		Amount: cmp.Or(own.Amount, e.Spec.Amount), Currency: cmp.Or(own.Currency, e.Spec.Currency),
		Channel: cmp.Or(own.Channel, e.Spec.Channel),
	}
}

// Init makes the environment ready for steps.
func (e *Env) Init() {
	e.payments, e.refunds = map[string]*payment{}, map[string]*history.Refund{}
	// A fresh connection for each request: on a kept one the HTTP client cannot tell a dead service from a slow one, and
	// what the caller sees would depend on timing.
	// An answer that sends the client elsewhere is taken as it stands: what it leads to is not this payment's answer.
	e.client = &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Run carries steps out one after the other.
func (e *Env) Run(ctx context.Context, steps []Step) error {
	for i := range steps {
		s := &steps[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		e.Progress(s.Kind)
		if s.Background {
			e.background.Go(func() {
				if err := s.run(ctx, e); err != nil {
					e.mu.Lock()
					e.failures = append(e.failures, err)
					e.mu.Unlock()
				}
			})
			continue
		}
		if err := s.run(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (s *Step) run(ctx context.Context, e *Env) error {
	if err := s.Action.Do(ctx, e); err != nil {
		return fmt.Errorf("step %s (line %d): %w", s.Kind, s.Line, err)
	}
	return nil
}

// Join waits for the steps in the background and returns what went wrong with them. Every request in the background is
// bounded by its own time-out.
func (e *Env) Join() error {
	e.background.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	err := errors.Join(e.failures...)
	e.failures = nil
	return err
}

// armedFault is a fault in force, with what the history knows of it.
type armedFault struct {
	faults.Armed
	record history.Fault
	healed bool
}

// Arm puts a fault in force under a name.
func (e *Env) Arm(ctx context.Context, kind, name string, f faults.Fault, optional bool) error {
	for _, link := range f.Links() {
		if _, err := e.Stack.Link(link); err != nil {
			return err
		}
	}
	env := &faults.Env{Stack: e.Stack, Name: name, Rand: e.Stream("fault " + name), Order: e.orderOf}
	armed, err := f.Arm(ctx, env)
	if err != nil {
		return err
	}
	a := &armedFault{Armed: armed, record: history.Fault{Name: name, Kind: kind, Text: f.Text(), State: history.Armed, Optional: optional}}
	e.recordFault(a)
	e.mu.Lock()
	e.armed = append(e.armed, a)
	e.mu.Unlock()
	return nil
}

func (e *Env) recordFault(a *armedFault) {
	r := a.record
	e.Recorder.Add(history.Event{Fault: &r})
}

// fault finds a fault by its name in the scenario: the one armed last.
func (e *Env) fault(name string) (*armedFault, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var known []string
	for _, a := range slices.Backward(e.armed) {
		if a.record.Name == name {
			return a, nil
		}
		known = append(known, a.record.Name)
	}
	return nil, errors.New(decode.UnknownName("fault", name, known))
}

// Heal ends one fault and records how often it was felt.
func (e *Env) Heal(ctx context.Context, a *armedFault) error {
	e.mu.Lock()
	done := a.healed
	a.healed = true
	e.mu.Unlock()
	if done {
		return nil
	}
	err := a.Armed.Heal(ctx)
	fired, _, ferr := a.Felt(ctx)
	a.record.Fired, a.record.State = fired, history.Healed
	if l, ok := a.Armed.(faults.Lossy); ok {
		loss, lerr := l.Loss(ctx)
		a.record.Loss, ferr = &loss, errors.Join(ferr, lerr)
	}
	e.recordFault(a)
	if err = errors.Join(err, ferr); err != nil {
		return fmt.Errorf("healing fault %s: %w", a.record.Name, err)
	}
	return nil
}

// feltWait bounds, in wall time, how long a step that heals waits for a fault that has not been felt.
const feltWait = 5 * time.Second

// healFelt ends a fault when it was felt. What meets it may still be under way, since a client gives up long before the
// service does; unfelt it would have proved nothing.
func (e *Env) healFelt(ctx context.Context, a *armedFault) error {
	if !a.record.Optional {
		wait, cancel := context.WithTimeout(ctx, feltWait)
		err := a.Await(wait, 1, 0)
		cancel()
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("waiting for fault %s to be felt: %w", a.record.Name, err)
		}
	}
	return e.Heal(ctx, a)
}

// HealAll ends every fault that is still in force, the last one first.
func (e *Env) HealAll(ctx context.Context) error {
	e.mu.Lock()
	armed := slices.Clone(e.armed)
	e.mu.Unlock()
	var errs []error
	for _, a := range slices.Backward(armed) {
		errs = append(errs, e.Heal(ctx, a))
	}
	return errors.Join(errs...)
}

func (e *Env) orderOf(label string) (string, error) {
	p, err := e.known(label)
	if err != nil {
		return "", err
	}
	return p.Order, nil
}
