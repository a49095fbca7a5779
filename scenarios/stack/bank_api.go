package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"onedebit/scenarios/history"
)

// bankAPI is the harness's way to one fake bank: its control API, over HTTP in every runtime, never over a link that a fault
// may be on. The wire structs here are the harness's own, so that a mistake in the bank's cannot cancel itself out.
type bankAPI struct {
	name    string // of several banks
	control string
	token   string
	http    *http.Client
}

// maxControlAnswer bounds one answer of the control API.
const maxControlAnswer = 256 << 20

// newBankAPI reaches the control API at an address, which may end in a path, with its token.
func newBankAPI(name, control, token string) *bankAPI {
	return &bankAPI{name: name, control: "http://" + control, token: token, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

func (b *bankAPI) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("asking the bank's control API for %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.control+path, body)
	if err != nil {
		return fmt.Errorf("asking the bank's control API for %s %s: %w", method, path, err)
	}
	authorize(req, b.token)
	resp, err := b.http.Do(req)
	if err != nil {
		return fmt.Errorf("asking the bank's control API: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxControlAnswer))
	if err != nil {
		return fmt.Errorf("reading the answer of the bank's control API to %s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the bank's control API refused %s %s: %d %s", method, path, resp.StatusCode, bytes.TrimSpace(data))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("reading the answer of the bank's control API to %s %s: %w", method, path, err)
	}
	return nil
}

// Behaviour is one way in which the bank is to misbehave. Durations are wall time.
type Behaviour struct {
	Kind    string        `json:"kind"`
	Name    string        `json:"name,omitempty"`
	On      string        `json:"on,omitempty"`
	Nth     int           `json:"nth,omitempty"`
	Count   int           `json:"count,omitempty"`
	Account string        `json:"account,omitempty"`
	Delay   time.Duration `json:"delay,omitempty"`
	Within  time.Duration `json:"within,omitempty"`
	Copies  int           `json:"copies,omitempty"`
	Status  int           `json:"status,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	How     string        `json:"how,omitempty"`
	With    string        `json:"with,omitempty"`
	Deed    string        `json:"deed,omitempty"`
}

// BehaviourState counts how often a behaviour was felt, and what it holds back now.
type BehaviourState struct {
	ID      string `json:"id"`
	Matched int    `json:"matched"`
	Fired   int    `json:"fired"`
	Holding int    `json:"holding"`
}

// Arm puts a behaviour in force.
func (b *bankAPI) Arm(ctx context.Context, behaviour Behaviour) (id string, err error) {
	var out BehaviourState
	err = b.call(ctx, http.MethodPost, "/control/behaviours", behaviour, &out)
	return out.ID, err
}

// Behaviour is the state of an armed behaviour.
func (b *bankAPI) Behaviour(ctx context.Context, id string) (out BehaviourState, err error) {
	err = b.call(ctx, http.MethodGet, "/control/behaviours/"+id, nil, &out)
	return out, err
}

// AwaitBehaviour waits until a behaviour has fired and holds so often, or for so long.
func (b *bankAPI) AwaitBehaviour(ctx context.Context, id string, fired, holding int, limit time.Duration) (out BehaviourState, err error) {
	path := fmt.Sprintf("/control/behaviours/%s/wait?fired=%d&holding=%d&timeout_ns=%d", id, fired, holding, limit)
	err = b.call(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

// Release lets go what a behaviour holds back; it stays armed.
func (b *bankAPI) Release(ctx context.Context, id string) error {
	return b.call(ctx, http.MethodPost, "/control/behaviours/"+id+"/release", struct{}{}, nil)
}

// Disarm ends a behaviour and lets go what it holds back.
func (b *bankAPI) Disarm(ctx context.Context, id string) error {
	return b.call(ctx, http.MethodDelete, "/control/behaviours/"+id, nil, nil)
}

// Callback is a notification that the bank is told to send. Durations are wall time.
type Callback struct {
	TradeNo         string        `json:"trade_no"`
	Status          string        `json:"status"`
	Amount          int64         `json:"amount,omitempty"`
	Currency        string        `json:"currency,omitempty"`
	NotificationIDs []string      `json:"notification_ids,omitempty"`
	FreshIDs        bool          `json:"fresh_ids,omitempty"`
	Copies          int           `json:"copies,omitempty"`
	Together        bool          `json:"together,omitempty"`
	Every           time.Duration `json:"every,omitempty"`
	Sign            string        `json:"sign,omitempty"`
	Skew            time.Duration `json:"skew,omitempty"` // added to the time of the signature; not divided by anything
	Once            bool          `json:"once,omitempty"`
}

// Delivered says how copies of a notification were taken.
type Delivered struct {
	Deliveries []struct {
		NotificationID string `json:"notification_id"`
		Status         int    `json:"status"`
		Error          string `json:"error"`
	} `json:"deliveries"`
	Spread time.Duration `json:"spread_ns"`
}

// Notify makes the bank send notifications and waits until all were taken or given up.
func (b *bankAPI) Notify(ctx context.Context, c Callback) (out Delivered, err error) {
	err = b.call(ctx, http.MethodPost, "/control/callbacks", c, &out)
	return out, err
}

// Settle finishes a debit that the bank has only accepted so far.
func (b *bankAPI) Settle(ctx context.Context, tradeNo, status string, callback bool) error {
	in := map[string]any{"trade_no": tradeNo, "status": status, "callback": callback}
	return b.call(ctx, http.MethodPost, "/control/settle", in, nil)
}

// Settings are the bank's standing ways.
type Settings struct {
	Mode          string        `json:"mode,omitempty"`
	AutoCallbacks *bool         `json:"auto_callbacks,omitempty"`
	CallbackDelay time.Duration `json:"callback_delay,omitempty"` // from the answer; 0 leaves it as it is
}

// Set changes the bank's standing ways.
func (b *bankAPI) Set(ctx context.Context, s Settings) error {
	return b.call(ctx, http.MethodPatch, "/control/settings", s, nil)
}

// BankStatus says what the bank still has to do.
type BankStatus struct {
	InFlight         int `json:"in_flight"`
	Held             int `json:"held"`
	CallbacksPending int `json:"callbacks_pending"`
}

// Status says what the bank still has to do.
func (b *bankAPI) Status(ctx context.Context) (out BankStatus, err error) {
	err = b.call(ctx, http.MethodGet, "/control/status", nil, &out)
	return out, err
}

// LedgerLine is one line of the bank's ledger as it tells it.
type LedgerLine struct {
	history.LedgerEntry
	Time time.Time `json:"at"`
}

// LedgerPage is a part of the ledger.
type LedgerPage struct {
	Entries   []LedgerLine `json:"entries"`
	Last      int          `json:"last"`
	More      bool         `json:"more"`
	Truncated bool         `json:"truncated"`
}

// Ledger reads the ledger behind a line number.
func (b *bankAPI) Ledger(ctx context.Context, after int) (out LedgerPage, err error) {
	err = b.call(ctx, http.MethodGet, fmt.Sprintf("/control/ledger?after=%d", after), nil, &out)
	return out, err
}

func (b *bankAPI) close() { b.http.CloseIdleConnections() }
