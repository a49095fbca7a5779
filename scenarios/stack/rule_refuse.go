package stack

import (
	"fmt"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// Refuse has a database refuse a statement: it is not carried out, and the client gets the error in the server's own
// format. The transaction that it was part of is at the server what it would be after that error: failed, or rolled
// back; a COMMIT that is refused is a ROLLBACK. The connection can be used afterwards.
//
// Code is a SQLSTATE of PostgreSQL such as 40001, or the number of an error of MySQL such as 1213; empty is the one of
// these by which the server asks for the transaction to be run again. The statement is told as lost, the error that the
// client gets as passed, both with the fault's name. A rule on a request that is no statement, such as a login, does
// nothing to it. It has fired when the server has answered and the error is on its way to the client.
//
// It is decided when the statement arrives: a rule that is removed while its statement waits behind one that is held
// refuses it all the same.
type Refuse struct {
	Code string `json:"code,omitempty"`
}

var _ = action[Refuse]("refuse")

func (r Refuse) start(a *armedRule) (func(*parcel), error) {
	if a.rule.Match.Dir != history.Request {
		return nil, fmt.Errorf("refusing an answer: a statement is refused as a request, so that direction must be %q", history.Request)
	}
	conn, ok := a.tap.protocol.New().(wire.Refuser)
	if !ok {
		return nil, fmt.Errorf("refusing a statement of %s: only databases refuse statements", a.tap.protocol.Title)
	}
	if err := conn.CheckRefusal(r.Code); err != nil {
		return nil, fmt.Errorf("refusing a statement: %w", err)
	}
	return func(p *parcel) {
		toServer, err := p.flow.conn.refusal(r.Code, a)
		if err != nil {
			p.armed = nil
			return
		}
		p.instead, p.fate = toServer, history.Lost
	}, nil
}
