package dialects_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/fakebank"
	"onedebit/fakebank/dialects"
)

const (
	patience = 10 * time.Second // for what must happen at once; only a failing test ever waits that long
	secret   = "whsec_test"
)

// rig is a bank that speaks a dialect, behind two real listeners.
type rig struct {
	t            *testing.T
	api, control string
	hook         *hook
	client       *http.Client
}

// hook is a service that hears callbacks.
type hook struct {
	url     string
	got     chan heard
	replies chan int // one after the other; then 200
}

type heard struct {
	method, path string
	header       http.Header
	body         []byte
}

func listen(t *testing.T) *hook {
	h := &hook{got: make(chan heard, 100), replies: make(chan int, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		status := http.StatusOK
		select {
		case status = <-h.replies:
		default:
		}
		w.WriteHeader(status)
		h.got <- heard{r.Method, r.URL.Path, r.Header, body}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

func (h *hook) next(t *testing.T) heard {
	t.Helper()
	select {
	case got := <-h.got:
		return got
	case <-time.After(patience):
		require.FailNow(t, "no callback came")
		panic("unreachable")
	}
}

// speak starts a bank. The setting webhook_url, where the dialect has it, is that of the rig's hook.
func speak(t *testing.T, d *dialects.Dialect, change ...func(*fakebank.Config)) *rig {
	t.Helper()
	r := &rig{t: t, hook: listen(t), client: &http.Client{Timeout: 3 * patience, Transport: &http.Transport{}}}
	config := fakebank.Defaults()
	config.Secret, config.CallbackDelay, config.CallbackRetry = secret, 0, time.Millisecond
	for _, c := range change {
		c(&config)
	}
	options := dialects.Options{Secret: config.Secret, Clock: config.Clock, Settings: map[string]string{}}
	if _, has := d.Settings["webhook_url"]; has {
		options.Settings["webhook_url"] = r.hook.url
	}
	speaker, err := d.Speak(options)
	require.NoError(t, err)
	config.Language = speaker
	bank, err := fakebank.New(config)
	require.NoError(t, err)
	api, control := httptest.NewServer(bank.API()), httptest.NewServer(bank.Control())
	r.api, r.control = api.URL, control.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		assert.NoError(t, bank.Close(ctx))
		r.client.CloseIdleConnections()
		api.Close()
		control.Close()
	})
	return r
}

func builtin(t *testing.T, name string) *dialects.Dialect {
	t.Helper()
	d, err := dialects.Named(name)
	require.NoError(t, err)
	return d
}

func parse(t *testing.T, text string) *dialects.Dialect {
	t.Helper()
	d, err := dialects.Parse("test.yaml", []byte(text))
	require.NoError(t, err)
	return d
}

type object = map[string]any

// answer is what the bank answered.
type answer struct {
	status int
	header http.Header
	text   string
}

func (a answer) object(t *testing.T) object {
	t.Helper()
	var m object
	require.NoError(t, json.Unmarshal([]byte(a.text), &m), a.text)
	return m
}

// send makes a request; headers are pairs of name and value.
func (r *rig) send(method, url, body string, headers ...string) answer {
	req, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return answer{text: err.Error()}
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return answer{text: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{text: err.Error()}
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

func (r *rig) ask(method, path, body string, headers ...string) answer {
	return r.send(method, r.api+path, body, headers...)
}

func (r *rig) rule(method, path string, body any) object {
	r.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(r.t, err)
	a := r.send(method, r.control+"/control/"+path, string(text))
	require.Less(r.t, a.status, 300, a.text)
	return a.object(r.t)
}

// arm arms a behaviour and gives its id.
func (r *rig) arm(body object) string {
	r.t.Helper()
	return r.rule("POST", "behaviours", body)["id"].(string)
}

// await waits until a behaviour has fired, and holds, so often.
func (r *rig) await(id string, fired, holding int) {
	r.t.Helper()
	a := r.send("GET", fmt.Sprintf("%s/control/behaviours/%s/wait?fired=%d&holding=%d", r.control, id, fired, holding), "")
	got := a.object(r.t)
	require.EqualValues(r.t, []any{float64(fired), float64(holding)}, []any{got["fired"], got["holding"]}, a.text)
}

// entry is a line of the ledger.
type entry struct {
	Bank     string `json:"bank"`
	Kind     string `json:"kind"`
	Op       string `json:"op"`
	TradeNo  string `json:"trade_no"`
	RefundNo string `json:"refund_no"`
	Account  string `json:"account"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Status   string `json:"status"`
	HTTP     int    `json:"http"`
	Detail   string `json:"detail"`
}

func (r *rig) ledger(kinds ...string) []entry {
	r.t.Helper()
	var page struct{ Entries []entry }
	require.NoError(r.t, json.Unmarshal([]byte(r.send("GET", r.control+"/control/ledger", "").text), &page))
	out := []entry{}
	for _, e := range page.Entries {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, e)
			}
		}
	}
	return out
}

// debits are the amounts taken.
func (r *rig) debits() []int64 {
	r.t.Helper()
	out := []int64{}
	for _, e := range r.ledger("debit") {
		out = append(out, e.Amount)
	}
	return out
}
