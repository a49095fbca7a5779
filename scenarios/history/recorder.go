package history

import (
	"sync"
	"time"
)

// History is a finished sequence of events.
type History struct {
	Events []Event
}

// Recorder gathers events from many goroutines and gives each its place and time.
type Recorder struct {
	now   func() time.Time
	start time.Time
	tell  func(Event) // in place of keeping

	mu     sync.Mutex
	events []Event
}

// NewRecorder starts a history now, by the clock given.
func NewRecorder(now func() time.Time) *Recorder {
	return &Recorder{now: now, start: now()}
}

// NewTeller tells every event and keeps none: for what goes on for as long as somebody likes. It is told from many
// goroutines, one event at a time.
func NewTeller(now func() time.Time, tell func(Event)) *Recorder {
	return &Recorder{now: now, start: now(), tell: tell}
}

// Since is the time since the history began.
func (r *Recorder) Since() time.Duration { return r.now().Sub(r.start) }

// Start is the instant at which the history began.
func (r *Recorder) Start() time.Time { return r.start }

// Add records one event, now.
func (r *Recorder) Add(e Event) { r.AddAt(r.Since(), e) }

// AddAt records one event that happened at the offset given, for observations that carry a time of their own.
func (r *Recorder) AddAt(at time.Duration, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.At = at
	if r.tell != nil {
		r.tell(e)
		return
	}
	r.events = append(r.events, e)
}

// History returns a copy of what was recorded so far, in time order.
func (r *Recorder) History() *History {
	r.mu.Lock()
	events := make([]Event, len(r.events))
	copy(events, r.events)
	r.mu.Unlock()
	return New(events)
}
