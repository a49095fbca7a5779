package dialects_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/fakebank"
)

// pays are the shortest debit of 5.00 in each dialect, and the same again.
var pays = map[string]func(r *rig, key string) answer{
	"native": func(r *rig, key string) answer {
		return r.ask("POST", "/v1/debits", fmt.Sprintf(`{"merchant":"M","trade_no":%q,"account":"A","amount":500,"currency":"CNY"}`, key))
	},
	"stripe": func(r *rig, key string) answer {
		return r.ask("POST", "/v1/payment_intents", "amount=500&currency=cny&confirm=true&payment_method=pm",
			"Content-Type", formType, "Idempotency-Key", key)
	},
	"example": func(r *rig, key string) answer {
		return r.ask("POST", "/pay", `{"amount":5.00,"order":"A"}`, "X-Idempotency-Key", key)
	},
}

// Every behaviour that a bank can be told works in every dialect: it fires, and does to the money what it says.
func TestBehavioursInEveryDialect(t *testing.T) {
	for dialect, pay := range pays {
		for _, kind := range fakebank.Kinds() {
			if !slices.Contains(kind.Ops, fakebank.OpDebit) {
				continue
			}
			t.Run(dialect+"/"+kind.Name, func(t *testing.T) {
				r := speak(t, builtin(t, dialect))
				arm := object{"kind": kind.Name, "count": 1}
				switch kind.Name {
				case "slow":
					arm["delay"] = 1
				case "garble":
					arm["with"] = "html-502"
				case "barrier":
					arm["copies"], arm["within"], arm["count"] = 2, int64(patience), 0
				}
				id := r.arm(arm)
				first, second := make(chan answer, 1), make(chan answer, 1)
				go func() { first <- pay(r, "k") }()
				switch kind.Name {
				case "hold":
					r.await(id, 1, 1)
					r.rule("POST", "behaviours/"+id+"/release", nil)
				case "barrier":
					go func() { second <- pay(r, "k") }()
				}
				a := <-first
				if kind.Name == "barrier" {
					<-second
				}
				r.await(id, 1, 0)
				debits := 1
				switch kind.Name {
				case "drop":
					assert.Zero(t, a.status)
				case "fail":
					assert.Equal(t, 500, a.status)
				case "refuse-before":
					assert.Equal(t, 500, a.status)
					debits = 0
				case "garble":
					assert.Equal(t, 502, a.status)
				case "decline", "accept":
					debits = 0
				case "barrier": // either may be the one that is told that the other is under way
				default:
					assert.Equal(t, 200, a.status, a.text)
				}
				assert.Len(t, r.debits(), debits)
				r.rule("DELETE", "behaviours/"+id, nil)
				pay(r, "k")
				if kind.Name == "refuse-before" {
					debits = 1
				}
				assert.Len(t, r.debits(), debits, "a repeat is a request, not a debit")
			})
		}
	}
}

// What is done later, behind an answer that says nothing, is done once, also where the same request comes again.
func TestDeedsDoneLaterInEveryDialect(t *testing.T) {
	for dialect, pay := range pays {
		for _, early := range []bool{true, false} {
			r := speak(t, builtin(t, dialect))
			id := r.arm(object{"kind": "garble", "with": "empty-200", "deed": "later", "delay": int64(patience), "count": 1})
			pay(r, "k")
			assert.Empty(t, r.debits())
			if early {
				assert.Equal(t, 200, pay(r, "k").status)
			}
			r.rule("DELETE", "behaviours/"+id, nil)
			assert.Eventually(t, func() bool { return r.rule("GET", "behaviours/"+id, nil)["holding"] == float64(0) }, patience, 1e6)
			assert.Eventually(t, func() bool { return len(r.debits()) == 1 }, patience, 1e6)
			assert.Eventually(t, func() bool { return pay(r, "k").status == 200 }, patience, 1e6, dialect)
			assert.Len(t, r.debits(), 1, dialect)
		}
	}
}

func TestModesInEveryDialect(t *testing.T) {
	for dialect, pay := range pays {
		for mode, want := range map[string]struct{ debits, class int }{
			fakebank.Dedupe: {1, 2}, fakebank.Refuse: {1, 4}, fakebank.Naive: {2, 2},
		} {
			t.Run(dialect+"/"+mode, func(t *testing.T) {
				r := speak(t, builtin(t, dialect))
				r.rule("PATCH", "settings", object{"mode": mode})
				first := pay(r, "k")
				again := pay(r, "k")
				assert.Equal(t, want.class, again.status/100, again.text)
				assert.Len(t, r.debits(), want.debits)
				assert.Equal(t, mode == fakebank.Dedupe, first.text == again.text)
			})
		}
	}
}
