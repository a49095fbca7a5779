package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var faultWasFeltSamples = tabled(FaultWasFelt,
	sample{name: "felt", h: h().good("A", 500).fault("lost", history.Armed, false).fault("lost", history.Fired, false).fault("lost", history.Healed, false).rest(), want: Pass},
	sample{name: "never felt", h: h().good("A", 500).fault("lost", history.Armed, false).fault("lost", history.Healed, false).rest(), want: Inconclusive,
		reason: "never felt: lost (swallow the answer)"},
	sample{name: "one of two", h: h().fault("a", history.Armed, false).fault("b", history.Armed, false).fault("b", history.Fired, false), want: Inconclusive,
		reason: "never felt: a (swallow the answer)"},
	sample{name: "optional", h: h().fault("a", history.Armed, true).fault("a", history.Healed, true), want: Pass},
	sample{name: "armed again and not felt again", h: h().fault("a", history.Armed, false).fault("a", history.Fired, false).fault("a", history.Healed, false).fault("a", history.Armed, false), want: Inconclusive,
		reason: "never felt: a (swallow the answer)"},
	sample{name: "the count says that it was felt", h: counts(h().fault("a", history.Armed, false).fault("a", history.Healed, false)), want: Pass},
	sample{name: "interrupted", h: h().fault("a", history.Armed, false).gap("interrupted"), want: Inconclusive, reason: "interrupted"},
	sample{name: "no fault", h: h().good("A", 500).rest(), want: NotApplicable, reason: "no fault"},
)

func counts(b *build) *build { b.events[len(b.events)-1].Fault.Fired = 1; return b }

func TestFaultWasFelt(t *testing.T) { judgeTable(t, FaultWasFelt, faultWasFeltSamples) }
