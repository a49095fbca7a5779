package stack

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// later makes a call that is expected to be held, and hands over its result when it has come.
func later(c *caller, path, body string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.post(path, body)
		done <- err
	}()
	return done
}

func came(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		require.Fail(t, "no answer has come")
		return nil
	}
}

func notYet(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		require.Fail(t, "answered too early", "%v", err)
	default:
	}
}

func TestHoldAndRelease(t *testing.T) { onBoth(t, testHoldAndRelease) }

func testHoldAndRelease(t *testing.T, linked linker) {
	for _, dir := range []string{history.Request, history.Answer} {
		bank := newBankServer(t)
		p, seen := linked(t, bank.address(), wire.HTTP)
		a := arm(t, p, Rule{Fault: "held", Match: Match{Dir: dir, Labels: []string{"POST /v1/debits"}}, Do: Hold{}})
		c := newCaller(t, p.Address())
		_, err := c.post("/v1/refunds", "{}")
		require.NoError(t, err, "others pass")

		first := later(c, "/v1/debits", "{}")
		require.NoError(t, a.Wait(patient(t), 0, 1))
		notYet(t, first)
		assert.Equal(t, 1, a.Fired())
		a.Release()
		require.NoError(t, came(t, first))
		assert.Zero(t, a.Holding())

		second := later(c, "/v1/debits", "{}")
		require.NoError(t, a.Wait(patient(t), 0, 1), "it goes on holding")
		a.Remove()
		a.Remove()
		require.NoError(t, came(t, second))
		_, err = c.post("/v1/debits", "{}")
		require.NoError(t, err, "after the removal all pass")
		assert.Equal(t, 2, a.Fired())
		want := map[string]int{"held": 2, "passed": 6}
		got := map[string]int{}
		for _, m := range seen.all() {
			got[m.Fate]++
			assert.Equal(t, m.Fate == history.Held, m.Fault == "held")
		}
		assert.Equal(t, want, got)
	}
}

func TestHeldRequestArrivesAfterItsClientGaveUp(t *testing.T) {
	onBoth(t, testHeldRequestArrivesAfterItsClientGaveUp)
}

func testHeldRequestArrivesAfterItsClientGaveUp(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "late", Match: Match{Dir: history.Request, Nth: 1, Count: 1}, Do: Hold{}})
	conn := dial(t, p)
	_, err := io.WriteString(conn, plainRequest)
	require.NoError(t, err)
	require.NoError(t, a.Wait(patient(t), 0, 1))
	require.NoError(t, conn.Close())

	_, err = newCaller(t, p.Address()).post("/v1/retry", "{}")
	require.NoError(t, err)
	a.Release()
	require.Eventually(t, func() bool { return len(bank.requests()) == 2 }, patience, time.Millisecond)
	assert.Equal(t, []string{"POST /v1/retry", "POST /v1/debits"}, bank.requests())
	assert.Contains(t, seen.lines(), "request POST /v1/debits held late")
}

func TestHeldMessageSurvivesToxicsThatComeAndGo(t *testing.T) {
	onBoth(t, testHeldMessageSurvivesToxicsThatComeAndGo)
}

func testHeldMessageSurvivesToxicsThatComeAndGo(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "held", Match: Match{Dir: history.Answer, Nth: 1, Count: 1}, Do: Hold{}})
	c := newCaller(t, p.Address())
	done := later(c, "/v1/debits", "{}")
	require.NoError(t, a.Wait(patient(t), 0, 1))
	for range 5 {
		toxic, err := p.Toxic(patient(t), "slow", "latency", "downstream", map[string]any{"latency": 1})
		require.NoError(t, err)
		require.NoError(t, toxic.Remove(patient(t)))
	}
	toxic, err := p.Toxic(patient(t), "slow", "latency", "downstream", map[string]any{"latency": 100})
	require.NoError(t, err)
	notYet(t, done)
	start := time.Now()
	a.Release()
	require.NoError(t, came(t, done))
	assert.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond, "the latency counts from the release")
	assert.Equal(t, 1, toxic.Fired())
}

func TestBarrierLetsAllGoTogether(t *testing.T) { onBoth(t, testBarrierLetsAllGoTogether) }

func testBarrierLetsAllGoTogether(t *testing.T, linked linker) {
	const copies = 20
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "together", Match: Match{Dir: history.Request, Contains: `"T1"`}, Do: Barrier{Copies: copies}})
	c := newCaller(t, p.Address())
	var waiting []<-chan error
	for range copies - 1 {
		waiting = append(waiting, later(c, "/v1/debits", `{"trade_no":"T1"}`))
	}
	require.NoError(t, a.Wait(patient(t), 0, copies-1))
	assert.Empty(t, bank.requests())
	assert.Zero(t, a.Fired(), "they have not met yet")
	_, err := c.post("/v1/debits", `{"trade_no":"T2"}`)
	require.NoError(t, err, "another one is not held")
	_, err = c.post("/v1/debits", `{"trade_no":"T1"}`)
	require.NoError(t, err)
	for _, done := range waiting {
		require.NoError(t, came(t, done))
	}
	assert.Equal(t, copies, a.Fired())
	_, err = c.post("/v1/debits", `{"trade_no":"T1"}`)
	require.NoError(t, err, "it stays open")
	assert.Equal(t, copies, a.Fired())
	assert.Len(t, bank.requests(), copies+2)
}

func TestBarrierThatWasNeverFullHasNotFired(t *testing.T) {
	onBoth(t, testBarrierThatWasNeverFullHasNotFired)
}

func testBarrierThatWasNeverFullHasNotFired(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Match: Match{Dir: history.Request}, Do: Barrier{Copies: 2}})
	done := later(newCaller(t, p.Address()), "/v1/debits", "{}")
	require.NoError(t, a.Wait(patient(t), 0, 1))
	a.Remove()
	require.NoError(t, came(t, done))
	assert.Zero(t, a.Fired())
}

func TestPositionsAreCountedOverMatchingMessages(t *testing.T) {
	onBoth(t, testPositionsAreCountedOverMatchingMessages)
}

func testPositionsAreCountedOverMatchingMessages(t *testing.T, linked linker) {
	for name, c := range map[string]struct {
		match Match
		want  []int // requests, from 1, that are late
	}{
		"all":              {Match{}, []int{1, 2, 3, 4, 5, 6}},
		"star":             {Match{Labels: []string{"*"}}, []int{1, 2, 3, 4, 5, 6}},
		"from the third":   {Match{Nth: 3}, []int{3, 4, 5, 6}},
		"third and fourth": {Match{Nth: 3, Count: 2}, []int{3, 4}},
		"second debit":     {Match{Labels: []string{"POST /v1/debits"}, Nth: 2, Count: 1}, []int{3}},
		"glob":             {Match{Labels: []string{"POST /v1/*/T?/close"}}, []int{2}},
		"star stops at /":  {Match{Labels: []string{"POST /v1/*"}}, []int{1, 3, 4, 5, 6}},
		"contains":         {Match{Contains: `"n":5`}, []int{5}},
		"contains, second": {Match{Contains: `"n":`, Nth: 2, Count: 1}, []int{2}},
		"one of several":   {Match{Labels: []string{"GET *", "POST /v1/refunds"}}, []int{6}},
		"nothing":          {Match{Labels: []string{"GET *"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bank := newBankServer(t)
			p, seen := linked(t, bank.address(), wire.HTTP)
			c.match.Dir = history.Request
			a := arm(t, p, Rule{Fault: "late", Match: c.match, Do: Delay{By: time.Microsecond}})
			caller := newCaller(t, p.Address())
			for i, path := range []string{"/v1/debits", "/v1/debits/T1/close", "/v1/debits", "/v1/debits", "/v1/debits", "/v1/refunds"} {
				_, err := caller.post(path, fmt.Sprintf(`{"n":%d}`, i+1))
				require.NoError(t, err)
			}
			var got []int
			n := 0
			for _, m := range seen.all() {
				if m.Dir == history.Request {
					n++
					if m.Fate == history.Late {
						got = append(got, n)
					}
				}
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, len(c.want), a.Fired())
		})
	}
}

func TestFirstRuleThatHasNotRunOutDecides(t *testing.T) {
	onBoth(t, testFirstRuleThatHasNotRunOutDecides)
}

func testFirstRuleThatHasNotRunOutDecides(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	first := arm(t, p, Rule{Fault: "first", Match: Match{Dir: history.Request, Nth: 1, Count: 1}, Do: Delay{By: time.Microsecond}})
	second := arm(t, p, Rule{Fault: "second", Match: Match{Dir: history.Request, Nth: 2, Count: 1}, Do: Delay{By: time.Microsecond}})
	third := arm(t, p, Rule{Fault: "third", Match: Match{Dir: history.Request}, Do: Delay{By: time.Microsecond}})
	c := newCaller(t, p.Address())
	for range 3 {
		_, err := c.post("/v1/debits", "{}")
		require.NoError(t, err)
	}
	var faults []string
	for _, m := range seen.all() {
		if m.Dir == history.Request {
			faults = append(faults, m.Fault)
		}
	}
	assert.Equal(t, []string{"first", "second", "third"}, faults)
	assert.Equal(t, []int{1, 1, 1}, []int{first.Fired(), second.Fired(), third.Fired()})
}

func TestDelayCountsFromTheArrivalOfEachMessage(t *testing.T) {
	const by = time.Hour
	tap := NewTap("bank", wire.HTTP, nil)
	a, err := tap.Arm(Rule{Match: Match{Dir: history.Request}, Do: Delay{By: by}})
	require.NoError(t, err)
	start := time.Now()
	for n := range 10 {
		p := &parcel{arrived: start.Add(time.Duration(n)), flow: &flow{dir: history.Request}}
		tap.decide(p)
		assert.Equal(t, by+time.Duration(n), p.due.Sub(start), "the delay of one is not added to that of the next")
		assert.False(t, p.ready(start.Add(by-1)))
		assert.True(t, p.ready(start.Add(by+10)))
	}
	assert.Equal(t, 10, a.fired)
}

func TestDelayIsFelt(t *testing.T) { onBoth(t, testDelayIsFelt) }

func testDelayIsFelt(t *testing.T, linked linker) {
	const by = 50 * time.Millisecond
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	arm(t, p, Rule{Fault: "slow", Match: Match{Dir: history.Answer}, Do: Delay{By: by}})
	start := time.Now()
	_, err := newCaller(t, p.Address()).post("/v1/debits", "{}")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), by)
	assert.Equal(t, []string{"request POST /v1/debits passed", "answer POST /v1/debits late slow"}, seen.lines())
}

func TestRemoveEndsADelay(t *testing.T) { onBoth(t, testRemoveEndsADelay) }

func testRemoveEndsADelay(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Match: Match{Dir: history.Answer}, Do: Delay{By: time.Hour}})
	done := later(newCaller(t, p.Address()), "/v1/debits", "{}")
	require.NoError(t, a.Wait(patient(t), 1, 0))
	notYet(t, done)
	a.Remove()
	require.NoError(t, came(t, done))
}

func TestRemoveSparesWhatWasNotLostYet(t *testing.T) { onBoth(t, testRemoveSparesWhatWasNotLostYet) }

func testRemoveSparesWhatWasNotLostYet(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	held := arm(t, p, Rule{Fault: "held", Match: Match{Dir: history.Request, Nth: 1, Count: 1}, Do: Hold{}})
	lost := arm(t, p, Rule{Fault: "lost", Match: Match{Dir: history.Request, Nth: 2, Count: 1}, Do: Lose{}})
	conn := dial(t, p)
	_, err := io.WriteString(conn, plainRequest+plainRequest)
	require.NoError(t, err)
	require.NoError(t, held.Wait(patient(t), 0, 1))
	lost.Remove()
	held.Release()
	require.Eventually(t, func() bool { return len(bank.requests()) == 2 }, patience, time.Millisecond)
	assert.Zero(t, lost.Fired())
	assert.Contains(t, seen.lines(), "request POST /v1/debits passed")
}

func TestDoRunsBeforeAndAfterAMessage(t *testing.T) { onBoth(t, testDoRunsBeforeAndAfterAMessage) }

func testDoRunsBeforeAndAfterAMessage(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	var atBank int
	after := make(chan int, 1)
	a := arm(t, p, Rule{Match: Match{Dir: history.Request, Nth: 2, Count: 1}, Do: Do{
		Before: func() {
			atBank = len(bank.requests())
			// The link can be changed while the message waits.
			toxic, err := p.Toxic(context.Background(), "slow", "latency", "upstream", map[string]any{"latency": 1})
			assert.NoError(t, err)
			assert.NoError(t, toxic.Remove(context.Background()))
		},
		After: func() { after <- len(bank.requests()) },
	}})
	c := newCaller(t, p.Address())
	for range 3 {
		_, err := c.post("/v1/debits", "{}")
		require.NoError(t, err)
	}
	assert.Equal(t, 1, atBank)
	select {
	case <-after:
	case <-time.After(patience):
		require.Fail(t, "not called after the message")
	}
	assert.Equal(t, 1, a.Fired())
}

func TestDoAfterComesWhenTheBytesAreOnTheWire(t *testing.T) {
	onBoth(t, testDoAfterComesWhenTheBytesAreOnTheWire)
}

func testDoAfterComesWhenTheBytesAreOnTheWire(t *testing.T, linked linker) {
	for _, size := range []int{10, 100_000} { // the larger one is written in several pieces
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		p, _ := linked(t, ln.Addr().String(), wire.HTTP)
		written := make(chan struct{})
		a := arm(t, p, Rule{Match: Match{Dir: history.Request}, Do: Do{After: func() { close(written) }}})
		conn := dial(t, p)
		server, err := ln.Accept()
		require.NoError(t, err)
		request := fmt.Sprintf("POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", size, make([]byte, size))
		_, err = io.WriteString(conn, request)
		require.NoError(t, err)
		<-written
		require.NoError(t, server.SetReadDeadline(time.Now().Add(patience)))
		p.Down() // nothing more can be written from here on
		got, err := io.ReadAll(server)
		require.NoError(t, err)
		assert.Equal(t, len(request), len(got))
		assert.Equal(t, 1, a.Fired())
		require.NoError(t, server.Close())
		require.NoError(t, ln.Close())
	}
}

func TestArmRefusesWhatMakesNoSense(t *testing.T) {
	tap := NewTap("bank", wire.HTTP, nil)
	request := Match{Dir: history.Request}
	for name, c := range map[string]struct {
		rule Rule
		want string
	}{
		"direction": {Rule{Match: Match{Dir: "up"}, Do: Hold{}}, `direction "up" is neither "request" nor "answer"`},
		"glob":      {Rule{Match: Match{Dir: history.Answer, Labels: []string{"[a"}}, Do: Hold{}}, `label pattern "[a"`},
		"nth":       {Rule{Match: Match{Dir: history.Answer, Nth: -1}, Do: Hold{}}, "must not be negative"},
		"action":    {Rule{Match: request}, "no action given"},
		"how":       {Rule{Match: request, Do: Lose{How: "explode"}}, `"explode" is no way to end a connection`},
		"cut how":   {Rule{Match: request, Do: Cut{How: "explode"}}, `"explode" is no way`},
		"cut bytes": {Rule{Match: request, Do: Cut{Bytes: -1}}, "less than no bytes"},
		"delay":     {Rule{Match: request, Do: Delay{}}, "longer than nothing"},
		"barrier":   {Rule{Match: request, Do: Barrier{}}, "at least 1"},
		"do":        {Rule{Match: request, Do: Do{}}, "nothing to do"},
	} {
		t.Run(name, func(t *testing.T) {
			c.rule.Fault = "f"
			_, err := tap.Arm(c.rule)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, `arming fault "f" on link bank`)
		})
	}
	_, err := tap.Arm(Rule{Match: request, Do: Hold{}})
	require.NoError(t, err)
}

func TestWaitSaysWhatItWaitedFor(t *testing.T) {
	a, err := NewTap("bank", wire.HTTP, nil).Arm(Rule{Fault: "held", Match: Match{Dir: history.Request}, Do: Hold{}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = a.Wait(ctx, 0, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, `fault "held" on link bank, fired 0 times and holding 0 messages`)
	require.NoError(t, a.Wait(ctx, 0, 0), "what is true already needs no waiting")
}

func TestHeldMessagesAreLostWhenTheProxyCloses(t *testing.T) {
	onBoth(t, testHeldMessagesAreLostWhenTheProxyCloses)
}

func testHeldMessagesAreLostWhenTheProxyCloses(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "held", Match: Match{Dir: history.Request}, Do: Hold{}})
	c := newCaller(t, p.Address())
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			_, err := c.post("/v1/debits", "{}")
			assert.Error(t, err)
		})
	}
	require.NoError(t, a.Wait(patient(t), 0, 10))
	p.Close()
	calls.Wait()
	a.lets()
	for _, line := range seen.lines() {
		assert.Equal(t, "request POST /v1/debits lost held", line)
	}
	assert.Empty(t, bank.requests())
}
