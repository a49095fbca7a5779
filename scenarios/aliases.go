package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// longName is the length from which a number that the service or the bank has made is too long for a reader, and made by
// chance: a report calls it by a short name, which is the same in every run of one seed.
const longName = 16

// aliases are short names for long numbers: T1 and T2 for trade numbers in the order in which they reached the bank, K for
// keys, N for notifications, F for refund numbers, P for payments.
type aliases struct {
	short  map[string]string
	counts map[string]int
}

// aliasesOf names the long numbers of a history. Each kind is named from one source, whose order no timing between two
// sources can change.
func aliasesOf(h *history.History) *aliases {
	a := &aliases{short: map[string]string{}, counts: map[string]int{}}
	probe := map[string]int{} // clean payments are named behind the others
	for _, p := range h.Payments() {
		if p.V.Probe {
			probe[p.V.Order] = 1
		}
	}
	ledger := h.Ledger()
	slices.SortStableFunc(ledger, func(x, y history.At[history.LedgerEntry]) int {
		return cmp.Or(cmp.Compare(probe[x.V.Order], probe[y.V.Order]), cmp.Compare(x.V.Seq, y.V.Seq))
	})
	for _, l := range ledger {
		a.name("T", l.V.TradeNo)
		a.name("F", l.V.RefundNo)
		a.name("N", l.V.NotificationID)
		a.name("B", l.V.BankID)
	}
	attempts := h.Attempts()
	slices.SortStableFunc(attempts, func(x, y history.At[history.Attempt]) int {
		return cmp.Or(cmp.Compare(probe[x.V.Order], probe[y.V.Order]), cmp.Compare(x.V.Sent, y.V.Sent))
	})
	for _, t := range attempts {
		a.name("K", t.V.Key)
	}
	rest, _ := h.AtRest()
	rows := slices.Clone(rest.Rows)
	slices.SortStableFunc(rows, func(x, y history.Row) int { return cmp.Compare(probe[x.Order], probe[y.Order]) })
	for _, r := range rows {
		a.name("P", r.ID)
		a.name("T", r.TradeNo)
	}
	for _, t := range rest.Trades {
		a.name("T", t.TradeNo)
	}
	for _, r := range rest.Refunds {
		a.name("F", r.RefundNo)
		a.name("R", r.ID)
	}
	for _, e := range rest.Events {
		a.name("E", e.ID)
	}
	for _, t := range attempts {
		a.name("P", t.V.PaymentID)
	}
	return a
}

func (a *aliases) name(letter, long string) {
	if len(long) < longName || a.short[long] != "" {
		return
	}
	a.counts[letter]++
	a.short[long] = fmt.Sprintf("%s%d", letter, a.counts[letter])
}

// replacer puts the short names in the place of the long ones.
func (a *aliases) replacer() *strings.Replacer {
	var pairs []string
	for long, short := range a.short {
		pairs = append(pairs, long, short)
	}
	return strings.NewReplacer(pairs...)
}

// rename lets a result speak in short names, and says what each of those that it uses stands for.
func rename(r *reports.Scenario, h *history.History) {
	r.Names = nil
	if !slices.ContainsFunc(r.Checks, func(c reports.Check) bool { return len(c.Findings) > 0 || strings.Contains(c.Reason, "-") }) {
		return
	}
	a := aliasesOf(h)
	if len(a.short) == 0 {
		return
	}
	long := a.replacer()
	var said strings.Builder
	say := func(text *string) {
		*text = long.Replace(*text)
		said.WriteString(*text + "\n")
	}
	say(&r.Reason)
	for i := range r.Checks {
		c := &r.Checks[i]
		say(&c.Reason)
		for k := range c.Findings {
			say(&c.Findings[k].Message)
			for n := range c.Findings[k].Evidence {
				say(&c.Findings[k].Evidence[n])
			}
		}
	}
	for _, o := range retellings(r) {
		for k := range o.Ledger {
			say(&o.Ledger[k].Text)
		}
		for k := range o.Rows {
			say(&o.Rows[k].Text)
		}
		for k := range o.Timeline {
			say(&o.Timeline[k].What)
		}
		for k := range o.Log {
			say(&o.Log[k].Text)
		}
	}
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(said.String(), func(c rune) bool {
		return !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	}) {
		words[w] = true
	}
	for full, short := range a.short {
		if words[short] {
			r.Names = append(r.Names, reports.Name{Short: short, Full: full})
		}
	}
	slices.SortFunc(r.Names, func(x, y reports.Name) int {
		return cmp.Or(cmp.Compare(x.Short[:1], y.Short[:1]), cmp.Compare(len(x.Short), len(y.Short)), cmp.Compare(x.Short, y.Short))
	})
}

// retellings are the payments that a result retells.
func retellings(r *reports.Scenario) (out []*reports.Order) {
	for _, list := range [][]reports.Order{r.Orders, r.Retold} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}
