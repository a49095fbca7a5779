package fakebank

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Config)
		want   []string // nothing: valid
	}{
		{"defaults with a secret", func(*Config) {}, nil},
		{"no money at all", func(c *Config) { c.OpeningBalance = 0 }, nil},
		{"callbacks at once", func(c *Config) { c.CallbackDelay = 0 }, nil},
		{"no secret", func(c *Config) { c.Secret = "" }, []string{"secret is empty"}},
		{"mode", func(c *Config) { c.Mode = "dedup" }, []string{`mode "dedup"`, `did you mean "dedupe"?`}},
		{"debts", func(c *Config) { c.OpeningBalance = -1 }, []string{"opening_balance -1"}},
		{"too rich", func(c *Config) { c.OpeningBalance = maxOpening + 1 }, []string{"opening_balance"}},
		{"account in debt", func(c *Config) { c.Accounts = map[string]int64{"A": -1} }, []string{"accounts: A: -1"}},
		{"delay", func(c *Config) { c.CallbackDelay = -1 }, []string{"callback_delay"}},
		{"long delay", func(c *Config) { c.CallbackDelay = 2 * time.Hour }, []string{"callback_delay 2h"}},
		{"no time-out", func(c *Config) { c.CallbackTimeout = 0 }, []string{"callback_timeout"}},
		{"no back-off", func(c *Config) { c.CallbackRetry = 0 }, []string{"callback_retry"}},
		{"no try", func(c *Config) { c.CallbackTries = 0 }, []string{"callback_tries 0"}},
		{"no ledger", func(c *Config) { c.LedgerLimit = 0 }, []string{"ledger_limit 0"}},
		{"all at once", func(c *Config) { c.Secret, c.Mode, c.CallbackTries = "", "x", 99 },
			[]string{"secret", `mode "x": use dedupe, refuse, naive`, "callback_tries 99"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Defaults()
			c.Secret = "s"
			tc.change(&c)
			err := c.Validate()
			if tc.want == nil {
				require.NoError(t, err)
				return
			}
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestConfigInJSON(t *testing.T) {
	c := Defaults()
	c.Secret, c.Accounts = "s", map[string]int64{"A": 5}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"callback_delay":100000000`)
	back := Config{}
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, c, back)
}
