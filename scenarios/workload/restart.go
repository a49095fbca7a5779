package workload

import (
	"context"
	"fmt"
)

// Restart kills an instance of the service, if it runs, and starts it again.
var Restart = register(Kind{
	Name:    "restart",
	Doc:     "kills the service with kill -9, if it runs, and starts it again with all that it has on disk",
	Example: "restart",
	New:     func() Action { return &restart{} },
})

type restart struct {
	Process  string `yaml:"process"`  // by its name in the target file; the one that takes payments where not given
	Instance int    `yaml:"instance"` // which of its instances, from 1, where there are two; the first where not given
}

func (s *restart) Validate() error {
	if s.Instance < 0 {
		return fmt.Errorf("instance: %d is none; the first is 1", s.Instance)
	}
	return nil
}

// On is the instance that is meant of the process that takes payments.
func (s *restart) On() int {
	if s.Process != "" {
		return 1
	}
	return max(1, s.Instance)
}

// Victim is the name of the process that is meant, "" for the one that takes payments.
func (s *restart) Victim() string { return s.Process }

func (s *restart) Do(ctx context.Context, e *Env) error {
	service, err := e.Stack.Process(s.Process, s.Instance)
	if err == nil {
		err = service.Kill()
	}
	if err != nil {
		return err
	}
	return service.Start(ctx)
}
