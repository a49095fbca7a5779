package stack

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// bankConfig is a link before a server.
func bankConfig(upstream string) ProxyConfig {
	return ProxyConfig{Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{upstream}, Protocol: wire.HTTP}
}

// dialled reaches proxies and their link bank.
func dialled(t *testing.T, s *service, seen *sightings) (*RemoteProxies, *testLink) {
	t.Helper()
	remote, err := DialProxies(patient(t), s.control, testToken, func(_ string, m Seen, _ time.Time) { seen.record(m) })
	require.NoError(t, err)
	t.Cleanup(remote.hangUp)
	l, err := remote.Link("bank", "")
	require.NoError(t, err)
	return remote, &testLink{Link: l, t: t, proxy: s.links["bank"]}
}

func TestServeProxies(t *testing.T) {
	bank := newBankServer(t)
	control, err := NewLoopback(rand.New(rand.NewPCG(1, uint64(os.Getpid())))).Fixed()
	require.NoError(t, err)
	var role ProxyRole
	require.NoError(t, strictJSON([]byte(`{"control": "`+control+`", "token": "`+testToken+`", "links": [
		{"name": "bank", "listen": "127.0.0.1:0", "upstreams": ["`+bank.address()+`"], "protocol": "http"},
		{"name": "cache", "listen": "127.0.0.1:0", "upstreams": ["127.0.0.1:1"], "protocol": "redis"}]}`), &role))
	ended := make(chan error, 1)
	go func() { ended <- ServeProxies(context.Background(), role) }()

	began := time.Now()
	type message struct {
		link string
		at   time.Time
		Seen
	}
	told := make(chan message, 2)
	remote, err := DialProxies(patient(t), control, testToken, func(link string, m Seen, at time.Time) { told <- message{link, at, m} })
	require.NoError(t, err)
	_, err = remote.Link("bnk", "")
	require.EqualError(t, err, `unknown link "bnk"; did you mean "bank"?`)
	elsewhere, err := remote.Link("cache", "127.0.0.1:6379")
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:6379", elsewhere.Address(), "as the caller sees it")
	link, err := remote.Link("bank", "")
	require.NoError(t, err)
	_, err = newCaller(t, link.Address()).post("/v1/debits", `{"trade_no":"T1"}`)
	require.NoError(t, err)
	require.NoError(t, remote.CatchUp(patient(t)))
	require.Len(t, told, 2)
	first := <-told
	assert.Equal(t, "bank", first.link)
	assert.WithinRange(t, first.at, began, time.Now())
	assert.Equal(t, `POST /v1/debits {"trade_no":"T1"}`, first.Text)
	assert.Contains(t, string(first.Raw), `{"trade_no":"T1"}`)

	require.NoError(t, remote.Close(patient(t)))
	require.NoError(t, remote.Close(patient(t)))
	require.NoError(t, came(t, ended), "to be closed is no error")
	_, err = net.Dial("tcp", link.Address())
	require.Error(t, err)
	require.Error(t, link.Up(patient(t)))
}

func TestServeProxiesThatCannotBe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for want, role := range map[string]ProxyRole{
		"listening for the harness": {Control: taken.Addr().String(), Token: testToken},
		"adding proxy bank":         {Control: "127.0.0.1:0", Token: testToken, Links: []ProxyConfig{{Name: "bank", Listen: taken.Addr().String(), Upstreams: []string{"x"}, Protocol: wire.HTTP}}},
		"there is one of that name": {Control: "127.0.0.1:0", Token: testToken, Links: []ProxyConfig{bankConfig("x"), bankConfig("x")}},
	} {
		require.ErrorContains(t, ServeProxies(t.Context(), role), want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = DialProxies(ctx, taken.Addr().String(), testToken, nil)
	require.ErrorIs(t, err, ErrNotUp)
}

func TestTheRoleEndsWhenItIsToldTo(t *testing.T) {
	s := serving(t, bankConfig("127.0.0.1:1"))
	seen := &sightings{}
	remote, link := dialled(t, s, seen)
	s.cancel()
	require.NoError(t, s.wait(t))
	_, err := link.Arm(patient(t), Rule{Match: Match{Dir: history.Request}, Do: Hold{}})
	require.Error(t, err)
	require.ErrorContains(t, remote.Close(patient(t)), "messages may be missing", "nobody had closed the links")
}

func TestTheRoleEndsWithTheHarness(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for name, do := range map[string]Action{
		"while a message is held":            Hold{},
		"while a message waits for another":  Barrier{Copies: 2},
		"while it is asked before a message": Do{Before: func() { <-never }},
	} {
		t.Run(name, func(t *testing.T) {
			bank := newBankServer(t)
			s := serving(t, bankConfig(bank.address()))
			remote, link := dialled(t, s, &sightings{})
			a := arm(t, link, Rule{Match: Match{Dir: history.Request}, Do: do})
			conn := dial(t, link)
			_, err := io.WriteString(conn, plainRequest)
			require.NoError(t, err)
			if _, asked := do.(Do); asked {
				require.NoError(t, a.Wait(patient(t), 1, 0))
			} else {
				require.NoError(t, a.Wait(patient(t), 0, 1))
			}
			remote.hangUp()
			require.ErrorIs(t, s.wait(t), errHarnessGone)
			_, err = readAll(conn)
			require.Error(t, err)
			assert.Empty(t, bank.requests(), "the message was not handed on")
			_, err = net.Dial("tcp", link.Address())
			require.Error(t, err)
		})
	}
}

func TestAllIsToldWhenTheLinksAreClosed(t *testing.T) {
	bank := newBankServer(t)
	s := serving(t, bankConfig(bank.address()))
	seen := &sightings{}
	remote, link := dialled(t, s, seen)
	a := arm(t, link, Rule{Fault: "held", Match: Match{Dir: history.Answer}, Do: Hold{}})
	const n = 20
	c := newCaller(t, link.Address())
	for range n {
		later(c, "/v1/debits", "{}")
	}
	require.NoError(t, a.Wait(patient(t), n, n))
	require.NoError(t, remote.Close(patient(t)))
	fates := map[string]int{}
	for _, m := range seen.all() {
		fates[m.Dir+" "+m.Fate]++
	}
	assert.Equal(t, map[string]int{"request passed": n, "answer lost": n}, fates)
	require.NoError(t, s.wait(t))
}

func TestMessagesWaitForAHarnessThatReadsSlowly(t *testing.T) {
	told := newTelling()
	for range maxTold {
		told.message("bank", Seen{})
	}
	waits := make(chan error, 1)
	go func() {
		told.message("bank", Seen{Label: "last"})
		waits <- nil
	}()
	require.Eventually(t, func() bool { return told.count() == maxTold+1 }, patience, time.Millisecond)
	notYet(t, waits)
	told.finish()
	rec := httptest.NewRecorder()
	require.NoError(t, told.write(t.Context(), rec))
	if len(waits) == 0 { // its turn came when the rest had been written
		require.NoError(t, came(t, waits))
		require.NoError(t, told.write(t.Context(), rec))
	}
	assert.Equal(t, maxTold+1, strings.Count(rec.Body.String(), "\n"), "none is left out")

	for range maxTold {
		told.message("bank", Seen{})
	}
	go func() {
		told.message("bank", Seen{})
		waits <- nil
	}()
	told.stop()
	<-waits
}

func TestControlSaysWhatIsWrong(t *testing.T) {
	s := serving(t, bankConfig("127.0.0.1:1"))
	dialled(t, s, &sightings{})
	long := `{"fault": "` + strings.Repeat("x", maxControlBody) + `"}`
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"no such link":      {"POST", "links/bnk/rules", `{}`, 404, `not there: unknown link "bnk"; did you mean "bank"?`},
		"no such link, up":  {"POST", "links/bnk/up", ``, 404, `unknown link`},
		"no such rule":      {"GET", "links/bank/rules/77", ``, 404, `rule 77 on link bank: not there`},
		"no such toxic":     {"DELETE", "links/bank/toxics/77", ``, 404, `toxic 77 on link bank: not there`},
		"no such call":      {"POST", "calls/77/done", ``, 404, `call 77: not there`},
		"no JSON":           {"POST", "links/bank/rules", `hold it`, 400, `reading a rule: invalid character`},
		"two values":        {"POST", "links/bank/rules", `{"fault": "f"} {}`, 400, `reading a rule: there is something behind the end`},
		"unknown field":     {"POST", "links/bank/rules", `{"mtch": {}}`, 400, `reading a rule: json: unknown field "mtch"`},
		"unknown in match":  {"POST", "links/bank/rules", `{"match": {"lable": "x"}}`, 400, `unknown field "lable"`},
		"unknown action":    {"POST", "links/bank/rules", `{"match": {"dir": "answer"}, "do": {"loose": {}}}`, 400, `unknown action "loose"; did you mean "lose"?`},
		"unknown in action": {"POST", "links/bank/rules", `{"match": {"dir": "answer"}, "do": {"lose": {"why": ""}}}`, 400, `action lose: json: unknown field "why"`},
		"two actions":       {"POST", "links/bank/rules", `{"match": {"dir": "answer"}, "do": {"lose": {}, "hold": {}}}`, 400, `2 actions; a rule has one`},
		"no action":         {"POST", "links/bank/rules", `{"match": {"dir": "answer"}}`, 400, `no action given`},
		"no call":           {"POST", "links/bank/rules", `{"match": {"dir": "answer"}, "do": {"do": {}}}`, 400, `nothing to do`},
		"no text":           {"POST", "links/bank/rules", long, 400, `reading a rule: http: request body too large`},
		"unknown toxic":     {"POST", "links/bank/toxics", `{"name": "n", "type": "latencey"}`, 400, `did you mean "latency"?`},
		"toxic field":       {"POST", "links/bank/toxics", `{"nam": "n"}`, 400, `reading a toxic: json: unknown field "nam"`},
		"second reader":     {"GET", "events", ``, 409, `the events are being read already`},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequestWithContext(t.Context(), c.method, "/control/"+c.path, strings.NewReader(c.body))
			authorize(req, testToken)
			rec := httptest.NewRecorder()
			s.handler().ServeHTTP(rec, req)
			assert.Equal(t, c.status, rec.Code)
			var said controlError
			require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &said))
			assert.Contains(t, said.Error, c.want)
		})
	}
	for _, query := range []string{"", "?fired=1&holding=1", "?fired=-1&holding=0&timeout_ns=1", "?fired=x&holding=0&timeout_ns=1"} {
		_, err := awaited(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/wait"+query, nil), nil)
		require.ErrorContains(t, err, "must be a whole number, 0 or more", query)
	}
}

func TestThereIsABoundToWhatCanBeArmed(t *testing.T) {
	s := newProxyServer(testToken)
	t.Cleanup(s.end)
	for range maxControlled {
		key, _, err := s.number("bank")
		require.NoError(t, err)
		s.rules[key] = nil
	}
	_, _, err := s.number("bank")
	require.ErrorContains(t, err, "there are 10000 rules and toxics already")
}

func FuzzControl(f *testing.F) {
	for path, bodies := range map[string][]string{
		"rules": {
			`{"fault": "f", "match": {"dir": "answer", "labels": ["POST *"], "contains": "x", "nth": 2, "count": 1}, "do": {"lose": {"how": "fin"}}}`,
			`{"match": {"dir": "request"}, "do": {"loss": {"rate": 0.3, "rto_ns": 1000, "max": 3, "seed": [1, 18446744073709551615]}}}`,
			`{"match": {"dir": "request"}, "do": {"do": {"before": 1}}}`, `{"match": {"dir": "request"}, "do": {"barrier": {"copies": 2}}}`,
			`{"match": {"dir": "request"}, "do": {"delay": {"by_ns": 5}}}`, `{"match": {"dir": "request"}, "do": {"cut": {"bytes": 5}}}`,
			`{"match": {"dir": "request"}, "do": {"refuse": {"code": "40001"}}}`, `{"match": {"dir": "request"}, "do": null}`, `null`, `[]`, `{`,
		},
		"toxics": {`{"name": "n", "type": "latency", "stream": "upstream", "attributes": {"latency": 1}}`, `{"attributes": {"x": {}}}`},
		"rules/1/wait?fired=1&holding=&timeout_ns": {``}, "rules/1/release": {``}, "up": {``}, "down": {`{}`}, "../../calls/1/done": {``},
	} {
		for _, body := range bodies {
			f.Add("POST", path, []byte(body))
			f.Add("GET", path, []byte(body))
		}
	}
	s := newProxyServer(testToken)
	f.Cleanup(s.end)
	require.NoError(f, s.add(ProxyConfig{Name: "db", Listen: "127.0.0.1:0", Upstreams: []string{"127.0.0.1:1"}, Protocol: wire.Postgres}))
	handler := s.handler()
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if req, err := http.NewRequestWithContext(ctx, method, "http://proxies/control/links/db/"+path, strings.NewReader(string(body))); err == nil && path != "" {
			authorize(req, testToken)
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			assert.Less(t, rec.Code, 500)
		}
		var rule, again Rule
		if strictJSON(body, &rule) != nil {
			return
		}
		data, err := json.Marshal(rule)
		require.NoError(t, err, "what can be read can be written down")
		require.NoError(t, strictJSON(data, &again))
		same, err := json.Marshal(again)
		require.NoError(t, err)
		assert.JSONEq(t, string(data), string(same))
	})
}
