package mutants_test

import (
	"context"
	"encoding/json"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

// delivery is one message in the hands of a consumer, from no broker.
type delivery struct {
	body []byte
	ack  error
}

func (d *delivery) Body() []byte                 { return d.body }
func (d *delivery) Where() string                { return "test" }
func (d *delivery) Ack(context.Context) error    { return d.ack }
func (d *delivery) Again(context.Context) error  { return nil }
func (d *delivery) Reject(context.Context) error { return nil }

// event is the message that order O is paid.
func event(r *rig, id string) []byte {
	r.T.Helper()
	body, err := json.Marshal(reference.NewEvent(r.Config, id, reference.Payment{ID: "P1", OrderID: "O", Merchant: "M1", Amount: 500, Currency: "CNY"}))
	require.NoError(r.T, err)
	return body
}
