package faults

import (
	"context"
	"fmt"

	"onedebit/scenarios/stack"
)

// Pause stops the service where it stands, as kill -STOP or a long garbage collection does, until it is healed.
var Pause = register(Kind{
	Name:    "pause",
	Doc:     "the service stands still (SIGSTOP) until the fault is healed (SIGCONT)",
	Example: "pause: {}",
	New:     func() Fault { return &pause{} },
})

type pause struct {
	instance `yaml:",inline"`
}

// instance chooses one of the processes of the service.
type instance struct {
	Process  string `yaml:"process"`  // by its name in the target file; the one that takes payments where not given
	Instance int    `yaml:"instance"` // which of its instances, from 1, where there are two; the first where not given
}

// service finds it.
func (i *instance) service(env *Env) (stack.Service, error) {
	return env.Stack.Process(i.Process, i.Instance)
}

func (i *instance) check() error {
	if i.Instance < 0 {
		return fmt.Errorf("instance: %d is none; the first is 1", i.Instance)
	}
	return nil
}

// On is the instance that is meant of the process that takes payments.
func (i *instance) On() int {
	if i.Process != "" {
		return 1
	}
	return max(1, i.Instance)
}

// Victim is the name of the process that is meant, "" for the one that takes payments.
func (i *instance) Victim() string { return i.Process }

// of names the process in words.
func (i *instance) of() string {
	what := "the service"
	if i.Process != "" {
		what = "process " + i.Process
	}
	if i.Instance < 2 {
		return what
	}
	return fmt.Sprintf("instance %d of %s", i.Instance, what)
}

func (f *pause) Validate() error { return f.check() }

func (f *pause) Links() []string { return nil }
func (f *pause) Text() string    { return f.of() + " stands still" }

func (f *pause) Arm(_ context.Context, env *Env) (Armed, error) {
	service, err := f.service(env)
	if err == nil {
		err = service.Pause()
	}
	if err != nil {
		return nil, err
	}
	undo := func(context.Context) error { return service.Continue() }
	return &lasting{instant: instant{1}, undo: undo}, nil
}
