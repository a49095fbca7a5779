package stack

import (
	"fmt"

	"onedebit/scenarios/history"
)

// Lose loses a message and ends its connection. A lost request never reaches the server; of a lost answer the server
// has had the request. The zero How is Reset.
type Lose struct {
	How How `json:"how,omitempty"`
}

var _ = action[Lose]("lose")

func (l Lose) start(*armedRule) (func(*parcel), error) {
	how, err := l.How.orReset()
	return func(p *parcel) { p.end, p.fate = how, history.Lost }, err
}

func (h How) orReset() (How, error) {
	switch h {
	case "":
		return Reset, nil
	case Reset, Fin, Silence:
		return h, nil
	}
	return "", fmt.Errorf("%q is no way to end a connection: use %q, %q or %q", h, Reset, Fin, Silence)
}
