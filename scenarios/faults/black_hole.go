package faults

import (
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/stack"
)

// BlackHole makes a link end in nothing, as a firewall does that drops: nobody answers and nobody refuses.
var BlackHole = register(Kind{
	Name:    "black-hole",
	Doc:     "every packet of a link is lost, new connections' too: nobody answers, nobody refuses; what TCP sends again arrives once it is healed (needs the ability kernel)",
	Example: "black-hole: {link: bank}",
	New:     func() Fault { return &blackHole{} },
})

type blackHole struct {
	Link      string    `yaml:"link"`
	Direction direction `yaml:"direction"` // request or answer; both where not given
}

func (f *blackHole) Validate() error {
	if f.Link == "" {
		return errors.New("link: say which link ends in nothing")
	}
	return nil
}

func (f *blackHole) Links() []string     { return []string{f.Link} }
func (f *blackHole) Abilities() []string { return []string{stack.Packets} }

func (f *blackHole) Text() string {
	return fmt.Sprintf("every packet on link %s is lost, %s", f.Link, f.Direction.text())
}

func (f *blackHole) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armPackets(ctx, env, f.Link, f.Direction.ways(), stack.KernelRule{Rate: 1})
}
