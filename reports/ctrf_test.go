package reports

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCTRF(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, CTRF, c.doc)
			golden(t, c.name+".ctrf.json", got)
			var back ctrfReport
			require.NoError(t, json.Unmarshal([]byte(got), &back))
			assert.Equal(t, "CTRF", back.Format)
			assert.Regexp(t, `^\d+\.\d+\.\d+$`, back.Version)
			s := back.Results.Summary
			assert.Len(t, back.Results.Tests, s.Tests)
			assert.Equal(t, s.Tests, s.Passed+s.Failed+s.Pending+s.Skipped+s.Other)
			assert.Equal(t, []int{c.doc.Summary.Pass, c.doc.Summary.Fail, c.doc.Summary.Skipped, c.doc.Summary.Inconclusive}, []int{s.Passed, s.Failed, s.Skipped, s.Other})
			assert.GreaterOrEqual(t, s.Stop, s.Start)
			names := map[string]bool{}
			for _, test := range back.Results.Tests {
				assert.Contains(t, []string{"passed", "failed", "skipped", "pending", "other"}, test.Status)
				assert.NotEmpty(t, test.Name)
				assert.False(t, names[test.Suite[0]+"/"+test.Name], "%s is there twice", test.Name)
				names[test.Suite[0]+"/"+test.Name] = true
				if test.Status != "passed" {
					assert.NotEmpty(t, test.Message)
				}
				if test.Status == "failed" {
					assert.Contains(t, test.Trace, "seed: 8841723")
				}
			}
			assert.NotContains(t, got, "null")
		})
	}
}

func TestCTRFBoundsItsText(t *testing.T) {
	d := base()
	s := doubleDebit()
	s.Checks[1].Findings[0].Evidence = []string{strings.Repeat("é", 60<<10)}
	for i := range 500 {
		s.Trial = i
		d.Scenarios = append(d.Scenarios, s)
	}
	assert.Less(t, len(render(t, CTRF, finish(d))), 30_000_000)
}

func TestNamesTellVariantsApart(t *testing.T) {
	n := naming{}
	s := Scenario{Name: "a", Family: "f", Trial: 2}
	assert.Equal(t, "a", n.of(&s, false))
	assert.Equal(t, "a [trial 2]", n.of(&s, true))
	s.Mutant = "m"
	assert.Equal(t, "a [m] [trial 2]", n.of(&s, true))
	assert.Equal(t, "a [m] [trial 2] (2)", n.of(&s, true))
	s.Family = "g"
	assert.Equal(t, "a [m] [trial 2]", n.of(&s, true), "another family")
}
