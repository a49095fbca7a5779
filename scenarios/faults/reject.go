package faults

import (
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Reject makes a link refuse, as a firewall does that rejects, or a load balancer behind which nothing is left.
var Reject = register(Kind{
	Name:    "reject",
	Doc:     "every packet that a client of a link sends is answered with a RST: live connections are reset at their next request, new ones are refused (needs the ability kernel)",
	Example: "reject: {link: bank}",
	New:     func() Fault { return &reject{} },
})

type reject struct {
	Link string `yaml:"link"`
}

func (f *reject) Validate() error {
	if f.Link == "" {
		return errors.New("link: say which link is rejected")
	}
	return nil
}

func (f *reject) Links() []string     { return []string{f.Link} }
func (f *reject) Abilities() []string { return []string{stack.Packets} }

func (f *reject) Text() string {
	return fmt.Sprintf("every packet of a request on link %s is answered with a RST", f.Link)
}

func (f *reject) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armPackets(ctx, env, f.Link, []string{history.Request}, stack.KernelRule{Reject: true})
}
