package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// shopTarget is a target of one's own with such a bank.
func shopTarget(t *testing.T, bank string) *targets.Target {
	t.Helper()
	target, err := targets.Load("shop.yaml", []byte(`
target: shop
processes: {api: {run: [./api], listen: auto}}
payment: {each: [{submit: {post: /pay, json: {order: "${order}", key: "${key}"}}}]}
rows: {success: SELECT 1}
banks: {psp: `+bank+`}
`))
	require.NoError(t, err)
	target.Dir = "/shop"
	return target
}

// What callbacks of a bank look like in a target file, and a call that asks.
const (
	calledBack = `callbacks: {done: {to: api, post: /hook, json: {}}}`
	silentCall = `{on: POST /charge, money: debit, callback: done, reply: {json: {}}}`
	askingCall = `{on: "GET /charge/{id}", reference: path.id, reply: {json: {status: "${status}"}}}`
)

func TestVariants(t *testing.T) {
	reference, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	plain := shopTarget(t, `{calls: [{on: POST /charge, money: debit}]}`)
	modes := shopTarget(t, `{modes: [naive], calls: [{on: POST /charge, money: debit}]}`)
	native := shopTarget(t, `{dialect: native}`)
	blind := shopTarget(t, `{calls: [`+silentCall+`], `+calledBack+`}`)
	asked := shopTarget(t, `{calls: [`+silentCall+`, `+askingCall+`], `+calledBack+`}`)
	for name, c := range map[string]struct {
		target          *targets.Target
		scenario        string
		modes, arrivals string
		want            string
	}{
		"the bundled one as it is":            {reference, "clicks-at-once", "", "", "own"},
		"the bundled one in every mode":       {reference, "clicks-at-once", "all", "", "own | bank=refuse | bank=naive"},
		"every mode with every arrival":       {reference, "clicks-at-once", "naive,refuse", "own,late", "bank=naive | bank=naive, callbacks=late | bank=refuse | bank=refuse, callbacks=late"},
		"its own mode is no variant":          {reference, "without-a-key", "naive", "", "own"},
		"a bank of which no mode is said":     {plain, "clicks-at-once", "", "", "own"},
		"a bank of which one is said":         {modes, "clicks-at-once", "", "", "own | bank=naive"},
		"asked for and not to be had":         {plain, "clicks-at-once", "naive", "late", "own"},
		"one thing at a time":                 {native, "clicks-at-once", "", "", "own | bank=refuse | bank=naive | callbacks=late | callbacks=absent"},
		"callbacks that are the only news":    {blind, "clicks-at-once", "", "", "own | callbacks=late"},
		"callbacks beside answers":            {asked, "clicks-at-once", "", "", "own | callbacks=late | callbacks=absent"},
		"absent already":                      {native, "gateway-gives-up-no-callback", "own", "all", "own | callbacks=prompt | callbacks=late"},
		"a scenario that sends the callbacks": {native, "twin-notifications", "own", "all", "own"},
	} {
		t.Run(name, func(t *testing.T) {
			split := func(text string) []string {
				return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
			}
			var got []string
			seen := map[string]bool{}
			for _, job := range Vary(Plan([]*Scenario{known(t, c.scenario)}, 1, ""), c.target, split(c.modes), split(c.arrivals)) {
				_, label, varied := strings.Cut(strings.TrimSuffix(job.Scenario.Name, "]"), " [")
				if !varied {
					label = "own"
				}
				got = append(got, label)
				assert.False(t, seen[job.file()], "%s: two histories under one name", job.file())
				seen[job.file()] = true
			}
			assert.Equal(t, c.want, strings.Join(got, " | "))
		})
	}
}

// A scenario of one's own is carried out as it was written, unless something else is asked for.
func TestVariantsOfOnesOwnScenario(t *testing.T) {
	own := written(t, onePayment)
	own.File = "own.yaml"
	native := shopTarget(t, `{dialect: native}`)
	assert.Len(t, Vary(Plan([]*Scenario{own}, 1, ""), native, nil, nil), 1)
	assert.Len(t, Vary(Plan([]*Scenario{own}, 1, ""), native, []string{Every}, nil), 3)
}

// The command that repeats a variant names it, and only where another could be meant.
func TestVariantsAreRepeatedByTheirFlags(t *testing.T) {
	reference, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	for want, v := range map[string]Variant{"": {}, " --bank naive": {Bank: "naive"}, " --callbacks late": {Callbacks: Late}} {
		assert.Equal(t, want, v.flags(reference))
	}
	native := shopTarget(t, `{dialect: native}`)
	assert.Equal(t, " --bank own --callbacks own", Variant{}.flags(native))
	assert.Empty(t, Variant{}.flags(shopTarget(t, `{calls: [{on: POST /charge, money: debit}]}`)))
	s := known(t, "clicks-at-once").in(Variant{"naive", Late}, native)
	o := &Options{Seed: 7}
	assert.Equal(t, "onedebit run clicks-at-once --bank naive --callbacks late --seed 7", o.reproduce(Job{Scenario: s, Trial: 1}))
}

// A scenario without callbacks is none for a service that has no other way to learn what became of a payment.
func TestNobodyTellsTheOutcome(t *testing.T) {
	s := known(t, "gateway-gives-up-no-callback")
	o := Options{Target: shopTarget(t, `{calls: [`+silentCall+`], `+calledBack+`}`)}
	assert.Contains(t, o.lacks(s), "its bank cannot be asked")
	o.Target = shopTarget(t, `{calls: [`+silentCall+`, `+askingCall+`], `+calledBack+`}`)
	assert.NotContains(t, o.lacks(s), "its bank cannot be asked")
}

// Callbacks arrive as the variant says once the clean payments have gone through, and the correct service passes all the same.
func TestVariantsAreFelt(t *testing.T) {
	o := rig(t)
	lost := []*Scenario{known(t, "clicks-at-once")}
	var got []*history.History
	o.Told = func(_ Job, h *history.History) { got = append(got, h) }
	o.Parallel = 1
	o.Jobs = Vary(Plan(lost, 1, ""), o.Target, []string{"naive"}, []string{Absent})
	doc := carry(t, context.Background(), o)
	require.Len(t, doc.Scenarios, 1)
	assert.Equal(t, reports.Pass, doc.Scenarios[0].Verdict, doc.Scenarios[0].Reason)
	require.Len(t, got, 1)
	clean := map[string]bool{}
	for _, p := range got[0].Payments() {
		clean[p.V.Order] = p.V.Probe
	}
	sent := map[bool]int{}
	for _, l := range got[0].Ledger() {
		if l.V.Kind == history.LedgerCallback {
			sent[clean[l.V.Order]]++
		}
	}
	assert.Positive(t, sent[true], "clean payments are called back")
	assert.Zero(t, sent[false], "and no other")
}
