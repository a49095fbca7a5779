package fakebank

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// What the bank does with a trade number that comes again.
const (
	Dedupe = "dedupe" // the same debit is answered again; with other particulars 409 MISMATCH
	Refuse = "refuse" // 409 DUPLICATE
	Naive  = "naive"  // debited again
)

var modes = []string{Dedupe, Refuse, Naive}

const (
	// maxOpening bounds an opening balance, so that no balance can ever overflow.
	maxOpening = 1_000_000_000_000_000_000
	// maxTurnover bounds the debits, and the refunds, of one account over its life.
	maxTurnover = 4_000_000_000_000_000_000
)

// Config is what a bank is made from. Durations are nanoseconds in JSON. Start from Defaults.
type Config struct {
	Name             string           `json:"name,omitempty"` // stands in each line of the ledger, to tell several banks apart
	Secret           string           `json:"secret"`         // key of the callback signature
	Mode             string           `json:"mode"`           // Dedupe, Refuse or Naive
	OpeningBalance   int64            `json:"opening_balance"`
	Accounts         map[string]int64 `json:"accounts,omitempty"` // opening balances that differ
	BoundRefunds     bool             `json:"bound_refunds"`      // the refunds of a debit may not exceed it
	ReverseOnRefusal bool             `json:"reverse_on_refusal"` // a debit is undone when its callback is refused for good

	BlockAfter      int           `json:"block_after"`      // an endpoint that refused so many notifications in a row gets none any more; 0: never
	AutoCallbacks   bool          `json:"auto_callbacks"`   // notify without being told to
	CallbackDelay   time.Duration `json:"callback_delay"`   // from the answer given or withheld to the callback
	CallbackTimeout time.Duration `json:"callback_timeout"` // for one delivery try, from dialling to the end of the answer
	CallbackRetry   time.Duration `json:"callback_retry"`   // before the second try; doubled before each further one
	CallbackTries   int           `json:"callback_tries"`   // tries of one notification in all
	CallbackFresh   bool          `json:"callback_fresh"`   // a connection of its own for each try; otherwise pooled

	LedgerLimit int `json:"ledger_limit"` // lines kept; then one error line, and nothing more is recorded

	// Language is how the bank is spoken to; nil is its own API.
	Language Language `json:"-"`
	// Clock is the time that the bank lives in; nil is the system's.
	Clock Clock `json:"-"`
	// NewID makes an id that starts with the prefix and is never given twice; it is called from many goroutines.
	// Nil draws from the system's randomness. See SeededIDs.
	NewID func(prefix string) string `json:"-"`
}

// Defaults is a bank that deduplicates, has money enough for everybody and notifies 100 ms after its answers.
// The secret is empty and has to be set.
func Defaults() Config {
	return Config{
		Mode:            Dedupe,
		OpeningBalance:  maxOpening,
		AutoCallbacks:   true,
		CallbackDelay:   100 * time.Millisecond,
		CallbackTimeout: 3 * time.Second,
		CallbackRetry:   time.Second,
		CallbackTries:   6,
		CallbackFresh:   true,
		LedgerLimit:     1_000_000,
	}
}

// Validate names every field that cannot be used, and what can.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Secret == "" {
		bad("secret is empty: set the key with which callbacks are signed")
	}
	if err := validMode(c.Mode); err != nil {
		errs = append(errs, err)
	}
	if c.OpeningBalance < 0 || c.OpeningBalance > maxOpening {
		bad("opening_balance %d: use 0 to %d minor units", c.OpeningBalance, int64(maxOpening))
	}
	for account, balance := range c.Accounts {
		if balance < 0 || balance > maxOpening {
			bad("accounts: %s: %d: use 0 to %d minor units", account, balance, int64(maxOpening))
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
		least time.Duration
	}{{"callback_delay", c.CallbackDelay, 0}, {"callback_timeout", c.CallbackTimeout, 1}, {"callback_retry", c.CallbackRetry, 1}} {
		if d.value < d.least || d.value > time.Hour {
			bad("%s %s: use %s to 1h (nanoseconds in JSON)", d.name, d.value, d.least)
		}
	}
	if c.CallbackTries < 1 || c.CallbackTries > 20 {
		bad("callback_tries %d: use 1 to 20", c.CallbackTries)
	}
	if c.BlockAfter < 0 {
		bad("block_after %d: use 0 for never, or how many refusals", c.BlockAfter)
	}
	if c.LedgerLimit < 1 || c.LedgerLimit > math.MaxInt32 {
		bad("ledger_limit %d: use 1 to %d lines", c.LedgerLimit, math.MaxInt32)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("bank configuration: %w", err)
	}
	return nil
}

func validMode(mode string) error {
	if slices.Contains(modes, mode) {
		return nil
	}
	return fmt.Errorf("mode %q: use %s%s", mode, strings.Join(modes, ", "), nearest(mode, modes))
}

// settings are the parts of Config that can be changed while the bank works.
type settings struct {
	Mode             string        `json:"mode"`
	AutoCallbacks    bool          `json:"auto_callbacks"`
	CallbackDelay    time.Duration `json:"callback_delay"`
	ReverseOnRefusal bool          `json:"reverse_on_refusal"`
	BoundRefunds     bool          `json:"bound_refunds"`
	BlockAfter       int           `json:"block_after"`
}

func (c Config) settings() settings {
	return settings{c.Mode, c.AutoCallbacks, c.CallbackDelay, c.ReverseOnRefusal, c.BoundRefunds, c.BlockAfter}
}
