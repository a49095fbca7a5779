package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"onedebit/fakebank"
	"onedebit/fakebank/dialects"
	"onedebit/scenarios/targets"
)

// Real-life durations of the bank's own ways. A notification follows the answer by a moment: arriving together with it
// would be a fault.
const (
	callbackDelay   = 2 * time.Second
	callbackRetry   = 5 * time.Second
	callbackTimeout = 10 * time.Second
)

// BankRole is the configuration of the role bank: the fake bank in a process of its own.
type BankRole struct {
	API     string          `json:"api"`               // address of the bank's own API
	Control string          `json:"control,omitempty"` // address of its control API; "" where it is reached through that of the proxies
	Token   string          `json:"token,omitempty"`   // without which nobody uses the control API
	Seed    int64           `json:"seed"`              // of the identifiers that it makes up
	Bank    fakebank.Config `json:"bank"`
	// Dialect is how the bank is spoken to: the name of a built-in dialect, or a file that ends in .yaml; nothing is its own API.
	Dialect  string            `json:"dialect,omitempty"`
	Text     []byte            `json:"text,omitempty"`     // in place of Dialect: the dialect itself, as YAML
	Settings map[string]string `json:"settings,omitempty"` // of the dialect
	Speed    float64           `json:"speed,omitempty"`    // by which the dialect's durations are divided; 0 for 1
}

// open makes the bank of a configuration.
func (r BankRole) open() (*fakebank.Bank, error) {
	r.Bank.NewID = fakebank.SeededIDs(mathrand.New(mathrand.NewSource(r.Seed)))
	spoken, err := r.spoken()
	if err != nil {
		return nil, err
	}
	if spoken != nil {
		options := dialects.Options{Secret: r.Bank.Secret, Settings: r.Settings}
		if r.Speed > 0 {
			options.Scale = func(d time.Duration) time.Duration { return scale(d, r.Speed) }
		}
		if r.Bank.Language, err = spoken.Speak(options); err != nil {
			return nil, err
		}
	}
	return fakebank.New(r.Bank)
}

// spoken is the dialect; nil is the bank's own API.
func (r BankRole) spoken() (*dialects.Dialect, error) {
	switch {
	case len(r.Text) > 0:
		return dialects.Parse("dialect", r.Text)
	case r.Dialect != "":
		return dialects.Open(r.Dialect, os.ReadFile)
	}
	return nil, nil
}

// ServeBank is the role bank. It ends with ctx.
func ServeBank(ctx context.Context, role BankRole) error {
	if role.Token == "" {
		return fmt.Errorf("starting the bank: %w", errNoToken)
	}
	bank, err := role.open()
	if err != nil {
		return fmt.Errorf("starting the bank: %w", err)
	}
	control := http.NewServeMux()
	control.Handle("/", guarded(role.Token, bank.Control()))
	control.Handle("GET /readyz", bank.API())
	wait, err := serveBank(ctx, bank, bankSide{role.API, bank.API()}, bankSide{role.Control, control})
	if err != nil {
		return err
	}
	return wait()
}

// bankSide is one of the APIs of a bank and where it listens.
type bankSide struct {
	address string
	handler http.Handler
}

// serveBank has a bank listen. wait returns when ctx has ended, or why it came to an end before.
func serveBank(ctx context.Context, bank *fakebank.Bank, sides ...bankSide) (wait func() error, err error) {
	ended := make(chan error, len(sides))
	var servers []*http.Server
	end := func() error {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), exitWait)
		defer cancel()
		err := bank.Close(last)
		for _, srv := range servers {
			_ = srv.Close()
		}
		return err
	}
	for _, side := range sides {
		ln, err := net.Listen("tcp", side.address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listening for the bank: %w", err), end())
		}
		srv := &http.Server{Handler: side.handler, ReadHeaderTimeout: time.Minute}
		servers = append(servers, srv)
		go func() { ended <- srv.Serve(ln) }()
	}
	return func() (err error) {
		select {
		case <-ctx.Done():
		case err = <-ended:
		}
		return errors.Join(err, end())
	}, nil
}

// bankRole is how a bank of this experiment behaves throughout, with durations divided by the speed.
func (s *Stack) bankRole(name string, vars targets.Vars) (BankRole, error) {
	cfg := fakebank.Defaults()
	role := BankRole{Seed: s.Rand.Int64(), Speed: s.Speed}
	cfg.Secret = fmt.Sprintf("%016x%016x", s.Rand.Uint64(), s.Rand.Uint64())
	if mode := s.Spec.Bank.Mode; s.Target.Banks[name].Takes(mode) {
		cfg.Mode = mode
	}
	if c := s.Spec.Bank.Callbacks; c != nil {
		cfg.AutoCallbacks = *c
	}
	cfg.ReverseOnRefusal = s.Spec.Bank.Reverses
	cfg.CallbackDelay = s.Scale(callbackDelay)
	cfg.CallbackRetry = s.Scale(callbackRetry)
	cfg.CallbackTimeout = s.Scale(callbackTimeout)
	if len(s.banks) > 1 {
		cfg.Name = name
	}
	role.Bank = cfg
	spoken := s.Target.Banks[name]
	if spoken.Dialect.Name == nativeDialect {
		return role, nil // which is the bank's own API
	}
	role.Text, role.Settings = spoken.Text, map[string]string{}
	for _, setting := range slices.Sorted(maps.Keys(spoken.Dialect.Settings)) {
		value, err := vars.Expand(spoken.Dialect.Settings[setting])
		if err != nil {
			return role, fmt.Errorf("banks.%s.settings.%s: %w: %w", name, setting, ErrNotUp, err)
		}
		role.Settings[setting] = value
	}
	for _, to := range spoken.Dialect.CallbacksTo() {
		if _, err := s.Target.Process(to); err == nil && role.Settings[to] == "" {
			role.Settings[to] = fmt.Sprint(vars[s.calledBack(to)+".url"])
		}
	}
	return role, nil
}

// nativeDialect is the name of the dialect that the bank speaks without being told one.
const nativeDialect = "native"

// calledBack is the link, or the process itself, through which a process is called back.
func (s *Stack) calledBack(process string) string {
	if process == s.Target.TakesPayments().Name {
		return CallbackLink
	}
	return process
}
