package stack

import (
	"context"
	"errors"
	"time"
)

// linkGroup is several links as one: the ways to each of several banks. A rule is in force on each of them, and counts by
// itself there.
type linkGroup []Link

// Address is that of the first.
func (g linkGroup) Address() string { return g[0].Address() }

// Arm puts a rule in force on each.
func (g linkGroup) Arm(ctx context.Context, r Rule) (Armed, error) {
	var out armedGroup
	for _, link := range g {
		armed, err := link.Arm(ctx, r)
		if err != nil {
			return nil, errors.Join(err, out.Remove(ctx))
		}
		out = append(out, armed)
	}
	return out, nil
}

// Toxic puts a toxic in force on each.
func (g linkGroup) Toxic(ctx context.Context, name, typ, stream string, attributes map[string]any) (ArmedToxic, error) {
	var out toxicGroup
	for _, link := range g {
		armed, err := link.Toxic(ctx, name, typ, stream, attributes)
		if err != nil {
			return nil, errors.Join(err, out.Remove(ctx))
		}
		out = append(out, armed)
	}
	return out, nil
}

// Up brings each up.
func (g linkGroup) Up(ctx context.Context) error {
	return all(g, func(l Link) error { return l.Up(ctx) })
}

// Down takes each down.
func (g linkGroup) Down(ctx context.Context) error {
	return all(g, func(l Link) error { return l.Down(ctx) })
}

func all[T any](list []T, do func(T) error) error {
	var errs []error
	for _, one := range list {
		errs = append(errs, do(one))
	}
	return errors.Join(errs...)
}

// armedGroup is a rule in force on several links.
type armedGroup []Armed

func (g armedGroup) Counts(ctx context.Context) (fired, holding int, err error) {
	err = all(g, func(a Armed) error {
		f, h, err := a.Counts(ctx)
		fired, holding = fired+f, holding+h
		return err
	})
	return fired, holding, err
}

func (g armedGroup) Wait(ctx context.Context, fired, holding int) error {
	tick := time.NewTicker(awaitTick)
	defer tick.Stop()
	for {
		f, h, err := g.Counts(ctx)
		if err != nil || f >= fired && h >= holding {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (g armedGroup) Release(ctx context.Context) error {
	return all(g, func(a Armed) error { return a.Release(ctx) })
}

func (g armedGroup) Remove(ctx context.Context) error {
	return all(g, func(a Armed) error { return a.Remove(ctx) })
}

// toxicGroup is a toxic in force on several links.
type toxicGroup []ArmedToxic

func (g toxicGroup) Fired(ctx context.Context) (fired int, err error) {
	err = all(g, func(a ArmedToxic) error {
		f, err := a.Fired(ctx)
		fired += f
		return err
	})
	return fired, err
}

func (g toxicGroup) Remove(ctx context.Context) error {
	return all(g, func(a ArmedToxic) error { return a.Remove(ctx) })
}
