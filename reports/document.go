// Package reports holds the result document of a run and its renderings, one file per format.
//
// The document is complete: every rendering is a pure function of it, so that a saved result can be rendered again.
// The package imports nothing of ours.
package reports

import "time"

// Version is the version of result.json. A field may be added without changing it; none changes its meaning.
const Version = 1

// Verdict is the outcome of a check, a scenario or a run.
type Verdict string

// The verdicts. Worst wins: Fail > Inconclusive > Skipped > Pass.
const (
	Pass         Verdict = "pass"
	Skipped      Verdict = "skipped"
	Inconclusive Verdict = "inconclusive"
	Fail         Verdict = "fail"
)

var rank = map[Verdict]int{Pass: 1, Skipped: 2, Inconclusive: 3, Fail: 4}

// Worst is the worse of two verdicts; the empty verdict is better than all.
func Worst(a, b Verdict) Verdict {
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// Document is the result of one run.
type Document struct {
	Version     int        `json:"version"`
	Tool        Tool       `json:"tool"`
	Command     string     `json:"command"` // what was typed, without the name of the binary
	Started     time.Time  `json:"started"`
	DurationMS  int64      `json:"duration_ms"`
	Seed        uint64     `json:"seed"`
	Speed       float64    `json:"speed"`
	Repeat      int        `json:"repeat"`
	Runtime     string     `json:"runtime"`
	Target      string     `json:"target"`
	Mutant      string     `json:"mutant,omitempty"`
	Verdict     Verdict    `json:"verdict"`
	Interrupted bool       `json:"interrupted,omitempty"`
	Error       string     `json:"error,omitempty"` // trouble of the environment that ended the run
	Summary     Summary    `json:"summary"`
	Money       Money      `json:"money"`
	Scenarios   []Scenario `json:"scenarios"`
	Shard       *Shard     `json:"shard,omitempty"`       // the part of a run that this is; nil for the whole
	Baseline    *Baseline  `json:"baseline,omitempty"`    // the failures of an earlier run that are known, where one was named
	NotCovered  []string   `json:"not_covered,omitempty"` // what this run says nothing about, and why
	Clean       int        `json:"clean,omitempty"`       // payments without a fault that were right before the first fault
	Grounds     []string   `json:"grounds,omitempty"`     // further grounds for trusting the result, a sentence each
	Sweep       *Sweep     `json:"sweep,omitempty"`       // what was enumerated, of a sweep
}

// Tool is the onedebit that made the document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Summary counts scenarios by verdict; with repeats, every trial counts.
type Summary struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
}

// Money counts what moved over the whole run, and by how much bank and service disagree at rest.
// Created and Destroyed are minor units by currency: money that the service calls paid and the bank never took,
// and money that the bank took and the service does not know as paid.
type Money struct {
	Payments    int              `json:"payments"`
	Debits      int              `json:"debits"`
	SuccessRows int              `json:"success_rows"`
	TakenTwice  map[string]int64 `json:"taken_twice,omitempty"`
	Created     map[string]int64 `json:"created,omitempty"`
	Destroyed   map[string]int64 `json:"destroyed,omitempty"`
}

// Scenario is the outcome of one scenario in one trial.
type Scenario struct {
	Name    string  `json:"name"`
	Family  string  `json:"family"`
	Title   string  `json:"title"`
	Mutant  string  `json:"mutant,omitempty"` // the mutant that stood in the place of the target
	Trial   int     `json:"trial"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`          // why it is not a pass, in one sentence
	Error   string  `json:"error,omitempty"` // trouble of the environment; no fault of the target, so never a Fail by itself
	// Environment says that Error is trouble of the surroundings: a port, a folder, a service that does not come up.
	Environment bool     `json:"environment,omitempty"`
	DurationMS  int64    `json:"duration_ms"`
	UpMS        int64    `json:"up_ms"` // of that, bringing the stack up
	Payments    int      `json:"payments"`
	Faults      []Fault  `json:"faults"`
	Checks      []Check  `json:"checks"`
	Burst       *Burst   `json:"burst,omitempty"`
	Orders      []Order  `json:"orders,omitempty"`  // evidence: the payments named by a finding
	Retold      []Order  `json:"retold,omitempty"`  // where no finding names one: the first payment of the first trial, for comparison
	States      []Moment `json:"states,omitempty"`  // how many payments were in which state, and when that changed
	Names       []Name   `json:"names,omitempty"`   // what the short names in reasons, findings and orders stand for
	Outcome     []string `json:"outcome,omitempty"` // rows and money at rest, a line for each payment, without what is chance
	Log         []string `json:"log,omitempty"`     // last lines of the service's log, where the environment failed
	History     string   `json:"history,omitempty"` // file of the history, relative to the result
	Reproduce   string   `json:"reproduce"`
}

// Name is a short name for a long number that was made by chance, such as T1 for a trade number.
type Name struct {
	Short string `json:"short"`
	Full  string `json:"full"`
}

// Fault counts how often one fault of the scenario was armed and felt.
type Fault struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Armed int    `json:"armed"`
	Fired int    `json:"fired"`
	// Optional says that the fault need not be felt.
	Optional bool   `json:"optional,omitempty"`
	Spans    []Span `json:"spans,omitempty"` // when it was in force
	// Loss is of a fault by which the kernel loses packets.
	Loss *Loss `json:"loss,omitempty"`
}

// Loss is packets lost by the kernel: the share that was asked for, from 0 to 1, and what it came to.
type Loss struct {
	Asked float64 `json:"asked"`
	Seen  int     `json:"seen"`
	Lost  int     `json:"lost"`
}

// Span is a stretch of the experiment, in milliseconds since its start.
type Span struct {
	FromMS float64 `json:"from_ms"`
	ToMS   float64 `json:"to_ms"`
}

// Moment says how many payments were in each state from this time on. The clean payments before the first fault do not count.
type Moment struct {
	AtMS   float64        `json:"at_ms"`
	States map[string]int `json:"states"`
}

// Check is the outcome of one check.
type Check struct {
	Name      string    `json:"name"`
	Invariant string    `json:"invariant,omitempty"` // I1 to I15
	Verdict   Verdict   `json:"verdict"`
	Reason    string    `json:"reason,omitempty"`
	Cause     string    `json:"cause,omitempty"` // what usually breaks it, in one sentence
	Findings  []Finding `json:"findings"`
}

// Finding is one broken invariant of one payment.
type Finding struct {
	Payment  string   `json:"payment"` // order
	Message  string   `json:"message"` // the contradiction, in plain words
	Evidence []string `json:"evidence"`
}

// Burst says how well copies were released together.
type Burst struct {
	Copies   int   `json:"copies"`
	SpreadUS int64 `json:"spread_us"`
}

// Order is the evidence for one payment: both ledgers and its time line.
type Order struct {
	Order    string  `json:"order"`
	Amount   int64   `json:"amount"`
	Currency string  `json:"currency"`
	Ledger   []Line  `json:"ledger"`
	Rows     []Line  `json:"rows"`
	Timeline []Event `json:"timeline"`
	Cut      int     `json:"cut,omitempty"` // lines of the time line left out
	Log      []Line  `json:"log,omitempty"` // the service's own log about it
	LogCut   int     `json:"log_cut,omitempty"`
}

// Line is one line of a ledger. AtMS is the time since the start of the experiment; -1 where the line has no time.
type Line struct {
	AtMS   float64 `json:"at_ms"`
	Text   string  `json:"text"`
	Strong bool    `json:"strong,omitempty"` // the line that makes the contradiction
}

// Lanes of a time line: the link or the part that an event is about, from the customer inwards.
const (
	LaneClient   = "client"
	LaneService  = "service"
	LaneBank     = "bank"
	LaneCallback = "callback"
	LaneQueue    = "queue"
	LaneDatabase = "database"
)

// Event is one line of a time line.
type Event struct {
	AtMS  float64 `json:"at_ms"`
	Lane  string  `json:"lane,omitempty"` // empty for a fault that is put in force or healed
	Who   string  `json:"who"`
	What  string  `json:"what"`
	Fault bool    `json:"fault,omitempty"`
}

// Count adds one scenario to the summary.
func (s *Summary) Count(v Verdict) {
	switch v {
	case Pass:
		s.Pass++
	case Fail:
		s.Fail++
	case Skipped:
		s.Skipped++
	default:
		s.Inconclusive++
	}
}

// Add adds what moved in one experiment.
func (m *Money) Add(o Money) {
	m.Payments += o.Payments
	m.Debits += o.Debits
	m.SuccessRows += o.SuccessRows
	m.TakenTwice = addAmounts(m.TakenTwice, o.TakenTwice)
	m.Created = addAmounts(m.Created, o.Created)
	m.Destroyed = addAmounts(m.Destroyed, o.Destroyed)
}

func addAmounts(to, from map[string]int64) map[string]int64 {
	for currency, amount := range from {
		if to == nil {
			to = map[string]int64{}
		}
		to[currency] += amount
	}
	return to
}
