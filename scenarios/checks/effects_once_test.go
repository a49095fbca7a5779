package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var effectsOnceSamples = tabled(EffectsOnce,
	sample{name: "a notice for a refund", h: noticed(full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED").effect("membership", "A", "m1").effect("refund-notice", "A", "r1")).rest(), want: Pass},
	sample{name: "a refund without its notice", h: noticed(full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED").effect("membership", "A", "m1")).rest(), want: Fail,
		says: []string{"order A: refund r1 is SUCCESS and its refund-notice never came"}},
	sample{name: "a notice for a refund that failed", h: noticed(full().good("A", 500).giving("A", "r1", "FAILED", 100).effect("membership", "A", "m1").effect("refund-notice", "A", "r1")).rest(), want: Fail,
		says: []string{"order A: refund-notice came for refund r1, which is not SUCCESS"}},
	sample{name: "refunded whole, and its benefit taken away", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED").noEffects().rest(), want: Pass},
	sample{name: "refunded in part, and no benefit", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED").noEffects().rest(), want: Fail,
		says: []string{"order A is SUCCESS and its membership was never granted"}},
	sample{name: "once", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "twice", h: h().good("A", 500).effect("membership", "A", "m1").effect("membership", "A", "m2").rest(), want: Fail,
		says: []string{"order A is SUCCESS and its membership was granted 2 times"}},
	sample{name: "the same benefit listed twice", h: h().good("A", 500).effect("membership", "A", "m1").effect("membership", "A", "m1").rest(), want: Pass},
	sample{name: "benefits without names of their own", h: h().good("A", 500).effect("membership", "A", "").effect("membership", "A", "").rest(), want: Fail,
		says: []string{"order A is SUCCESS and its membership was granted 2 times"}},
	sample{name: "never", h: h().good("A", 500).noEffects().rest(), want: Fail, says: []string{"order A is SUCCESS and its membership was never granted"}},
	sample{name: "one of two kinds", h: kinds(h().good("A", 500), "coupon", "membership").effect("membership", "A", "m1").rest(), want: Fail,
		says: []string{"order A is SUCCESS and its coupon was never granted"}},
	sample{name: "without SUCCESS", h: h().pay("A", 500).row("A", "FAILED").effect("membership", "A", "m1").rest(), want: Fail,
		says: []string{"order A has no SUCCESS row and its membership was granted all the same"}},
	sample{name: "any kind without SUCCESS", h: h().pay("A", 500).row("A", "FAILED").effect("mail", "A", "m1").rest(), want: Fail,
		says: []string{"order A has no SUCCESS row and its mail was granted all the same"}},
	sample{name: "of somebody else", h: h().good("A", 500).effect("membership", "A", "m1").effect("membership", "Z", "m2").rest(), want: Pass},
	sample{name: "no reading at rest", h: h().good("A", 500), want: Inconclusive, reason: "at rest"},
	sample{name: "the benefits were not read", h: h().good("A", 500).noEffects().rest().gap("effects"), want: Inconclusive, reason: "effects"},
	sample{name: "nothing succeeded", h: h().pay("A", 500).row("A", "FAILED").rest(), want: NotApplicable, reason: "no payment ended SUCCESS"},
	sample{name: "a target without benefits", h: noBenefits(h().good("A", 500)).rest(), want: NotApplicable, reason: "cannot be read"},
)

func kinds(b *build, k ...string) *build { b.target.EffectKinds = k; return b }

func noBenefits(b *build) *build { b.target = history.Target{Rows: true}; return b }

func TestEffectsOnce(t *testing.T) { judgeTable(t, EffectsOnce, effectsOnceSamples) }

// noticed is a service that gives notice of each refund.
func noticed(b *build) *build { b.target.RefundEffectKinds = []string{"refund-notice"}; return b }
