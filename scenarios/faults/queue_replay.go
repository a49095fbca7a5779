package faults

import (
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/stack"
)

// QueueReplay publishes a payment's messages again, as an operator does at the broker's console.
var QueueReplay = register(Kind{
	Name:    "queue-replay",
	Doc:     "the messages of a payment are published again, so many times, as from the broker's console",
	Example: "queue-replay: {topic: pay.success, of: A, times: 10}",
	New:     func() Fault { return &queueReplay{Of: "A", Times: 1} },
})

type queueReplay struct {
	Topic string `yaml:"topic"`
	Of    string `yaml:"of"`
	Times int    `yaml:"times"`
}

func (f *queueReplay) Validate() error {
	if f.Topic == "" || f.Times < 1 {
		return errors.New("queue-replay needs a topic and times (at least 1)")
	}
	return nil
}

// Payment is whose messages are published again, and Events under which name the target knows them.
func (f *queueReplay) Payment() string { return f.Of }
func (f *queueReplay) Events() string  { return f.Topic }

func (f *queueReplay) Links() []string { return []string{stack.QueueLink} }

func (f *queueReplay) Text() string {
	return fmt.Sprintf("the message of payment %s on %s is published %d times again", f.Of, f.Topic, f.Times)
}

func (f *queueReplay) Arm(ctx context.Context, env *Env) (Armed, error) {
	order, err := env.Order(f.Of)
	if err != nil {
		return nil, err
	}
	n, err := env.Stack.Queue.Replay(ctx, f.Topic, order, f.Times)
	if err != nil {
		return nil, fmt.Errorf("fault %s: %w", env.Name, err)
	}
	return instant{fired: n}, nil
}
