package checks

import (
	"fmt"
	"maps"
	"slices"

	"onedebit/scenarios/history"
)

// EventsMatch is I12. That an event is delivered twice is lawful: what counts is that it is the same event.
var EventsMatch = register(Check{
	Name:      "events-match",
	Invariant: "I12",
	Doc: "Each payment and each refund that succeeded has exactly one event, which was published, and nothing else has " +
		"one; an event that is published again keeps its id.",
	Cause: "State and event are written in two transactions, the event is sent before the commit, or the relay gives an " +
		"event up.",
	judge: judgeEventsMatch,
})

func judgeEventsMatch(v *view) Result {
	const needs = needRest | needReadings
	switch {
	case !v.target.Events:
		return notApplicable("the events of this target cannot be read")
	case !v.target.Rows:
		return notApplicable(noRows)
	case v.rest == nil:
		return v.judged(nil, needs)
	}
	var findings []Finding
	judged := false
	for _, s := range v.stories {
		if s.shared() {
			continue
		}
		judged = judged || len(s.events) > 0 || len(s.paidRows()) > 0
		for _, message := range v.wrongEvents(s) {
			var p proofs
			p.rows(v.restAt, s.rows...)
			p.givings(v.restAt, s.givings...)
			for _, e := range s.eventsOf("") {
				p.add(v.restAt, "the service has event %s %s%s, %s", e.Type, e.ID, about(e), published(e))
			}
			if len(p) == 0 {
				p.add(v.restAt, "the service has neither row nor event of order %s", s.order)
			}
			findings = append(findings, Finding{s.order, "order " + s.order + ": " + message, p.lines()})
		}
	}
	if res := v.judged(findings, needs); res.Status != Pass || judged {
		return res
	}
	return notApplicable("no payment ended SUCCESS and no event was written")
}

func about(e history.EventRow) string {
	if e.Ref == "" {
		return ""
	}
	return " about " + e.Ref
}

func published(e history.EventRow) string {
	if e.Sent {
		return "published"
	}
	return "never published"
}

// eventsOf are the events of one type, or all, in the order of their ids.
func (s *story) eventsOf(kind string) []history.EventRow {
	var out []history.EventRow
	for _, id := range slices.Sorted(maps.Keys(s.events)) {
		if e := s.events[id]; kind == "" || e.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

func (v *view) wrongEvents(s *story) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	paid, events := len(s.paidRows()), s.eventsOf(history.EventPaid)
	switch {
	case paid > 0 && len(events) == 0 && v.sees(needReadings):
		say("it is %s, and no event %s was ever written for it", words(s.paidRows()), history.EventPaid)
	case paid > 0 && len(events) > paid:
		say("it succeeded once, and %d different events %s were written for it", len(events), history.EventPaid)
	case paid == 0 && len(events) > 0 && v.sees(needRest):
		say("it has no SUCCESS row, and event %s was written for it", history.EventPaid)
	}
	for _, e := range s.eventsOf("") {
		if !e.Sent {
			say("event %s %s was written and never published", e.Type, e.ID)
		}
	}
	if v.target.Refunds {
		out = append(out, v.wrongRefundEvents(s)...)
	}
	return out
}

// wrongRefundEvents compares refunds with their events: by what the event says it is about, or by number where it says
// nothing. The refund of a surplus may have an event or not.
func (v *view) wrongRefundEvents(s *story) []string {
	events := s.eventsOf(history.EventRefunded)
	var out []string
	must, may := 0, 0
	known := map[string]bool{"": true}
	for _, r := range s.givings {
		if r.State != history.StateSuccess {
			continue
		}
		known[r.RefundID], known[r.RefundNo], known[r.ID] = true, true, true
		if r.Kind == history.RefundOfSurplus {
			may++
			continue
		}
		must++
		n, unnamed := 0, 0
		for _, e := range events {
			switch e.Ref {
			case r.RefundID, r.RefundNo, r.ID:
				n++
			case "":
				unnamed++
			}
		}
		if n > 1 {
			out = append(out, fmt.Sprintf("refund %s succeeded once, and %d different events %s were written for it", refundName(r), n, history.EventRefunded))
		} else if n == 0 && unnamed == 0 && v.sees(needReadings) {
			out = append(out, fmt.Sprintf("refund %s is SUCCESS, and no event %s was ever written for it", refundName(r), history.EventRefunded))
		}
	}
	for _, e := range events {
		if !known[e.Ref] {
			out = append(out, fmt.Sprintf("no refund %s succeeded, and event %s was written for it", e.Ref, history.EventRefunded))
		}
	}
	if n := len(events); len(out) == 0 && (n > must+may || n < must && v.sees(needReadings)) {
		out = append(out, fmt.Sprintf("%s succeeded, and %s", counted(must+may, "refund"), fmt.Sprintf("%d different events %s were written", n, history.EventRefunded)))
	}
	return out
}
