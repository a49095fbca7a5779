package mutants

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"onedebit/reference"
)

// LayerOwnKey has an HTTP client that sends a request again when the connection breaks, and gives each request a number
// of its own. The payment above it never learns of the second debit.
var LayerOwnKey = register(Mutant{
	Name:     "layer-own-key",
	Doc:      "the HTTP layer sends a debit again after a broken connection, under a number of its own",
	Scenario: "bank-reset-after",
	Check:    "one-debit",
	Says:     "has 1 SUCCESS row",
	Sources:  []string{"openresty/openresty#190", "apex/up#214", "apache/apisix#11359"},
	Apply: func(p *reference.Parts) {
		open := p.Bank
		p.Bank = func(cfg reference.Config) reference.Bank { return &retryingBank{open(cfg)} }
	},
})

type retryingBank struct{ reference.Bank }

// Debit implements reference.Bank.
func (b *retryingBank) Debit(ctx context.Context, o reference.Order) (reference.Reply, error) {
	reply, err := b.Bank.Debit(ctx, o)
	var status *reference.StatusError
	if err == nil || errors.As(err, &status) {
		return reply, err
	}
	again := o
	again.TradeNo = "R" + uuid.NewString()
	reply, err = b.Bank.Debit(ctx, again)
	reply.TradeNo = o.TradeNo
	return reply, err
}
