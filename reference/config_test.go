package reference_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestConfigFaultsNameTheirField(t *testing.T) {
	for field, spoil := range map[string]func(*reference.Config){
		"listen":                     func(c *reference.Config) { c.Listen = "8080" },
		"database":                   func(c *reference.Config) { c.Database = "sqlite://relative.db" },
		"cache":                      func(c *reference.Config) { c.Cache = "127.0.0.1:6379" },
		"queue":                      func(c *reference.Config) { c.Queue = "amqp://127.0.0.1:5672" },
		"database_timeout":           func(c *reference.Config) { c.DatabaseTimeout = 0 },
		"bank":                       func(c *reference.Config) { c.Bank = "" },
		"bank_secret":                func(c *reference.Config) { c.BankSecret = "" },
		"public_url":                 func(c *reference.Config) { c.PublicURL = "here" },
		"topic":                      func(c *reference.Config) { c.Topic = "" },
		"instance":                   func(c *reference.Config) { c.Instance = "" },
		"gateway_timeout":            func(c *reference.Config) { c.GatewayTimeout = 0 },
		"service_timeout":            func(c *reference.Config) { c.ServiceTimeout = -1 },
		"bank_timeout":               func(c *reference.Config) { c.BankTimeout = 0 },
		"cache_timeout":              func(c *reference.Config) { c.CacheTimeout = 0 },
		"token_ttl":                  func(c *reference.Config) { c.TokenTTL = 1 },
		"callback_freshness":         func(c *reference.Config) { c.CallbackFreshness = reference.Duration(time.Millisecond) },
		"refund_timeout":             func(c *reference.Config) { c.RefundTimeout = 0 },
		"order_ttl":                  func(c *reference.Config) { c.OrderTTL = 0 },
		"clock_offset":               func(c *reference.Config) { c.ClockOffset = -1 },
		"session_timeout":            func(c *reference.Config) { c.SessionTimeout = 1 },
		"reconcile_every":            func(c *reference.Config) { c.ReconcileEvery = 0 },
		"reconcile_unknown_after":    func(c *reference.Config) { c.ReconcileUnknownAfter = 0 },
		"reconcile_processing_after": func(c *reference.Config) { c.ReconcileProcessingAfter = 0 },
		"relay_every":                func(c *reference.Config) { c.RelayEvery = 0 },
		"breaker.failures":           func(c *reference.Config) { c.Breaker.Failures = 0 },
		"breaker.open":               func(c *reference.Config) { c.Breaker.Open = 0 },
		"max_amount":                 func(c *reference.Config) { c.MaxAmount = 0 },
	} {
		t.Run(field, func(t *testing.T) {
			cfg := referencetest.Setup(t).Config
			require.NoError(t, cfg.Validate())
			spoil(&cfg)
			assert.ErrorContains(t, cfg.Validate(), "config field "+field+":")
		})
	}
}

func TestConfigTellsAllFaultsAtOnce(t *testing.T) {
	err := reference.Defaults().Validate()
	for _, field := range []string{"database", "cache", "queue", "bank", "bank_secret"} {
		assert.ErrorContains(t, err, "config field "+field+":")
	}
}

func TestConfigSurvivesJSON(t *testing.T) {
	want := referencetest.Setup(t).Config
	text, err := json.Marshal(want)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"bank_timeout":"15s"`)
	var got reference.Config
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, want, got)
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]reference.Duration{
		`"15s"`: reference.Duration(15 * time.Second), `"750ms"`: reference.Duration(750 * time.Millisecond), `"0s"`: 0,
	} {
		var got reference.Duration
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{`15`, `"15"`, `""`, `{}`, `"soon"`} {
		var got reference.Duration
		assert.ErrorContains(t, json.Unmarshal([]byte(text), &got), "15s", text)
	}
}

func TestNewRefusesABadConfig(t *testing.T) {
	_, err := reference.New(t.Context(), reference.Config{}, reference.Correct(), &referencetest.Lines{}, time.Now)
	assert.ErrorContains(t, err, "config field listen")
}

func TestQueueURL(t *testing.T) {
	for address, good := range map[string]bool{
		"kafka://127.0.0.1:9092": true, "amqp://pay:secret@h:5672/v": true, "amqp://pay:secret@h": true,
		"kafka:": false, "amqp://h:5672": false, "amqp://pay:secret@h:port": false, "amqp://pay:secret@h/v?heartbeat=1": false, "nats://pay:secret@h": false,
	} {
		cfg := referencetest.Setup(t).Config
		cfg.Queue = address
		err := cfg.Validate()
		assert.Equal(t, good, err == nil, "%s: %v", address, err)
		if err != nil {
			assert.NotContains(t, err.Error(), "secret", address)
		}
	}
}
