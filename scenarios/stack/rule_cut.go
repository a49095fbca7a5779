package stack

import (
	"errors"

	"onedebit/scenarios/history"
)

// Cut hands on only the beginning of a message and then ends its connection. The zero How is Reset.
type Cut struct {
	How   How `json:"how,omitempty"`
	Bytes int `json:"bytes,omitempty"` // how many bytes are handed on, always less than all; 0 is half of the message
}

var _ = action[Cut]("cut")

func (c Cut) start(*armedRule) (func(*parcel), error) {
	if c.Bytes < 0 {
		return nil, errors.New("a cut after less than no bytes")
	}
	how, err := c.How.orReset()
	return func(p *parcel) {
		p.end, p.fate, p.keep = how, history.Cut, c.Bytes
		if p.keep == 0 {
			p.keep = len(p.data) / 2
		}
		p.keep = min(p.keep, len(p.data)-1)
	}, err
}
