package checks

import (
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// debit is money that the bank took, and what is left of it after everything that it gave back.
type debit struct {
	line
	left int64         // minor units still held at the end
	gone time.Duration // when the last of it was given back; meaningful where left is 0

	returned bool // some of it was given back on request, and not by the bank's own will
}

// debits matches what the bank gave back to what it took. A reversal or refund belongs to the debit with its bank
// number, then to the latest of its trade number that still holds money, since a bank that debits a number twice also
// gives back under that one number.
func debits(lines []line) []*debit {
	var all []*debit
	for _, l := range lines {
		if l.V.Kind == history.LedgerDebit {
			all = append(all, &debit{line: l, left: l.V.Amount})
		}
	}
	if len(all) == 0 {
		return nil
	}
	p := purse{byBank: map[string]*debit{}, byNumber: map[string][]*debit{}}
	for _, d := range all {
		p.byBank[d.V.BankID] = d
		p.byNumber[d.V.TradeNo] = append(p.byNumber[d.V.TradeNo], d)
	}
	for _, l := range lines {
		if l.V.Kind == history.LedgerReversal || l.V.Kind == history.LedgerRefund {
			p.giveBack(l)
		}
	}
	return all
}

// purse finds the debit that money is given back of. The debits of a number are a stack with the latest on top.
type purse struct {
	byBank   map[string]*debit
	byNumber map[string][]*debit
}

func (p *purse) giveBack(l line) {
	rest := l.V.Amount
	if d := p.byBank[l.V.BankID]; d != nil && l.V.BankID != "" {
		rest = d.giveBack(rest, l)
	}
	for stack := p.byNumber[l.V.TradeNo]; rest > 0 && len(stack) > 0; p.byNumber[l.V.TradeNo] = stack {
		top := stack[len(stack)-1]
		if rest = top.giveBack(rest, l); top.left == 0 {
			stack = stack[:len(stack)-1]
		}
	}
}

// giveBack takes as much of the sum from the debit as it still holds, and returns the rest.
func (d *debit) giveBack(sum int64, by line) int64 {
	part := max(min(d.left, sum), 0)
	if d.left -= part; part > 0 && d.left == 0 {
		d.gone = by.Time
	}
	d.returned = d.returned || part > 0 && by.V.Kind == history.LedgerRefund
	return sum - part
}

// standing are the debits that the bank still holds money of.
func standing(all []*debit) []*debit {
	var out []*debit
	for _, d := range all {
		if d.left > 0 {
			out = append(out, d)
		}
	}
	return out
}

// sums writes what is held of debits: "¥5.00" where all are equal, else each.
func sums(held []*debit) string {
	var each []string
	same := true
	for _, d := range held {
		each = append(each, money.Text(d.left, d.V.Currency))
		same = same && each[0] == each[len(each)-1]
	}
	if same && len(each) > 0 {
		return each[0]
	}
	return listed(each)
}

// givenBack is what the bank gave back on request, in minor units.
func givenBack(lines []line) (sum int64) {
	for _, l := range lines {
		if l.V.Kind == history.LedgerRefund {
			sum += l.V.Amount
		}
	}
	return sum
}

// moved are the ledger lines that moved money or settled that none will move.
func moved(lines []line) []line {
	var out []line
	for _, l := range lines {
		switch l.V.Kind {
		case history.LedgerDebit, history.LedgerReversal, history.LedgerRefund, history.LedgerDecline, history.LedgerAccept, history.LedgerClose:
			out = append(out, l)
		}
	}
	return out
}

// notices are the bank's notifications, which are the usual cause of a state that goes back.
func notices(lines []line) []line {
	var out []line
	for _, l := range lines {
		if l.V.Kind == history.LedgerCallback {
			out = append(out, l)
		}
	}
	return out
}

// undecided are the debits that the bank took on and has not decided to the end: the money may still move.
func undecided(lines []line) []line {
	decided := map[string]bool{}
	for _, l := range lines {
		switch l.V.Kind {
		case history.LedgerDebit, history.LedgerDecline, history.LedgerClose, history.LedgerReversal:
			decided[l.V.TradeNo] = decided[l.V.TradeNo] || l.V.Op != opRefund
		}
	}
	var out []line
	for _, l := range lines {
		if l.V.Kind == history.LedgerAccept && !decided[l.V.TradeNo] {
			out = append(out, l)
		}
	}
	return out
}
