package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"onedebit/scenarios/money"
)

// TraceText writes one payment for a terminal that is width columns wide: both ledgers, and all that happened to it on one time
// axis, with what a fault did marked by a sign. Below 40 columns it is taken for 80; a longer line is wrapped.
func TraceText(w io.Writer, o Order, title string, width int, color bool) error {
	s := newScreen(width, color)
	s.put("", s.cut("", fmt.Sprintf("order %s  %s  %s", o.Order, amountOrNothing(o), title)))
	s.side("bank's ledger", o.Ledger)
	s.side("service's books", o.Rows)
	s.put("", "")
	who := 0
	for _, e := range o.Timeline {
		who = max(who, min(columns.StringWidth(oneLine(e.Who, 30)), 22))
	}
	for _, e := range o.Timeline {
		sign, colour := " ", ""
		if e.Fault {
			sign, colour = "!", yellow
		}
		head := fmt.Sprintf("%9s s %s %s  ", instant(e.AtMS), sign, s.column(e.Who, who))
		hang := strings.Repeat(" ", columns.StringWidth(head))
		for i, l := range s.wrap(hang, e.What, 4) {
			if i == 0 {
				l = head + strings.TrimPrefix(l, hang)
			}
			s.put(colour, l)
		}
	}
	if _, err := w.Write(s.Bytes()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

func amountOrNothing(o Order) string {
	if o.Currency == "" {
		return ""
	}
	return money.Text(o.Amount, o.Currency)
}

// side is one of the two ledgers.
func (s *screen) side(title string, lines []Line) {
	s.put("", "  "+title)
	for _, l := range lines {
		sign, colour := " ", ""
		if l.Strong {
			sign, colour = "✗", red
		}
		at := strings.Repeat(" ", 11)
		if t := instant(l.AtMS); t != "" {
			at = fmt.Sprintf("%9s s", t)
		}
		s.put(colour, s.cut(at+" "+sign+" ", l.Text))
	}
	if len(lines) == 0 {
		s.put("", strings.Repeat(" ", 14)+"nothing")
	}
}

// TraceMarkdown writes one payment as a page, for a ticket.
func TraceMarkdown(w io.Writer, o Order, title string) error {
	p := page{Buffer: &newScreen(0, false).Buffer, detail: details[0]}
	p.printf("# Order %s\n", code(o.Order, 120))
	p.printf("%s\n", prose(strings.TrimSpace(amountOrNothing(o)+" "+title), 400))
	p.header("the bank's ledger", "the service's books")
	for i := range max(len(o.Ledger), len(o.Rows), 1) {
		p.row(ledgerLine(o.Ledger, i), ledgerLine(o.Rows, i))
	}
	p.printf("")
	p.header("s", "who", "what")
	for _, e := range o.Timeline {
		who := prose(e.Who, 80)
		if e.Fault {
			who = "**" + who + "**"
		}
		p.row(cmp.Or(instant(e.AtMS), "–"), who, prose(e.What, 1000))
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

func ledgerLine(lines []Line, i int) string {
	switch {
	case i >= len(lines) && i > 0:
		return ""
	case i >= len(lines):
		return "nothing"
	}
	text := prose(lines[i].Text, 300)
	if t := instant(lines[i].AtMS); t != "" {
		text = t + " s " + text
	}
	if lines[i].Strong {
		text = "**" + text + "**"
	}
	return text
}
