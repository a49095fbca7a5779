// Package checks holds the invariants, one file each. A check is a value and a pure function of a history: it sees
// nothing else, changes nothing, and can be run again on a saved history.
//
// Every check follows one rule above all: no evidence, no pass. What could not be seen makes a check inconclusive, and
// what does not apply to the experiment makes it not applicable; neither is ever a pass.
package checks

import (
	"fmt"
	"sync"

	"onedebit/scenarios/history"
	"onedebit/scenarios/registry"
)

// Status is what a check says of a history.
type Status string

// The statuses. NotApplicable says that the history holds nothing of the kind that the check is about,
// for example no key that came back with another body.
const (
	Pass          Status = "pass"
	Fail          Status = "fail"
	Inconclusive  Status = "inconclusive"
	NotApplicable Status = "not applicable"
)

// Finding is one broken invariant.
type Finding struct {
	Order    string   // the payment
	Message  string   // the contradiction in plain words, for somebody who has never seen onedebit
	Evidence []string // the observations that make it, in time order
}

// Result is the outcome of one check.
type Result struct {
	Status   Status
	Reason   string // why it is inconclusive or not applicable
	Findings []Finding
}

// Check is one invariant.
type Check struct {
	Name      string // kebab-case; the file has the same name with underscores
	Invariant string // I1 to I15, or empty for a check of the experiment itself
	Doc       string // one sentence: what must hold
	Cause     string // the usual cause in a service where it does not hold
	judge     func(*view) Result
}

var registered = registry.New("check", func(c *Check) string { return c.Name })

func register(c Check) *Check { return registered.Add(c, c.Doc != "" && c.judge != nil) }

// All are the checks, by name.
func All() []*Check { return registered.All() }

// Named finds a check by its name.
func Named(name string) (*Check, bool) { return registered.Named(name) }

// Run judges a history.
func (c *Check) Run(h *history.History) Result { return c.run(sorted(h)) }

// RunAll judges a history by all checks, in the order of All. It sorts the history once for all of them.
func RunAll(h *history.History) []Result {
	v := sorted(h)
	var out []Result
	for _, c := range All() {
		out = append(out, c.run(v))
	}
	return out
}

// sorted is the view of a history. A mistake in making it is one of each check: it is made again where it is needed.
func sorted(h *history.History) func() *view { return sync.OnceValue(func() *view { return look(h) }) }

// run judges what was seen. A check that panics is inconclusive: a mistake of ours is never the target's.
func (c *Check) run(v func() *view) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res = Result{Status: Inconclusive, Reason: fmt.Sprintf("the check itself failed: %v", p)}
		}
	}()
	res = c.judge(v())
	if len(res.Findings) > 0 {
		res.Status = Fail
	}
	if res.Status == "" {
		return Result{Status: Inconclusive, Reason: "the check gave no answer"}
	}
	return res
}
