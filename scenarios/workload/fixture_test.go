package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// speed makes a second of real life 50 ms: a client's usual patience is then 1.5 s, enough on a busy machine.
const speed = 20

// shared is the one stack of all tests of this package: each has payments of its own and heals what it has armed.
var shared struct {
	once    sync.Once
	up      *stack.Stack
	workdir *stack.Workdir
	err     error
}

func TestMain(m *testing.M) {
	if os.Getenv(asShop) != "" {
		os.Exit(serveShop(os.Getenv(stack.ConfigVar)))
	}
	code := m.Run()
	if shared.up != nil {
		shared.up.Down()
	}
	if shared.workdir != nil {
		if err := shared.workdir.Remove(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

func bringUp() error {
	target, err := targets.Load("shop.yaml", []byte(shopFile))
	if err != nil {
		return err
	}
	if shared.workdir, err = stack.NewWorkdir(os.TempDir()); err != nil {
		return err
	}
	silent := false
	chance := rand.New(rand.NewPCG(2, uint64(os.Getpid())))
	site, err := stack.Embedded.Open(context.Background(), stack.Run{
		Self: []string{os.Args[0]}, Env: append(os.Environ(), asShop+"=yes"), Workdir: shared.workdir, Loopback: stack.NewLoopback(chance),
	})
	if err != nil {
		return err
	}
	shared.up, err = site.Up(context.Background(), stack.Spec{
		Target: target, Speed: speed, Bank: stack.BankSetup{Callbacks: &silent}, Rand: chance, Recorder: history.NewRecorder(time.Now),
	})
	return err
}

var rigs atomic.Uint64

// rig is what a test of steps works with: an experiment on the shared stack.
type rig struct {
	*Env
	t    *testing.T
	from time.Duration // what was before is of other tests

	mu       sync.Mutex
	progress []string
	settled  []time.Duration
	calmed   int
	reading  func() history.Reading
	looks    int
}

// newRig begins an experiment. What the service answers is written in the script; see shop.
func newRig(t *testing.T, script string) *rig {
	t.Helper()
	shared.once.Do(func() { shared.err = bringUp() })
	require.NoError(t, shared.err)
	r := &rig{t: t, from: shared.up.Recorder.Since()}
	seed := rigs.Add(1)
	r.Env = &Env{
		Stack: shared.up, Recorder: shared.up.Recorder, Spec: PaymentSpec{Amount: 500, Channel: script},
		Expect: func(label string) *history.Expect { return &history.Expect{Status: []string{label}} },
		Stream: func(name string) *rand.Rand {
			return rand.New(rand.NewPCG(seed, uint64(len(name))<<8+uint64(name[len(name)-1])))
		},
		Observe: r.observe,
		Settle: func(_ context.Context, within time.Duration) error {
			r.settled = append(r.settled, within)
			return nil
		},
		Calm:     func(context.Context) error { r.calmed++; return nil },
		Progress: r.note,
	}
	r.Init()
	t.Cleanup(func() {
		assert.NoError(t, r.HealAll(context.Background()))
		_ = r.Join()
	})
	return r
}

func (r *rig) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = append(r.progress, what)
}

// awaited is what the steps of this experiment waited for in vain.
func (r *rig) awaited() (out []string) {
	for _, g := range r.Recorder.History().Gaps() {
		if g.V.What == history.GapAwaited && g.Time >= r.from {
			out = append(out, g.V.Why)
		}
	}
	return out
}

// observe shows the books that the test has set.
func (r *rig) observe(ctx context.Context) (history.Reading, error) {
	if err := ctx.Err(); err != nil {
		return history.Reading{}, err
	}
	r.looks++
	if r.reading == nil {
		return history.Reading{}, nil
	}
	return r.reading(), nil
}

// patient bounds a wait for what is sure to come.
func (r *rig) patient() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

// read decodes steps as they stand in a scenario.
func read(text string) ([]Step, error) {
	f, err := decode.Parse("s.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	var steps []Step
	return steps, f.Into(&steps)
}

// refuses holds that mistakes in a step are found, at their place. Samples are pairs of text and error.
func refuses(t *testing.T, samples ...[2]string) {
	t.Helper()
	for _, s := range samples {
		_, err := read(s[0])
		if assert.ErrorContains(t, err, s[1], s[0]) {
			assert.Regexp(t, `^s\.yaml:\d+:\d+: `, err.Error())
		}
	}
}

// try carries steps out and returns what went wrong. Steps in the background may still be under way.
func (r *rig) try(text string) error {
	r.t.Helper()
	steps, err := read(text)
	require.NoError(r.t, err)
	return r.Run(r.patient(), steps)
}

func (r *rig) run(text string) {
	r.t.Helper()
	require.NoError(r.t, r.try(text))
}

// order is the order of a payment that has begun.
func (r *rig) order(label string) string {
	r.t.Helper()
	order, err := r.orderOf(label)
	require.NoError(r.t, err)
	return order
}

// events are those of the test's own experiment.
func (r *rig) events() []history.Event {
	all := r.Recorder.History().Events
	first := slices.IndexFunc(all, func(e history.Event) bool { return e.At >= r.from })
	if first < 0 {
		return nil
	}
	return all[first:]
}

// attempts are the requests of one kind for a payment, in the order in which they were sent.
func (r *rig) attempts(label, op string) []history.Attempt {
	r.t.Helper()
	var out []history.Attempt
	order := r.order(label)
	for _, e := range r.events() {
		if e.Attempt != nil && e.Attempt.Order == order && e.Attempt.Op == op {
			out = append(out, *e.Attempt)
		}
	}
	slices.SortStableFunc(out, func(a, b history.Attempt) int { return int(a.Sent - b.Sent) })
	return out
}

// pays are the submits of payment A.
func (r *rig) pays() []history.Attempt { return r.attempts("A", history.OpPay) }

// column is one field of attempts.
func column[T any](attempts []history.Attempt, field func(history.Attempt) T) []T {
	var out []T
	for _, a := range attempts {
		out = append(out, field(a))
	}
	return out
}

func outcomes(a []history.Attempt) []history.Outcome {
	return column(a, func(a history.Attempt) history.Outcome { return a.Outcome })
}

func keysOf(a []history.Attempt) []string {
	return column(a, func(a history.Attempt) string { return a.Key })
}

// distinct is the number of different values.
func distinct[T comparable](all []T) int {
	seen := map[T]bool{}
	for _, v := range all {
		seen[v] = true
	}
	return len(seen)
}

// ledger is the bank's lines of one kind for a payment.
func (r *rig) ledger(label, kind string) []history.LedgerEntry {
	r.t.Helper()
	_, err := r.Stack.ReadLedger(r.patient())
	require.NoError(r.t, err)
	var out []history.LedgerEntry
	order := r.order(label)
	for _, l := range r.Recorder.History().Ledger() {
		if l.V.Order == order && l.V.Kind == kind {
			out = append(out, *l.V)
		}
	}
	return out
}

// faults are the changes in the lives of faults.
func (r *rig) faults() []history.Fault {
	var out []history.Fault
	for _, e := range r.events() {
		if e.Fault != nil {
			out = append(out, *e.Fault)
		}
	}
	return out
}

// meet arms a barrier on a link of the stack beside the scenario's own faults: it fires only when so many messages of a
// name are under way at once.
func (r *rig) meet(link, message string, copies int) (fired func() int) {
	r.t.Helper()
	l, err := r.Stack.Link(link)
	require.NoError(r.t, err)
	a, err := l.Arm(r.t.Context(), stack.Rule{
		Fault: "meet", Match: stack.Match{Dir: history.Request, Labels: r.Stack.Target.Patterns(link, message)}, Do: stack.Barrier{Copies: copies},
	})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = a.Remove(context.Background()) })
	return func() int {
		n, _, err := a.Counts(context.Background())
		require.NoError(r.t, err)
		return n
	}
}
