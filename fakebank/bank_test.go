package fakebank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const patience = 10 * time.Second // for what must happen at once; only a failing test ever waits that long

// fixture is a bank behind two real listeners.
type fixture struct {
	t       *testing.T
	bank    *Bank
	api     *httptest.Server
	control *httptest.Server
	client  *http.Client
}

// testLanguage makes the language of the banks under test; nil is the bank's own.
var testLanguage func(Config) Language

func start(t *testing.T, change ...func(*Config)) *fixture {
	t.Helper()
	config := Defaults()
	config.Secret = "secret"
	config.AutoCallbacks = false
	config.NewID = SeededIDs(rand.New(rand.NewSource(1)))
	for _, c := range change {
		c(&config)
	}
	if testLanguage != nil {
		config.Language = testLanguage(config)
	}
	bank, err := New(config)
	require.NoError(t, err)
	f := &fixture{t: t, bank: bank, api: httptest.NewServer(bank.API()), control: httptest.NewServer(bank.Control())}
	f.client = &http.Client{Timeout: 3 * patience, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	t.Cleanup(f.stop)
	return f
}

func (f *fixture) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	assert.NoError(f.t, f.bank.Close(ctx))
	f.client.CloseIdleConnections()
	f.api.Close()
	f.control.Close()
}

// reply is an answer, or the error where there was none.
type reply struct {
	status int
	text   string
	err    error
}

func (r reply) field(t *testing.T, name string) any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.text), &m), "%s (%v)", r.text, r.err)
	return m[name]
}

func (f *fixture) send(ctx context.Context, method, url string, body any) reply {
	text, ok := body.(string)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return reply{err: err}
		}
		text = string(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(text)))
	if err != nil {
		return reply{err: err}
	}
	req.GetBody = nil
	resp, err := f.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, string(b), err}
}

type object = map[string]any

// debitOf is a debit of 500 from account A, with changes.
func debitOf(tradeNo string, changes ...object) object {
	d := object{"merchant": "M", "trade_no": tradeNo, "account": "A", "amount": 500, "currency": "CNY"}
	for _, c := range changes {
		for k, v := range c {
			d[k] = v
		}
	}
	return d
}

func (f *fixture) debit(tradeNo string, changes ...object) reply {
	return f.send(context.Background(), "POST", f.api.URL+"/v1/debits", debitOf(tradeNo, changes...))
}

func (f *fixture) later(tradeNo string, changes ...object) <-chan reply {
	out := make(chan reply, 1)
	go func() { out <- f.debit(tradeNo, changes...) }()
	return out
}

func (f *fixture) query(tradeNo string) reply {
	return f.send(context.Background(), "GET", f.api.URL+"/v1/debits/"+tradeNo, nil)
}

func (f *fixture) close(tradeNo string) reply {
	return f.send(context.Background(), "POST", f.api.URL+"/v1/debits/"+tradeNo+"/close", nil)
}

func (f *fixture) rule(method, path string, body any) reply {
	return f.send(context.Background(), method, f.control.URL+"/control/"+path, body)
}

func (f *fixture) arm(body object) string {
	f.t.Helper()
	r := f.rule("POST", "behaviours", body)
	require.Equal(f.t, http.StatusCreated, r.status, r.text)
	return r.field(f.t, "id").(string)
}

func (f *fixture) wait(id, query string) counters {
	f.t.Helper()
	return f.counters(f.rule("GET", "behaviours/"+id+"/wait?"+query, nil))
}

func (f *fixture) counters(r reply) counters {
	f.t.Helper()
	var c counters
	require.Equal(f.t, http.StatusOK, r.status, "%s %v", r.text, r.err)
	require.NoError(f.t, json.Unmarshal([]byte(r.text), &c))
	return c
}

func (f *fixture) ledger(kinds ...string) []entry {
	f.t.Helper()
	var page ledgerView
	require.NoError(f.t, json.Unmarshal([]byte(f.rule("GET", "ledger", nil).text), &page))
	var out []entry
	for _, e := range page.Entries {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, e)
			}
		}
	}
	return out
}

func (f *fixture) account(name string) accountView {
	f.t.Helper()
	var a accountView
	require.NoError(f.t, json.Unmarshal([]byte(f.rule("GET", "accounts/"+name, nil).text), &a))
	return a
}

func (f *fixture) status() statusView {
	f.t.Helper()
	var s statusView
	require.NoError(f.t, json.Unmarshal([]byte(f.rule("GET", "status", nil).text), &s))
	return s
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

func TestNewRefusesABadConfiguration(t *testing.T) {
	_, err := New(Defaults())
	require.ErrorContains(t, err, "secret is empty")
}

func TestTwoHundredAtOnce(t *testing.T) {
	f := start(t, func(c *Config) { c.Accounts = map[string]int64{"A": 100 * 500} })
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			r := f.debit(fmt.Sprint("T", i))
			assert.NoError(t, r.err)
			assert.Equal(t, 200, f.query(fmt.Sprint("T", i)).status)
		})
	}
	all.Wait()
	assert.Equal(t, accountView{Account: "A", Opening: 50_000, Balance: 0, Debited: 50_000}, f.account("A"))
	assert.Len(t, f.ledger(kindDebit), 100)
	assert.Len(t, f.ledger(kindDecline), 100)
	for i, e := range f.ledger(kindRequest, kindDebit, kindDecline, kindAnswer) {
		require.EqualValues(t, i+1, e.Seq, "the ledger has a gap")
	}
	assert.Equal(t, statusView{}, f.status())
}

func TestBankIDsAreUniqueAndRepeatable(t *testing.T) {
	ids := func() (out []string) {
		f := start(t, func(c *Config) { c.Mode = Naive })
		for range 20 {
			out = append(out, f.debit("T").field(t, "bank_id").(string))
		}
		return out
	}
	first := ids()
	seen := map[string]bool{}
	for _, id := range first {
		assert.False(t, seen[id], "bank_id %s was given twice", id)
		seen[id] = true
	}
	assert.Equal(t, first, ids(), "the same source of randomness must give the same ids")
}

func TestCloseLetsGoAndLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	f := start(t, func(c *Config) { c.AutoCallbacks, c.CallbackFresh, c.CallbackDelay = true, false, time.Hour })
	var waiting []<-chan reply
	for _, b := range []object{{"kind": hold.Name}, {"kind": slow.Name, "delay": time.Hour}, {"kind": drop.Name, "how": "silence"},
		{"kind": barrier.Name, "copies": 9, "within": time.Hour}} {
		b["account"] = b["kind"]
		id := f.arm(b)
		waiting = append(waiting, f.later(id, object{"account": b["kind"], "notify_url": f.control.URL}))
		require.Equal(t, 1, f.wait(id, "holding=1").Holding)
	}
	f.debit("auto", object{"notify_url": f.control.URL})
	polled := make(chan reply, 1)
	go func() { polled <- f.rule("GET", "behaviours/hold-1/wait?fired=2", nil) }()
	assert.Equal(t, 4, f.status().Held)
	require.Eventually(t, func() bool { return f.status().CallbacksPending == 2 }, patience, time.Millisecond, "drop and auto owe one")

	f.stop()
	for _, w := range waiting {
		receive(t, w)
	}
	receive(t, polled)
	assert.Equal(t, 503, func() int {
		w := httptest.NewRecorder()
		f.bank.API().ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		return w.Code
	}())
	noneLeft(t, before)
}

// noneLeft waits until there are no more goroutines than before. It counts in its own goroutine, since a polling helper
// would count as one.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			require.Failf(t, "goroutines are left", "%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestClosedBankDoesNothing(t *testing.T) {
	f := start(t)
	require.NoError(t, f.bank.Close(context.Background()))
	require.NoError(t, f.bank.Close(context.Background()), "a second Close is harmless")
	r := f.debit("T")
	assert.Equal(t, 503, r.status)
	assert.Equal(t, "CLOSED_DOWN", r.field(t, "code"))
	assert.Equal(t, 503, f.rule("GET", "status", nil).status)
	assert.Empty(t, f.bank.trades)
}

func TestCloseIsBoundedByItsContext(t *testing.T) {
	f := start(t)
	require.True(t, f.bank.begin())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, f.bank.Close(ctx), context.Canceled)
	f.bank.work.Done()
}
