package mutants

import (
	"context"
	"crypto/rand"
	"errors"

	"onedebit/reference"
)

// DedupSelectInsert looks whether it knows a notification, asks the bank whether it denies it, stores it and grants the
// goods. Copies that arrive together are all unknown.
var DedupSelectInsert = register(Mutant{
	Name:     "dedup-select-insert",
	Doc:      "a notification is looked up and then inserted, without a unique index on its id, and each new one grants",
	Scenario: "hundred-at-once",
	Check:    "effects-once",
	Says:     "times",
	Sources:  []string{"incident", "opencollective/opencollective#5644", "getlago/lago-api#3223", "mollie/magento2#1047"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return replaceTable("callback", reference.CallbackTable())
		}
		p.Callback = lookThenGrant(p.Callback)
	},
})

func lookThenGrant(settle callbackPart) callbackPart {
	return func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
		var id string
		err := s.Store.Get(ctx, &id, `SELECT notification_id FROM callback WHERE notification_id = ?`, n.ID)
		if err == nil {
			return reference.ResultDuplicate, nil
		}
		before, known := paidBy(ctx, s, n.TradeNo)
		if !errors.Is(err, reference.ErrAbsent) || !known || n.Status != string(reference.SaidSuccess) || before.Status == reference.Success {
			return settle(ctx, s, n)
		}
		if s.Inquire(ctx, before).Said == reference.SaidFailed {
			return settle(ctx, s, n)
		}
		var done reference.Settlement
		err = s.Settling(ctx, func(tx *reference.Tx) (err error) {
			if err = tx.InsertCallback(ctx, n, s.Millis()); err != nil {
				return err
			}
			if done, err = s.SettleIn(ctx, tx, n.Word(reference.SaidSuccess)); err != nil || done.From != reference.Success {
				return err
			}
			return tx.InsertEvent(ctx, reference.NewEvent(s.Config, "pay.success:"+rand.Text(), done.Payment), s.Millis())
		})
		return string(done.Payment.Status), err
	}
}
