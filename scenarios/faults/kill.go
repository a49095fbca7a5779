package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Kill ends the service at once, as kill -9 does, when a message passes: just before it is handed on, or just after.
// Without a message it is killed where the step stands. The service stays down until it is started again, by a restart
// step or when the fault is healed.
var Kill = register(Kind{
	Name:    "kill",
	Doc:     "the service is killed with kill -9: now, or just before or after a message passes; healing starts it again",
	Example: "kill: {link: bank, message: debit, part: answer, nth: 1, when: before}",
	New:     func() Fault { return &kill{part: part{history.Answer}, When: "before"} },
})

type kill struct {
	Position `yaml:",inline"`
	part     `yaml:",inline"`
	When     string `yaml:"when"`
	instance `yaml:",inline"`
}

func (f *kill) Validate() error {
	if f.When != "before" && f.When != "after" {
		return errors.New("when: before or after the message")
	}
	if f.Link == "" && (len(f.Message) > 0 || f.Nth != 0 || f.Count != 0) {
		return errors.New("link: say on which link the message is")
	}
	if f.Count > 1 {
		return errors.New("count: a service can be killed once; arm the fault again after a restart")
	}
	if f.Link == "" {
		return f.instance.check()
	}
	return errors.Join(f.part.check(), f.instance.check(), f.Position.Validate())
}

// Links is the link of the message, if there is one.
func (f *kill) Links() []string {
	if f.Link == "" {
		return nil
	}
	return []string{f.Link}
}

func (f *kill) Text() string {
	if f.Link == "" {
		return "kill -9 of " + f.of()
	}
	return fmt.Sprintf("kill -9 of %s just %s %s", f.of(), f.When, f.once().text(f.Part))
}

// once is the position of the one message that matters.
func (f *kill) once() Position {
	p := f.Position
	p.Count = 1
	return p
}

func (f *kill) Arm(ctx context.Context, env *Env) (Armed, error) {
	service, err := f.service(env)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	k := &killed{Armed: instant{1}, service: service}
	if f.Link == "" {
		return k, k.service.Kill()
	}
	k.Armed, err = armTap(ctx, env, f.Link, stack.Rule{Match: f.once().match(env, f.Part), Do: f.at(k.shoot)})
	return k, err
}

// at is the shot, just before or just after the message.
func (f *kill) at(shoot func()) stack.Do {
	if f.When == "after" {
		return stack.Do{After: shoot}
	}
	return stack.Do{Before: shoot}
}

// killed starts the service again when it is healed.
type killed struct {
	Armed
	service stack.Service

	mu     sync.Mutex // held while the service is being killed: whoever heals must not find it half dead
	healed bool
	failed error
}

func (k *killed) shoot() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.healed {
		k.failed = k.service.Kill()
	}
}

func (k *killed) Heal(ctx context.Context) error {
	err := k.Armed.Heal(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.healed = true
	err = errors.Join(err, k.failed)
	if k.service.Running() {
		return err
	}
	return errors.Join(err, k.service.Start(ctx))
}
