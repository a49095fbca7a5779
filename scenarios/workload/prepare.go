package workload

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// actTries is how often a step that prepares something is tried before it is given up.
const actTries = 5

// Setup does once what the target's file says is done before the first payment.
func (e *Env) Setup(ctx context.Context) error {
	e.setup = targets.Vars{}
	for i := range e.Stack.Target.Setup {
		act := &e.Stack.Target.Setup[i]
		vars := targets.Vars{}
		for name, value := range e.Stack.Target.VarsOf("") {
			vars[name] = value
		}
		captured, err := e.act(ctx, act, vars.With(e.setup))
		if err != nil {
			return fmt.Errorf("setup, step %d: %w", i+1, err)
		}
		for name, value := range captured {
			e.setup["setup."+name] = value
		}
	}
	return nil
}

// prepare does once for a payment what the target's file says is done before the submit.
func (e *Env) prepare(ctx context.Context, p *payment) error {
	p.prepared.Do(func() { p.unready = e.around(ctx, p, true) })
	return p.unready
}

// follow does once for a payment what is done behind the submit.
func (e *Env) follow(ctx context.Context, p *payment) (err error) {
	p.followed.Do(func() { err = e.around(ctx, p, false) })
	return err
}

// around does the steps before the submit, or those behind it.
func (e *Env) around(ctx context.Context, p *payment, before bool) error {
	steps := e.Stack.Target.Payment.Each
	at := slices.IndexFunc(steps, func(s targets.PaymentStep) bool { return s.Submit != nil })
	from := at + 1
	if before {
		from, steps = 0, steps[:at]
	}
	for i := from; i < len(steps); i++ {
		e.mu.Lock()
		vars := e.subject(p, "").Vars
		e.mu.Unlock()
		captured, err := e.act(ctx, &steps[i].Act, vars)
		if err != nil {
			return fmt.Errorf("payment.each, step %d of order %s: %w", i+1, p.Order, err)
		}
		e.captured(p, captured)
	}
	return nil
}

// captured keeps what was captured for a payment, and lets everybody know that it belongs there.
func (e *Env) captured(p *payment, values map[string]string) {
	if len(values) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	each := p.captures().With(nil)
	for name, value := range values {
		each["each."+name] = value
		e.Stack.Joiner.Learn(p.Order, value)
	}
	p.each.Store(&each)
	key := ""
	if len(p.keys) > 0 {
		key = p.keys[len(p.keys)-1]
	}
	e.Stack.Rows.Learn(e.subject(p, key))
}

// capture keeps what the submit's answer is to be remembered for. A key that a token request obtains is no such thing.
func (e *Env) capture(s *submission, reply *targets.Reply) {
	if reply == nil || s.op != history.OpPay || len(s.request.Capture) == 0 {
		return
	}
	values := map[string]string{}
	for name, path := range s.request.Capture {
		if found := reply.At(path); found != "" {
			values[name] = found
		}
	}
	e.captured(s.p, values)
}

// act carries out one step that prepares something, and returns what it captures. It is tried again while the service
// cannot be reached.
func (e *Env) act(ctx context.Context, act *targets.Act, vars targets.Vars) (map[string]string, error) {
	if act.SQL != "" {
		text, err := vars.Expand(act.SQL)
		if err != nil {
			return nil, err
		}
		return nil, e.Stack.SQL(ctx, text)
	}
	wait := time.Second
	for try := 1; ; try++ {
		reply, err := e.ask(ctx, &act.Request, vars)
		if err == nil && act.Accepts(reply.HTTP) {
			return act.Captured(reply)
		}
		if err == nil {
			err = act.Refused(reply)
		}
		if try == actTries || reply != nil && reply.HTTP < http.StatusInternalServerError {
			return nil, err
		}
		if err := e.Stack.Wait(ctx, wait); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// ask sends a request that is no attempt to pay.
func (e *Env) ask(ctx context.Context, r *targets.Request, vars targets.Vars) (*targets.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, e.Stack.Scale(clientPatience))
	defer cancel()
	at, err := e.Stack.ClientURL(0)
	if err != nil {
		return nil, err
	}
	req, err := r.Build(ctx, at, vars)
	if err != nil {
		return nil, err
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}
	return targets.ReadReply(resp)
}
