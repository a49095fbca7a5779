package mutants

import (
	"context"

	"onedebit/reference"
)

// BankCallInTx does the whole payment in one transaction, so that "either everything is there or nothing". Deadlocks
// and serialization failures are cured by running it again; the bank is not rolled back, and each run makes its number.
var BankCallInTx = register(Mutant{
	Name:     "bank-call-in-tx",
	Doc:      "the bank is called inside the transaction of the payment, which is run again after a deadlock or a serialization failure",
	Scenario: "db-commit-refused",
	Check:    "one-debit",
	Says:     "debits of",
	Sources:  []string{"odoo/odoo#268268"},
	Apply:    func(p *reference.Parts) { p.Debit = debitInTx },
})

func debitInTx(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	var w reference.Word
	var done reference.Settlement
	err := s.Store.Tx(ctx, func(tx *reference.Tx) error {
		next := p
		next.TradeNo = s.Parts.TradeNo(p)
		begun, err := begin(ctx, s, tx, next)
		if err != nil || !begun {
			return err
		}
		reply, failure := s.Ask(ctx, next)
		if w = s.WordOf(reference.FromAnswer, next, reply, failure); w.Said == reference.SaidNotFound {
			w.Said = reference.SaidNothing
		}
		done, err = s.SettleIn(ctx, tx, w)
		return err
	})
	if err != nil {
		return p, err
	}
	if done.Payment.ID != "" {
		s.LogSettlement(w, done)
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}
