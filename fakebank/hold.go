package fakebank

// hold acts and keeps the answer back until it is released: the tool against races.
var hold = register(Kind{Name: "hold", Ops: everyOp,
	Doc: "acts, then holds the answer until the behaviour is released or removed"}, func(struct{}) (effect, error) {
	return effect{answer: func(x *exchange, a Answer) {
		x.afterwards(a, x.armed.park(x.r.Context(), nil))
	}}, nil
})
