// Package scenarios holds the scenario file format, the built-in catalogue, and Run.
//
// A scenario is a schedule of steps and faults with the outcome expected, in YAML. The built-in ones are written in the
// format that users write. One experiment carries one scenario out once, on a stack of its own:
//
//	up → probe → drive → heal → settle → observe → judge
//
// and all that is observed goes into one history, from which alone the verdict comes.
package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"onedebit/scenarios/checks"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/workload"
)

// Scenario is one scenario.
type Scenario struct {
	Name      string                          `yaml:"name"`
	Title     string                          `yaml:"title"`
	Family    string                          `yaml:"family"`    // of a built-in one: its folder
	From      []string                        `yaml:"from"`      // incidents, reports or requirements that it stands for
	Kills     []string                        `yaml:"kills"`     // mutants that it kills
	Proves    []string                        `yaml:"proves"`    // checks that must have had something to see; else it is inconclusive
	Needs     []string                        `yaml:"needs"`     // links and abilities that it needs beyond those that its steps name
	Instances int                             `yaml:"instances"` // processes of the service on one database; 1 where not given
	Bank      stack.BankSetup                 `yaml:"bank"`
	Payment   workload.PaymentSpec            `yaml:"payment"`
	Payments  map[string]workload.PaymentSpec `yaml:"payments"` // single ones by their labels, where they differ from payment
	Steps     []workload.Step                 `yaml:"steps"`
	Expect    *Expect                         `yaml:"expect"`    // of every payment of the scenario
	ExpectOf  map[string]*Expect              `yaml:"expect-of"` // of one payment by its label, in place of expect

	Source string `yaml:"-"` // the text it was read from
	File   string `yaml:"-"` // where it was read from; "" for a built-in one

	file    string // how mistakes in it are placed
	base    string // its name without the variant, where it is one
	variant Variant
	flags   string // by which a command repeats the variant
}

// Expect is what must come out for a payment beyond the invariants, which always hold.
type Expect struct {
	Status   []string `yaml:"status"`
	Debits   *int     `yaml:"debits"`
	Declined bool     `yaml:"declined"`
	Alarms   *int     `yaml:"alarms"`
	Logged   []string `yaml:"logged"`
	Requests *int     `yaml:"requests"`
	Refunded *int64   `yaml:"refunded"`
}

func (e *Expect) forHistory() *history.Expect {
	if e == nil {
		return nil
	}
	return &history.Expect{
		Status: e.Status, Debits: e.Debits, Declined: e.Declined, Alarms: e.Alarms, Logged: e.Logged, Requests: e.Requests, Refunded: e.Refunded,
	}
}

// Validate checks the states' names.
func (e *Expect) Validate() error {
	for name, n := range map[string]*int{"debits": e.Debits, "alarms": e.Alarms, "requests": e.Requests} {
		if n != nil && *n < 0 {
			return fmt.Errorf("%s: %d of something cannot come out", name, *n)
		}
	}
	if e.Declined && e.Debits != nil && *e.Debits > 0 {
		return errors.New("declined: a payment that the bank declined leaves no debit, and debits: expects some")
	}
	for _, s := range e.Status {
		if !slices.Contains(history.States, s) {
			return errors.New(decode.UnknownName("status", s, history.States))
		}
	}
	return nil
}

// maxInstances bounds the processes of the service: two are enough for every race between them.
const maxInstances = 2

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate checks what no single field can know.
func (s *Scenario) Validate() error {
	switch {
	case !nameForm.MatchString(s.Name):
		return fmt.Errorf("name: %q is not a name of lower-case words joined by -", s.Name)
	case s.Title == "":
		return errors.New("title: say in one sentence what happens")
	case len(s.Steps) == 0:
		return errors.New("steps: there are none")
	case s.Instances < 0 || s.Instances > maxInstances:
		return fmt.Errorf("instances: from 1 to %d", maxInstances)
	}
	return nil
}

// names checks the names at the top: each error is at the key that is wrong.
func (s *Scenario) names(f *decode.File) error {
	for _, need := range s.Needs {
		if err := neededName(need); err != nil {
			return f.Errorf(f.Key("needs"), "needs: %s", err)
		}
	}
	var valid []string
	for _, c := range checks.All() {
		valid = append(valid, c.Name)
	}
	for _, name := range s.Proves {
		if !slices.Contains(valid, name) {
			return f.Errorf(f.Key("proves"), "proves: %s", decode.UnknownName("check", name, valid))
		}
	}
	return nil
}

// At places a mistake at a key of the scenario's file.
func (s *Scenario) At(err error, key ...string) error {
	f, perr := decode.Parse(s.file, []byte(s.Source))
	if perr != nil {
		return perr
	}
	return f.Errorf(f.Key(key...), "%s", err)
}

// ReadFile reads a scenario from a file.
func ReadFile(path string) (*Scenario, error) {
	data, err := decode.ReadFile("scenario", path)
	if err != nil {
		return nil, err
	}
	return Load(path, data)
}

// Load reads a scenario from the text of a file.
func Load(file string, data []byte) (*Scenario, error) {
	f, err := decode.Parse(file, data)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Source: string(data), file: file}
	if err := f.Into(s); err != nil {
		return nil, err
	}
	if err := errors.Join(s.names(f), s.schedule(f)); err != nil {
		return nil, err
	}
	if s.Family == "" {
		s.Family = "own"
	}
	return s, nil
}

// expect is what must come out for the payment of a label.
func (s *Scenario) expect(label string) *history.Expect {
	if e, ok := s.ExpectOf[label]; ok {
		return e.forHistory()
	}
	return s.Expect.forHistory()
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+-]+$`)

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// argument is what is typed to run this scenario again.
func (s *Scenario) argument() string {
	if s.File != "" {
		return quoted(s.File)
	}
	return cmp.Or(s.base, s.Name)
}
