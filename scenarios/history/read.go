package history

import (
	"slices"
	"time"
)

// New puts events into time order (equal times keep their order) and numbers them.
func New(events []Event) *History {
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.At - b.At) })
	for i := range events {
		events[i].Seq = i + 1
	}
	return &History{Events: events}
}

// At is an observation with the time at which it was made.
type At[T any] struct {
	Time time.Duration
	Seq  int
	V    *T
}

func pick[T any](h *History, get func(*Event) *T) []At[T] {
	var out []At[T]
	for i := range h.Events {
		if v := get(&h.Events[i]); v != nil {
			out = append(out, At[T]{Time: h.Events[i].At, Seq: h.Events[i].Seq, V: v})
		}
	}
	return out
}

// Plan is what the experiment set out to do; the zero Plan where the history has none.
func (h *History) Plan() Plan {
	for i := range h.Events {
		if p := h.Events[i].Plan; p != nil {
			return *p
		}
	}
	return Plan{}
}

// Payments are the payments that the harness meant to make, in the order of their beginning.
func (h *History) Payments() []At[Payment] {
	return pick(h, func(e *Event) *Payment { return e.Payment })
}

// Refunds are the refunds that the harness meant to make.
func (h *History) Refunds() []At[Refund] {
	return pick(h, func(e *Event) *Refund { return e.Refund })
}

// Sent are the notifications that the harness made the bank send on purpose, in the order in which they were answered.
func (h *History) Sent() []At[SentCallback] {
	return pick(h, func(e *Event) *SentCallback { return e.Sent })
}

// Attempts are the clients' requests, in the order in which they ended.
func (h *History) Attempts() []At[Attempt] {
	return pick(h, func(e *Event) *Attempt { return e.Attempt })
}

// Ledger is the bank's ledger.
func (h *History) Ledger() []At[LedgerEntry] {
	return pick(h, func(e *Event) *LedgerEntry { return e.Ledger })
}

// Readings are the looks into the service's books.
func (h *History) Readings() []At[Reading] {
	return pick(h, func(e *Event) *Reading { return e.Reading })
}

// Messages are the protocol messages seen on the links.
func (h *History) Messages() []At[Message] {
	return pick(h, func(e *Event) *Message { return e.Message })
}

// Faults are the changes in the life of the faults.
func (h *History) Faults() []At[Fault] { return pick(h, func(e *Event) *Fault { return e.Fault }) }

// Bursts are the bursts released.
func (h *History) Bursts() []At[Burst] { return pick(h, func(e *Event) *Burst { return e.Burst }) }

// Phases are the beginnings of the phases.
func (h *History) Phases() []At[Phase] { return pick(h, func(e *Event) *Phase { return e.Phase }) }

// Processes are the changes in the life of the target's processes.
func (h *History) Processes() []At[Process] {
	return pick(h, func(e *Event) *Process { return e.Process })
}

// Log is the service's own log.
func (h *History) Log() []At[LogLine] { return pick(h, func(e *Event) *LogLine { return e.Log }) }

// Gaps are what could not be observed.
func (h *History) Gaps() []At[Gap] { return pick(h, func(e *Event) *Gap { return e.Gap }) }

// Settled tells how the wait for quiet ended; ok is false where it was never begun.
func (h *History) Settled() (s Settled, ok bool) {
	all := pick(h, func(e *Event) *Settled { return e.Settled })
	if len(all) == 0 {
		return Settled{}, false
	}
	return *all[len(all)-1].V, true
}

// AtRest is the last reading that was taken in phase observe; ok is false where there was none.
func (h *History) AtRest() (r Reading, ok bool) {
	all := h.Readings()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].V.Final {
			return *all[i].V, true
		}
	}
	return Reading{}, false
}

// Owner is whose order it is: order numbers belong to a merchant.
type Owner struct{ Order, Merchant string }

// Namesakes are orders of other merchants that have the number of one of ours: somebody else has asked to be paid for it.
func (h *History) Namesakes() map[Owner]bool {
	ours := map[Owner]bool{}
	for _, p := range h.Payments() {
		ours[Owner{p.V.Order, p.V.Merchant}] = true
	}
	out := map[Owner]bool{}
	for _, a := range h.Attempts() {
		if o := (Owner{a.V.Order, a.V.Merchant}); a.V.Op == OpPay && a.V.Merchant != "" && !ours[o] {
			out[o] = true
		}
	}
	return out
}
