package fakebank

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

type garbleParams struct {
	With  string        `json:"with"`
	Deed  string        `json:"deed"`
	Delay time.Duration `json:"delay"`
}

// Answers from which nothing can be concluded.
var garblings = map[string]func(x *exchange, said Answer) Answer{
	"html-502": func(*exchange, Answer) Answer {
		return Answer{HTTP: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			Body: []byte("<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>")}
	},
	"json-500": func(x *exchange, _ Answer) Answer {
		a := x.request.Refuse(Outcome{Code: ServerError, Message: "the bank could not answer"})
		a.HTTP = http.StatusInternalServerError
		return a
	},
	"truncated": func(_ *exchange, said Answer) Answer {
		return Answer{HTTP: http.StatusOK, Body: said.Body[:len(said.Body)/2]}
	},
	"empty-200": func(*exchange, Answer) Answer { return Answer{HTTP: http.StatusOK} },
	"unknown-code": func(x *exchange, _ Answer) Answer {
		return x.request.Refuse(Outcome{Code: "E9071", Message: "see the manual of the channel"})
	},
	"in-progress-409": func(x *exchange, _ Answer) Answer {
		a := x.request.Refuse(Outcome{Code: "IN_PROGRESS", Message: "a request with this number is being carried out"})
		a.HTTP = http.StatusConflict
		return a
	},
}

// What the bank does while its answer says nothing.
const (
	deedDone  = "done"
	deedNot   = "not"
	deedLater = "later"
)

var deeds = []string{deedDone, deedNot, deedLater}

// garble gives an answer that says nothing of what was done.
var garble = register(Kind{Name: "garble", Ops: everyOp,
	Doc: "answers with html-502, json-500, truncated, empty-200, unknown-code or in-progress-409; deed: done (default), not, " +
		"or later, which is after delay (ns) or when the behaviour is released or removed"}, func(p garbleParams) (effect, error) {
	say, known := garblings[p.With]
	if names := sortedKeys(garblings); !known {
		return effect{}, fmt.Errorf("with %q: use %s%s", p.With, strings.Join(names, ", "), nearest(p.With, names))
	}
	if p.Deed == "" {
		p.Deed = deedDone
	}
	if !slices.Contains(deeds, p.Deed) {
		return effect{}, fmt.Errorf("deed %q: use %s%s", p.Deed, strings.Join(deeds, ", "), nearest(p.Deed, deeds))
	}
	if p.Deed == deedLater {
		if err := wait("delay", p.Delay); err != nil {
			return effect{}, err
		}
	} else if p.Delay != 0 {
		return effect{}, fmt.Errorf("delay: it belongs to deed %s", deedLater)
	}
	if p.Deed == deedDone {
		return effect{answer: func(x *exchange, a Answer) {
			x.armed.fire()
			garbled := say(x, a)
			garbled.Done = a.Done
			x.give(garbled)
		}}, nil
	}
	return effect{instead: func(x *exchange) Answer {
		if p.Deed == deedLater {
			x.later(p.Delay)
		}
		return say(x, x.request.Refuse(Outcome{Code: ServerError, Message: "the bank could not answer"}))
	}}, nil
})

// later carries the call out after a time, or when the behaviour is released or removed, with nobody left to hear of it
// but by its callback.
func (x *exchange) later(delay time.Duration) {
	b := x.bank
	if !b.begin() {
		return
	}
	b.mu.Lock()
	life := b.notifying
	b.mu.Unlock()
	alone := &exchange{bank: b, request: x.request, armed: x.armed} // the other one goes on to its answer
	over, stop := b.clock.Timer(delay)
	held := x.armed.hold()
	go func() {
		defer b.work.Done()
		defer stop()
		if how := held(life, over); how != gone {
			if a := alone.act(&ruling{}); a.Done != nil {
				a.Done(a, false)
			}
			b.notifyLater(alone.owed)
		}
	}()
}

// hold counts something that the behaviour holds from now on, and gives what waits for its end: the release or removal of
// the behaviour, the event, or the end of the context.
func (a *armed) hold() func(context.Context, <-chan time.Time) ending {
	a.armory.mu.Lock()
	defer a.armory.mu.Unlock()
	gate := a.holdLocked()
	if a.removed {
		open := make(chan struct{})
		close(open)
		gate = open
	}
	return func(ctx context.Context, event <-chan time.Time) ending {
		defer a.unhold()
		select {
		case <-ctx.Done():
			return gone
		case <-gate:
			return released
		case <-event:
			return passed
		}
	}
}
