package checks

import (
	"maps"
	"slices"
)

// TradeNoUnique is I14.
var TradeNoUnique = register(Check{
	Name:      "trade-no-unique",
	Invariant: "I14",
	Doc:       "A trade number stands for one payment, at the bank and in every reading of the service's books.",
	Cause: "Trade numbers are made of a time stamp or a counter that starts again, or an answer or a notification is " +
		"matched to the wrong payment.",
	judge: judgeTradeNoUnique,
})

func judgeTradeNoUnique(v *view) Result {
	needs := needLedger
	if v.target.Rows {
		needs |= needReadings
	}
	of := map[string][]*story{}
	for _, s := range v.stories {
		for number := range s.trades {
			of[number] = append(of[number], s)
		}
	}
	var findings []Finding
	for _, number := range slices.Sorted(maps.Keys(of)) {
		shared := of[number]
		if len(shared) < 2 {
			continue
		}
		var p proofs
		var orders []string
		for _, s := range shared {
			orders = append(orders, s.order)
			for _, l := range s.bank {
				if l.V.TradeNo == number {
					p.ledger(l)
				}
			}
			for _, r := range s.rows {
				if r.TradeNo == number {
					p.rows(v.restAt, r)
				}
			}
			p.add(s.trades[number], "trade number %s is first seen for order %s", number, s.order)
		}
		slices.Sort(orders)
		findings = append(findings, Finding{orders[0], "trade number " + number + " stands for " + counted(len(orders), "payment") + ": orders " + listed(orders), p.lines()})
	}
	if res := v.judged(findings, needs); res.Status != Pass || len(of) > 0 {
		return res
	}
	return inconclusive("no trade number was seen at the bank or in the service's books")
}
