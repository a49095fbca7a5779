package stack

import (
	"fmt"
	"time"

	"onedebit/scenarios/history"
)

// Delay hands a message on later, by a time that counts from its arrival. What follows it waits behind it, but does not
// add its own delay to that of the message before.
type Delay struct {
	By time.Duration `json:"by_ns"`
}

var _ = action[Delay]("delay")

func (d Delay) start(a *armedRule) (func(*parcel), error) {
	if d.By <= 0 {
		return nil, fmt.Errorf("a delay of %s: it must be longer than nothing", d.By)
	}
	return func(p *parcel) {
		p.fate, p.due, p.gate = history.Late, p.arrived.Add(d.By), a.healed
		a.fired++
	}, nil
}
