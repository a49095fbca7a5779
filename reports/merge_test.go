package reports

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inParts divides a result as shards would have made it: scenario by scenario, in turn.
func inParts(doc *Document, parts int) []*Document {
	out := make([]*Document, parts)
	for i := range out {
		d := *doc
		d.Command = doc.Command + " --shard " + Shard{Index: i + 1, Of: parts}.String() + ""
		d.Shard = &Shard{Index: i + 1, Of: parts, Whole: len(doc.Scenarios)}
		d.Scenarios, d.Money, d.Clean = nil, Money{}, 0
		d.Started = doc.Started.Add(time.Duration(i) * time.Second)
		out[i] = &d
	}
	for i, s := range doc.Scenarios {
		d := out[i%parts]
		d.Scenarios = append(d.Scenarios, s)
		d.Shard.Planned++
	}
	out[0].Money, out[0].Clean = doc.Money, doc.Clean
	for _, d := range out {
		finish(d)
	}
	return out
}

func wholeRun() *Document {
	d := base()
	d.Scenarios = []Scenario{passed("submit", "fifty-at-once"), doubleDebit(), undecided(), skippedOne(), passed("bank", "bank-latency")}
	d.Money = Money{Payments: 5, Debits: 6, SuccessRows: 5, TakenTwice: map[string]int64{"CNY": 500}}
	d.NotCovered = []string{"faults between service and database"}
	return finish(d)
}

func rendered(t *testing.T, doc *Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Markdown.Render(&b, doc))
	return b.String()
}

func TestPartsMergedAreTheWholeRun(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		parts := inParts(wholeRun(), n)
		parts[0], parts[n-1] = parts[n-1], parts[0] // in any order
		merged, err := Merge(parts)
		require.NoError(t, err)
		assert.Equal(t, rendered(t, wholeRun()), rendered(t, merged), "%d parts", n)
		assert.Empty(t, merged.Error)
		assert.Equal(t, wholeRun().Command, merged.Command)
	}
}

func TestMergeRefusesPartsOfDifferentRuns(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*Document)
		want string
	}{
		"seed":     {func(d *Document) { d.Seed++ }, "1/2 has seed 8841723, 2/2 has 8841724"},
		"version":  {func(d *Document) { d.Tool.Version = "v9" }, "has version"},
		"target":   {func(d *Document) { d.Target = "other" }, "has target my-payments"},
		"mutant":   {func(d *Document) { d.Mutant = "m" }, "has mutant none"},
		"runtime":  {func(d *Document) { d.Runtime = "docker" }, "has runtime embedded"},
		"speed":    {func(d *Document) { d.Speed = 1 }, "has speed 20×"},
		"trials":   {func(d *Document) { d.Repeat = 2 }, "number of trials"},
		"division": {func(d *Document) { d.Shard.Of = 3 }, "1/2 is of 5 experiments, 2/3 of 5"},
		"overlap":  {func(d *Document) { d.Scenarios = append(d.Scenarios, passed("submit", "fifty-at-once")) }, "the parts overlap: trial 1 of fifty-at-once is in 1/2 and in 2/2"},
	} {
		t.Run(name, func(t *testing.T) {
			parts := inParts(wholeRun(), 2)
			c.edit(parts[1])
			_, err := Merge(parts)
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := Merge(nil)
	assert.ErrorContains(t, err, "nothing to merge")
}

// A part that is not there, or that the environment ended, is never a pass.
func TestMergeSaysWhatIsMissing(t *testing.T) {
	parts := inParts(wholeRun(), 4)
	merged, err := Merge([]*Document{parts[3], parts[0]})
	require.NoError(t, err)
	assert.Equal(t, "no result of part 2/4, 3/4", merged.Error)
	parts[1].Error = "no port"
	merged, err = Merge(parts)
	require.NoError(t, err)
	assert.Equal(t, "part 2/4: no port", merged.Error)
	parts[1].Error, parts[1].Shard.Planned = "", 0
	merged, err = Merge(parts)
	require.NoError(t, err)
	assert.Contains(t, merged.Error, "the parts hold 4 of 5 experiments")
}

func matrixPart(index int, edit func(*Matrix)) *Matrix {
	m := &Matrix{Version: Version, Tool: Tool{"onedebit", "v1"}, Seed: 1, Speed: 20, Runtime: "embedded", Control: Pass,
		Shard: &Shard{Index: index, Of: 2, Planned: 2, Whole: 4}, ControlTrials: Summary{Pass: 1}}
	edit(m)
	return m
}

func TestKillMatricesMerge(t *testing.T) {
	a := matrixPart(1, func(m *Matrix) {
		m.Rows = []MatrixRow{{Mutant: "z", Scenario: "s1", Check: "c", Trials: 1, Kills: 1, Killed: true, By: []string{"c"}}}
		m.Columns = []MatrixColumn{{Scenario: "s1", Control: Summary{Pass: 1}, Named: 1, Kills: []string{"z"}}}
		m.Others = map[string][]string{"a": {"s1 (c)"}}
	})
	b := matrixPart(2, func(m *Matrix) {
		m.Rows = []MatrixRow{
			{Mutant: "z", Scenario: "s1", Check: "c", Trials: 1, By: []string{"d"}, Class: ClassCheck, Note: "trial 2: pass"},
			{Mutant: "a", Scenario: "s2", Check: "c", Trials: 1, Kills: 1, Killed: true},
		}
		m.Columns = []MatrixColumn{{Scenario: "s1", Control: Summary{Pass: 1}, Named: 1}, {Scenario: "s2", Named: 1, Kills: []string{"a"}}}
		m.Code = 1
	})
	m, err := MergeMatrices([]*Matrix{b, a})
	require.NoError(t, err)
	assert.Equal(t, 1, m.Code)
	assert.Nil(t, m.Shard)
	assert.Empty(t, m.Error)
	assert.Equal(t, Summary{Pass: 2}, m.ControlTrials)
	require.Len(t, m.Rows, 2)
	assert.Equal(t, MatrixRow{Mutant: "a", Scenario: "s2", Check: "c", Trials: 1, Kills: 1, Killed: true, Elsewhere: []string{"s1 (c)"}}, m.Rows[0])
	assert.Equal(t, MatrixRow{Mutant: "z", Scenario: "s1", Check: "c", Trials: 2, Kills: 1, By: []string{"c", "d"}, Class: ClassCheck, Note: "trial 2: pass"}, m.Rows[1])
	assert.Empty(t, m.Columns[0].Kills, "it lived through one trial")
	assert.Equal(t, []string{"a"}, m.Columns[1].Kills)

	m, err = MergeMatrices([]*Matrix{a})
	require.NoError(t, err)
	assert.Equal(t, "no result of part 2/2", m.Error)
	assert.Equal(t, environmentCode, m.Code)
	_, err = MergeMatrices([]*Matrix{a, a})
	require.ErrorContains(t, err, "named twice")
	b.Seed = 2
	_, err = MergeMatrices([]*Matrix{a, b})
	assert.ErrorContains(t, err, "seed")
}

func TestPartsOfASweepHaveTheSamePoints(t *testing.T) {
	points := []SweepPoint{{Link: "bank", Label: "debit"}}
	parts := inParts(wholeRun(), 2)
	for i, name := range []string{"a", "b"} {
		parts[i].Sweep = &Sweep{Of: "pay", Points: points, Cells: []SweepCell{{Scenario: "all"}, {Scenario: name}}, Smallest: []SweepSmallest{{Scenario: name}}}
	}
	merged, err := Merge(parts)
	require.NoError(t, err)
	assert.Equal(t, []SweepCell{{Scenario: "all"}, {Scenario: "a"}, {Scenario: "b"}}, merged.Sweep.Cells)
	assert.Equal(t, []SweepSmallest{{Scenario: "a"}, {Scenario: "b"}}, merged.Sweep.Smallest)
	assert.Len(t, parts[0].Sweep.Cells, 2, "the parts stay what they are")

	parts[1].Sweep.Points = nil
	_, err = Merge(parts)
	require.ErrorContains(t, err, "1/2 and 2/2 have found other points")
	parts[1].Sweep = nil
	_, err = Merge(parts)
	assert.ErrorContains(t, err, "is a sweep")
}
