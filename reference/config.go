package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// Duration is a time span that is written in JSON as Go writes it, for example "15s" or "750ms". A bare number is
// refused, because nobody can tell its unit.
type Duration time.Duration

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes d as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalJSON writes d as a quoted Go duration.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads a quoted Go duration.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("reading a duration: %s is not a quoted duration such as \"15s\"", data)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("reading a duration: %q is not a duration such as \"15s\" or \"750ms\"", text)
	}
	*d = Duration(parsed)
	return nil
}

// Breaker says when calls to the bank are no longer tried.
type Breaker struct {
	Failures uint32   `json:"failures"` // consecutive failures that open it
	Open     Duration `json:"open"`     // how long it stays open before one call is let through
}

// Config is everything that the service needs to know. Start from Defaults.
type Config struct {
	Listen      string   `json:"listen"`      // host:port; port 0 takes a free one
	Database    string   `json:"database"`    // sqlite:///absolute/path.db, postgres:// or mysql://user:password@host:port/database
	Cache       string   `json:"cache"`       // redis://host:port/0
	Queue       string   `json:"queue"`       // kafka://host:port, where every broker is reached at this one address, or amqp://user:password@host:port/vhost
	Topic       string   `json:"topic"`       // topic of the success events
	Bank        string   `json:"bank"`        // base URL of the bank
	BankSecret  string   `json:"bank_secret"` // key of the signature on notifications
	PublicURL   string   `json:"public_url"`  // base URL under which the bank reaches us; empty asks for no notification
	Merchants   []string `json:"merchants,omitempty"`
	CachePrefix string   `json:"cache_prefix,omitempty"` // before every name in the cache, for services that share one
	Instance    string   `json:"instance"`               // unique among the instances that share a queue

	GatewayTimeout Duration `json:"gateway_timeout"` // after this the client gets 504 and the request goes on
	ServiceTimeout Duration `json:"service_timeout"` // after this the client gets 202 and the bank call goes on
	BankTimeout    Duration `json:"bank_timeout"`    // after this one call to the bank counts as unanswered

	CacheTimeout    Duration `json:"cache_timeout"`    // after this one word with the cache counts as unanswered
	DatabaseTimeout Duration `json:"database_timeout"` // after this one transaction or read at a database server counts as unanswered
	TokenTTL        Duration `json:"token_ttl"`        // life of an idempotency key in the cache
	RefundTimeout   Duration `json:"refund_timeout"`   // after this one refund sent to the bank counts as unanswered
	OrderTTL        Duration `json:"order_ttl"`        // after this an order that is not paid is closed, at the bank first
	SessionTimeout  Duration `json:"session_timeout"`  // of the consumers' group membership

	CallbackFreshness Duration `json:"callback_freshness"` // how far a notification's time may be from ours
	ClockOffset       Duration `json:"clock_offset"`       // added to the clock, to live through a day in a moment

	ReconcileEvery           Duration `json:"reconcile_every"`
	ReconcileUnknownAfter    Duration `json:"reconcile_unknown_after"`    // age of an UNKNOWN row that is asked about
	ReconcileProcessingAfter Duration `json:"reconcile_processing_after"` // age of a PENDING or PROCESSING row that is taken up
	RelayEvery               Duration `json:"relay_every"`

	Breaker   Breaker `json:"breaker"`
	MaxAmount int64   `json:"max_amount"` // minor units; a payment above it is refused by risk
}

// Defaults returns the configuration of a production-like service, complete but for the addresses of its neighbours.
func Defaults() Config {
	return Config{
		Listen:   "127.0.0.1:8080",
		Topic:    "pay.success",
		Instance: "1",

		GatewayTimeout:  Duration(3 * time.Second),
		CacheTimeout:    Duration(15 * time.Second),
		DatabaseTimeout: Duration(5 * time.Second),
		ServiceTimeout:  Duration(8 * time.Second),
		BankTimeout:     Duration(15 * time.Second),

		RefundTimeout: Duration(15 * time.Second),

		TokenTTL:          Duration(10 * time.Minute),
		OrderTTL:          Duration(15 * time.Minute),
		CallbackFreshness: Duration(5 * time.Minute),
		SessionTimeout:    Duration(10 * time.Second),

		ReconcileEvery:           Duration(2 * time.Second),
		ReconcileUnknownAfter:    Duration(2 * time.Second),
		ReconcileProcessingAfter: Duration(20 * time.Second),
		RelayEvery:               Duration(time.Second),

		Breaker: Breaker{Failures: 5, Open: Duration(10 * time.Second)},
		// The largest amount that every JSON reader still takes for a whole number.
		MaxAmount: 1<<53 - 1,
	}
}

// Validate returns every fault of the configuration at once, each naming its field, or nil.
func (c Config) Validate() error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, fmt.Errorf("config field %s: %s", field, fmt.Sprintf(format, args...)))
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		fault("listen", "%q is not host:port", c.Listen)
	}
	if err := checkDatabase(c); err != nil {
		fault("database", "%v", err)
	}
	if err := checkQueue(c); err != nil {
		fault("queue", "%v", err)
	}
	for _, a := range []struct{ field, value, scheme string }{{"cache", c.Cache, "redis"}, {"bank", c.Bank, "http"}} {
		if !isURL(a.value, a.scheme) {
			fault(a.field, "%q is not of the form %s://host:port", a.value, a.scheme)
		}
	}
	if c.PublicURL != "" && !isURL(c.PublicURL, "http") {
		fault("public_url", "%q is neither empty nor of the form http://host:port", c.PublicURL)
	}
	for _, t := range []struct{ field, value string }{{"topic", c.Topic}, {"bank_secret", c.BankSecret}, {"instance", c.Instance}} {
		if t.value == "" {
			fault(t.field, "must not be empty")
		}
	}
	for _, d := range c.spans() {
		if d.value < d.least {
			fault(d.field, "%s is too short, give at least %s", d.value, d.least)
		}
	}
	if c.Breaker.Failures == 0 {
		fault("breaker.failures", "must be at least 1")
	}
	if c.MaxAmount < 1 {
		fault("max_amount", "%d must be at least 1 minor unit", c.MaxAmount)
	}
	return errors.Join(faults...)
}

func checkDatabase(c Config) error {
	d, err := dialects.of(c.Database)
	if err != nil {
		return err
	}
	pool, err := d.open(c.Database, c.DatabaseTimeout.Std())
	if err != nil {
		return err
	}
	return pool.Close() // it has not connected
}

func checkQueue(c Config) error {
	b, err := brokers.of(c.Queue)
	if err != nil {
		return err
	}
	return b.check(c.Queue)
}

type span struct {
	field        string
	value, least Duration
}

func (c Config) spans() []span {
	ms := Duration(time.Millisecond)
	return []span{
		{"gateway_timeout", c.GatewayTimeout, ms}, {"service_timeout", c.ServiceTimeout, ms}, {"bank_timeout", c.BankTimeout, ms},
		{"cache_timeout", c.CacheTimeout, ms}, {"database_timeout", c.DatabaseTimeout, 10 * ms},
		{"token_ttl", c.TokenTTL, 120 * ms}, {"callback_freshness", c.CallbackFreshness, Duration(time.Second)},
		{"refund_timeout", c.RefundTimeout, ms}, {"order_ttl", c.OrderTTL, ms}, {"clock_offset", c.ClockOffset, 0},
		{"session_timeout", c.SessionTimeout, 100 * ms}, {"reconcile_every", c.ReconcileEvery, ms},
		{"reconcile_unknown_after", c.ReconcileUnknownAfter, ms}, {"reconcile_processing_after", c.ReconcileProcessingAfter, ms},
		{"relay_every", c.RelayEvery, ms}, {"breaker.open", c.Breaker.Open, ms},
	}
}

func isURL(text, scheme string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == scheme || (scheme == "http" && u.Scheme == "https"))
}
