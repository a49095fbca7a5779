package fakebank

// accept takes a debit or refund on without moving money, as providers do whose channel answers later.
var accept = register(Kind{Name: "accept", Ops: []string{OpDebit, OpRefund},
	Doc: "takes the debit or refund on and answers PROCESSING; money moves when the control API settles it"}, func(struct{}) (effect, error) {
	return effect{rule: func(r *ruling) { r.accept = true }}, nil
})
