package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/reports"
	"onedebit/scenarios"
)

// mostShards bounds the parts of a run; more is a slip of the keyboard.
const mostShards = 1000

// shardsVar says how many parts there are, where the index comes from a Kubernetes Indexed Job, which does not tell.
const shardsVar = "ONEDEBIT_SHARDS"

// shardFlags are the flags by which a run is divided over machines.
type shardFlags struct {
	part, durations string
}

func (f *shardFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.part, "shard", "", "carry out part I of N, written I/N; auto takes both from GitLab's CI_NODE_INDEX and CI_NODE_TOTAL, or from "+
		"JOB_COMPLETION_INDEX of a Kubernetes Indexed Job and "+shardsVar+"; auto/N gives the number. All parts need the same --seed; onedebit report --merge puts them together")
	fs.StringVar(&f.durations, "durations", "", "with --shard: result.json of an earlier run, by which the parts are made to take equally long; the same for all parts")
}

// shard leaves the jobs of one part in the options. A part without work would have nothing to show, and is refused.
func (p *process) shard(f *shardFlags, cmd *cobra.Command, o *scenarios.Options) error {
	if f.part == "" {
		if f.durations != "" {
			return usage{errors.New("--durations goes with --shard")}
		}
		return nil
	}
	if !cmd.Flags().Changed("seed") {
		return usage{errors.New("--shard needs --seed: the parts of one run share it, or they cannot be merged")}
	}
	index, of, err := p.shardOf(f.part)
	if err != nil {
		return usage{err}
	}
	var earlier *reports.Document
	if f.durations != "" {
		if earlier, err = loadResult(f.durations); err != nil {
			return err
		}
	}
	whole := len(o.Jobs)
	o.Jobs = scenarios.Shard(o.Jobs, index, of, earlier)
	if len(o.Jobs) == 0 {
		return usage{fmt.Errorf("--shard %d/%d: there is no work for this part, as the run has only %d experiments; use fewer parts", index, of, whole)}
	}
	o.Shard = &reports.Shard{Index: index, Of: of, Planned: len(o.Jobs), Whole: whole}
	return nil
}

// shardOf reads I/N, or what the environment says.
func (p *process) shardOf(text string) (index, of int, err error) {
	first, second, found := strings.Cut(text, "/")
	offset := 0
	where := "--shard " + text
	switch {
	case first != "auto":
		if !found {
			return 0, 0, fmt.Errorf("--shard %q: write I/N, such as 2/4, or auto", text)
		}
	case p.env("CI_NODE_INDEX") != "":
		first, second = p.env("CI_NODE_INDEX"), cmp.Or(second, p.env("CI_NODE_TOTAL"))
		where += " (CI_NODE_INDEX, CI_NODE_TOTAL)"
	case p.env("JOB_COMPLETION_INDEX") != "":
		first, second, offset = p.env("JOB_COMPLETION_INDEX"), cmp.Or(second, p.env(shardsVar)), 1
		where += " (JOB_COMPLETION_INDEX, " + shardsVar + ")"
	default:
		return 0, 0, fmt.Errorf("--shard %s: neither CI_NODE_INDEX (GitLab) nor JOB_COMPLETION_INDEX (Kubernetes Indexed Job) is set; write I/N", text)
	}
	if second == "" {
		return 0, 0, fmt.Errorf("%s: how many parts there are is not said; write auto/N", where)
	}
	index, err = strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	index += offset
	if err != nil || err2 != nil || of < 1 || of > mostShards || index < 1 || index > of {
		return 0, 0, fmt.Errorf("%s: part %s of %s is none; parts go from %d to N, and N up to %d", where, first, second, 1-offset, mostShards)
	}
	return index, of, nil
}
