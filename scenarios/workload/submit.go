package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// clientPatience is how long a client waits for an answer in real life, where the scenario does not say.
const clientPatience = 30 * time.Second

// tokenTries is how often a client asks for an idempotency key before it gives up: asking is free of effects, and without
// a key there is nothing to be tried.
const tokenTries = 7

// submission is one request of a client about a payment: which request of the target it is, under which key and as whom,
// and what of it differs from the payment.
type submission struct {
	p          *payment
	op         string
	request    *targets.Request
	key        string
	noKey      bool // whatever names the key is left out
	amount     int64
	currency   string
	channel    string
	caller     string
	door       string
	refund     string // id of the refund that it is about
	instance   int    // of the service, past the load balancer; 0 for whichever it gives
	freshTrace bool   // each try has a trace id of its own
	burst      int
	tells      []string      // words that the answer must hold
	patience   time.Duration // wall time
}

// submission is a submit of a payment as it was meant.
func (e *Env) submission(p *payment, key string) submission {
	return e.asking(p, history.OpPay, e.Stack.Target.Payment.Submit(), key)
}

// asking is a request about a payment as it was meant.
func (e *Env) asking(p *payment, op string, r *targets.Request, key string) submission {
	return submission{
		p: p, op: op, request: r, key: key, amount: p.Amount, currency: p.Currency, channel: p.Channel, caller: p.caller,
		patience: e.Stack.Scale(clientPatience),
	}
}

// within sets how long the client waits for each answer, in real life; 0 is as long as clients do.
func (s *submission) within(e *Env, d decode.Duration) {
	if d > 0 {
		s.patience = e.Stack.Scale(time.Duration(d))
	}
}

func (s *submission) vars(e *Env, trace string) targets.Vars {
	out := targets.Vars{}
	for name, value := range e.Stack.Target.VarsOf(s.caller) {
		out[name] = value
	}
	out = out.With(e.setup).With(s.p.captures()).With(targets.Vars{
		"order": s.p.Order, "account": s.p.Account, "channel": s.channel, "currency": s.currency, "key": s.key, "trace": trace,
		"amount": e.Stack.Target.Payment.Amount.Written(s.amount, s.currency), "amount.minor": s.amount, "refund": s.refund,
		"n": int64(s.p.n), "now": e.Recorder.Start().Add(e.Recorder.Since()).UTC().Format(time.RFC3339),
	})
	if s.noKey || s.key == "" && e.Stack.Target.Payment.Key.Kind == targets.KeyNone {
		out["key"] = targets.Omitted
	}
	return out
}

// maxKey bounds how much of an idempotency key a history keeps.
const maxKey = 128

// attempt begins the record of one request.
func (s *submission) attempt(e *Env) *history.Attempt {
	a := &history.Attempt{
		Order: s.p.Order, Op: s.op, Key: s.key, Trace: s.p.trace, Try: e.nextTry(s.p, s.op), Burst: s.burst, Amount: s.amount,
		Currency: s.currency, Channel: s.channel, Door: s.door, RefundID: s.refund, Instance: s.instance,
	}
	if len(a.Key) > maxKey {
		a.Key = fmt.Sprintf("%s… (%d bytes)", a.Key[:maxKey], len(a.Key))
	}
	if m := e.Stack.Target.VarsOf(s.caller)["merchant"]; m != s.p.Merchant {
		a.Merchant = m
	}
	if s.freshTrace {
		a.Trace = e.newTrace(s.p)
	}
	a.Sent = e.Recorder.Since()
	return a
}

// finish ends the record of one request with its answer or with the error that came in its place.
func (e *Env) finish(a *history.Attempt, r *targets.Reply, err error) {
	a.Done = e.Recorder.Since()
	a.Outcome = history.Unknown
	if err != nil {
		a.Error = err.Error()
	} else {
		e.Stack.Target.Answers.Read(r, e.Stack.Target.Rows.States, a)
	}
	e.Recorder.Add(history.Event{Attempt: a})
}

// send carries one request out and records it.
func (e *Env) send(ctx context.Context, s submission) (*history.Attempt, *targets.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	a := s.attempt(e)
	at, err := e.Stack.ClientURL(s.instance)
	if err != nil {
		return nil, nil, err
	}
	req, err := s.request.Build(ctx, at, s.vars(e, a.Trace))
	if err != nil {
		return nil, nil, err
	}
	resp, err := e.client.Do(req)
	var reply *targets.Reply
	if err == nil {
		reply, err = targets.ReadReply(resp)
	}
	for _, word := range s.tells {
		if reply != nil && !bytes.Contains(reply.Raw, []byte(word)) {
			a.Untold = append(a.Untold, word)
		}
	}
	e.finish(a, reply, err)
	e.capture(&s, reply)
	return a, reply, nil
}

// freshKey is a key under which nothing was submitted yet: one that was obtained ahead, or a new one.
func (e *Env) freshKey(ctx context.Context, s submission) (string, error) {
	if key := e.readyKey(s.p); key != "" {
		return key, nil
	}
	key, err := e.newKey(ctx, s)
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s.p.keys = append(s.p.keys, key)
	return key, nil
}

// newKey obtains a new idempotency key for a submit, from the service where it hands them out.
func (e *Env) newKey(ctx context.Context, submit submission) (string, error) {
	r, p := e.Stack.Target.Payment.Token, submit.p
	if r == nil {
		e.mu.Lock()
		key := e.Stack.Target.Payment.Key.Make(p.rng)
		e.mu.Unlock()
		e.learn(p, key)
		return key, nil
	}
	s := e.asking(p, history.OpToken, r, "")
	s.amount, s.currency, s.channel, s.caller = submit.amount, submit.currency, submit.channel, submit.caller
	wait := time.Second
	for try := 1; ; try++ {
		a, reply, err := e.send(ctx, s)
		if err != nil {
			return "", err
		}
		if reply != nil {
			if key := reply.At(r.Capture["key"]); key != "" {
				e.learn(p, key)
				return key, nil
			}
		}
		if try == tokenTries || !e.Stack.Target.Answers.Again(a) {
			return "", fmt.Errorf("no idempotency key to be had for order %s: %s", p.Order, said(a))
		}
		if err := e.Stack.Wait(ctx, wait); err != nil {
			return "", err
		}
		wait *= 2
	}
}

// said is the answer to a request in a few words, or why none came.
func said(a *history.Attempt) string {
	if a.Error != "" {
		return a.Error
	}
	return strings.TrimSpace(fmt.Sprintf("answer %d %s", a.HTTP, a.Code))
}

// errNotClean says that a service did not take a clean payment.
var errNotClean = errors.New("a clean payment does not work")

// probeTries is how many clean payments may fail before one must work. A service may decline at random, and a busy machine
// may let one payment run into a time-out.
const probeTries = 3

// Probe makes clean payments, without any fault, until one is all right and everything about it is done. Where none is,
// that is trouble of the environment: a service that cannot take a clean payment cannot be judged.
func (e *Env) Probe(ctx context.Context) error {
	var errs []error
	for n := range probeTries {
		err := e.probe(ctx, fmt.Sprintf("probe %d", n+1))
		if err == nil || ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("%w: %w", errNotClean, errors.Join(errs...))
}

func (e *Env) probe(ctx context.Context, label string) (err error) {
	p := e.beginProbe(label)
	s := e.submission(p, "")
	if err = e.prepare(ctx, p); err != nil {
		return err
	}
	if s.key, err = e.freshKey(ctx, s); err != nil {
		return err
	}
	last, err := e.untilAnswered(ctx, s, usualRetries)
	if err == nil {
		err = e.follow(ctx, p)
	}
	if err != nil {
		return err
	}
	if last.Outcome == history.Declined || last.Outcome == history.Refused {
		return fmt.Errorf("order %s is %s: %s", p.Order, last.Outcome, said(last))
	}
	if err := e.Calm(ctx); err != nil {
		return err
	}
	reading, err := e.Observe(ctx)
	if err != nil {
		return err
	}
	for _, row := range reading.Rows {
		if row.Order == p.Order && row.State == history.StateSuccess {
			return nil
		}
	}
	return fmt.Errorf("order %s has no SUCCESS row: %s", p.Order, said(last))
}

// retry is how a client tries again: after backoff, then twice that, and so on, at most max times. Usual clients keep to the
// times that the target says, where it says some.
type retry struct {
	backoff time.Duration
	max     int
	usual   bool
}

// wait is how long a client waits before it tries again, for the first time (0) or a later one.
func (r retry) wait(try int, said []decode.Duration) time.Duration {
	if r.usual && len(said) > 0 {
		return time.Duration(said[min(try, len(said)-1)])
	}
	return r.backoff << try
}

// most is how often a client tries again: at least once after each time that the target says.
func (r retry) most(said []decode.Duration) int {
	if r.usual {
		return max(r.max, len(said))
	}
	return r.max
}

// usualRetries are those of a well-behaved client.
var usualRetries = retry{backoff: time.Second, max: 3, usual: true}

// untilAnswered sends a request, and tries again with the same key as long as nothing can be concluded. It returns the
// last try.
func (e *Env) untilAnswered(ctx context.Context, s submission, r retry) (*history.Attempt, error) {
	after := e.Stack.Target.Payment.RetryAfter
	for try := 0; ; try++ {
		a, _, err := e.send(ctx, s)
		if err != nil {
			return nil, err
		}
		if try >= r.most(after) || !e.Stack.Target.Answers.Again(a) {
			return a, nil
		}
		if err := e.Stack.Wait(ctx, r.wait(try, after)); err != nil {
			return a, err
		}
	}
}
