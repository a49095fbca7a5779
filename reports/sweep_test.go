package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// swept is a result of a sweep: one point breaks, one could not be reached, one experiment was not begun, and the labels
// come from a service that means no good.
func swept() *Document {
	d := base()
	ok, broken, open, pair := passed("sweep", "a-lost"), doubleDebit(), undecided(), passed("sweep", "a-lost-b-lost")
	broken.Family, broken.Name = "sweep", "b-lost"
	open.Family, open.Name = "sweep", "b-cut"
	pair.Faults = append(pair.Faults, Fault{Name: "second", Kind: "lost-answer", Text: "another", Armed: 1, Optional: true})
	d.Scenarios = []Scenario{ok, broken, open, pair}
	d.Sweep = &Sweep{
		Of: "pay", Doc: "a clean payment", Sequence: []int{0, 1},
		Points: []SweepPoint{
			{Link: "bank", From: "service", To: "bank", Dir: "request", Name: "debit", Nth: 1, Label: "POST /v1/debits"},
			{Link: "bank", From: "bank", To: "service", Dir: "answer", Name: "debit", Nth: 1, Label: "end; #35; ``` <b>|pipe"},
		},
		Kinds: []SweepKind{{Name: "lost", Doc: "it never arrives"}, {Name: "cut", Doc: "half of it arrives"}, {Name: "twice", Doc: "it arrives twice"}},
		Cells: []SweepCell{
			{Scenario: "a-lost", At: []SweepPlace{{0, "lost"}}}, {Scenario: "a-lost-fresh", At: []SweepPlace{{0, "lost"}}, Fresh: true},
			{Scenario: "b-lost", At: []SweepPlace{{1, "lost"}}}, {Scenario: "b-cut", At: []SweepPlace{{1, "cut"}}},
			{Scenario: "a-lost-b-lost", At: []SweepPlace{{0, "lost"}, {1, "lost"}}},
		},
		Unfit:    []SweepUnfit{{SweepPlace{1, "twice"}, "nobody waits for a second answer"}},
		Left:     []SweepLeft{{Link: "queue", Label: "request Heartbeat", Times: 6, Why: "it goes on without a payment too"}},
		Smallest: []SweepSmallest{{Scenario: "b-lost", File: "sweep/least-one-debit.yaml", Check: "one-debit", Trials: 3, Text: "name: b-lost\nsteps:\n  - pay: {}\n"}},
	}
	return finish(d)
}

func TestMarkdownOfASweep(t *testing.T) {
	got := render(t, Markdown, swept())
	golden(t, "swept.md", got)
	sound(t, got)
	assert.Contains(t, got, "| service→bank request 1: POST /v1/debits | ✓· | – | – |")
	assert.Contains(t, got, "rect rgb(255, 205, 205)\n    bank-->>service: (end) 35 b pipe ✗ lost\n    end")
}

func TestHTMLOfASweep(t *testing.T) {
	got := render(t, HTML, swept())
	golden(t, "swept.html", strings.NewReplacer(pageStyle, "", pageScript, "").Replace(got))
	wholeHTML(t, got)
	assert.Contains(t, got, `<td class="inconclusive" title="it never arrives">✓·</td>`, "one passed, one was not begun")
	assert.Contains(t, got, `<td class="fail" title="it never arrives"><a href="#s-b-lost">✗</a></td>`)
	assert.Contains(t, got, `<td title="twice: does not fit here">–</td>`)
}

func TestAPairOfWhichOneWasNotFeltIsNotExercised(t *testing.T) {
	d := swept()
	assert.Equal(t, 2, d.exercised())
	assert.Equal(t, "Sweep of pay: 2 points, 2 of 5 experiments exercised.", sweepLine(d))
}

func TestAReportOfASweepHasNoMoreArrowsThanADiagramTakes(t *testing.T) {
	d := swept()
	for range 1000 {
		d.Sweep.Sequence = append(d.Sweep.Sequence, 0)
	}
	assert.Less(t, strings.Count(render(t, Markdown, d), "->>"), 2*mostArrows)
}

func TestASweepThatPointsNowhereIsNotRead(t *testing.T) {
	for _, spoil := range []func(*Sweep){
		func(s *Sweep) { s.Sequence[0] = 7 }, func(s *Sweep) { s.Cells[0].At[0].Point = -1 },
	} {
		d := swept()
		spoil(d.Sweep)
		var b bytes.Buffer
		require.NoError(t, JSON.Render(&b, d))
		_, err := Read(&b)
		require.ErrorContains(t, err, "sweep: ")
	}
}

func TestPartsOfASweepMerge(t *testing.T) {
	merged, err := Merge(inParts(swept(), 2))
	require.NoError(t, err)
	assert.Equal(t, swept().exercised(), merged.exercised())
}

func TestMutantsBySweep(t *testing.T) {
	b := &BySweep{Version: Version, Seed: 7, Speed: 20, Runtime: "embedded", Control: Summary{Pass: 9}, Rows: []BySweepRow{
		{Mutant: "killed-one", Doc: "wrong", Tried: 3, Killed: "b-lost", Title: "lost at b", Check: "one-debit"},
		{Mutant: "alive-one", Doc: "wrong too", Tried: 9, Why: "no money is wrong with it"},
		{Mutant: "other-one", Doc: "wrong in another way", Other: "it takes several payments"},
	}}
	var page, text bytes.Buffer
	require.NoError(t, BySweepMarkdown(&page, b))
	require.NoError(t, BySweepText(&text, b))
	golden(t, "by-sweep.md", page.String())
	sound(t, page.String())
	assert.InDelta(t, 0.5, b.Share(), 0)
	assert.Contains(t, text.String(), "1 of 2 mutants whose fault is a single loss, delay, duplicate or crash killed")
	assert.Zero(t, (&BySweep{}).Share())
}
