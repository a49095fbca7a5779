package workload

import (
	"context"
	"fmt"
)

// Keys obtains idempotency keys ahead, so that a fault which is armed next meets the submits alone.
var Keys = register(Kind{
	Name:    "keys",
	Doc:     "obtains idempotency keys for a payment ahead; the next submits under fresh keys use them",
	Example: "keys: {of: A, count: 20}",
	New:     func() Action { return &keys{Count: 1} },
})

type keys struct {
	about `yaml:",inline"`
	Count int `yaml:"count"`
}

func (s *keys) Validate() error {
	if s.Count < 1 || s.Count > maxCopies {
		return fmt.Errorf("count: from 1 to %d", maxCopies)
	}
	return nil
}

// Begins is the payment; a key that is only ready has not been used yet.
func (s *keys) Begins() []Thing { return []Thing{aPayment(s.Of)} }

func (s *keys) Do(ctx context.Context, e *Env) error {
	p := e.payment(s.Of, "")
	if err := e.prepare(ctx, p); err != nil {
		return err
	}
	for range s.Count {
		key, err := e.newKey(ctx, e.submission(p, ""))
		if err != nil {
			return err
		}
		e.mu.Lock()
		p.ready = append(p.ready, key)
		e.mu.Unlock()
	}
	return nil
}
