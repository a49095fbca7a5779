package reference

import (
	"io"
	"strings"
	"sync"
	"time"
)

// Logger writes one line a step, from which a payment can be retold:
//
//	<RFC3339Nano> [ORDER_ID] [TRACE_ID] [STEP] [STATUS] [DETAIL]
//
// An empty field is written "-". It is safe for concurrent use; a line is never torn.
type Logger struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	line  []byte
	kept  []Step // the newest, a ring
	begin int    // of the ring, once it is full
}

// Step is one line of the log.
type Step struct {
	At      time.Time `json:"at"`
	OrderID string    `json:"-"`
	TraceID string    `json:"trace_id"`
	Step    string    `json:"step"`
	Status  string    `json:"status"`
	Detail  string    `json:"detail"`
}

// keptSteps is how many of the newest lines an instance can tell again.
const keptSteps = 20_000

// NewLogger returns a Logger that writes to out and stamps lines with now.
func NewLogger(out io.Writer, now func() time.Time) *Logger { return &Logger{out: out, now: now} }

// Step writes one line. A write that fails is dropped: a payment does not wait for its log.
func (l *Logger) Step(order, trace, step, status, detail string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := Step{At: l.now().UTC(), OrderID: order, TraceID: trace, Step: step, Status: status, Detail: detail}
	l.keep(line)
	l.line = line.At.AppendFormat(l.line[:0], time.RFC3339Nano)
	for _, field := range [...]string{order, trace, step, status, detail} {
		l.line = append(l.line, ' ', '[')
		l.line = append(l.line, loggable(field)...)
		l.line = append(l.line, ']')
	}
	l.line = append(l.line, '\n')
	_, _ = l.out.Write(l.line)
}

// keep remembers a line in place of the oldest. The lock is held.
func (l *Logger) keep(line Step) {
	if len(line.Detail) > maxLogField {
		line.Detail = strings.Clone(line.Detail[:maxLogField])
	}
	if len(l.kept) < keptSteps {
		l.kept = append(l.kept, line)
		return
	}
	l.kept[l.begin] = line
	l.begin = (l.begin + 1) % keptSteps
}

// Steps returns the lines about an order that are still known, oldest first.
func (l *Logger) Steps(order string) (steps []Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.kept {
		if line := l.kept[(l.begin+i)%len(l.kept)]; line.OrderID == order {
			steps = append(steps, line)
		}
	}
	return steps
}

// maxLogField bounds one field; an error text from outside can be of any length.
const maxLogField = 500

func loggable(field string) string {
	if field == "" {
		return "-"
	}
	if len(field) > maxLogField {
		field = field[:maxLogField]
	}
	if strings.ContainsAny(field, "[]\n\r") {
		field = strings.NewReplacer("[", "(", "]", ")", "\n", " ", "\r", " ").Replace(field)
	}
	return field
}
