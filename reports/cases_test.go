package reports

import (
	"fmt"
	"strings"
	"time"
)

// base is what every case starts from.
func base() *Document {
	return &Document{
		Version: Version, Tool: Tool{Name: "onedebit", Version: "v0.3.0 (a1b2c3d)"},
		Command: "run --target onedebit.yaml --seed 8841723", Started: time.Date(2026, 11, 29, 17, 40, 0, 0, time.UTC),
		DurationMS: 11_240, Seed: 8841723, Speed: 20, Repeat: 1, Runtime: "embedded", Target: "my-payments", Clean: 3,
	}
}

// finish counts, as a run does.
func finish(d *Document) *Document {
	d.Summary, d.Verdict = Summarise(d.Scenarios)
	return d
}

func passed(family, name string) Scenario {
	return Scenario{
		Name: name, Family: family, Title: "The title of " + name, Trial: 1, Verdict: Pass, DurationMS: 240, UpMS: 100, Payments: 1,
		Retold:    []Order{{Order: "O-1", Amount: 500, Currency: "CNY", Timeline: []Event{{AtMS: 10, Lane: LaneClient, Who: "client → service", What: "pay ¥5.00"}}}},
		States:    []Moment{{AtMS: 20, States: map[string]int{"PROCESSING": 1}}, {AtMS: 40, States: map[string]int{"SUCCESS": 1}}},
		Faults:    []Fault{{Name: "lost", Kind: "lost-answer", Text: "the answer to debit 1 is dropped", Armed: 1, Fired: 1}},
		Checks:    []Check{{Name: "one-debit", Invariant: "I1", Verdict: Pass}, {Name: "refunds-bounded", Invariant: "I7", Verdict: Skipped, Reason: "no refund"}},
		Reproduce: "onedebit run " + name + " --seed 8841723",
	}
}

func doubleDebit() Scenario {
	s := passed("bank", "bank-answer-lost")
	s.Title = "The bank debits, its answer is lost, the client pays again"
	s.Retold = nil
	s.Verdict, s.History = Fail, "history/bank-answer-lost-1.jsonl"
	s.Checks = []Check{
		{Name: "debits-accounted", Invariant: "I15", Verdict: Fail, Findings: []Finding{{Payment: "O-17", Message: "no row knows the debit T-9f01"}}},
		{Name: "one-debit", Invariant: "I1", Verdict: Fail, Cause: "the trade number is made when sending, not stored before",
			Findings: []Finding{{Payment: "O-17", Message: "The bank holds 2 debits of ¥5.00 for order O-17; the service has 1 SUCCESS row.",
				Evidence: []string{"12.031 s debit ¥5.00 T-9f01", "13.206 s debit ¥5.00 T-a772"}}}},
	}
	s.Faults[0].Spans = []Span{{FromMS: 12010, ToMS: 12500}}
	s.States = []Moment{{AtMS: 12010, States: map[string]int{"PROCESSING": 1}}, {AtMS: 13214, States: map[string]int{"SUCCESS": 1}}}
	s.Orders = []Order{
		{Order: "O-16", Amount: 700, Currency: "USD", Ledger: []Line{{AtMS: 1, Text: "debit $7.00"}}},
		{Order: "O-17", Amount: 500, Currency: "CNY",
			Ledger: []Line{{AtMS: 12031, Text: "debit ¥5.00 T-9f01"}, {AtMS: 13206, Text: "debit ¥5.00 T-a772", Strong: true}},
			Rows:   []Line{{AtMS: -1, Text: "SUCCESS ¥5.00 T-a772"}},
			Timeline: []Event{
				{AtMS: 12004, Lane: LaneClient, Who: "client → service", What: "POST /pay O-17 key K-17"},
				{AtMS: 12031, Lane: LaneBank, Who: "bank", What: "debited ¥5.00"},
				{AtMS: 12031.4, Lane: LaneBank, Who: "fault lost-answer", What: "answer to debit 1 dropped, connection reset", Fault: true},
				{AtMS: 13206, Lane: LaneBank, Who: "bank", What: "debited ¥5.00"},
			}, Cut: 2,
			Log: []Line{{AtMS: 12005, Text: "[O-17] [T-17] [pay.submit] [BEGIN] [amount=500]"}, {AtMS: 13214, Text: "[O-17] [T-17] [pay.answer] [SUCCESS] [http=200]"}}, LogCut: 1},
	}
	return s
}

func undecided() Scenario {
	s := passed("crash", "kill-after-debit")
	s.Verdict, s.Reason = Inconclusive, "the kill came after the last message"
	s.Faults[0] = Fault{Name: "kill", Kind: "kill", Text: "the process is killed after the debit", Armed: 1}
	s.Checks = append(s.Checks, Check{Name: "fault-was-felt", Verdict: Inconclusive, Reason: "kill was armed once and never fired"})
	return s
}

func skippedOne() Scenario {
	s := passed("queue", "replay-ten-times")
	s.Verdict, s.Reason, s.Payments, s.Faults, s.Checks, s.Retold, s.States = Skipped, "the target names no queue", 0, nil, nil, nil, nil
	return s
}

func spoiltOne() Scenario {
	s := passed("database", "slow-commit")
	s.Verdict, s.Environment, s.Error = Inconclusive, true, "bring up postgres: port 5432 is taken; stop what uses it"
	s.Log = []string{"LOG:  starting", "FATAL: could not bind ```port```"}
	return s
}

// evil is everything that markdown, XML, JSON and terminals fall over.
const evil = "a|b\\|c `code` ``two`` <script>alert(1)</script> [x](javascript:alert(1)) ![i](http://e.example/i.png)\n# heading\r\n" +
	"| not | a | row |\n> quote *b* _i_ ~~s~~ &lt; &#124; $x$ @someone www.e.example \x1b[31mred\x00\u202ebidi\ufffe \xff ]]> -->"

func hostile() *Document {
	d := base()
	long := strings.Repeat("long|`", 1700)
	d.Target, d.Runtime, d.Mutant, d.Command, d.Tool.Version = evil, evil, evil, evil, evil
	d.NotCovered, d.Grounds = []string{evil, "1. first", "- dash", "# hash", long}, []string{evil}
	d.Money = Money{Payments: 2, Debits: 3, SuccessRows: 2, TakenTwice: map[string]int64{"CNY": 500, evil: 1}}
	bad := doubleDebit()
	bad.Name, bad.Title, bad.Family, bad.Reproduce, bad.History = evil, evil, evil, "onedebit run '"+evil+"'", evil
	for i := range bad.Checks {
		c := &bad.Checks[i]
		c.Name, c.Cause, c.Reason = evil, evil, long
		c.Findings[0].Message, c.Findings[0].Payment = evil, evil
		c.Findings = append(c.Findings, Finding{Payment: "O-17", Message: long, Evidence: []string{evil, long}})
	}
	o := &bad.Orders[1]
	o.Order, o.Currency = evil, evil
	o.Ledger[0].Text, o.Ledger[1].Text, o.Rows[0].Text = evil, evil, long
	o.Log[0].Text, o.Timeline[0].Lane, bad.Faults[0].Name, bad.States[0].States = "``` "+evil, evil, evil, map[string]int{evil: 2, "PENDING": -1}
	o.Timeline[0].Who, o.Timeline[0].What, o.Timeline[2].Who, o.Timeline[2].What = evil, long, evil, evil
	open, out, broke := undecided(), skippedOne(), spoiltOne()
	open.Name, open.Reason, open.Reproduce, open.Faults[0].Name, open.Faults[0].Text = evil, evil, evil, evil, evil
	open.Faults[0].Loss = &Loss{Asked: -1, Seen: -1}
	open.Family, out.Family, broke.Family = evil, evil, evil
	out.Name, out.Reason = evil+"2", long
	broke.Name, broke.Error, broke.Log = long, evil, []string{evil, long, "```"}
	d.Scenarios = []Scenario{bad, open, out, broke}
	return d
}

// expected is what must hold of every rendering of a case, whatever the golden files say.
type expected struct {
	name                             string
	doc                              *Document
	head                             string // headword
	tests, failures, errors, skipped int    // of junit
	words                            []string
	absent                           []string
}

func cases() []expected {
	pass, fail, open, skip := base(), base(), base(), base()
	pass.Scenarios = []Scenario{passed("submit", "fifty-at-once"), passed("bank", "slow-answer"), skippedOne()}
	pass.Scenarios[0].Burst = &Burst{Copies: 50, SpreadUS: 412}
	pass.Scenarios[1].Faults = append(pass.Scenarios[1].Faults, Fault{
		Name: "loss", Kind: "packet-loss", Text: "30% of the packets on link bank are lost, both ways", Armed: 1, Fired: 61, Loss: &Loss{Asked: 0.3, Seen: 200, Lost: 61},
	})
	pass.Grounds = []string{"The checks of this version kill 64 of 64 known broken services."}
	pass.Money = Money{Payments: 2, Debits: 2, SuccessRows: 2}
	fail.Scenarios = []Scenario{passed("submit", "fifty-at-once"), doubleDebit(), undecided()}
	fail.Money = Money{Payments: 3, Debits: 4, SuccessRows: 3, TakenTwice: map[string]int64{"CNY": 500}, Destroyed: map[string]int64{"CNY": 500, "KWD": 5000}}
	fail.NotCovered = []string{"refunds: the target file names no refund request"}
	open.Scenarios = []Scenario{passed("submit", "fifty-at-once"), undecided()}
	skip.Scenarios = []Scenario{skippedOne()}

	env, spoilt, cut := base(), base(), base()
	env.Error = "start postgres: Docker is not running; start it, or use --runtime embedded"
	spoilt.Scenarios = []Scenario{passed("submit", "fifty-at-once"), spoiltOne()}
	cut.Interrupted, cut.Scenarios = true, []Scenario{passed("submit", "fifty-at-once")}

	repeats := base()
	repeats.Repeat = 10
	for i := range 10 {
		s, t := passed("bank", "bank-answer-lost"), passed("submit", "fifty-at-once")
		if i >= 7 {
			s = doubleDebit()
		}
		s.Trial, t.Trial = i+1, i+1
		repeats.Scenarios = append(repeats.Scenarios, t, s)
	}
	return []expected{
		{name: "pass", doc: finish(pass), head: "PASS", tests: 3, skipped: 1,
			words: []string{"No invariant was broken in the 2 scenarios", "No money was taken twice, created or destroyed.", "50 copies together", "50 requests within 412 µs",
				"3 payments without any fault", "8841723", "the target names no queue", "64 of 64", "| 200 | 61 | 30.0 % | 30.5 % |"}, absent: []string{"**fail**", "What went wrong"}},
		{name: "fail", doc: finish(fail), head: "FAIL", tests: 3, failures: 1, skipped: 1,
			words: []string{"broken on purpose 2 times", "¥5.00 was taken twice, nothing was created, ¥5.00 and KWD 5.000 were destroyed",
				"> The bank holds 2 debits", "Broken: `one-debit` (I1), `debits-accounted` (I15)", "▓", "Usual cause", "`onedebit run bank-answer-lost --seed 8841723`",
				"2 further lines", "never fired"}},
		{name: "inconclusive", doc: finish(open), head: "INCONCLUSIVE", tests: 2, skipped: 1,
			words: []string{"could not be judged", "fault `kill` never fired (armed 1, fired 0)", "**inconclusive**"}, absent: []string{"PASS"}},
		{name: "skipped", doc: finish(skip), head: "SKIPPED", tests: 1, skipped: 1,
			words: []string{"All scenarios were skipped", "was skipped: the target names no queue"}, absent: []string{"PASS"}},
		{name: "environment", doc: finish(env), head: "ENVIRONMENT ERROR", tests: 1, errors: 1,
			words: []string{"The environment failed", "Docker is not running", "No scenario was carried out"}, absent: []string{"PASS"}},
		{name: "spoilt", doc: finish(spoilt), head: "INCONCLUSIVE", tests: 2, errors: 1,
			words: []string{"The environment failed in 1 trial", "port 5432 is taken", "could not bind"}},
		{name: "interrupted", doc: finish(cut), head: "INTERRUPTED (pass so far)", tests: 2, errors: 1,
			words: []string{"The run was interrupted", "covers only the 1 scenario"}, absent: []string{"**PASS**"}},
		{name: "repeats", doc: finish(repeats), head: "FAIL", tests: 20, failures: 3,
			words: []string{"20 trials of 2 scenarios", "**fail** (3 of 10 trials)", "pass (10 of 10 trials)", "Failed in 3 of 10 trials; trial 8 is shown"}},
		{name: "hostile", doc: finish(hostile()), head: "FAIL", tests: 4, failures: 1, errors: 1, skipped: 2,
			words: []string{"▓", "Usual cause"}, absent: []string{"<script", "\x1b", "\x00", "\u202e", "\n# heading", "\n| not |"}},
	}
}

// many is a document of n scenarios, every tenth of them failed, with evidence of about size bytes each.
func many(n, size int) *Document {
	d := base()
	for i := range n {
		name := fmt.Sprintf("scenario-%05d", i)
		s := passed([]string{"bank", "crash", "submit"}[i%3], name)
		if i%10 == 0 {
			s = doubleDebit()
			s.Name = name
			for len(s.Orders[1].Timeline)*100 < size {
				s.Orders[1].Timeline = append(s.Orders[1].Timeline, Event{AtMS: 1, Who: "client → service", What: strings.Repeat("evidence ", 10)})
			}
		}
		d.Scenarios = append(d.Scenarios, s)
	}
	return finish(d)
}
