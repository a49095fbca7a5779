package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// Pay submits a payment as a client does: once, or again after a while as long as nothing can be concluded.
var Pay = register(Kind{
	Name:    "pay",
	Doc:     "a client submits a payment, under a new key unless told otherwise, and tries again while nothing can be concluded",
	Example: "pay: {of: A, same-key: true, retries: {backoff: 1s, max: 3}, gives-up: 3s}",
	New:     func() Action { return &pay{} },
})

type pay struct {
	about    `yaml:",inline"`
	keyed    `yaml:",inline"`
	worded   `yaml:",inline"`
	Door     string          `yaml:"door"`     // another entry point of the target, by its name under payment.doors
	Caller   string          `yaml:"caller"`   // somebody else than the usual merchant, by the name under callers; a payment that begins so is theirs
	Instance int             `yaml:"instance"` // to this very process of the service, from 1, past the load balancer
	Retries  *retries        `yaml:"retries"`  // as clients do where not given: after 1 s, 2 s and 4 s
	GivesUp  decode.Duration `yaml:"gives-up"` // how long the client waits for each answer, in real life
	Times    int             `yaml:"times"`    // one after the other, so many times
}

// keyed is which idempotency key a submit comes under; a new one where nothing is given.
type keyed struct {
	SameKey   bool    `yaml:"same-key"`   // under the key that the payment has had before
	KeyOf     string  `yaml:"key-of"`     // under the key of another payment
	Key       *string `yaml:"key"`        // under this very key, which may be blank
	KeyLength int     `yaml:"key-length"` // under a key of so many letters
	OmitKey   bool    `yaml:"omit-key"`   // without any key
}

// maxKeyLength bounds a key that is made to be too long.
const maxKeyLength = 1 << 20

// check is Validate for the key.
func (k *keyed) check() error {
	n := 0
	for _, given := range []bool{k.SameKey, k.KeyOf != "", k.Key != nil, k.KeyLength != 0, k.OmitKey} {
		if given {
			n++
		}
	}
	switch {
	case n > 1:
		return errors.New("same-key, key-of, key, key-length and omit-key exclude each other")
	case k.KeyLength < 0 || k.KeyLength > maxKeyLength:
		return fmt.Errorf("key-length: from 1 to %d", maxKeyLength)
	}
	return nil
}

// worded is how a submit differs from the payment that it is about, in what matters or in what does not.
type worded struct {
	Amount     int64          `yaml:"amount"`      // another amount than the payment's, in minor units
	Currency   string         `yaml:"currency"`    // another currency than the payment's
	Channel    string         `yaml:"channel"`     // another channel than the payment's
	Body       map[string]any `yaml:"body"`        // further fields of the body, or other values of those that it has
	Reordered  bool           `yaml:"reordered"`   // the fields of the body in reverse order
	FreshTrace bool           `yaml:"fresh-trace"` // a trace id of its own for each try
}

// OtherChannel is the channel that the submit names, or "".
func (w *worded) OtherChannel() string { return w.Channel }

// apply words a submission.
func (w *worded) apply(s *submission) {
	s.amount, s.currency, s.channel = cmp.Or(w.Amount, s.amount), cmp.Or(w.Currency, s.currency), cmp.Or(w.Channel, s.channel)
	s.freshTrace = w.FreshTrace
	if len(w.Body) > 0 || w.Reordered {
		s.request = s.request.Altered(w.Body, w.Reordered)
	}
}

type retries struct {
	Backoff decode.Duration `yaml:"backoff"` // before the first retry; doubled each time
	Max     int             `yaml:"max" zero:"none"`
}

// check is Validate for retries, which may be absent.
func (r *retries) check() error {
	switch {
	case r == nil:
	case r.Max < 0:
		return errors.New("retries are counted from 0")
	case r.Max > 0 && r.Backoff <= 0:
		return errors.New("retries need a backoff, for example {backoff: 1s, max: 3}")
	}
	return nil
}

// orUsual is how a client tries again that is told nothing.
func (r *retries) orUsual() retry {
	if r == nil {
		return usualRetries
	}
	return retry{backoff: time.Duration(r.Backoff), max: r.Max}
}

func (s *pay) Validate() error {
	switch {
	case s.Times < 0:
		return errors.New("times: from 1")
	case s.Instance < 0:
		return fmt.Errorf("instance: %d is none; the first is 1", s.Instance)
	}
	return errors.Join(s.check(), s.Retries.check())
}

// On is the process that is meant.
func (s *pay) On() int { return max(1, s.Instance) }

// Needs are the door and the caller, and what a submit that is not as it should be asks of the service.
func (s *pay) Needs() (out []string) {
	if s.Door != "" {
		out = append(out, targets.Door(s.Door))
	}
	if s.Caller != "" {
		out = append(out, targets.Caller(s.Caller))
	}
	if s.Key != nil || s.KeyLength > 0 || s.OmitKey {
		out = append(out, targets.KeyHeader)
	}
	if s.KeyOf != "" || s.SameKey && (s.Amount != 0 || s.Currency != "" || s.Channel != "" || s.Caller != "") {
		out = append(out, targets.Comparing)
	}
	return out
}

// Begins is the payment, and its key where one is made.
func (s *pay) Begins() []Thing {
	if s.OmitKey || s.Key != nil || s.KeyLength > 0 {
		return []Thing{aPayment(s.Of)}
	}
	return []Thing{aPayment(s.Of), aKey(s.Of)}
}

// RestsOn is whose key is used again.
func (s *pay) RestsOn() (out []Thing) {
	if s.SameKey {
		out = append(out, aKey(s.Of))
	}
	if s.KeyOf != "" {
		out = append(out, aKey(s.KeyOf))
	}
	return out
}

// Fresh is under how many new keys which payment is submitted.
func (s *pay) Fresh() (of string, keys int) {
	if s.SameKey || s.KeyOf != "" {
		return labelled(s.Of), 0
	}
	return labelled(s.Of), max(1, s.Times)
}

func (s *pay) Do(ctx context.Context, e *Env) error {
	p := e.payment(s.Of, s.Caller)
	if err := e.prepare(ctx, p); err != nil {
		return err
	}
	for range max(1, s.Times) {
		sub, err := e.through(e.submission(p, ""), s.Door)
		if err != nil {
			return err
		}
		sub.caller, sub.instance = cmp.Or(s.Caller, p.caller), s.Instance
		sub.within(e, s.GivesUp)
		s.apply(&sub)
		if err := s.under(ctx, e, &sub); err != nil {
			return err
		}
		if _, err := e.untilAnswered(ctx, sub, s.Retries.orUsual()); err != nil {
			return err
		}
		if err := e.follow(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// under puts a submission under its key.
func (k *keyed) under(ctx context.Context, e *Env, s *submission) (err error) {
	switch {
	case k.OmitKey:
		s.noKey = true
	case k.Key != nil:
		s.key = *k.Key
	case k.KeyLength > 0:
		e.mu.Lock()
		s.key = word(s.p.rng, k.KeyLength)
		e.mu.Unlock()
	case k.KeyOf != "":
		s.key, err = e.keyOf(k.KeyOf)
	case k.SameKey:
		s.key, err = e.keyOf(s.p.Label)
	default:
		s.key, err = e.freshKey(ctx, *s)
	}
	return err
}

// usualDoor is the name of the entry point that a submit takes where nothing is said.
const usualDoor = "pay"

// through is a submission by another door.
func (e *Env) through(s submission, door string) (submission, error) {
	if door == "" || door == usualDoor {
		return s, nil
	}
	doors := e.Stack.Target.Payment.Doors
	if doors[door] == nil {
		return s, errors.New(decode.UnknownName("door", door, append(slices.Sorted(maps.Keys(doors)), usualDoor)))
	}
	s.door, s.request = door, doors[door]
	return s, nil
}
