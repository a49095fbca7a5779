package stack

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

func seeded(seed uint64) [2]uint64 { return [2]uint64{seed, 1} }

// fates decides on messages of connections, without any connection, and says how late each is.
func fates(t *testing.T, l Loss, order []int) []time.Duration {
	t.Helper()
	tap := NewTap("bank", wire.HTTP, nil)
	_, err := tap.Arm(Rule{Match: Match{Dir: history.Request}, Do: l})
	require.NoError(t, err)
	var out []time.Duration
	start := time.Now()
	for _, conn := range order {
		p := &parcel{arrived: start, fate: history.Passed, flow: &flow{dir: history.Request, conn: &tapConn{number: conn, tap: tap}}}
		tap.decide(p)
		late := time.Duration(0)
		if p.fate != history.Passed {
			late = p.due.Sub(start)
		}
		out = append(out, late)
	}
	return out
}

func repeat(conn, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = conn
	}
	return out
}

func TestLossIsTheSameForASeed(t *testing.T) {
	loss := func(seed uint64) Loss { return Loss{Rate: 0.3, RTO: 10 * time.Millisecond, Seed: seeded(seed)} }
	first := fates(t, loss(1), repeat(1, 500))
	assert.Equal(t, first, fates(t, loss(1), repeat(1, 500)))
	assert.NotEqual(t, first, fates(t, loss(2), repeat(1, 500)))

	var alternating []int
	for range 500 {
		alternating = append(alternating, 1, 2)
	}
	var ofFirst, ofSecond []time.Duration
	for i, late := range fates(t, loss(1), alternating) {
		if i%2 == 0 {
			ofFirst = append(ofFirst, late)
		} else {
			ofSecond = append(ofSecond, late)
		}
	}
	assert.Equal(t, first, ofFirst, "another connection changes nothing")
	assert.NotEqual(t, ofFirst, ofSecond)

	lost := 0
	for _, late := range first {
		if late > 0 {
			lost++
		}
	}
	assert.InDelta(t, 150, lost, 45, "about as many as asked for")
}

func TestLossCostsDoublingTimeouts(t *testing.T) {
	allowed := map[time.Duration]bool{}
	for i, late := 0, time.Duration(0); i < 10; i++ {
		allowed[late] = true
		late = 2*late + 10*time.Millisecond
	}
	seen := map[time.Duration]bool{}
	for _, late := range fates(t, Loss{Rate: 0.5, RTO: 10 * time.Millisecond, Max: 9, Seed: seeded(3)}, repeat(1, 200)) {
		assert.True(t, allowed[late], "%s", late)
		seen[late] = true
	}
	assert.Greater(t, len(seen), 3)
	_, late := Loss{Rate: 1, RTO: time.Millisecond, Max: 15}.draw(func() bool { return true })
	assert.Equal(t, (1<<10-1+5*600)*time.Millisecond, late, "the time-out stops doubling")
}

// A burst counts what is sent again too, and goes on from connection to connection.
func TestLossInBursts(t *testing.T) {
	const rto = 10 * time.Millisecond
	burst := Loss{Burst: Burst{Lose: 2, Of: 5}, RTO: rto, Seed: seeded(1)}
	assert.Equal(t, []time.Duration{3 * rto, 0, 0, 3 * rto, 0, 0}, fates(t, burst, []int{1, 2, 1, 1, 2, 2}))

	for _, wrong := range []Burst{{3, 2}, {0, 2}, {-1, 2}, {1, 1001}} {
		_, err := NewTap("bank", wire.HTTP, nil).Arm(Rule{Match: Match{Dir: history.Request}, Do: Loss{Burst: wrong, RTO: rto, Seed: seeded(1)}})
		assert.ErrorContains(t, err, "packets: choose 1 to 1000")
	}
}

func TestLossDelaysInOrderAndLosesNothing(t *testing.T) {
	onBoth(t, testLossDelaysInOrderAndLosesNothing)
}

func testLossDelaysInOrderAndLosesNothing(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "loss", Match: Match{Dir: history.Answer}, Do: Loss{Rate: 0.4, RTO: time.Millisecond, Seed: seeded(7)}})
	conn := dial(t, p)
	const n = 50
	_, err := conn.Write([]byte(strings.Repeat(plainRequest, n)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(seen.all()) == 2*n }, patience, time.Millisecond)
	late := 0
	for _, m := range seen.all() {
		if m.Fate == history.Late {
			late++
			assert.Equal(t, "loss", m.Fault)
		} else {
			assert.Empty(t, m.Fault)
		}
	}
	assert.Greater(t, late, 5)
	assert.GreaterOrEqual(t, a.Fired(), late, "each loss counts")
	assert.Len(t, bank.requests(), n)
}

func TestTooManyLossesResetTheConnection(t *testing.T) {
	onBoth(t, testTooManyLossesResetTheConnection)
}

func testTooManyLossesResetTheConnection(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "loss", Match: Match{Dir: history.Answer}, Do: Loss{Rate: 1, RTO: time.Millisecond, Max: 3, Seed: seeded(7)}})
	_, err := newCaller(t, p.Address()).post("/v1/debits", "{}")
	require.Error(t, err)
	assert.Equal(t, 3, a.Fired())
	assert.Equal(t, []string{"request POST /v1/debits passed", "answer POST /v1/debits lost loss"}, seen.lines())
}

func TestLossRefusesWhatMakesNoSense(t *testing.T) {
	tap := NewTap("bank", wire.HTTP, nil)
	for want, l := range map[string]Loss{
		"between 0 and 1":     {Rate: 1.1, RTO: 1, Seed: seeded(1)},
		"rate of NaN":         {Rate: math.NaN(), RTO: 1, Seed: seeded(1)},
		"longer than nothing": {Rate: 0.1, Seed: seeded(1)},
		"0 or more":           {Rate: 0.1, RTO: 1, Max: -1, Seed: seeded(1)},
		"at most 255":         {Rate: 0.1, RTO: 1, Max: 256, Seed: seeded(1)},
		"a seed":              {Rate: 0.1, RTO: 1},
	} {
		_, err := tap.Arm(Rule{Match: Match{Dir: history.Request}, Do: l})
		require.ErrorContains(t, err, want)
	}
}
