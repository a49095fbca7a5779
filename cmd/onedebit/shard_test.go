package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShardsAreNamedByFlagOrByTheEnvironment(t *testing.T) {
	gitlab := []string{"CI_NODE_INDEX=2", "CI_NODE_TOTAL=5"}
	kubernetes := []string{"JOB_COMPLETION_INDEX=0"}
	for name, c := range map[string]struct {
		env       []string
		text      string
		index, of int
		err       string
	}{
		"by flag":               {nil, "2/4", 2, 4, ""},
		"flag before env":       {gitlab, "1/1", 1, 1, ""},
		"gitlab":                {gitlab, "auto", 2, 5, ""},
		"gitlab, other number":  {gitlab, "auto/3", 2, 3, ""},
		"kubernetes":            {kubernetes, "auto/4", 1, 4, ""},
		"kubernetes, both":      {append(kubernetes, "ONEDEBIT_SHARDS=3"), "auto", 1, 3, ""},
		"kubernetes, no number": {kubernetes, "auto", 0, 0, "write auto/N"},
		"nowhere":               {nil, "auto", 0, 0, "neither CI_NODE_INDEX"},
		"no number":             {nil, "2", 0, 0, "write I/N"},
		"beyond":                {nil, "5/4", 0, 0, "part 5 of 4 is none"},
		"zero":                  {nil, "0/4", 0, 0, "parts go from 1"},
		"words":                 {nil, "one/4", 0, 0, "part one of 4 is none"},
		"too many":              {nil, "1/100000", 0, 0, "N up to 1000"},
		"beyond, kubernetes":    {[]string{"JOB_COMPLETION_INDEX=4"}, "auto/4", 0, 0, "part 4 of 4 is none; parts go from 0"},
	} {
		t.Run(name, func(t *testing.T) {
			index, of, err := (&process{Env: c.env}).shardOf(c.text)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, []int{c.index, c.of}, []int{index, of})
		})
	}
}
