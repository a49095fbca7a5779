package fakebank

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type failParams struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// fail acts and hides it behind a 5xx, the answer that services most often take for "nothing happened".
var fail = register(Kind{Name: "fail", Ops: everyOp,
	Doc: "acts, then answers status (5xx, default 500) with body"}, func(p failParams) (effect, error) {
	said, err := serverError(p)
	return effect{answer: func(x *exchange, a Answer) {
		x.armed.fire()
		hidden := said(x)
		hidden.Done = a.Done
		x.give(hidden)
	}}, err
})

// serverError is an answer of class 5xx, in the words of the bank's language unless it has a body of its own.
func serverError(p failParams) (func(*exchange) Answer, error) {
	if p.Status == 0 {
		p.Status = http.StatusInternalServerError
	}
	if p.Status < 500 || p.Status > 599 {
		return nil, fmt.Errorf("status %d: use 500 to 599", p.Status)
	}
	return func(x *exchange) Answer {
		a := x.request.Refuse(Outcome{Code: ServerError, Message: "the bank could not answer"})
		a.HTTP = p.Status
		if p.Body != "" {
			a.Body, a.Header = []byte(p.Body), http.Header{"Content-Type": {"text/html; charset=utf-8"}}
			if json.Valid(a.Body) {
				a.Header.Set("Content-Type", "application/json")
			}
		}
		return a
	}, nil
}
