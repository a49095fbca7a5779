package stack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

// fakeFilter is a kernel that sees ten packets and loses three each time it is asked.
type fakeFilter struct {
	mu     sync.Mutex
	rules  map[string]kernelArm
	asked  int
	broken error
}

func (f *fakeFilter) arm(a kernelArm) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken == nil {
		f.rules[a.Name] = a
	}
	return f.broken
}

func (f *fakeFilter) counts(string) (int, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return 10 * f.asked, 3 * f.asked, nil
}

func (f *fakeFilter) remove(name string) (int, int, error) {
	seen, lost, err := f.counts(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rules, name)
	return seen, lost, err
}

func (f *fakeFilter) inForce() (out []kernelArm) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.rules {
		out = append(out, a)
	}
	return out
}

// faked is a kernel in front of a fake filter, and what ends the process between them.
func faked(t *testing.T, f *fakeFilter) (*Kernel, func(), error) {
	t.Helper()
	f.rules = map[string]kernelArm{}
	callIn, callOut := io.Pipe()
	replyIn, replyOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := serveKernel(context.Background(), callIn, replyOut, f)
		_ = callIn.Close()
		_ = replyOut.Close()
		ended <- err
	}()
	var once sync.Once
	end := func() {
		once.Do(func() {
			_ = callOut.Close()
			assert.NoError(t, <-ended)
		})
	}
	t.Cleanup(end)
	k, err := DialKernel(t.Context(), callOut, replyIn, map[string]int{BankLink: 7001})
	return k, end, err
}

func TestKernelRules(t *testing.T) {
	f := &fakeFilter{}
	k, end, err := faked(t, f)
	require.NoError(t, err)
	require.Empty(t, f.inForce(), "what is tried at the beginning is taken away again")
	loss := KernelRule{Rate: 0.3}
	a, err := k.Arm(t.Context(), BankLink, history.Request, loss)
	require.NoError(t, err)
	b, err := k.Arm(t.Context(), BankLink, history.Answer, loss)
	require.NoError(t, err)
	assert.ElementsMatch(t, []kernelArm{{a.name, 7001, history.Request, loss}, {b.name, 7001, history.Answer, loss}}, f.inForce())

	seen, lost, err := a.Counts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, seen*3, lost*10)
	require.NoError(t, a.Remove(t.Context()))
	require.NoError(t, a.Remove(t.Context()), "twice is no error")
	more, _, err := a.Counts(t.Context())
	require.NoError(t, err)
	assert.Greater(t, more, seen, "what was lost until the end counts")
	again, _, err := a.Counts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, more, again)

	require.Len(t, f.inForce(), 1)
	end()
	assert.Empty(t, f.inForce(), "the end of the harness heals")
	_, _, err = b.Counts(t.Context())
	assert.ErrorContains(t, err, "counting lost packets")
}

func TestKernelRefuses(t *testing.T) {
	f := &fakeFilter{}
	k, _, err := faked(t, f)
	require.NoError(t, err)
	for _, c := range []struct {
		link, dir string
		rule      KernelRule
		says      string
	}{
		{DBLink, history.Request, KernelRule{Rate: 0.3}, `no packets of link "db"`},
		{BankLink, "both", KernelRule{Rate: 0.3}, `direction "both" is neither`},
		{BankLink, history.Request, KernelRule{}, "one of rate, burst and reject"},
		{BankLink, history.Request, KernelRule{Rate: 0.3, Reject: true}, "one of rate, burst and reject"},
		{BankLink, history.Request, KernelRule{Rate: 1.01}, "between 0 and 1"},
		{BankLink, history.Request, KernelRule{Rate: -0.1}, "between 0 and 1"},
		{BankLink, history.Request, KernelRule{Burst: Burst{4, 3}}, "a burst of 4 out of 3"},
		{BankLink, history.Request, KernelRule{Burst: Burst{-1, 3}}, "a burst of -1 out of 3"},
		{BankLink, history.Request, KernelRule{Burst: Burst{1, 1001}}, "a burst of 1 out of 1001"},
		{BankLink, history.Answer, KernelRule{Reject: true}, "only requests can be rejected"},
	} {
		_, err := k.Arm(t.Context(), c.link, c.dir, c.rule)
		assert.ErrorContains(t, err, c.says)
	}
	assert.Empty(t, f.inForce())
	assert.Equal(t, []float64{0.3, 0.4, 1}, []float64{
		KernelRule{Rate: 0.3}.Asked(), KernelRule{Burst: Burst{2, 5}}.Asked(), KernelRule{Reject: true}.Asked(),
	})
}

// A kernel that lacks something says so before the experiment, and not in its middle.
func TestKernelThatLacksSomething(t *testing.T) {
	_, _, err := faked(t, &fakeFilter{broken: errors.New("no numgen")})
	assert.ErrorContains(t, err, "no numgen")
	assert.ErrorIs(t, err, ErrNotUp)

	_, err = DialKernel(t.Context(), io.Discard, strings.NewReader("panic: no such thing\n"), nil)
	assert.ErrorContains(t, err, "has ended")
}

func TestKernelThatDoesNotAnswer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	silent, _ := io.Pipe()
	_, err := DialKernel(ctx, io.Discard, silent, nil)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	_ = silent.Close()
}

func TestKernelCallsAreDecodedStrictly(t *testing.T) {
	for in, says := range map[string]string{
		`{"id": 1`:                        "unexpected EOF",
		`{"id": 1, "fun": true}`:          `unknown field`,
		`{"id": 1}`:                       `no rule`,
		`{"id": 1, "counts": "onedebit"}`: `no rule \"onedebit\" is in force`,
		`{"id": 1, "arm": {"name": "a", "port": 0, "dir": "request", "rule": {"rate": 1}}}`:     `a port from 1`,
		`{"id": 1, "arm": {"name": "a", "port": 1, "dir": "request", "rule": {"rate": 2}}}`:     `between 0 and 1`,
		`{"id": 1, "arm": {"name": "a", "port": 1, "dir": "request", "rule": {"rate": "30%"}}}`: `cannot unmarshal`,
	} {
		var out bytes.Buffer
		f := &fakeFilter{rules: map[string]kernelArm{}}
		require.NoError(t, serveKernel(t.Context(), strings.NewReader(in+"\n"), &out, f))
		assert.Contains(t, out.String(), says, in)
		assert.Empty(t, f.rules)
	}
}

func FuzzKernelCall(f *testing.F) {
	f.Add([]byte(`{"id": 1, "arm": {"name": "a", "port": 1, "dir": "request", "rule": {"burst": {"lose": 1, "of": 2}}}}`))
	f.Add([]byte(`{"id": 2, "remove": "a"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		filter := &fakeFilter{rules: map[string]kernelArm{}}
		_ = kernelAnswer(line, filter, map[string]bool{})
		for _, a := range filter.rules {
			assert.NoError(t, a.check(), "what is in force is what may be")
		}
	})
}
