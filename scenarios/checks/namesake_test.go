package checks

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func ofMerchant(name string) func(*history.LedgerEntry) {
	return func(e *history.LedgerEntry) { e.Merchant = name }
}

// namesake is another merchant who is paid for his own order A.
func namesake(b *build) *build {
	return b.answer("A", "KN", history.Pending, by("N"), state("PROCESSING"), named("rN")).rowID("rN", "A", "PROCESSING").read().
		debit("A", "TN", 500, ofMerchant("N")).rowID("rN", "A", "SUCCESS", trade("TN")).
		effect("membership", "A", "m-M").effect("membership", "A", "m-N").
		answer("A", "KN", history.Confirmed, by("N"), state("SUCCESS"), named("rN"))
}

func TestNamesakeHidesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		h    *build
		want Status
	}{
		"his debit is none of ours":                      {namesake(h().good("A", 500)), Pass},
		"we are debited twice":                           {namesake(h().good("A", 500).debit("A", "T2", 500)), Fail},
		"a second debit in his name, and he never asked": {h().good("A", 500).debit("A", "TN", 500, ofMerchant("N")), Fail},
		"a second debit in our name, and he asked": {h().good("A", 500).answer("A", "KN", history.Refused, by("N")).
			debit("A", "T2", 500, ofMerchant("M")), Fail},
	} {
		assert.Equal(t, c.want, OneDebit.Run(c.h.rest().history()).Status, name)
	}
}

// belongs names the merchant of all that the books hold so far and that is nobody's yet.
func belongs(b *build, merchant string) *build {
	for i := range b.rows {
		if b.rows[i].Merchant == "" {
			b.rows[i].Merchant = merchant
		}
	}
	for i := range b.effects {
		if b.effects[i].Merchant == "" {
			b.effects[i].Merchant = merchant
		}
	}
	for i := range b.posted {
		if b.posted[i].Merchant == "" {
			b.posted[i].Merchant = merchant
		}
	}
	return b
}

// twoMerchants is our order A, paid, and another merchant's order A, paid too, in books that say whose each is.
func twoMerchants() *build {
	b := belongs(full().good("A", 500).effect("membership", "A", "m-M").post("e-M", history.EventPaid, "A", "", true), "M")
	b.answer("A", "KN", history.Pending, by("N"), state("PROCESSING"), named("rN")).
		debit("A", "TN", 500, ofMerchant("N")).rowID("rN", "A", "SUCCESS", trade("TN")).
		effect("membership", "A", "m-N").post("e-N", history.EventPaid, "A", "", true)
	return belongs(b, "N")
}

func TestBooksThatSayWhoseItIs(t *testing.T) {
	also := func(b *build, kind string) *build { // of our order once more
		if kind == "event" {
			return belongs(b.post("e-2", history.EventPaid, "A", "", true), "M")
		}
		return belongs(b.effect("membership", "A", "m-2"), "M")
	}
	taken := func(b *build) *build { // ours is his
		b.effects[0].Merchant, b.posted[0].Merchant = "N", "N"
		return b
	}
	for name, c := range map[string]struct {
		h     *build
		check *Check
		want  Status
	}{
		"each has his benefit":              {twoMerchants(), EffectsOnce, Pass},
		"each has his event":                {twoMerchants(), EventsMatch, Pass},
		"each has his row":                  {twoMerchants(), OneSuccessRow, Pass},
		"our benefit twice":                 {also(twoMerchants(), "effect"), EffectsOnce, Fail},
		"two events for our order":          {also(twoMerchants(), "event"), EventsMatch, Fail},
		"our benefit went to him":           {taken(twoMerchants()), EffectsOnce, Fail},
		"our event is said to be his":       {taken(twoMerchants()), EventsMatch, Fail},
		"a benefit of nobody who asked":     {belongs(h().good("A", 500).effect("membership", "A", "m-M").effect("membership", "A", "m-X"), "X"), EffectsOnce, Fail},
		"books that do not say whose it is": {namesake(h().good("A", 500)), EffectsOnce, NotApplicable},
	} {
		assert.Equal(t, c.want, c.check.Run(c.h.rest().history()).Status, name)
	}
}
