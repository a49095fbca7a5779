// Package history holds what was observed in one experiment, as plain data in time order.
//
// A history is all that a check sees: it is written to disk before it is judged, it can be judged again later by
// another version of the checks, and it never points back into a running system. The package imports nothing of ours.
//
// Times are offsets from the start of the experiment on the harness's own wall clock. Money is integer minor units.
package history

import "time"

// Version is the version of the format on disk. A reader refuses a newer one. Before version 2 a history had no end.
const Version = 2

// Event is one observation. Exactly one of the pointers is set.
type Event struct {
	Seq int           `json:"seq"` // place in the history, from 1
	At  time.Duration `json:"at"`  // since the start of the experiment, in nanoseconds

	Plan    *Plan         `json:"plan,omitempty"`
	Phase   *Phase        `json:"phase,omitempty"`
	Payment *Payment      `json:"payment,omitempty"`
	Refund  *Refund       `json:"refund,omitempty"`
	Attempt *Attempt      `json:"attempt,omitempty"`
	Burst   *Burst        `json:"burst,omitempty"`
	Message *Message      `json:"message,omitempty"`
	Ledger  *LedgerEntry  `json:"ledger,omitempty"`
	Sent    *SentCallback `json:"sent,omitempty"`
	Reading *Reading      `json:"reading,omitempty"`
	Fault   *Fault        `json:"fault,omitempty"`
	Process *Process      `json:"process,omitempty"`
	Log     *LogLine      `json:"log,omitempty"`
	Settled *Settled      `json:"settled,omitempty"`
	Gap     *Gap          `json:"gap,omitempty"`
	End     *End          `json:"end,omitempty"`
}

// End is the last line on disk: without it the history was cut off. It is no event of the experiment, and who reads a history
// does not see it.
type End struct {
	Events int `json:"events"` // before it
}

// Plan is the first event: what this experiment sets out to do, and what its words mean.
type Plan struct {
	Version  int      `json:"version"`
	Scenario string   `json:"scenario"`
	Family   string   `json:"family"`
	Title    string   `json:"title,omitempty"`
	Seed     uint64   `json:"seed"`
	Trial    int      `json:"trial"`
	Speed    float64  `json:"speed"`
	Runtime  string   `json:"runtime"`
	Target   Target   `json:"target"`
	Proves   []string `json:"proves,omitempty"`   // checks that must have had something to see
	Borrowed bool     `json:"borrowed,omitempty"` // a scenario of the catalogue, on a service that it was not written for

	Reproduce string `json:"reproduce,omitempty"` // the command that carries the experiment out again
}

// Target says what the service under test promises and what of it can be seen.
type Target struct {
	Name    string `json:"name"`
	Mutant  string `json:"mutant,omitempty"`
	Rows    bool   `json:"rows"`    // payment rows can be read
	Effects bool   `json:"effects"` // benefits granted (membership, coupon …) can be read
	// EffectKinds are the benefits that each SUCCESS must bring exactly once, for example "membership".
	EffectKinds []string `json:"effect_kinds,omitempty"`
	// RefundEffectKinds are what each refund that is SUCCESS must bring exactly once, such as a notice, with the refund's id as its own.
	RefundEffectKinds []string `json:"refund_effect_kinds,omitempty"`
	// RefusesOtherBody is set where the service promises to refuse a key that comes back with another body.
	RefusesOtherBody bool `json:"refuses_other_body"`
	Refunds          bool `json:"refunds,omitempty"`   // refunds can be read
	Events           bool `json:"events,omitempty"`    // the events that it publishes can be read, and each change has one
	Surplus          bool `json:"surplus,omitempty"`   // it records a second debit of a payment and gives it back
	NoLedger         bool `json:"no_ledger,omitempty"` // neither a bank nor the service's own debits can be read
	OnlyPaid         bool `json:"only_paid,omitempty"` // only rows that are paid can be seen: of any other payment nothing is known
	Balance          bool `json:"balance,omitempty"`   // what is gone from the account that all pay from can be read
	// Callbacks is set where the service promises to take notifications only if they are authentic, fresh and fitting.
	Callbacks bool `json:"callbacks,omitempty"`
	// Retries are the HTTP status codes with which it asks clients to try again under the same key.
	Retries []int `json:"retries,omitempty"`
}

// Phase marks where the experiment stands: up, probe, inject, drive, heal, settle, observe.
type Phase struct {
	Name string `json:"name"`
}

// Names of the phases, in order. The phases inject and drive are one list of steps and share PhaseDrive.
const (
	PhaseUp      = "up"
	PhaseProbe   = "probe"
	PhaseDrive   = "drive"
	PhaseHeal    = "heal"
	PhaseSettle  = "settle"
	PhaseObserve = "observe"
)

// Payment is one business payment that the harness means to make: one order of one merchant.
// Every payment has an account of its own, so that a debit at the bank is joined to its order by Account
// even where no row of the service knows the trade number.
type Payment struct {
	Order    string  `json:"order"`
	Label    string  `json:"label"` // its name in the scenario file
	Merchant string  `json:"merchant"`
	Account  string  `json:"account"`
	Channel  string  `json:"channel"`
	Amount   int64   `json:"amount"` // minor units
	Currency string  `json:"currency"`
	Probe    bool    `json:"probe,omitempty"` // a clean payment made before any fault
	Expect   *Expect `json:"expect,omitempty"`
}

// Expect is what the scenario says must come out for a payment, beyond the invariants that always hold.
// A nil or empty field expects nothing.
type Expect struct {
	Status   []string `json:"status,omitempty"`   // the row's state at rest is one of these
	Debits   *int     `json:"debits,omitempty"`   // debits standing at the bank at rest
	Declined bool     `json:"declined,omitempty"` // the bank declined it for good; no debit may stand
	Alarms   *int     `json:"alarms,omitempty"`   // alarms recorded for the order, at least
	Logged   []string `json:"logged,omitempty"`   // words that must stand in the service's log for the order, such as SKIP_DUPLICATE
	Requests *int     `json:"requests,omitempty"` // debit requests that reached the bank, at most
	Refunded *int64   `json:"refunded,omitempty"` // what the bank gave back on request, in minor units
}

// Refund is one refund that the harness means to make: a part of what a payment took, or all of it.
type Refund struct {
	Order    string `json:"order"`
	RefundID string `json:"refund_id"` // the client's own id of the refund, which makes it idempotent
	Amount   int64  `json:"amount"`    // minor units
	Currency string `json:"currency"`
	Label    string `json:"label"` // its name in the scenario file
}

// Outcome is what a client may conclude from one answer. Only the bank's ledger and the rows decide what is true.
type Outcome string

// The outcomes. Pending and Refused say that the service answered, and what; Unknown that nothing can be concluded.
const (
	Confirmed Outcome = "confirmed" // the service said: paid
	Declined  Outcome = "declined"  // the service said: definitely not paid
	Pending   Outcome = "pending"   // the service said: under way, or already submitted
	Refused   Outcome = "refused"   // the service said: this request is not carried out (bad key, conflict, busy)
	Unknown   Outcome = "unknown"   // no usable answer: time-out, reset, 5xx, 504 of a gateway
)

// Operations of an Attempt.
const (
	OpToken  = "token"
	OpPay    = "pay"
	OpQuery  = "query"
	OpRefund = "refund"
	OpClose  = "close"
	OpAppeal = "appeal"
)

// Attempt is one request of a client with its answer, recorded when it ended.
type Attempt struct {
	Order    string        `json:"order"`
	Op       string        `json:"op"`
	Key      string        `json:"key,omitempty"` // idempotency key sent, masked where it is a secret
	Trace    string        `json:"trace,omitempty"`
	Try      int           `json:"try"`             // 1 for the first, 2 for the first retry …
	Burst    int           `json:"burst,omitempty"` // number of the burst it belongs to, 0 for none
	Amount   int64         `json:"amount"`
	Currency string        `json:"currency"`
	Channel  string        `json:"channel"`
	RefundID string        `json:"refund_id,omitempty"` // of a refund, and of a query about one
	Merchant string        `json:"merchant,omitempty"`  // the caller, where it is not the merchant of the payment
	Door     string        `json:"door,omitempty"`      // the entry point, where it is not the usual one
	Instance int           `json:"instance,omitempty"`  // process of the service that it went to, from 1; 0 where there is one
	Sent     time.Duration `json:"sent"`
	Done     time.Duration `json:"done"`

	HTTP      int     `json:"http"` // status code, 0 where no answer came
	Code      string  `json:"code,omitempty"`
	State     string  `json:"state,omitempty"` // the state of the payment that the answer names, normalised
	PaymentID string  `json:"payment_id,omitempty"`
	Outcome   Outcome `json:"outcome"`
	Error     string  `json:"error,omitempty"`
	// Untold is, of an appeal, what the books held about the order and the answer did not tell.
	Untold []string `json:"untold,omitempty"`
}

// Burst says how well copies were released together.
type Burst struct {
	N      int           `json:"n"`
	Order  string        `json:"order"`
	Copies int           `json:"copies"`
	Spread time.Duration `json:"spread"` // from the first to the last complete request behind the client link
}

// Directions of a Message.
const (
	Request = "request"
	Answer  = "answer"
)

// Fates of a Message.
const (
	Passed = "passed"
	Lost   = "lost"
	Held   = "held"
	Cut    = "cut"
	Late   = "late"
)

// Message is one protocol message seen by a proxy on a link.
type Message struct {
	Link  string `json:"link"` // client, bank, callback, db, cache, queue
	Conn  int    `json:"conn"` // connection on that link, from 1
	Dir   string `json:"dir"`
	Name  string `json:"name"`            // its name on that link: debit, query, callback, SET, Produce …
	Text  string `json:"text"`            // one readable line, secrets masked
	Order string `json:"order,omitempty"` // the payment it belongs to, where that can be told
	Size  int    `json:"size"`            // bytes
	Fate  string `json:"fate"`
	Fault string `json:"fault,omitempty"` // the fault that decided its fate
}

// What the bank writes into its ledger.
const (
	LedgerRequest  = "request"  // a debit, query, close or refund request arrived
	LedgerDebit    = "debit"    // money taken
	LedgerDecline  = "decline"  // a debit refused for good
	LedgerAccept   = "accept"   // a debit taken on, money not moved yet
	LedgerReversal = "reversal" // a debit undone by the bank
	LedgerRefund   = "refund"   // money given back on request
	LedgerClose    = "close"    // a trade number made unusable; nothing was debited under it
	LedgerAnswer   = "answer"   // what was answered, or that the answer was withheld
	LedgerCallback = "callback" // a notification sent, with how it was acknowledged
)

// LedgerEntry is one line of the bank's ledger, with the payment it belongs to.
type LedgerEntry struct {
	Seq            int    `json:"seq"` // the bank's own number of the line
	Kind           string `json:"kind"`
	Order          string `json:"order,omitempty"` // joined by account; empty where nothing joins
	Op             string `json:"op,omitempty"`    // for request and answer: debit, query, close, refund
	Merchant       string `json:"merchant,omitempty"`
	TradeNo        string `json:"trade_no,omitempty"`
	RefundNo       string `json:"refund_no,omitempty"` // of a refund
	BankID         string `json:"bank_id,omitempty"`
	Account        string `json:"account,omitempty"`
	Amount         int64  `json:"amount,omitempty"`
	Currency       string `json:"currency,omitempty"`
	Status         string `json:"status,omitempty"`
	NotificationID string `json:"notification_id,omitempty"`
	HTTP           int    `json:"http,omitempty"` // status answered, or with which a callback was acknowledged
	Detail         string `json:"detail,omitempty"`
}

// SentCallback is one notification that the harness made the bank send on purpose, recorded when it was answered.
// The notifications that the bank sends by itself are in its ledger.
type SentCallback struct {
	Order          string        `json:"order,omitempty"` // the payment that it claims to be about; empty where it names none of ours
	TradeNo        string        `json:"trade_no"`
	NotificationID string        `json:"notification_id"`
	Status         string        `json:"status"`
	Amount         int64         `json:"amount"`
	Currency       string        `json:"currency"`
	Authentic      bool          `json:"authentic"`     // signed by the bank, fresh, and true in every field
	Why            string        `json:"why,omitempty"` // what is wrong with it, in words
	HTTP           int           `json:"http"`          // how it was answered, 0 where no answer came
	Sent           time.Duration `json:"sent,omitempty"`
	Done           time.Duration `json:"done"`
}

// States of a row, normalised from the service's own words by the target file.
const (
	StatePending    = "PENDING"
	StateProcessing = "PROCESSING"
	StateUnknown    = "UNKNOWN"
	StateSuccess    = "SUCCESS"
	StateFailed     = "FAILED"

	StatePartlyRefunded = "PARTLY_REFUNDED" // a SUCCESS of which a part was given back
	StateRefunded       = "REFUNDED"        // a SUCCESS that was given back whole
	StateClosed         = "CLOSED"          // ended without money: expired, or closed by the merchant
)

// States are the states of a row by name.
var States = []string{
	StatePending, StateProcessing, StateUnknown, StateSuccess, StateFailed, StatePartlyRefunded, StateRefunded, StateClosed,
}

// Reading is one look into the service's books. Readings are taken all through the experiment; the last is at rest.
type Reading struct {
	Rows    []Row        `json:"rows"`
	Trades  []Trade      `json:"trades,omitempty"`
	Effects []Effect     `json:"effects,omitempty"`
	Alarms  []Alarm      `json:"alarms,omitempty"`
	Refunds []RefundRow  `json:"refunds,omitempty"`
	Events  []EventRow   `json:"events,omitempty"`
	Surplus []SurplusRow `json:"surplus,omitempty"`
	Debits  []OwnDebit   `json:"debits,omitempty"`  // of a service that has no bank
	Balance int64        `json:"balance,omitempty"` // what is gone from the account that all pay from, in minor units
	Waiting int          `json:"waiting"`           // work that the service still has to do, such as unsent outbox rows
	Final   bool         `json:"final,omitempty"`   // taken in phase observe
}

// Row is one payment row of the service.
type Row struct {
	ID       string `json:"id"`
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"` // whose order it is, where the books say it
	State    string `json:"state"`
	Raw      string `json:"raw,omitempty"` // the service's own word, where it differs from State
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Channel  string `json:"channel,omitempty"`
	TradeNo  string `json:"trade_no,omitempty"`
}

// Trade is one trade number that the service has recorded for a payment.
type Trade struct {
	TradeNo  string `json:"trade_no"`
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	State    string `json:"state,omitempty"`
}

// Effect is one benefit granted for a payment.
type Effect struct {
	Kind     string `json:"kind"`
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	ID       string `json:"id"`
}

// Alarm is a contradiction that the service has noticed and recorded.
type Alarm struct {
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	Kind     string `json:"kind"`
	Detail   string `json:"detail,omitempty"`
}

// RefundRow is one refund that the service has recorded.
type RefundRow struct {
	ID       string `json:"id"`
	RefundID string `json:"refund_id"` // the client's own id; empty where the service gives back by itself
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	RefundNo string `json:"refund_no,omitempty"` // the number under which the bank is asked
	State    string `json:"state"`               // PENDING, PROCESSING, UNKNOWN, SUCCESS or FAILED
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Kind     string `json:"kind,omitempty"` // RefundOfSurplus, or empty for one that a client asked for
}

// RefundOfSurplus is the kind of a refund that gives a surplus debit back.
const RefundOfSurplus = "SURPLUS"

// EventRow is one event that the service has published or means to.
type EventRow struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // EventPaid, EventRefunded, or the service's own word
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	Ref      string `json:"ref,omitempty"` // what of the order it is about, such as the refund id
	Sent     bool   `json:"sent"`
}

// Types of an EventRow.
const (
	EventPaid     = "pay.success"
	EventRefunded = "pay.refunded"
)

// SurplusRow is one debit beyond what a payment is for, as the service has recorded it.
type SurplusRow struct {
	TradeNo  string `json:"trade_no"`
	Order    string `json:"order"`
	Merchant string `json:"merchant,omitempty"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	State    string `json:"state"`
	RefundNo string `json:"refund_no,omitempty"`
}

// OwnDebit is money that a service without a bank has taken, by its own records.
type OwnDebit struct {
	ID       string `json:"id"`
	Order    string `json:"order"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Fault is one change in the life of a fault: armed, fired or healed.
type Fault struct {
	Name     string `json:"name"` // its name in the scenario, or its kind
	Kind     string `json:"kind"`
	Text     string `json:"text"`               // what it does, in words
	State    string `json:"state"`              // armed, fired, healed
	Fired    int    `json:"fired"`              // how often it has been felt so far
	Optional bool   `json:"optional,omitempty"` // its absence does not make the scenario inconclusive
	Loss     *Loss  `json:"loss,omitempty"`     // of a fault that loses packets by the kernel
}

// Loss is packets lost by the kernel: what was asked for, and what it came to.
type Loss struct {
	Asked float64 `json:"asked"` // share of the packets that is to be lost, from 0 to 1
	Seen  int     `json:"seen"`  // packets
	Lost  int     `json:"lost"`  // of these; a rejected packet counts
}

// States of a Fault.
const (
	Armed  = "armed"
	Fired  = "fired"
	Healed = "healed"
)

// Process is one change in the life of a process of the target.
type Process struct {
	Name  string `json:"name"`
	What  string `json:"what"` // started, ready, killed, exited, stopped, continued
	PID   int    `json:"pid,omitempty"`
	Error string `json:"error,omitempty"`
}

// LogLine is one line of the service's own log; Order, Step and Status are set where the line can be read.
type LogLine struct {
	Process string `json:"process"`
	Order   string `json:"order,omitempty"`
	Trace   string `json:"trace,omitempty"`
	Step    string `json:"step,omitempty"`
	Status  string `json:"status,omitempty"`
	Text    string `json:"text"`
}

// Settled says whether ledger and rows came to stand still within the time given.
type Settled struct {
	OK     bool          `json:"ok"`
	Waited time.Duration `json:"waited"`
	Within time.Duration `json:"within"`
	Moving string        `json:"moving,omitempty"` // what was still moving, in words
}

// Gap is something that could not be observed, or did not come. A check that needed it cannot pass.
type Gap struct {
	What string `json:"what"` // ledger, rows, log, messages, or one of the words below
	Why  string `json:"why"`
}

// Gaps that are about the whole experiment.
const (
	GapInterrupted = "interrupted" // somebody wanted the run to end
	GapTrouble     = "trouble"     // the experiment could not be carried out as planned
	GapEnvironment = "environment" // the same, by the fault of the surroundings: a port, a folder, a service that does not come up
	GapAwaited     = "awaited"     // what a step waited for did not come: what followed has not shown what it was to show
)
