package fakebank

// overlook is a bank whose queries lag behind its books.
var overlook = register(Kind{Name: "overlook", Ops: []string{OpQuery},
	Doc: "answers a query with NOT_FOUND, also where it knows the number"}, func(struct{}) (effect, error) {
	return effect{instead: func(x *exchange) Answer {
		return x.request.Refuse(Outcome{Code: NotFound, Message: "no such number"})
	}}, nil
})
