package mutants_test

import (
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/mutants"
	"onedebit/reference/referencetest"
)

type rig = referencetest.Rig

// contrast plays the same scene with a mutant and with the correct service and compares what each made of it.
func contrast[T any](t *testing.T, name string, wrong, right T, play func(*rig) T, options ...referencetest.Option) {
	t.Helper()
	m, ok := mutants.Named(name)
	require.True(t, ok, "no mutant is named %s", name)
	t.Run("mutant", func(t *testing.T) {
		r := referencetest.Start(t, append([]referencetest.Option{referencetest.Mutate(m.Apply)}, options...)...)
		assert.Equal(t, wrong, play(r), "the mutant does not go wrong")
	})
	t.Run("correct", func(t *testing.T) {
		r := referencetest.Start(t, options...)
		assert.Equal(t, right, play(r), "the correct service does not hold")
	})
}

func TestMain(m *testing.M) {
	defer referencetest.StopServers()
	m.Run()
}

// contrastOnServers is contrast on every database server, for what a file cannot get wrong.
func contrastOnServers[T any](t *testing.T, name string, wrong, right T, play func(*rig) T, options ...referencetest.Option) {
	t.Helper()
	for _, server := range []string{referencetest.Postgres, referencetest.MySQL} {
		t.Run(server, func(t *testing.T) {
			contrast(t, name, wrong, right, play, append([]referencetest.Option{referencetest.On(server)}, options...)...)
		})
	}
}

// settling matches the COMMIT after the bank's answer.
var settling = referencetest.Commits("UPDATE bank_trade")

func pay(order, key string) referencetest.Request {
	return referencetest.Request{Order: order, Key: key}
}

// quiet keeps the reconciler out of a scene.
func quiet(c *reference.Config) {
	c.ReconcileUnknownAfter, c.ReconcileProcessingAfter = reference.Duration(time.Hour), reference.Duration(time.Hour)
}

// meet holds the cache's command until this many of its kind have arrived, so that a race is certain.
func meet(r *rig, command string, copies int) {
	var mu sync.Mutex
	arrived, all := 0, make(chan struct{})
	r.Cache.Server().SetPreHook(func(_ *server.Peer, name string, _ ...string) bool {
		if name != command {
			return false
		}
		mu.Lock()
		if arrived++; arrived == copies {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
		case <-time.After(referencetest.Patience):
		}
		return false
	})
}

// begin pays and returns when the bank has debited it; the bank holds its answer until release is closed.
func begin(r *rig, q referencetest.Request, release <-chan struct{}) (answer <-chan reference.Answer) {
	r.T.Helper()
	arrived, answers := make(chan struct{}), make(chan reference.Answer, 1)
	r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
		if op != referencetest.Debit || n != 1 {
			return referencetest.Act{}
		}
		close(arrived)
		return referencetest.Act{Hold: release}
	})
	go func() { answers <- r.Pay(q) }()
	referencetest.Next(r.T, arrived)
	return answers
}

// dropFirst lets the bank carry out its first debit and cuts the connection instead of answering.
func dropFirst(op string, n int, _ string) referencetest.Act {
	return referencetest.Act{Drop: op == referencetest.Debit && n == 1}
}

// accepted pays order O at a bank that only takes the debit on, and returns its trade number.
func accepted(r *rig) (tradeNo string) {
	r.T.Helper()
	r.Bank.Act(func(string, int, string) referencetest.Act { return referencetest.Act{Accept: true} })
	require.Equal(r.T, reference.Processing, r.PayNew("O").Status)
	return r.Rows("O")[0].TradeNo
}

// holdFirst keeps the first command of a kind from being carried out until release is closed, and tells when it is there.
func holdFirst(r *rig, command string, release <-chan struct{}) <-chan struct{} {
	arrived := make(chan struct{})
	var once sync.Once
	r.Cache.Server().SetPreHook(func(_ *server.Peer, name string, _ ...string) bool {
		first := false
		if name == command {
			once.Do(func() { first = true })
		}
		if first {
			close(arrived)
			<-release
		}
		return false
	})
	return arrived
}

// refuseFirst makes the cache refuse the first command of a kind.
func refuseFirst(r *rig, command string) {
	var once sync.Once
	r.Cache.Server().SetPreHook(func(peer *server.Peer, name string, _ ...string) (refused bool) {
		if name == command {
			once.Do(func() { refused = true })
		}
		if refused {
			peer.WriteError("LOADING")
		}
		return refused
	})
}

// dropFirstRefund lets the bank carry out its first refund and cuts the connection instead of answering.
func dropFirstRefund(op string, n int, _ string) referencetest.Act {
	return referencetest.Act{Drop: op == referencetest.Refund && n == 1}
}

// payTwice pays order O by two attempts: the bank calls the first one failed, and has debited it all the same.
func payTwice(r *rig) {
	r.T.Helper()
	release := make(chan struct{})
	first := begin(r, pay("O", r.Token("O")), release)
	n := reference.Notification{ID: "N1", TradeNo: r.Rows("O")[0].TradeNo, Status: "FAILED", Amount: 500, Currency: "CNY"}
	require.Equal(r.T, 200, r.Notify(n))
	require.Equal(r.T, reference.Success, r.PayNew("O").Status)
	close(release)
	referencetest.Next(r.T, first)
}
