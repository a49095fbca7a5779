package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// DedupByMessageID knows a notification again by its id alone and grants the goods for every one that is new. Two
// notifications of one payment, each with its own id, grant twice.
//
// The answer to our own call grants nothing, as the notification that follows it does; only where no notification was
// asked for does the answer grant.
var DedupByMessageID = register(Mutant{
	Name:     "dedup-by-message-id",
	Doc:      "only the notification id is unique: each new notification of SUCCESS writes an event of its own",
	Scenario: "twin-notifications",
	Check:    "effects-once",
	Says:     "times",
	Sources:  []string{"incident", "paypal/PayPal-PHP-SDK#1217", "masumi-network/sokosumi#1846", "Nutlope/roomGPT#61"},
	Apply: func(p *reference.Parts) {
		p.Event = eventOfMessage
		p.Callback = grantByNotification
	},
})

func eventOfMessage(cfg reference.Config, p reference.Payment, w reference.Word) (reference.Event, bool) {
	if w.Source == reference.FromAnswer && cfg.PublicURL != "" {
		return reference.Event{}, false
	}
	message := w.MessageID
	if message == "" {
		message = w.TradeNo
	}
	return reference.NewEvent(cfg, "pay.success:"+message, p), true
}

func grantByNotification(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
	said := reference.Said(n.Status)
	if n.RefundNo != "" || said != reference.SaidSuccess {
		return reference.Correct().Callback(ctx, s, n)
	}
	w, result, seen := n.Word(said), "unmatched", false
	var done reference.Settlement
	err := s.Settling(ctx, func(tx *reference.Tx) (err error) {
		if err = tx.InsertCallback(ctx, n, s.Millis()); err != nil {
			seen = errors.Is(err, reference.ErrDuplicate)
			return err
		}
		done, err = s.SettleIn(ctx, tx, w)
		if err != nil && !errors.Is(err, reference.ErrAbsent) {
			return err
		}
		if err == nil {
			result = string(done.Payment.Status)
		}
		if err == nil && !done.Alarm && done.From == reference.Success {
			event, _ := eventOfMessage(s.Config, done.Payment, w)
			if err := tx.InsertEvent(ctx, event, s.Millis()); err != nil {
				return err
			}
		}
		return tx.CallbackResult(ctx, n.ID, result)
	})
	if seen {
		return reference.ResultDuplicate, nil
	}
	if err == nil && done.Payment.ID != "" {
		s.LogSettlement(w, done)
	}
	return result, err
}
