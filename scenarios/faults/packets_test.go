package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// kernel is the process that holds the packet filter, played: each rule has seen 10 packets and lost 3, and once it is
// removed 20 and 6.
type kernel struct {
	mu    sync.Mutex
	rules map[string]rule
}

type rule struct {
	Name string           `json:"name"`
	Port int              `json:"port"`
	Dir  string           `json:"dir"`
	Rule stack.KernelRule `json:"rule"`
}

// played is a stack that has nothing but such a kernel, with links bank and cache.
func played(t *testing.T) (*kernel, *Env) {
	t.Helper()
	k := &kernel{rules: map[string]rule{}}
	callIn, callOut := io.Pipe()
	replyIn, replyOut := io.Pipe()
	go k.serve(callIn, replyOut)
	t.Cleanup(func() { _ = callOut.Close() })
	dialled, err := stack.DialKernel(t.Context(), callOut, replyIn, map[string]int{stack.BankLink: 7001, stack.CacheLink: 7002})
	require.NoError(t, err)
	return k, &Env{Stack: &stack.Stack{Kernel: func(context.Context) (*stack.Kernel, error) { return dialled, nil }}, Name: "loss"}
}

func (k *kernel) serve(in io.Reader, out io.WriteCloser) {
	defer out.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var c struct {
			ID             int
			Arm            *rule
			Counts, Remove string
		}
		_ = json.Unmarshal(lines.Bytes(), &c)
		reply := map[string]int{"id": c.ID}
		k.mu.Lock()
		switch {
		case c.Arm != nil:
			k.rules[c.Arm.Name] = *c.Arm
		case c.Counts != "":
			reply["seen"], reply["lost"] = 10, 3
		case c.Remove != "":
			reply["seen"], reply["lost"] = 20, 6
			delete(k.rules, c.Remove)
		}
		k.mu.Unlock()
		_ = json.NewEncoder(out).Encode(reply)
	}
}

// inForce are the rules of the kernel, without their names, requests first.
func (k *kernel) inForce() []rule {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := slices.Collect(maps.Values(k.rules))
	for i := range out {
		out[i].Name = ""
	}
	slices.SortFunc(out, func(a, b rule) int { return -slices.Compare([]byte(a.Dir), []byte(b.Dir)) })
	return out
}

// breaks holds what a fault asks of the kernel, and that this is counted and healed.
func breaks(t *testing.T, text string, asked float64, want ...rule) {
	t.Helper()
	k, env := played(t)
	f, err := read(text)
	require.NoError(t, err)
	a, err := f.Arm(t.Context(), env)
	require.NoError(t, err)
	assert.Equal(t, want, k.inForce(), text)
	n := len(want)
	require.NoError(t, a.Await(t.Context(), 3*n, 0))
	require.NoError(t, a.Release(t.Context()))
	fired, holding, err := a.Felt(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int{3 * n, 0}, []int{fired, holding})
	for range 2 {
		require.NoError(t, a.Heal(t.Context()))
	}
	assert.Empty(t, k.inForce())
	loss, err := a.(Lossy).Loss(t.Context())
	require.NoError(t, err)
	assert.Equal(t, history.Loss{Asked: asked, Seen: 20 * n, Lost: 6 * n}, loss, text)
}

// needsKernel holds that a fault says which ability it needs, and cannot be armed without.
func needsKernel(t *testing.T, text string) {
	t.Helper()
	f, err := read(text)
	require.NoError(t, err)
	assert.Equal(t, []string{"bank", stack.Packets}, Needs(f))
	_, err = f.Arm(t.Context(), &Env{Stack: &stack.Stack{}, Name: "loss"})
	assert.ErrorContains(t, err, "this stack has not kernel")
}

func TestPacketsOfALinkThatIsNotThere(t *testing.T) {
	_, env := played(t)
	f, err := read("packet-loss: {link: queue, rate: 30%}")
	require.NoError(t, err)
	_, err = f.Arm(t.Context(), env)
	assert.ErrorContains(t, err, `arming fault loss: the kernel breaks no packets of link "queue"`)
}
