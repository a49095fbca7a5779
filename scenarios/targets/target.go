// Package targets says how to talk to the service under test: how it is started, how a payment is made, what its answers
// mean, and where its books are. A target is described by one YAML file; the bundled reference by one of the same kind.
package targets

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
)

//go:embed *.yaml
var bundled embed.FS

// Reference is the name of the bundled target.
const Reference = "reference"

// Target describes one service under test.
type Target struct {
	Name        string                       `yaml:"target"`
	Vars        map[string]string            `yaml:"vars"`      // constants for the placeholders, such as the merchant
	Callers     map[string]map[string]string `yaml:"callers"`   // others than the usual one, with what differs from vars for them
	Database    *Database                    `yaml:"database"`  // without it the service has none that is known
	Processes   Processes                    `yaml:"processes"` // by name; the first that can be reached takes payments
	Setup       []Act                        `yaml:"setup"`     // once, before the first payment; captures are ${setup.x}
	Payment     Payment                      `yaml:"payment"`
	Refund      Refund                       `yaml:"refund"`
	Answers     Answers                      `yaml:"answers"`
	Rows        Rows                         `yaml:"rows"`
	Banks       map[string]*Bank             `yaml:"banks"` // dialects of the fake bank, by name
	Links       map[string]*Link             `yaml:"links"`
	Idempotency *Idempotency                 `yaml:"idempotency"` // the rules for keys that it promises
	Queue       Queue                        `yaml:"queue"`
	Log         Log                          `yaml:"log"`
	Promise     Promises                     `yaml:"promises"`
	Settle      Settle                       `yaml:"settle"`

	// Dir is the folder of the file, within which its relative paths are; "" for a bundled one.
	Dir string `yaml:"-"`
}

// Queue is what the service has at a broker. On a server that experiments share, every name gets a prefix.
type Queue struct {
	Topic     string   `yaml:"topic"`     // under which scenarios know the events of success
	Exchanges []string `yaml:"exchanges"` // that are removed behind an experiment; the topic is one of them
	Queues    []string `yaml:"queues"`    // that are removed behind an experiment
}

// Refund is how a client gives money of a payment back. Placeholders are those of a payment, refund for the id of the
// refund, and amount for what is given back.
type Refund struct {
	Submit *Request `yaml:"submit"`
	Query  *Request `yaml:"query"`
}

// Promises are what the service claims beyond the money invariants.
type Promises struct {
	RefusesOtherBody bool     `yaml:"refuses-other-body"`
	Effects          []string `yaml:"effects"`        // benefits that each SUCCESS brings exactly once
	RefundEffects    []string `yaml:"refund-effects"` // what each refund that is SUCCESS brings exactly once, under the refund's id
	Outcomes         bool     `yaml:"outcomes"`       // what scenarios expect beyond the money comes out
	Callbacks        bool     `yaml:"callbacks"`      // notifications change something only if they are authentic, fresh and fitting
}

// Settle bounds the wait for quiet. Both are real-life durations.
type Settle struct {
	Within decode.Duration `yaml:"within"` // bound of the wait
	Quiet  decode.Duration `yaml:"quiet"`  // how long everything must stand still
}

// Log says how a line of the service's log is read: a pattern with the groups order, trace, step and status.
type Log struct {
	Line    string `yaml:"line"`
	pattern *regexp.Regexp
}

// logGroups are the groups that a pattern of log lines may have.
var logGroups = []string{"order", "trace", "step", "status"}

// Validate compiles the pattern and checks the names of its groups.
func (l *Log) Validate() (err error) {
	if l.Line == "" {
		return nil
	}
	if l.pattern, err = regexp.Compile(l.Line); err != nil {
		return fmt.Errorf("log line pattern: %w", err)
	}
	for _, group := range l.pattern.SubexpNames() {
		if group != "" && !slices.Contains(logGroups, group) {
			return errors.New("log line pattern: " + decode.UnknownName("group", group, logGroups))
		}
	}
	return nil
}

// Parse reads one line of the log of a process.
func (l *Log) Parse(process, text string) history.LogLine {
	line := history.LogLine{Process: process, Text: text}
	if l.pattern == nil {
		return line
	}
	m := l.pattern.FindStringSubmatch(text)
	if m == nil {
		return line
	}
	into := map[string]*string{"order": &line.Order, "trace": &line.Trace, "step": &line.Step, "status": &line.Status}
	for i, group := range l.pattern.SubexpNames() {
		if p := into[group]; p != nil && m[i] != "-" {
			*p = m[i]
		}
	}
	return line
}

// Describe is what a history keeps of the target.
func (t *Target) Describe(mutant string) history.Target {
	return history.Target{
		Name: t.Name, Mutant: mutant, Rows: t.Rows.Read(), Effects: t.Rows.Effects != "",
		EffectKinds: t.Promise.Effects, RefusesOtherBody: t.Promise.RefusesOtherBody, RefundEffectKinds: t.Promise.RefundEffects,
		Refunds: t.Rows.Refunds != "", Events: t.Rows.Events != "", Surplus: t.Rows.Surplus != "", Callbacks: t.Promise.Callbacks,
		NoLedger: len(t.Banks) == 0 && t.Rows.Debits == nil, Balance: t.Rows.Balance != nil,
		OnlyPaid: t.Rows.All == "" && (t.Rows.Declined == nil || t.Rows.Pending == nil),
		Retries:  t.Answers.Retry,
	}
}

// Validate checks what no single field can know.
func (t *Target) Validate() error {
	switch {
	case t.Name == "":
		return errors.New("target: give the service a name")
	case !t.Rows.Read():
		return errors.New("rows: say how the payment rows are read, for example success: SELECT count(*) FROM payments WHERE key = :key AND status = 'PAID'; without them nothing can be proved")
	}
	t.complete()
	for _, check := range []func() error{t.Payment.Validate, t.checkProcesses, t.checkLinks, t.checkBanks, t.checkPlaceholders} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// How long a service of one's own is waited for where its file does not say.
const (
	usualSettle = 30 * time.Second
	usualQuiet  = time.Second

	usualCurrency = "USD"
)

// complete fills in what follows from the rest.
func (t *Target) complete() {
	if t.Payment.Poll != nil {
		t.Payment.Query = t.Payment.Poll
	}
	if t.Payment.Settle != nil {
		t.Settle = *t.Payment.Settle
	}
	if t.Settle.Within == 0 {
		t.Settle.Within = decode.Duration(usualSettle)
	}
	if t.Settle.Quiet == 0 {
		t.Settle.Quiet = decode.Duration(usualQuiet)
	}
	if len(t.Answers.Means) == 0 {
		t.Answers.Means = t.Payment.meanings()
	}
	for _, bank := range t.Banks {
		if bank != nil {
			bank.inCurrency(t.Currency())
		}
	}
}

// Currency is that of payments of which neither the file nor a scenario says another.
func (t *Target) Currency() string {
	return cmp.Or(t.Payment.Currency, t.Vars["currency"], usualCurrency)
}

// constants are the values that hold for every payment of the usual caller.
func (t *Target) constants() Vars {
	out := Vars{}
	for name, value := range t.Vars {
		out[name] = value
	}
	return out
}

// ReadFile reads a target from a file.
func ReadFile(file string) (*Target, error) {
	data, err := decode.ReadFile("target", file)
	if err != nil {
		return nil, err
	}
	t, err := Load(file, data)
	if err != nil {
		return nil, err
	}
	if t.Dir, err = filepath.Abs(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("reading target: %w", err)
	}
	return t, nil
}

// Load reads a target from the text of a file.
func Load(name string, data []byte) (*Target, error) {
	f, err := decode.Parse(name, data)
	if err != nil {
		return nil, err
	}
	t := &Target{}
	if err := f.Into(t); err != nil {
		return nil, err
	}
	return t, nil
}

// Text is the text of one of the targets that this binary brings along.
func Text(name string) ([]byte, error) {
	data, err := bundled.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no bundled target %q", name)
	}
	return data, nil
}

// Bundled reads one of the targets that this binary brings along.
func Bundled(name string) (*Target, error) {
	data, err := Text(name)
	if err != nil {
		return nil, err
	}
	return Load(name+".yaml", data)
}
