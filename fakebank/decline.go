package fakebank

type declineParams struct {
	Reason string `json:"reason"`
}

// decline refuses for good, so that no money moves. A repeat that is only answered again is not refused anew.
var decline = register(Kind{Name: "decline", Ops: moneyOps,
	Doc: "refuses the debit or refund for good: FAILED, with reason (default DECLINED)"}, func(p declineParams) (effect, error) {
	if p.Reason == "" {
		p.Reason = "DECLINED"
	}
	if err := CheckWord("reason", p.Reason); err != nil {
		return effect{}, err
	}
	return effect{rule: func(r *ruling) { r.decline = p.Reason }}, nil
})
