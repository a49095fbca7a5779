package scenarios

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference/mutants"
	"onedebit/scenarios/checks"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

func TestCatalog(t *testing.T) {
	all, err := Catalog()
	require.NoError(t, err)
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 24)
	row := regexp.MustCompile(`^([A-Z]\d+|S\d+)$`)
	names := map[string]bool{}
	for _, s := range all {
		t.Run(s.Family+"/"+s.Name, func(t *testing.T) {
			assert.False(t, names[s.Name], "two scenarios of one name")
			names[s.Name] = true
			require.NotEmpty(t, s.From, "say which incident or report it stands for")
			require.NotEmpty(t, s.Proves, "say which checks must have had something to see")
			assert.True(t, slices.ContainsFunc(s.From, row.MatchString), "from: no row of the requirements")
			assert.NotNil(t, s.Expect, "say what must come out")
			run := &Options{Runtime: stack.Embedded, Target: target, Servers: stack.Servers{DB: "postgres://"}}
			inContainers := slices.ContainsFunc([]string{stack.Packets, stack.RestartDB, stack.RestartQueue}, func(a string) bool { return slices.Contains(s.Needed(), a) })
			if inContainers {
				assert.Contains(t, run.missing(s), "runtime embedded has not", "it is for containers alone, and says why")
			} else {
				assert.Empty(t, run.missing(s), "the embedded runtime with a database server can carry it out")
			}
			assert.NoError(t, s.Fits(target))
			for _, name := range s.Kills {
				m, ok := mutants.Named(name)
				require.True(t, ok, "no mutant %s", name)
				if m.Scenario == s.Name { // others may kill it too, by whatever check comes first there
					assert.Contains(t, append(s.Proves, "as-expected"), m.Check, "proves: the check that kills %s", name)
				}
			}
		})
	}
}

func TestMutantsAndTheirKillersNameEachOther(t *testing.T) {
	all, err := Catalog()
	require.NoError(t, err)
	killers := map[string]bool{}
	for _, m := range mutants.All() {
		i := slices.IndexFunc(all, func(s *Scenario) bool { return s.Name == m.Scenario })
		if assert.GreaterOrEqual(t, i, 0, "mutant %s: no scenario %s", m.Name, m.Scenario) {
			assert.Contains(t, all[i].Kills, m.Name, "scenario %s does not say that it kills", m.Scenario)
		}
		_, ok := checks.Named(m.Check)
		assert.True(t, ok, "mutant %s: no check %s", m.Name, m.Check)
		assert.NotEmpty(t, m.Doc, m.Name)
		assert.NotEmpty(t, m.Sources, m.Name)
		killers[m.Check] = true
	}
	ofTheExperiment := []string{"fault-was-felt", "as-expected"}
	for _, c := range checks.All() {
		if slices.Contains(ofTheExperiment, c.Name) {
			assert.Empty(t, c.Invariant, c.Name)
			continue
		}
		assert.NotEmpty(t, c.Invariant, c.Name)
		assert.NotEmpty(t, c.Cause, c.Name)
		assert.True(t, killers[c.Name], "check %s kills no mutant: nothing proves that it sees", c.Name)
	}
}

// What the lists show as an example can be copied into a scenario.
func TestExamplesOfKindsCanBeCopied(t *testing.T) {
	named := map[string]string{"held": "  - fault: {hold: {link: bank}, as: held}\n", "lost": "  - fault: {hold: {link: bank}, as: lost}\n"} // what some examples call
	const paid = "  - pay: {}\n  - pay: {of: B}\n  - refund: {amount: 1}\n"                                                                  // that some examples are about
	for _, k := range workload.Kinds() {
		before := paid
		for name, step := range named {
			if !strings.Contains(k.Example, "as: "+name) {
				before += step
			}
		}
		_, err := Load(k.Name, []byte("name: example\ntitle: copied\nsteps:\n"+before+"  - "+k.Example+"\n"))
		assert.NoError(t, err)
	}
	for _, k := range faults.Kinds() {
		_, err := Load(k.Name, []byte("name: example\ntitle: copied\nsteps:\n"+paid+"  - fault: {"+k.Example+"}\n"))
		assert.NoError(t, err)
	}
}

func namesOf(list []*Scenario) (out []string) {
	for _, s := range list {
		out = append(out, s.Name)
	}
	return out
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	own := file("own.yaml", "name: own-one\ntitle: mine\nsteps: [{pay: {}}]\n")
	yml := file("own.yml", "name: own-two\ntitle: mine too\nsteps: [{pay: {}}]\n")
	twin := file("twin.yaml", "name: bank-latency\ntitle: mine\nsteps: [{pay: {}}]\n")
	broken := file("broken.yaml", "name: broken\ntitle: x\nstpes: []\n")
	all, err := Catalog()
	require.NoError(t, err)
	var crash []string
	for _, s := range all {
		if s.Family == "crash" {
			crash = append(crash, s.Name)
		}
	}
	require.Subset(t, crash, []string{"kill-after-debit", "kill-before-debit", "restart-then-again"})

	for name, c := range map[string]struct {
		ask, want []string
		err       string
	}{
		"nothing is everything":   {nil, namesOf(all), ""},
		"a name":                  {[]string{"bank-latency"}, []string{"bank-latency"}, ""},
		"with its family":         {[]string{"bank/bank-latency"}, []string{"bank-latency"}, ""},
		"a family":                {[]string{"crash"}, crash, ""},
		"a family as a folder":    {[]string{"crash/"}, crash, ""},
		"in the order asked":      {[]string{"twin-notifications", "bank-latency"}, []string{"twin-notifications", "bank-latency"}, ""},
		"twice is once":           {[]string{crash[0], "crash", crash[0]}, crash, ""},
		"files":                   {[]string{own, yml, own}, []string{"own-one", "own-two"}, ""},
		"a file in place of ours": {[]string{twin}, []string{"bank-latency"}, ""},
		"two of one name":         {[]string{"bank-latency", twin}, nil, `another scenario that is to run is named "bank-latency" too`},
		"wrong family":            {[]string{"crash/bank-latency"}, nil, "unknown scenario"},
		"a slip":                  {[]string{"bank-latancy"}, nil, `did you mean "bank-latency"?`},
		"a slip in a family":      {[]string{"callbak"}, nil, `did you mean "callback"?`},
		"one wrong of two":        {[]string{"bank-latency", "nothing-of-the-kind"}, nil, "nothing-of-the-kind"},
		"no such file":            {[]string{filepath.Join(dir, "absent.yaml")}, nil, "absent.yaml"},
		"a folder":                {[]string{dir}, nil, "ends in .yaml or .yml"},
		"a broken file":           {[]string{broken}, nil, "broken.yaml:3:1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Find(c.ask)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				assert.Empty(t, got)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, namesOf(got))
		})
	}
	got, err := Find([]string{own, "bank-latency"})
	require.NoError(t, err)
	assert.Equal(t, own, got[0].argument(), "a file of one's own is named by its path where it is to be run again")
	assert.Equal(t, "bank-latency", got[1].argument())
	_, err = Find([]string{"nothing-of-the-kind"})
	assert.ErrorIs(t, err, ErrNoScenario)
}

func TestLoadRefuses(t *testing.T) {
	const head = "name: x\ntitle: y\n"
	const steps = "steps:\n  - pay: {}\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":                      {"", "f.yaml"},
		"not YAML":                   {"name: [", "f.yaml:"},
		"no name":                    {"title: y\n" + steps, "name"},
		"a name with a path in it":   {"name: ../x\ntitle: y\n" + steps, "lower-case words"},
		"a name in capitals":         {"name: Xy\ntitle: y\n" + steps, "lower-case words"},
		"no title":                   {"name: x\n" + steps, "title: say in one sentence"},
		"no steps":                   {head, "steps: there are none"},
		"unknown key":                {head + "stepps: []\n" + steps, `"steps"`},
		"unknown step":               {head + "steps:\n  - querry: {}\n", `"query"`},
		"unknown fault":              {head + "steps:\n  - fault: {lost-anser: {link: bank}}\n", `"lost-answer"`},
		"unknown parameter":          {head + "steps:\n  - pay: {of: A, same-kye: true}\n", `"same-key"`},
		"two kinds in one step":      {head + "steps:\n  - pay: {}\n    query: {}\n", "one step, two kinds"},
		"unknown link of a fault":    {head + "steps:\n  - fault: {lost-answer: {link: bankk}}\n", `f.yaml:4:5: fault: unknown link or ability "bankk"; did you mean "bank"?`},
		"two faults of one name":     {head + "steps:\n  - fault: {bank-accept: {}, as: a}\n  - together:\n      - fault: {bank-slow: {by: 1s}, as: a}\n", `f.yaml:6:9: fault: as: two faults are called "a"`},
		"a fault never put in force": {head + "steps:\n  - fault: {bank-accept: {}, as: one}\n  - heal: on\n", `f.yaml:5:5: heal: unknown fault "on"; did you mean "one"?`},
		"refund of nobody":           {head + steps + "  - refund: {of: B}\n", `f.yaml:5:5: refund: unknown payment "B"; valid are: A; a payment begins with its first pay step`},
		"callback of nobody":         {head + "steps:\n  - callback: {of: B1}\n  - pay: {of: B1}\n", `f.yaml:4:5: callback: unknown payment "B1"; none is valid here; a payment begins`},
		"row of nobody":              {head + "steps:\n  - pay: {of: order}\n  - await: {row: SUCCESS, of: ordr}\n", `f.yaml:5:5: await: unknown payment "ordr"; did you mean "order"?`},
		"closing of nobody":          {head + steps + "  - close-order: {of: B}\n", "f.yaml:5:5: close-order: unknown payment"},
		"appeal of nobody":           {head + steps + "  - appeal: {of: B}\n", "f.yaml:5:5: appeal: unknown payment"},
		"settlement of nobody":       {head + steps + "  - bank-settles: {of: B}\n", "f.yaml:5:5: bank-settles: unknown payment"},
		"replay of nobody":           {head + steps + "  - during: {fault: {queue-replay: {topic: t, of: B}}, steps: [join]}\n", "f.yaml:5:5: during: unknown payment"},
		"the key of nobody":          {head + steps + "  - pay: {of: B, key-of: C}\n", `f.yaml:5:5: pay: unknown payment with an idempotency key "C"`},
		"no key to use again":        {head + "steps:\n  - pay: {omit-key: true}\n  - pay: {same-key: true}\n", `f.yaml:5:5: pay: unknown payment with an idempotency key "A"`},
		"no key for a burst":         {head + "steps:\n  - burst: {copies: 2, same-key: true}\n", `f.yaml:4:5: burst: unknown payment with an idempotency key "A"`},
		"a query of no refund":       {head + steps + "  - refund: {id: one}\n  - query: {refund: on}\n", `f.yaml:6:5: query: unknown refund of payment A "on"; did you mean "one"?`},
		"unknown ability needed":     {head + steps + "needs: [db, foo]\n", `f.yaml:5:1: needs: unknown link or ability "foo"; valid are: appeal, bank, bank-pending, bank-query,`},
		"unknown check on its line":  {head + steps + "proves: [one-debitt]\n", `f.yaml:5:1: proves: unknown check`},
		"zero instances":             {head + "instances: 0\n" + steps, `f.yaml:3:12: expected a whole number from 1, found "0"`},
		"zero amount":                {head + steps + "  - refund: {amount: 0}\n", `f.yaml:5:22: expected a whole number from 1, found "0"`},
		"expected of nobody":         {head + "steps:\n  - pay: {of: B1}\nexpect-of:\n  B2: {debits: 0}\n", `f.yaml:6:3: unknown payment "B2"; did you mean "B1"?`},
		"a payment of nobody":        {head + "steps:\n  - pay: {of: B1}\npayments: {B2: {amount: 7}}\n", `f.yaml:5:12: unknown payment "B2"; did you mean "B1"?`},
		"too many instances":         {head + "instances: 3\n" + steps, "instances: from 1 to 2"},
		"unknown link needed":        {head + "needs: [cahce]\n" + steps, `"cache"`},
		"unknown link within steps":  {head + "steps:\n  - together:\n      - fault: {link-down: {link: queeu}}\n", `"queue"`},
		"unknown check":              {head + "proves: [one-debitt]\n" + steps, `"one-debit"`},
		"unknown status":             {head + "expect: {status: SUCESS}\n" + steps, `"SUCCESS"`},
		"unknown status of one":      {head + "expect-of: {B: {status: [FAILD]}}\n" + steps, `"FAILED"`},
		"unknown mode of the bank":   {head + "bank: {mode: naif}\n" + steps, "dedupe, refuse, naive"},
		"negative amount":            {head + "payment: {amount: -1}\n" + steps, "amount: from 1 to 9007199254740991"},
		"amount with decimals":       {head + "payment: {amount: 5.00}\n" + steps, "f.yaml:3:"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Load("f.yaml", []byte(c.text))
			require.Error(t, err)
			assert.Nil(t, s, "nothing is half-read")
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), "f.yaml")
			var placed *decode.Error
			assert.ErrorAs(t, err, &placed)
		})
	}
}

func TestLoad(t *testing.T) {
	text := `
name: own
title: mine
needs: [db, bank]
steps:
  - during:
      fault: {link-down: {link: cache}}
      steps: [{pay: {}}]
  - together: [{pay: {of: B}}, {fault: {kill: {link: callback, message: callback}}}]
expect: {status: SUCCESS, debits: 1}
expect-of: {B: {debits: 0}}
`
	s := written(t, text)
	assert.Equal(t, "own", s.Family)
	assert.Equal(t, text, s.Source)
	assert.Equal(t, []string{"bank", "cache", "callback", "db"}, s.Needed(), "needed and of faults, wherever they stand")
	assert.Equal(t, 1, *s.expect("A").Debits)
	assert.Equal(t, []string{"SUCCESS"}, s.expect("A").Status)
	assert.Equal(t, 0, *s.expect("B").Debits)
	assert.Empty(t, s.expect("B").Status, "in place of expect, not on top of it")
}

func TestFits(t *testing.T) {
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	for name, c := range map[string]struct{ message, want string }{
		"a name":                  {"debit", ""},
		"a slip":                  {"debt", `f.yaml:5:9: fault: message: unknown message of link bank "debt"; did you mean "debit"?`},
		"one of two":              {"[debit, qery]", `f.yaml:5:9: fault: message: unknown message of link bank "qery"; did you mean "query"?`},
		"a pattern":               {"'*'", ""},
		"a label":                 {"POST /v1/debits", ""},
		"a label of another kind": {"SET", `unknown message of link bank "SET"; did you mean "GET"?`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Load("f.yaml", []byte("name: x\ntitle: y\nsteps:\n  - together:\n      - fault: {delay: {link: bank, message: "+c.message+", by: 1s}}\n"))
			require.NoError(t, err)
			err = s.Fits(target)
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestFitsByProcess(t *testing.T) {
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	for _, step := range []string{"restart: {process: servce}", "fault: {kill: {process: servce}}", "fault: {pause: {process: servce}}"} {
		text := "name: x\ntitle: y\nsteps:\n  - " + step + "\n"
		s, err := Load("f.yaml", []byte(text))
		require.NoError(t, err)
		s.File = "f.yaml"
		assert.ErrorContains(t, s.Fits(target), `unknown process "servce"; did you mean "service"?`, step)
		s, err = Load("f.yaml", []byte(strings.Replace(text, "servce", "service", 1)))
		require.NoError(t, err)
		assert.NoError(t, s.Fits(target), step)
	}
}

func TestFitsInEveryWord(t *testing.T) {
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	const head, pay = "name: x\ntitle: y\n", "steps:\n  - pay: {}\n"
	db := func(message string) string {
		return head + pay + "  - fault: {refuse: {link: db, message: " + message + ", count: 1}}\n"
	}
	queue := func(message string) string {
		return head + pay + "  - fault: {lost-request: {link: queue, message: " + message + "}}\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"channel":             {head + "payment: {channel: WECHT}\n" + pay, `f.yaml:3:11: unknown channel "WECHT"; did you mean "WECHAT"?`},
		"channel of one":      {head + "payments:\n  A: {channel: FOO}\n" + pay, `f.yaml:4:7: unknown channel "FOO"; valid are: ALIPAY, BANK, WECHAT`},
		"channel of a submit": {head + pay + "  - pay: {channel: BNK}\n", `f.yaml:5:5: pay: unknown channel "BNK"; did you mean "BANK"?`},
		"topic":               {head + pay + "  - fault: {queue-replay: {topic: pay.sucess}}\n", `f.yaml:5:5: fault: unknown topic "pay.sucess"; did you mean "pay.success"?`},
		"verb":                {db("INSRT outbox_event"), `f.yaml:5:5: fault: message: unknown message of link db "INSRT"; did you mean "INSERT"?`},
		"table":               {db("INSERT outbox_evnt"), `f.yaml:5:5: fault: message: unknown table "outbox_evnt"; did you mean "outbox_event"?`},
		"tables by a pattern": {db("'INSERT outbux*'"), `unknown table "outbux*"`},
		"AMQP":                {queue("basic.akc"), `unknown message of link queue "basic.akc"; did you mean "basic.ack"?`},
		"Kafka by a pattern":  {queue("OffsetComit*"), `unknown message of link queue "OffsetComit"; did you mean "OffsetCommit"?`},

		"a table":              {db("INSERT outbox_event"), ""},
		"some tables":          {db("'INSERT outbox*'"), ""},
		"some verbs":           {db("'* outbox_event'"), ""},
		"the end":              {db("COMMIT"), ""},
		"by its name":          {db("commit"), ""},
		"some requests":        {queue("'OffsetCommit*'"), ""},
		"any ack":              {queue("'*ack'"), ""},
		"a command of a cache": {head + pay + "  - fault: {delay: {link: cache, message: MSET, by: 1s}}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Load("f.yaml", []byte(c.text))
			require.NoError(t, err)
			err = s.Fits(target)
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
			var placed *decode.Error
			assert.ErrorAs(t, err, &placed)
		})
	}
	for _, link := range links {
		for _, word := range stack.Words(link) {
			assert.NotEmpty(t, word, link)
		}
	}
}

func TestPlan(t *testing.T) {
	a, b := &Scenario{Name: "a", Family: "f"}, &Scenario{Name: "b", Family: "f"}
	assert.Equal(t, []Job{{a, 1, ""}, {b, 1, ""}, {a, 2, ""}, {b, 2, ""}}, Plan([]*Scenario{a, b}, 2, ""), "every scenario once before any twice")
	assert.Equal(t, []Job{{a, 1, "m"}}, Plan([]*Scenario{a}, 0, "m"), "at least once")
	assert.Empty(t, Plan(nil, 3, ""))
	for want, j := range map[string]Job{"f/a": {a, 1, ""}, "f/a × m": {a, 1, "m"}, "f/a × m #3": {a, 3, "m"}} {
		assert.Equal(t, want, j.String())
	}
	for want, j := range map[string]Job{"a.jsonl": {a, 1, ""}, "a.m.jsonl": {a, 1, "m"}, "a.m.3.jsonl": {a, 3, "m"}, "a.2.jsonl": {a, 2, ""}} {
		assert.Equal(t, filepath.Join("history", want), j.file())
	}
}
