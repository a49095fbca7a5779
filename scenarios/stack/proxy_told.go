package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// maxTold is how much may be under way to the harness before messages wait for it.
const maxTold = 1024

// event is one line of what the proxies tell the harness: a message, or a call that the harness is to make.
type event struct {
	Link string     `json:"link,omitempty"`
	At   int64      `json:"at,omitempty"` // by the proxies' clock, in nanoseconds since 1970
	Seen *Seen      `json:"seen,omitempty"`
	Call *eventCall `json:"call,omitempty"`
}

// eventCall asks for one call of a function that a rule has named. The message waits till the harness says that it is done.
type eventCall struct {
	N  int64  `json:"n"`  // of this call
	Do uint64 `json:"do"` // the function, by the number that the harness has given it
}

// telling is the way of events to the harness. It is bounded: messages wait for a harness that reads slowly, and none is
// ever left out.
type telling struct {
	begun    atomic.Int64 // events told, and those that are being told
	queue    chan event
	complete chan struct{} // closed when no more events will come
	stopped  chan struct{} // closed when nobody will read them any more
	once     [2]sync.Once
}

func newTelling() *telling {
	return &telling{queue: make(chan event, maxTold), complete: make(chan struct{}), stopped: make(chan struct{})}
}

// message tells one message of a link.
func (t *telling) message(link string, m Seen) {
	m.Raw = bytes.Clone(m.Raw) // not the whole message that it is the beginning of
	t.tell(event{Link: link, At: time.Now().UnixNano(), Seen: &m})
}

func (t *telling) tell(e event) {
	t.begun.Add(1)
	select {
	case t.queue <- e:
	case <-t.stopped:
	}
}

// count is a number of events that is reached only when all have been read that were told before.
func (t *telling) count() int64 { return t.begun.Load() }

func (t *telling) finish() { t.once[0].Do(func() { close(t.complete) }) }
func (t *telling) stop()   { t.once[1].Do(func() { close(t.stopped) }) }

// write writes events as lines until they are complete and all written, or until ctx ends or the reader is gone, which is
// an error.
func (t *telling) write(ctx context.Context, w http.ResponseWriter) error {
	lines := json.NewEncoder(w)
	flush := http.NewResponseController(w).Flush
	if err := flush(); err != nil { // the reader sees at once that it is connected
		return err
	}
	for {
		select {
		case e := <-t.queue:
			if err := lines.Encode(e); err != nil {
				return err
			}
			continue
		default:
		}
		if err := flush(); err != nil {
			return err
		}
		select {
		case e := <-t.queue:
			if err := lines.Encode(e); err != nil {
				return err
			}
		case <-t.complete:
			if len(t.queue) == 0 {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
