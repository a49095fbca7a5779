package fakebank

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxPage     = 100_000          // ledger lines in one answer
	defaultPage = 10_000           // where the reader does not say
	maxLongPoll = 10 * time.Minute // one wait for a behaviour
)

// Control is the API by which a test rules the bank. Bodies are JSON, decoded strictly; durations are nanoseconds; errors
// are {code, message}.
func (b *Bank) Control() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]func(*http.Request, []byte) (int, any, error){
		"POST /control/behaviours":              b.armBehaviour,
		"GET /control/behaviours/{id}":          b.showBehaviour,
		"GET /control/behaviours/{id}/wait":     b.waitBehaviour,
		"POST /control/behaviours/{id}/release": b.releaseBehaviour,
		"DELETE /control/behaviours/{id}":       b.removeBehaviour,
		"POST /control/callbacks":               b.fireCallbacks,
		"POST /control/settle":                  b.settle,
		"POST /control/reverse":                 b.reverse,
		"GET /control/ledger":                   b.showLedger,
		"GET /control/status":                   b.showStatus,
		"GET /control/accounts/{account}":       b.showAccount,
		"PUT /control/accounts/{account}":       b.openAccount,
		"GET /control/settings":                 b.showSettings,
		"PATCH /control/settings":               b.changeSettings,
		"POST /control/reset":                   b.resetAll,
	} {
		mux.HandleFunc(pattern, b.controlled(h))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound, problem{Code: "NO_SUCH_PATH", Message: fmt.Sprintf(
			"%s %s is not part of the control API", r.Method, r.URL.Path)})
	})
	return mux
}

// refusal is an error of a control request that is not a bad request.
type refusal struct {
	status int
	code   string
	text   string
}

func (r *refusal) Error() string { return r.text }

func notFound(format string, args ...any) error {
	return &refusal{http.StatusNotFound, "NOT_FOUND", fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &refusal{http.StatusConflict, "CONFLICT", fmt.Sprintf(format, args...)}
}

// controlled reads a bounded body, answers what the handler says, and is waited for by Close.
func (b *Bank) controlled(h func(*http.Request, []byte) (int, any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !b.begin() {
			writeJSON(w, http.StatusServiceUnavailable, shutDown)
			return
		}
		defer b.work.Done()
		body, err := b.readBody(w, r)
		status, said := 0, any(nil)
		if err == nil {
			status, said, err = h(r, body)
		}
		var no *refusal
		switch {
		case errors.As(err, &no):
			writeJSON(w, no.status, problem{Code: no.code, Message: no.text})
		case err != nil:
			writeJSON(w, http.StatusBadRequest, problem{Code: "BAD_REQUEST", Message: err.Error()})
		default:
			writeJSON(w, status, said)
		}
	}
}

func (b *Bank) showLedger(r *http.Request, _ []byte) (int, any, error) {
	q, err := numbers(r.URL.Query(), "after", "limit")
	if err != nil {
		return 0, nil, err
	}
	limit := int64(defaultPage)
	if n, ok := q["limit"]; ok {
		limit = min(max(n, 1), maxPage)
	}
	b.mu.Lock()
	lines, more := b.ledger.page(q["after"], int(limit))
	truncated := b.ledger.truncated
	b.mu.Unlock()
	last := q["after"]
	if len(lines) > 0 {
		last = lines[len(lines)-1].Seq
	}
	return http.StatusOK, ledgerView{append([]entry{}, lines...), last, more, truncated}, nil
}

// ledgerView is one page; the next begins after Last.
type ledgerView struct {
	Entries   []entry `json:"entries"`
	Last      int64   `json:"last"`
	More      bool    `json:"more"`
	Truncated bool    `json:"truncated"`
}

// statusView is what is still going on.
type statusView struct {
	InFlight         int `json:"in_flight"`
	Held             int `json:"held"`
	CallbacksPending int `json:"callbacks_pending"`
	CallbacksGivenUp int `json:"callbacks_given_up"`
	Blocked          int `json:"blocked"` // endpoints that get no notification any more
}

func (b *Bank) showStatus(*http.Request, []byte) (int, any, error) {
	held := b.arms.held()
	b.mu.Lock()
	defer b.mu.Unlock()
	blocked := 0
	for url := range b.refusals {
		if b.blockedLocked(url) {
			blocked++
		}
	}
	return http.StatusOK, statusView{b.inFlight, held, b.pending, b.givenUp, blocked}, nil
}

// accountView is an account in minor units: balance = opening - held - debited + refunded + reversed.
type accountView struct {
	Account  string `json:"account"`
	Opening  int64  `json:"opening"`
	Balance  int64  `json:"balance"`
	Held     int64  `json:"held,omitempty"`
	Debited  int64  `json:"debited"`
	Refunded int64  `json:"refunded"`
	Reversed int64  `json:"reversed"`
}

func (b *Bank) viewLocked(name string) accountView {
	a, known := b.accounts[name]
	if !known { // looking at an account does not bring it into being
		a = &account{opening: b.openingOf(name)}
	}
	return accountView{name, a.opening, a.balance(), a.held, a.debited, a.refunded, a.reversed}
}

func (b *Bank) showAccount(r *http.Request, _ []byte) (int, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return http.StatusOK, b.viewLocked(r.PathValue("account")), nil
}

func (b *Bank) openAccount(r *http.Request, body []byte) (int, any, error) {
	var p struct {
		Opening *int64 `json:"opening"`
	}
	if err := decodeStrict(body, &p); err != nil {
		return 0, nil, err
	}
	if p.Opening == nil || *p.Opening < 0 || *p.Opening > maxOpening {
		return 0, nil, fmt.Errorf("opening: use 0 to %d minor units", int64(maxOpening))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accountLocked(r.PathValue("account")).opening = *p.Opening
	return http.StatusOK, b.viewLocked(r.PathValue("account")), nil
}

func (b *Bank) showSettings(*http.Request, []byte) (int, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return http.StatusOK, b.settings, nil
}

func (b *Bank) changeSettings(_ *http.Request, body []byte) (int, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := b.settings
	if err := decodeStrict(body, &changed); err != nil {
		return 0, nil, err
	}
	if err := validMode(changed.Mode); err != nil {
		return 0, nil, err
	}
	if changed.CallbackDelay < 0 || changed.CallbackDelay > time.Hour {
		return 0, nil, fmt.Errorf("callback_delay %d: use 0 to %d nanoseconds", changed.CallbackDelay, time.Hour)
	}
	if changed.BlockAfter < 0 {
		return 0, nil, fmt.Errorf("block_after %d: use 0 for never, or how many refusals", changed.BlockAfter)
	}
	if changed.BlockAfter == 0 {
		clear(b.refusals)
	}
	b.settings = changed
	return http.StatusOK, changed, nil
}

func (b *Bank) resetAll(*http.Request, []byte) (int, any, error) {
	b.reset()
	return http.StatusOK, struct{}{}, nil
}

// numbers reads a query string that may hold just the whole, non-negative numbers named.
func numbers(q url.Values, valid ...string) (map[string]int64, error) {
	out := map[string]int64{}
	for _, name := range sortedKeys(q) {
		if !slices.Contains(valid, name) {
			return nil, fmt.Errorf("unknown parameter %q: use %s%s", name, strings.Join(valid, ", "), nearest(name, valid))
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s=%s: use a whole number from 0", name, q.Get(name))
		}
		out[name] = n
	}
	return out, nil
}
