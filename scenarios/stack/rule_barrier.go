package stack

import "fmt"

// Barrier holds messages until so many are held, and then lets all go together. It stays open afterwards. It has fired
// only once it was full: messages that were let go by Release or Remove did not meet.
type Barrier struct {
	Copies int `json:"copies"`
}

var _ = action[Barrier]("barrier")

func (b Barrier) start(a *armedRule) (func(*parcel), error) {
	if b.Copies < 1 {
		return nil, fmt.Errorf("a barrier for %d messages: it needs at least 1", b.Copies)
	}
	return func(p *parcel) {
		if a.open {
			p.armed = nil
			return
		}
		a.hold(p)
		if len(a.held) >= b.Copies {
			a.open = true
			a.fired += len(a.held)
			a.release()
		}
	}, nil
}
