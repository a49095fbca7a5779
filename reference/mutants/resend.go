package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// resendBank sends a debit that was not answered once more under the same trade number, which is right at a bank that
// knows numbers again. What it makes of the bank's refusal of the repeat is up to the mutant.
type resendBank struct {
	reference.Bank
	refused func(reference.Order, *reference.StatusError) (reference.Reply, error)
}

// Debit implements reference.Bank.
func (b *resendBank) Debit(ctx context.Context, o reference.Order) (reference.Reply, error) {
	reply, err := b.Bank.Debit(ctx, o)
	var status *reference.StatusError
	if err == nil || errors.As(err, &status) {
		return reply, err
	}
	reply, err = b.Bank.Debit(ctx, o)
	if errors.As(err, &status) && status.Code < 500 {
		return b.refused(o, status)
	}
	return reply, err
}

// resending puts a resendBank before the bank.
func resending(p *reference.Parts, refused func(reference.Order, *reference.StatusError) (reference.Reply, error)) {
	open := p.Bank
	p.Bank = func(cfg reference.Config) reference.Bank { return &resendBank{Bank: open(cfg), refused: refused} }
}
