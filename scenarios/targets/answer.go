package targets

import (
	"fmt"
	"slices"

	"onedebit/scenarios/history"
)

// Answers say what a client may conclude from the service's answers.
type Answers struct {
	Code  string    `yaml:"code"`  // path to the code, such as body.code
	State string    `yaml:"state"` // path to the state of the payment
	ID    string    `yaml:"id"`    // path to the service's own id of the payment
	Means []Meaning `yaml:"means"`
	Retry []int     `yaml:"retry"` // HTTP status codes of refusals that a client tries again
}

// Meaning is one rule: what an answer means that has one of these status codes, codes and states.
// An empty list fits anything.
type Meaning struct {
	HTTP  []int               `yaml:"http"`
	Code  []string            `yaml:"code"`
	State []string            `yaml:"state"`
	At    map[string][]string `yaml:"at"` // words at paths such as body.result
	Means history.Outcome     `yaml:"means"`
}

// Validate checks the outcome's name.
func (m *Meaning) Validate() error {
	valid := []history.Outcome{history.Confirmed, history.Declined, history.Pending, history.Refused, history.Unknown}
	if !slices.Contains(valid, m.Means) {
		return fmt.Errorf("means: %q is none of %v", m.Means, valid)
	}
	return nil
}

// Read fills in what an answer says. Any answer that no rule fits is Unknown: a client can conclude nothing from it.
func (a *Answers) Read(r *Reply, states map[string]string, into *history.Attempt) {
	into.HTTP = r.HTTP
	into.Code, into.PaymentID = r.At(a.Code), r.At(a.ID)
	state := r.At(a.State)
	into.State = normalise(state, states)
	into.Outcome = history.Unknown
	for _, m := range a.Means {
		if fits(m.HTTP, r.HTTP) && fits(m.Code, into.Code) && fits(m.State, state) && m.fits(r) {
			into.Outcome = m.Means
			return
		}
	}
}

// Again says whether a client tries again after this attempt.
func (a *Answers) Again(at *history.Attempt) bool {
	return at.Outcome == history.Unknown || at.Outcome == history.Refused && slices.Contains(a.Retry, at.HTTP)
}

// fits says whether an answer has one of the words at each path.
func (m *Meaning) fits(r *Reply) bool {
	for path, words := range m.At {
		if !slices.Contains(words, r.At(path)) {
			return false
		}
	}
	return true
}

func fits[T comparable](valid []T, v T) bool { return len(valid) == 0 || slices.Contains(valid, v) }

func normalise(raw string, states map[string]string) string {
	if s, ok := states[raw]; ok {
		return s
	}
	return raw
}
