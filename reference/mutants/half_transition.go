package mutants

import (
	"context"
	"database/sql"
	"errors"

	"onedebit/reference"
)

// HalfTransition stores that an order is paid, and then, in a second transaction, the event that tells so. When the
// second one fails, whoever comes again finds the order paid and has nothing to do.
var HalfTransition = register(Mutant{
	Name:     "half-transition",
	Doc:      "SUCCESS and its event are stored in two transactions, and a retry of the second finds SUCCESS and does nothing",
	Scenario: "db-one-error",
	Check:    "effects-once",
	Says:     "was never granted",
	Sources:  []string{"ingadhoc/account-payment#1195", "accensa/x402-facilitator-stellar#263"},
	Apply: func(p *reference.Parts) {
		p.Tell = func(context.Context, *reference.Service, *reference.Tx, reference.Event) error { return nil }
		p.Debit = thenTell(p.Debit)
		p.Callback = callbackThenTell(p.Callback)
		p.Reconcile = reconcileThenTell(p.Reconcile)
	},
})

type (
	debitPart     = func(context.Context, *reference.Service, reference.Payment) (reference.Payment, error)
	callbackPart  = func(context.Context, *reference.Service, reference.Notification) (string, error)
	reconcilePart = func(context.Context, *reference.Service, reference.Payment) error
)

func thenTell(debit debitPart) debitPart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
		after, err := debit(ctx, s, p)
		if err == nil {
			err = tellIfPaid(ctx, s, p)
		}
		return after, err
	}
}

func callbackThenTell(callback callbackPart) callbackPart {
	return func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
		before, known := paidBy(ctx, s, n.TradeNo)
		result, err := callback(ctx, s, n)
		if err == nil && known && before.Status != reference.Success {
			err = tellIfPaid(ctx, s, before)
		}
		return result, err
	}
}

func reconcileThenTell(reconcile reconcilePart) reconcilePart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) error {
		if err := reconcile(ctx, s, p); err != nil {
			return err
		}
		return tellIfPaid(ctx, s, p)
	}
}

// paidBy finds the payment of a trade number.
func paidBy(ctx context.Context, s *reference.Service, tradeNo string) (reference.Payment, bool) {
	trade, err := reference.TradeByNo(ctx, s.Store, tradeNo)
	if err != nil {
		return reference.Payment{}, false
	}
	p, err := reference.PaymentByID(ctx, s.Store, trade.PaymentID)
	return p, err == nil
}

func tellIfPaid(ctx context.Context, s *reference.Service, p reference.Payment) error {
	now, err := reference.PaymentByID(ctx, s.Store, p.ID)
	if err != nil || now.Status != reference.Success {
		return err
	}
	event, _ := s.Parts.Event(s.Config, now, reference.Word{TradeNo: now.TradeNo})
	err = s.Store.Once(ctx, sql.LevelReadCommitted, func(tx *reference.Tx) error { return tx.InsertEvent(ctx, event, s.Millis()) })
	if errors.Is(err, reference.ErrDuplicate) {
		return nil
	}
	return err
}
