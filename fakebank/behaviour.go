package fakebank

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Kind is a kind of behaviour that can be armed through the control API.
type Kind struct {
	Name string
	Doc  string   // what it does, in one sentence
	Ops  []string // requests that it can be armed on: debit, query and the like

	fields []string // its own parameters
	build  func(raw []byte) (effect, error)
}

// Fields are the names of the kind's own parameters in JSON.
func (k *Kind) Fields() []string { return slices.Clone(k.fields) }

// effect is what an armed behaviour does to the requests that it decides. Each part may be nil.
type effect struct {
	instead func(*exchange) Answer  // answered instead of acting
	rule    func(*ruling)           // bends what is decided
	answer  func(*exchange, Answer) // what becomes of the answer, once the bank has acted
}

var (
	kinds    = map[string]*Kind{}
	everyOp  = []string{OpDebit, OpQuery, OpClose, OpRefund, OpHold, OpCapture, OpOpen, OpOther}
	moneyOps = []string{OpDebit, OpRefund, OpHold, OpCapture}
)

// register makes a kind of behaviour known. It panics on an empty or doubled name, which is a mistake in this package.
func register[P any](k Kind, build func(P) (effect, error)) *Kind {
	if k.Name == "" || k.Doc == "" || len(k.Ops) == 0 {
		panic(fmt.Sprintf("behaviour %q: name, doc and ops must be set", k.Name))
	}
	if kinds[k.Name] != nil {
		panic(fmt.Sprintf("behaviour %q is registered twice", k.Name))
	}
	k.fields = jsonFields(reflect.TypeFor[P]())
	k.build = func(raw []byte) (effect, error) {
		var params P
		if err := decodeStrict(raw, &params, commonFields...); err != nil {
			return effect{}, err
		}
		return build(params)
	}
	kinds[k.Name] = &k
	return &k
}

// Kinds are the kinds of behaviour, by name.
func Kinds() []*Kind {
	out := make([]*Kind, 0, len(kinds))
	for _, name := range sortedKeys(kinds) {
		out = append(out, kinds[name])
	}
	return out
}

// conditions say which requests a behaviour decides.
type conditions struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	On      string `json:"on"`
	Nth     int    `json:"nth"`
	Count   int    `json:"count"`
	Account string `json:"account"`
}

var commonFields = jsonFields(reflect.TypeFor[conditions]())

// readBehaviour understands a request to arm one. Errors name the nearest valid word.
func readBehaviour(body []byte) (conditions, *Kind, effect, error) {
	c := conditions{On: OpDebit, Nth: 1}
	fail := func(err error) (conditions, *Kind, effect, error) { return c, nil, effect{}, err }
	if err := DecodeObject(body, &c); err != nil {
		return fail(err)
	}
	kind, known := kinds[c.Kind]
	if !known {
		names := sortedKeys(kinds)
		return fail(fmt.Errorf("unknown kind %q: use %s%s", c.Kind, strings.Join(names, ", "), nearest(c.Kind, names)))
	}
	ops := append(slices.Clone(kind.Ops), "any")
	switch {
	case !slices.Contains(ops, c.On):
		return fail(fmt.Errorf("%s: on %q: use %s%s", c.Kind, c.On, strings.Join(ops, ", "), nearest(c.On, ops)))
	case c.Nth < 1:
		return fail(fmt.Errorf("%s: nth %d: requests are counted from 1", c.Kind, c.Nth))
	case c.Count < 0:
		return fail(fmt.Errorf("%s: count %d: use 0 for all, or how many", c.Kind, c.Count))
	}
	e, err := kind.build(body)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", c.Kind, err))
	}
	return c, kind, e, nil
}

// matches says whether a request counts for the behaviour at all.
func (a *armed) matches(c Call) bool {
	captured := a.on == OpDebit && c.Op == OpCapture
	if a.on != "any" && a.on != c.Op && !captured {
		return false
	}
	return slices.Contains(a.kind.Ops, c.Op) && (a.account == "" || a.account == c.Account)
}
