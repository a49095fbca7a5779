package fakebank

// refuseBefore answers a 5xx that tells the truth: nothing was done.
var refuseBefore = register(Kind{Name: "refuse-before", Ops: everyOp,
	Doc: "answers status (5xx, default 500) with body and does not act"}, func(p failParams) (effect, error) {
	said, err := serverError(p)
	return effect{instead: said}, err
})
