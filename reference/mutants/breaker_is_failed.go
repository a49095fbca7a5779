package mutants

import (
	"context"
	"errors"

	"github.com/sony/gobreaker/v2"

	"onedebit/reference"
)

// BreakerIsFailed gives the breaker a fallback that answers in the bank's place. The reconciler asks through the same
// breaker, so a debit that the bank did carry out is called FAILED.
var BreakerIsFailed = register(Mutant{
	Name:     "breaker-is-failed",
	Doc:      "the open breaker answers FAILED, for debits and for queries alike",
	Scenario: "breaker-opens",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"incident", "Loopers-dev-lab/loop-pack-be-l2-vol2-java#176", "Loopers-dev-lab/loop-pack-be-l2-vol2-java#152"},
	Apply: func(p *reference.Parts) {
		p.Bank = func(cfg reference.Config) reference.Bank {
			return &fallbackBank{bank: reference.NewHTTPBank(cfg), breaker: reference.NewBreaker(cfg.Breaker)}
		}
	},
})

type fallbackBank struct {
	bank    reference.Bank
	breaker *gobreaker.CircuitBreaker[reference.Reply]
}

// Debit implements reference.Bank.
func (b *fallbackBank) Debit(ctx context.Context, o reference.Order) (reference.Reply, error) {
	return b.through(o.TradeNo, func() (reference.Reply, error) { return b.bank.Debit(ctx, o) })
}

// Query implements reference.Bank.
func (b *fallbackBank) Query(ctx context.Context, tradeNo string) (reference.Reply, error) {
	return b.through(tradeNo, func() (reference.Reply, error) { return b.bank.Query(ctx, tradeNo) })
}

// Close implements reference.Bank.
func (b *fallbackBank) Close(ctx context.Context, tradeNo string) error {
	_, err := b.breaker.Execute(func() (reference.Reply, error) { return reference.Reply{}, b.bank.Close(ctx, tradeNo) })
	return err
}

// Refund implements reference.Bank.
func (b *fallbackBank) Refund(ctx context.Context, o reference.RefundOrder) (reference.Reply, error) {
	return b.through(o.TradeNo, func() (reference.Reply, error) { return b.bank.Refund(ctx, o) })
}

// QueryRefund implements reference.Bank.
func (b *fallbackBank) QueryRefund(ctx context.Context, refundNo string) (reference.Reply, error) {
	return b.through("", func() (reference.Reply, error) { return b.bank.QueryRefund(ctx, refundNo) })
}

func (b *fallbackBank) through(tradeNo string, call func() (reference.Reply, error)) (reference.Reply, error) {
	reply, err := b.breaker.Execute(call)
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return reference.Reply{TradeNo: tradeNo, Status: "FAILED", Reason: "SYSTEM_BUSY"}, nil
	}
	return reply, err
}
