package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// TCP's ways with a lost segment: it is sent again after a time-out that doubles each time, and after so many in vain the
// connection is given up. Linux's smallest time-out is 200 ms.
const (
	retransmit     = 200 * time.Millisecond
	retransmitMost = 6
)

// PacketLoss loses packets: by the kernel where the runtime has a network for that, and else by a model of what packet loss
// does to a TCP stream, where bytes do not go missing but come late, and in the end the connection is reset.
var PacketLoss = register(Kind{
	Name: "packet-loss",
	Doc: "packets are lost at a rate, or the first so many of every so many; as with TCP, data comes late by retransmission and in the end the connection is reset. " +
		"By the kernel where the runtime has the ability kernel, and by a model of TCP elsewhere",
	Example: "packet-loss: {link: bank, rate: 30%}",
	New:     func() Fault { return &packetLoss{} },
})

type packetLoss struct {
	Link      string         `yaml:"link"`
	Rate      decode.Percent `yaml:"rate"`
	Burst     stack.Burst    `yaml:"burst"`     // in place of a rate
	Direction direction      `yaml:"direction"` // request or answer; both where not given
}

func (f *packetLoss) Validate() error {
	if f.Link == "" || (f.Rate == 0) == (f.Burst.Of == 0) {
		return errors.New("packet-loss needs a link and a rate, for example {link: bank, rate: 30%}, or a burst in its place: {link: bank, burst: {lose: 3, of: 10}}")
	}
	return nil
}

func (f *packetLoss) Links() []string { return []string{f.Link} }

func (f *packetLoss) Text() string {
	if f.Burst.Of > 0 {
		return fmt.Sprintf("the first %d of every %d packets on link %s are lost, %s", f.Burst.Lose, f.Burst.Of, f.Link, f.Direction.text())
	}
	return fmt.Sprintf("%s of the packets on link %s are lost, %s", f.Rate, f.Link, f.Direction.text())
}

func (f *packetLoss) Arm(ctx context.Context, env *Env) (Armed, error) {
	if env.Stack.Kernel != nil {
		return armPackets(ctx, env, f.Link, f.Direction.ways(), stack.KernelRule{Rate: float64(f.Rate), Burst: f.Burst})
	}
	var rules []stack.Rule
	for _, dir := range f.Direction.ways() {
		loss := stack.Loss{
			Rate: float64(f.Rate), Burst: f.Burst, RTO: env.Stack.Scale(retransmit), Max: retransmitMost,
			Seed: [2]uint64{env.Rand.Uint64(), env.Rand.Uint64()},
		}
		rules = append(rules, stack.Rule{Match: stack.Match{Dir: dir}, Do: loss})
	}
	return armTap(ctx, env, f.Link, rules...)
}
