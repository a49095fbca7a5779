package stack

import "errors"

// Do calls functions at a message: Before it is handed on, which waits for the function's end, and After it was written
// to the receiver's connection. The direction stands still meanwhile; the other one and other connections go on. Where
// one of Toxiproxy's own toxics is on the link, After comes when the message was handed to that toxic.
type Do struct {
	Before, After func()
}

func (d Do) start(a *armedRule) (func(*parcel), error) {
	if d.Before == nil && d.After == nil {
		return nil, errors.New("nothing to do before or after the message")
	}
	return func(p *parcel) {
		if d.Before != nil {
			p.before = func() {
				a.fire(1)
				d.Before()
			}
		}
		if d.After != nil {
			p.after = func() {
				if d.Before == nil {
					a.fire(1)
				}
				d.After()
			}
		}
	}, nil
}

// remoteDo is Do as it is written down: the functions stay in the harness, which has given each a number; 0 is none.
type remoteDo struct {
	Before uint64 `json:"before,omitempty"`
	After  uint64 `json:"after,omitempty"`
}

var _ = action[remoteDo]("do")

func (remoteDo) start(*armedRule) (func(*parcel), error) {
	return nil, errors.New("functions of another process cannot be called without a harness that calls them")
}
