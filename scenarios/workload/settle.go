package workload

import (
	"context"
	"time"

	"onedebit/scenarios/decode"
)

// Settle waits until ledger and rows stand still. The end of every scenario does so too.
var Settle = register(Kind{
	Name:    "settle",
	Doc:     "waits until the bank's ledger and the service's rows stand still, at most for a real-life duration",
	Example: "settle: {within: 60s}",
	New:     func() Action { return &settle{} },
})

type settle struct {
	Within decode.Duration `yaml:"within"`
}

func (s *settle) Do(ctx context.Context, e *Env) error { return e.Settle(ctx, time.Duration(s.Within)) }
