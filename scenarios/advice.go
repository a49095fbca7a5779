package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// Missing is something that keeps a target file from being right, and what to write in it.
type Missing struct {
	What  string
	Write string
}

// Paid is what became of one clean payment.
type Paid struct {
	Order   string
	Amount  int64
	Answer  string // the last
	Outcome history.Outcome
	Debits  int // at the bank
	Rows    []string
	Wrong   error
}

// Paid tells what became of the clean payments of a history.
func paid(h *history.History, wrong []error) (out []Paid) {
	rest, _ := h.AtRest()
	for i, p := range h.Payments() {
		one := Paid{Order: p.V.Order, Amount: p.V.Amount}
		if i < len(wrong) {
			one.Wrong = wrong[i]
		}
		for _, a := range h.Attempts() {
			if a.V.Order == one.Order && a.V.Op == history.OpPay {
				one.Answer, one.Outcome = answered(a.V), a.V.Outcome
			}
		}
		for _, l := range h.Ledger() {
			if l.V.Order == one.Order && l.V.Kind == history.LedgerDebit {
				one.Debits++
			}
		}
		for _, row := range rest.Rows {
			if row.Order == one.Order {
				one.Rows = append(one.Rows, row.State)
			}
		}
		out = append(out, one)
	}
	return out
}

func answered(a *history.Attempt) string {
	if a.Error != "" {
		return "no answer: " + a.Error
	}
	return strings.TrimSpace(fmt.Sprintf("answer %d %s", a.HTTP, a.Code))
}

// Advice tells what became of the clean payments of a probe, and for each thing that is missing what to write in the target
// file. It judges by what was observed alone.
func Advice(t *targets.Target, h *history.History, wrong []error) ([]Paid, []Missing) {
	payments := paid(h, wrong)
	a := &adviser{target: t, history: h, payments: payments}
	for _, look := range []func(){a.submit, a.outcome, a.strangeCalls, a.silentBank, a.nobodys, a.rows} {
		look()
	}
	return payments, a.missing
}

type adviser struct {
	target   *targets.Target
	history  *history.History
	payments []Paid
	missing  []Missing
}

func (a *adviser) miss(what, write string) {
	if m := (Missing{what, write}); !slices.Contains(a.missing, m) {
		a.missing = append(a.missing, m)
	}
}

// refusals are what it takes where a payment is answered with a status.
var refusals = map[int]string{
	400: "payment: the fields of json: or form:, and how amount: is written, as the service wants them",
	401: "payment: headers: that say who pays; where they are handed out, setup: [{post: /login, capture: {token: body.token}}] and ${setup.token}",
	403: "payment: headers: that say who pays, or setup: that makes a customer who may pay",
	404: "payment: the path of post: in the submit; or setup: that makes what the payment is about",
	405: "payment: the path of post: in the submit",
	415: "payment: form: in place of json:, or json: in place of form:",
	422: "payment: the fields of json: or form:, and how amount: is written, as the service wants them",
}

// submit looks at payments that were not taken.
func (a *adviser) submit() {
	for _, at := range a.history.Attempts() {
		e := at.V
		if e.Op != history.OpPay {
			continue
		}
		write, known := refusals[e.HTTP]
		switch {
		case e.HTTP == 0:
			a.miss("a payment was not answered: "+e.Error, "processes: ready:, so that the service is not asked too early; its log above says more")
		case e.HTTP >= 500:
			a.miss(fmt.Sprintf("a payment is answered %d%s", e.HTTP, a.body(e)), "nothing yet: the log of the service above says what went wrong in it")
		case known && e.Outcome != history.Confirmed && e.Outcome != history.Pending:
			a.miss(fmt.Sprintf("a payment is answered %d%s", e.HTTP, a.body(e)), write)
		}
	}
}

// body is what the service answered to an attempt, as far as the client link has it.
func (a *adviser) body(e *history.Attempt) string {
	said := ""
	for _, m := range a.history.Messages() {
		if m.V.Link == "client" && m.V.Dir == history.Answer && m.Time >= e.Sent && m.Time <= e.Done {
			_, said, _ = strings.Cut(m.V.Text, " ")
		}
	}
	if said == "" {
		return ""
	}
	return ": " + shortened(said, 160)
}

func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// outcome looks at answers of which nobody knows what they mean.
func (a *adviser) outcome() {
	for _, p := range a.payments {
		var status int
		if _, err := fmt.Sscanf(p.Answer, "answer %d", &status); err != nil || p.Outcome != history.Unknown || status >= 500 || refusals[status] != "" {
			continue
		}
		word := "pending"
		if slices.Contains(p.Rows, history.StateSuccess) {
			word = "confirmed"
		}
		a.miss(fmt.Sprintf("what the answer %d to a payment means is not known", status), fmt.Sprintf("payment: {%s: [%d]}", word, status))
	}
}

// strangeCalls looks at what the service sent to a bank and no call of the file is.
func (a *adviser) strangeCalls() {
	known := a.target.Messages("bank")
	for _, m := range a.history.Messages() {
		e := m.V
		if _, named := known[e.Name]; e.Link != "bank" || e.Dir != history.Request || named {
			continue
		}
		line, body, _ := strings.Cut(e.Text, " {")
		method, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		path, _, _ = strings.Cut(path, " ")
		if body != "" {
			body = ", with {" + shortened(body, 120)
		}
		bank := "bank"
		if names := a.target.BankNames(); len(names) > 0 {
			bank = names[0]
		}
		write := fmt.Sprintf("banks: {%s: {calls: [{on: %s %s, money: debit, amount: body.amount, reply: {json: {status: \"${status}\"}}}]}}", bank, method, path)
		if method == "GET" {
			write = fmt.Sprintf("banks: {%s: {calls: [{on: GET %s, reply: {json: {}}}]}}", bank, path)
		}
		a.miss(fmt.Sprintf("the bank does not know %s %s%s", method, path, body), write)
	}
}

// silentBank looks at banks that were never asked.
func (a *adviser) silentBank() {
	if len(a.target.Banks) == 0 || len(a.payments) == 0 {
		return
	}
	asked, money := false, false
	for _, m := range a.history.Messages() {
		asked = asked || m.V.Link == "bank"
	}
	for _, l := range a.history.Ledger() {
		money = money || l.V.Kind == history.LedgerDebit || l.V.Kind == history.LedgerDecline || l.V.Kind == history.LedgerAccept
	}
	name := a.target.BankNames()[0]
	switch {
	case !asked && slices.ContainsFunc(a.payments, func(p Paid) bool { return p.Outcome == history.Confirmed || p.Outcome == history.Pending }):
		a.miss("payments are taken, and the bank was asked for nothing",
			fmt.Sprintf("processes: env: {…: \"${%s.url}\"}, by the variable with which the service finds its bank; where the address is fixed in its code, banks: {%s: {names: [HOST], tls: true}}; where it has none, no banks:", name, name))
	case asked && !money:
		a.miss("the bank was asked, and no money moved", fmt.Sprintf("banks: {%s: {calls: …}}: money: debit with the call that takes money", name))
	}
}

// nobodys looks at debits that no payment claims.
func (a *adviser) nobodys() {
	for _, l := range a.history.Ledger() {
		if l.V.Kind == history.LedgerDebit && l.V.Order == "" {
			a.miss("a debit belongs to no payment: no key, order or account of a payment is in what the bank was sent",
				"rows: {alias: SELECT … WHERE key = :key}, the name by which the bank knows the payment; or belongs: {amount: body.amount} with the call; or rows: {alone: true}")
		}
	}
}

// rows looks at payments that the bank has and the service does not tell of.
func (a *adviser) rows() {
	for _, p := range a.payments {
		if p.Debits == 0 && p.Outcome != history.Confirmed || slices.Contains(p.Rows, history.StateSuccess) {
			continue
		}
		found := "no row"
		if len(p.Rows) > 0 {
			found = "only " + strings.Join(p.Rows, ", ")
		}
		write := "rows: {success: …}, which counts the rows of a payment that say it is paid"
		if p.Outcome == history.Pending {
			write += "; or settle: {within: 90s}, where it takes that long"
		}
		a.miss(fmt.Sprintf("a payment is paid and rows has %s of it", found), write)
	}
}

// Carried counts the messages of each link.
func Carried(h *history.History) map[string]int {
	out := map[string]int{}
	for _, m := range h.Messages() {
		out[m.V.Link]++
	}
	return out
}

// KeysSentOn says whether the keys of payments reach the bank.
func KeysSentOn(h *history.History) bool {
	var sent []string
	for _, a := range h.Attempts() {
		if a.V.Key != "" {
			sent = append(sent, a.V.Key)
		}
	}
	return slices.ContainsFunc(h.Messages(), func(m history.At[history.Message]) bool {
		return m.V.Link == "bank" && slices.ContainsFunc(sent, func(key string) bool { return strings.Contains(m.V.Text, key) })
	})
}
