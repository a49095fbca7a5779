package reports

import (
	"cmp"
	"fmt"
	"strings"

	"onedebit/scenarios/money"
)

// headword is the outcome of a run in capitals. A run that was ended early never reads as a plain PASS, and one whose
// only blemish is a skipped scenario reads as what the others are.
func headword(doc *Document) string {
	v := doc.Verdict
	if v == Skipped && doc.Summary.Pass > 0 {
		v = Pass
	}
	word := strings.ToUpper(string(v))
	if word == "" {
		word = "NO VERDICT"
	}
	var ended []string
	if doc.Error != "" {
		ended = append(ended, "ENVIRONMENT ERROR")
	}
	if doc.Interrupted {
		ended = append(ended, "INTERRUPTED")
	}
	if v == Fail && doc.OnlyKnown() {
		word += ", ALL KNOWN"
	}
	switch {
	case len(ended) == 0:
		return word
	case v == Fail:
		return word + " (" + strings.ToLower(strings.Join(ended, ", ")) + ")"
	case doc.Summary.Total() == 0:
		return strings.Join(ended, ", ")
	}
	return strings.Join(ended, ", ") + " (" + strings.ToLower(word) + " so far)"
}

// moneyLine says what came out for the money. The words do not escape anything; currencies may be hostile.
func moneyLine(m Money) string {
	if m.Payments == 0 {
		return "No payment was looked at, so nothing is said of money."
	}
	twice, created, destroyed := money.Sums(m.TakenTwice), money.Sums(m.Created), money.Sums(m.Destroyed)
	if twice+created+destroyed == "" {
		return "No money was taken twice, created or destroyed."
	}
	parts := []string{was(cmp.Or(twice, "Nothing"), m.TakenTwice) + " taken twice",
		was(cmp.Or(created, "nothing"), m.Created) + " created", was(cmp.Or(destroyed, "nothing"), m.Destroyed) + " destroyed"}
	return strings.Join(parts, ", ") + "."
}

// was puts the verb after sums: several currencies are many.
func was(amounts string, sums map[string]int64) string {
	moved := 0
	for _, n := range sums {
		if n != 0 {
			moved++
		}
	}
	if moved > 1 {
		return amounts + " were"
	}
	return amounts + " was"
}

// outcome is what came out, in one sentence.
func outcome(doc *Document, all []*group) string {
	failed, open, skipped := len(of(all, Fail)), len(of(all, Inconclusive)), len(of(all, Skipped))
	judged := len(all) - open - skipped
	switch {
	case len(all) == 0:
		return "No scenario was carried out, so nothing can be said of it."
	case failed > 0:
		return fmt.Sprintf("In %s of %d an invariant was broken.", count(failed, "scenario"), len(all))
	case judged == 0 && open == 0:
		return "All scenarios were skipped, so nothing can be said of it."
	case judged == 0:
		return "No scenario could be judged, so nothing can be said of it."
	case open > 0:
		return fmt.Sprintf("No invariant was seen broken, but %s of %d could not be judged.", count(open, "scenario"), len(all))
	}
	return fmt.Sprintf("No invariant was broken in the %s that could be judged.", count(judged, "scenario"))
}

// tally is "120 trials of 12 scenarios" or "46 scenarios".
func tally(doc *Document, scenarios int) string {
	if n := len(doc.Scenarios); n != scenarios {
		return count(n, "trial") + " of " + count(scenarios, "scenario")
	}
	return count(scenarios, "scenario")
}
