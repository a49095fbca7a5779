package reference

import "slices"

// Status is the state of one payment row, or of one refund.
type Status string

// The states of a payment.
const (
	Pending    Status = "PENDING"    // admitted; no trade number of it can be debited
	Processing Status = "PROCESSING" // a trade number is stored and may be at the bank
	Unknown    Status = "UNKNOWN"    // the bank was asked and has not said what it did
	Success    Status = "SUCCESS"    // the bank holds the money
	Failed     Status = "FAILED"     // refused for good, by the bank or by risk

	PartlyRefunded Status = "PARTLY_REFUNDED" // SUCCESS, and the bank has given a part back
	Refunded       Status = "REFUNDED"        // SUCCESS, and the bank has given all of it back
	Closed         Status = "CLOSED"          // given up unpaid; no number of it can be debited any more
)

// Statuses lists all states in the order of a payment's life.
func Statuses() []Status {
	return []Status{Pending, Processing, Unknown, Success, PartlyRefunded, Refunded, Failed, Closed}
}

// RefundStatuses lists the states of a refund, which are called as those of a payment are.
func RefundStatuses() []Status { return []Status{Pending, Processing, Unknown, Success, Failed} }

// transitions is the only place that says how a payment may move.
//
// PENDING may become SUCCESS because money can be found under an older number of the payment. UNKNOWN returns to
// PENDING only when the bank has nothing and has closed the number. FAILED may become SUCCESS because the bank's later
// word that it holds the money outranks its refusal. A payment is CLOSED only where no number of it can be debited.
// Nothing but a refund leaves SUCCESS.
var transitions = map[Status][]Status{
	Pending:        {Processing, Failed, Success, Closed},
	Processing:     {Success, Failed, Unknown},
	Unknown:        {Pending, Success, Failed, Closed},
	Failed:         {Success},
	Success:        {PartlyRefunded, Refunded},
	PartlyRefunded: {Refunded},
	Refunded:       {},
	Closed:         {},
}

// refundTransitions is the only place that says how a refund may move. It has one number for all its life, so UNKNOWN
// returns to PROCESSING: sent again under the same number, of which the bank has nothing. PENDING may become SUCCESS
// because the bank's word that the money is back is true whatever we think that we have sent.
var refundTransitions = map[Status][]Status{
	Pending:    {Processing, Success},
	Processing: {Success, Failed, Unknown},
	Unknown:    {Processing, Success, Failed},
	Failed:     {Success},
	Success:    {},
}

// CanMove reports whether a payment may go from one state to another in one step.
func CanMove(from, to Status) bool { return slices.Contains(transitions[from], to) }

// CanMoveRefund reports whether a refund may go from one state to another in one step.
func CanMoveRefund(from, to Status) bool { return slices.Contains(refundTransitions[from], to) }

// Paid reports whether the bank has held the money of a payment in this state, given back since or not.
func (s Status) Paid() bool { return s == Success || s == PartlyRefunded || s == Refunded }

// Live reports whether a payment in this state holds its order: it is paid, or may still be, or the order is closed.
func (s Status) Live() bool { return s != Failed }

// Final reports whether this state is an answer that a client can rely on.
func (s Status) Final() bool { return s.Paid() || s == Failed || s == Closed }
