package mutants

import (
	"context"

	"onedebit/reference"
)

// Times100 knows amounts in the major unit and makes them minor units for the bank: times 100. The way back divides by
// the same 100, so nothing looks wrong from inside; a yen has no hundredths.
var Times100 = register(Mutant{
	Name:     "times-100",
	Doc:      "the amount for the bank is the major unit times 100 for every currency, also for one without minor units",
	Scenario: "no-minor-unit",
	Check:    "integer-money",
	Says:     "a client asked to pay",
	Sources:  []string{"Paymenter/Paymenter#1258", "InvoicePlane/InvoicePlane#1677", "cartalyst/stripe#59"},
	Apply: func(p *reference.Parts) {
		open, settle := p.Bank, p.Callback
		p.Bank = func(cfg reference.Config) reference.Bank { return &hundredfoldBank{open(cfg)} }
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			n.Amount = fromBank(n.Amount, n.Currency)
			return settle(ctx, s, n)
		}
	},
})

// perMajor is how many minor units a major unit has.
func perMajor(currency string) int64 {
	switch currency {
	case "JPY", "KRW":
		return 1
	case "KWD":
		return 1000
	}
	return 100
}

func toBank(amount int64, currency string) int64   { return amount * 100 / perMajor(currency) }
func fromBank(amount int64, currency string) int64 { return amount * perMajor(currency) / 100 }

type hundredfoldBank struct{ reference.Bank }

// Debit implements reference.Bank.
func (b *hundredfoldBank) Debit(ctx context.Context, o reference.Order) (reference.Reply, error) {
	o.Amount = toBank(o.Amount, o.Currency)
	reply, err := b.Bank.Debit(ctx, o)
	reply.Amount = fromBank(reply.Amount, reply.Currency)
	return reply, err
}

// Query implements reference.Bank.
func (b *hundredfoldBank) Query(ctx context.Context, tradeNo string) (reference.Reply, error) {
	reply, err := b.Bank.Query(ctx, tradeNo)
	reply.Amount = fromBank(reply.Amount, reply.Currency)
	return reply, err
}
