package stack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"onedebit/scenarios/history"
)

// Numbers of Linux's TCP: a segment is sent again at most 15 times, and the time-out stops doubling at 120 s, which is
// 600 times the least one.
const (
	defaultLossMax = 15
	maxLossMax     = 255 // as for Linux's own setting
	maxLossDoubled = 600
)

// Loss is what packet loss does to TCP: a message is never missing, it is late. Each message is lost with the rate
// given; each loss costs a retransmission time-out, which doubles from loss to loss; messages arrive in order; and after
// too many losses in a row the connection is reset.
//
// Each direction of each connection draws from a stream of its own, derived from Seed, in the order of its messages: other
// connections do not change it.
type Loss struct {
	Rate float64 `json:"rate,omitempty"` // 0 to 1
	// Burst is in place of a rate: of the messages of the whole link, and what is sent again, the first so many of every so
	// many are lost.
	Burst Burst         `json:"burst,omitzero"`
	RTO   time.Duration `json:"rto_ns"`        // the first retransmission time-out; 200 ms in real life
	Max   int           `json:"max,omitempty"` // losses in a row that reset the connection; 0 is 15
	Seed  [2]uint64     `json:"seed"`          // must not be zero
}

var _ = action[Loss]("loss")

func (l Loss) start(a *armedRule) (func(*parcel), error) {
	switch {
	case !(l.Rate >= 0 && l.Rate <= 1):
		return nil, fmt.Errorf("a loss rate of %v: it must be between 0 and 1", l.Rate)
	case l.Burst.Validate() != nil:
		return nil, l.Burst.Validate()
	case l.RTO <= 0:
		return nil, fmt.Errorf("a retransmission time-out of %s: it must be longer than nothing", l.RTO)
	case l.Max < 0 || l.Max > maxLossMax:
		return nil, fmt.Errorf("a reset after %d losses: it must be 0 or more, and at most %d", l.Max, maxLossMax)
	case l.Seed == [2]uint64{}:
		return nil, errors.New("loss needs a seed")
	}
	if l.Max == 0 {
		l.Max = defaultLossMax
	}
	streams, sent := map[[2]int]*rand.Rand{}, 0
	return func(p *parcel) {
		key := [2]int{p.flow.conn.number, dirIndex(p.flow.dir)}
		if streams[key] == nil {
			streams[key] = rand.New(rand.NewPCG(l.Seed[0]^uint64(key[0]), l.Seed[1]^uint64(key[1])))
		}
		lost := func() bool { return streams[key].Float64() < l.Rate }
		if l.Burst.Of > 0 {
			lost = func() bool { sent++; return (sent-1)%l.Burst.Of < l.Burst.Lose }
		}
		losses, late := l.draw(lost)
		if losses == 0 {
			p.armed = nil
			return
		}
		a.fired += losses
		p.fate, p.due, p.gate = history.Late, p.arrived.Add(late), a.healed
		if losses == l.Max {
			p.end, p.fate = Reset, history.Lost
			a.fired-- // the last loss counts when it ends the connection
		}
	}, nil
}

// draw says how often one message is lost, at most Max times, and how late it is then.
func (l Loss) draw(lost func() bool) (losses int, late time.Duration) {
	rto := l.RTO
	for losses < l.Max && lost() {
		losses++
		late += rto
		rto = min(2*rto, maxLossDoubled*l.RTO)
	}
	return losses, late
}

// Burst loses the first Lose of every Of packets, exactly. The zero value loses none.
type Burst struct {
	Lose int `yaml:"lose" json:"lose"`
	Of   int `yaml:"of" json:"of"`
}

// mostBurst bounds the period of a burst: within the packets of one experiment it would otherwise never come round.
const mostBurst = 1000

// Validate checks the numbers.
func (b *Burst) Validate() error {
	if *b == (Burst{}) || b.Lose >= 1 && b.Lose <= b.Of && b.Of <= mostBurst {
		return nil
	}
	return fmt.Errorf("a burst of %d out of %d packets: choose 1 to %d, and not more lost than there are", b.Lose, b.Of, mostBurst)
}
