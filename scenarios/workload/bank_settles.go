package workload

import (
	"context"
	"errors"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// BankSettles finishes a debit that the bank has only taken on so far.
var BankSettles = register(Kind{
	Name:    "bank-settles",
	Doc:     "the bank finishes a debit that it had only taken on (fault bank-accept), with or without a callback",
	Example: "bank-settles: {of: A, status: SUCCESS, callback: true}",
	New:     func() Action { return &bankSettles{Status: "SUCCESS", Callback: true} },
})

type bankSettles struct {
	about    `yaml:",inline"`
	Status   string `yaml:"status"`
	Callback bool   `yaml:"callback"`
}

func (s *bankSettles) Validate() error {
	if s.Status != "SUCCESS" && s.Status != "FAILED" {
		return errors.New("status: " + decode.UnknownName("result", s.Status, []string{"SUCCESS", "FAILED"}))
	}
	return nil
}

// RestsOn is the payment.
func (s *bankSettles) RestsOn() []Thing { return []Thing{aPayment(s.Of)} }

// Needs is that the bank can have left it open.
func (s *bankSettles) Needs() []string { return []string{targets.BankPending} }

func (s *bankSettles) Do(ctx context.Context, e *Env) error {
	trade, err := e.trade(ctx, s.Of)
	if err != nil {
		return err
	}
	return e.Stack.Bank.Settle(ctx, trade, s.Status, s.Callback)
}
