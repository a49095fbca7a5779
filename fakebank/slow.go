package fakebank

import (
	"fmt"
	"time"
)

// maxWait bounds every time that a behaviour can be told to wait.
const maxWait = 24 * time.Hour

type slowParams struct {
	Delay time.Duration `json:"delay"`
}

// slow acts at once and answers late, as a bank does whose answer outlives the patience of whoever asked.
var slow = register(Kind{Name: "slow", Ops: everyOp,
	Doc: "acts, then answers after delay (ns)"}, func(p slowParams) (effect, error) {
	if err := wait("delay", p.Delay); err != nil {
		return effect{}, err
	}
	return effect{answer: func(x *exchange, a Answer) {
		later, stop := x.bank.clock.Timer(p.Delay)
		defer stop()
		x.afterwards(a, x.armed.park(x.r.Context(), later))
	}}, nil
})

// afterwards gives an answer that was held, unless nobody is there to take it.
func (x *exchange) afterwards(a Answer, how ending) {
	if how == gone {
		x.withhold(a, "the caller went away while the answer was held")
		return
	}
	x.give(a)
}

func wait(field string, d time.Duration) error {
	if d <= 0 || d > maxWait {
		return fmt.Errorf("%s %d: use 1 to %d nanoseconds", field, d, maxWait)
	}
	return nil
}
