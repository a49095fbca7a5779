package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// Options say what a run does.
type Options struct {
	Jobs     []Job // what is carried out, in this order
	Target   *targets.Target
	Mutant   string // of all jobs, for the head of the report
	Runtime  *stack.Runtime
	Servers  stack.Servers // used in place of embedded ones
	Images   stack.Images  // of containers, where they are not the public ones
	Seed     uint64
	Speed    float64                      // real-life durations are divided by it
	Repeat   int                          // trials of each scenario, for the head of the report
	Parallel int                          // experiments at the same time; 0 chooses by the number of cores
	Matrix   bool                         // mutants are to fail: of a mutant's histories only those are kept that surprise, and the first
	FailFast bool                         // no further experiment after the first that fails
	Out      string                       // folder for the histories; "" keeps none
	Shard    *reports.Shard               // the part of a run that the jobs are; nil for the whole
	Known    func(*reports.Scenario) bool // with FailFast: a failure that ends nothing; nil for none
	Beside   bool                         // the histories of an earlier run stay in the folder: this one adds to them
	Whole    bool                         // histories keep messages that belong to no payment too, such as heart-beats and polls
	Unclear  int                          // further trials of an experiment of which nothing could be told; the last one counts

	Budget time.Duration               // nothing begins after this time; 0 for no bound
	Wanted func(Job) bool              // asked before an experiment begins; nil wants all
	Told   func(Job, *history.History) // is given the history of every experiment, from many goroutines; nil for nobody

	Self     []string // command that runs a role of this binary; the role's name is added
	Env      []string // environment for the processes of the target
	Temp     string   // folder for working folders
	Now      func() time.Time
	Progress Progress
	Tool     reports.Tool
	Command  string // what was typed
	Again    string // flags of the run that a command must repeat to reproduce it

	site stack.Site
}

// Progress is told what a run does, from many goroutines.
type Progress interface {
	// Begin is told of an experiment that begins.
	Begin(job Job)
	// Phase is told what an experiment does now.
	Phase(job Job, what string)
	// End is told of an experiment that has ended.
	End(job Job, result *reports.Scenario)
}

// Job is one experiment of a run.
type Job struct {
	Scenario *Scenario
	Trial    int    // from 1
	Mutant   string // what stands in the place of the correct reference; "" for none
}

// Plan is so many trials of each scenario, each against one mutant or, where it is empty, the target itself.
func Plan(list []*Scenario, trials int, mutant string) []Job {
	var out []Job
	for trial := range max(1, trials) {
		for _, s := range list {
			out = append(out, Job{Scenario: s, Trial: trial + 1, Mutant: mutant})
		}
	}
	return out
}

func (j Job) String() string {
	name := j.Scenario.Family + "/" + j.Scenario.Name
	if j.Mutant != "" {
		name += " × " + j.Mutant
	}
	if j.Trial > 1 {
		name += fmt.Sprintf(" #%d", j.Trial)
	}
	return name
}

// file is the name of the job's history.
func (j Job) file() string {
	v := j.Scenario.variant
	name := cmp.Or(j.Scenario.base, j.Scenario.Name)
	for _, way := range []string{v.Bank, v.Callbacks} {
		if way != "" {
			name += "." + way
		}
	}
	if j.Mutant != "" {
		name += "." + j.Mutant
	}
	if j.Trial > 1 {
		name += fmt.Sprintf(".%d", j.Trial)
	}
	return filepath.Join("history", name+".jsonl")
}

// gateTries is after how many experiments whose environment failed a run ends in which none has got as far as a clean payment.
const gateTries = 2

// perCore is how many experiments share a core: most of the time an experiment waits.
const perCore = 3

// Run carries scenarios out, side by side, and returns the result of all. The error is trouble that kept the run from
// beginning; trouble of one experiment is in its result.
func Run(ctx context.Context, o Options) (*reports.Document, error) {
	began := o.Now()
	workdir, err := stack.NewWorkdir(o.Temp)
	if err != nil {
		return nil, err
	}
	defer func() { _ = workdir.Remove() }()
	if err := o.clearHistories(); err != nil {
		return nil, err
	}
	o.site, err = o.Runtime.Open(ctx, stack.Run{
		Servers: o.Servers, Images: o.Images, Self: o.Self, Env: o.Env, Workdir: workdir,
		Loopback: stack.NewLoopback(rand.New(rand.NewPCG(uint64(began.UnixNano()), o.Seed))),
	})
	if err != nil {
		return nil, err
	}
	doc := o.document(began)
	o.carryOut(ctx, doc)
	if err := o.site.Close(); err != nil {
		doc.Error = err.Error()
	}
	doc.DurationMS = o.Now().Sub(began).Milliseconds()
	doc.Interrupted = ctx.Err() != nil
	doc.NotCovered = o.notCovered(doc)
	return doc, nil
}

func (o *Options) document(began time.Time) *reports.Document {
	return &reports.Document{
		Version: reports.Version, Tool: o.Tool, Command: o.Command, Started: began.UTC().Truncate(time.Second),
		Seed: o.Seed, Speed: o.Speed, Repeat: max(1, o.Repeat), Runtime: o.Runtime.Name, Target: o.Target.Name,
		Mutant: o.Mutant, Verdict: reports.Pass, Scenarios: []reports.Scenario{}, Shard: o.Shard,
	}
}

// carryOut runs every job and gathers the results, in the order of the jobs whatever order they end in.
func (o *Options) carryOut(ctx context.Context, doc *reports.Document) {
	begin, stop := context.WithCancel(ctx) // ends with ctx, or as soon as nothing further is to begin
	defer stop()
	if o.Budget > 0 {
		begin, stop = context.WithTimeout(ctx, o.Budget)
		defer stop()
	}
	results := make([]*reports.Scenario, len(o.Jobs))
	var mu sync.Mutex
	var group errgroup.Group
	troubled := 0 // experiments whose environment failed
	group.SetLimit(o.parallel())
	for i, job := range o.Jobs {
		if begin.Err() != nil {
			break
		}
		group.Go(func() error {
			if begin.Err() != nil || o.Wanted != nil && !o.Wanted(job) {
				return nil
			}
			r, tally := o.untilTold(ctx, job)
			mu.Lock()
			defer mu.Unlock()
			results[i] = r
			doc.Money.Add(tally.money)
			doc.Clean += tally.clean
			if o.FailFast && r.Verdict == reports.Fail && (o.Known == nil || !o.Known(r)) {
				stop()
			}
			if r.Environment {
				troubled++
			}
			if troubled == gateTries && doc.Clean == 0 && ctx.Err() == nil {
				doc.Error = fmt.Sprintf("the target is not working: no clean payment has gone through, and %d experiments have not come up; nothing further was begun", troubled)
				stop()
			}
			return nil
		})
	}
	_ = group.Wait()
	for _, r := range results {
		if r != nil {
			doc.Scenarios = append(doc.Scenarios, *r)
		}
	}
	doc.Summary, doc.Verdict = reports.Summarise(doc.Scenarios)
}

// untilTold carries one experiment out, in further trials as long as nothing can be told of it.
func (o *Options) untilTold(ctx context.Context, job Job) (r *reports.Scenario, t tally) {
	for last := job.Trial + o.Unclear; ; job.Trial++ {
		r, t = o.one(ctx, job)
		if job.Trial == last || r.Verdict != reports.Inconclusive || r.Environment || ctx.Err() != nil {
			return r, t
		}
	}
}

func (o *Options) parallel() int {
	if o.Parallel > 0 {
		return o.Parallel
	}
	return perCore * runtime.NumCPU()
}

// trialSeed is the seed of a trial. The first has the run's own, so that a single trial is reproduced by its seed alone.
func trialSeed(seed uint64, trial int) uint64 {
	if trial == 1 {
		return seed
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%d", seed, trial)
	return h.Sum64() % 1_000_000_000
}

// tally is what one experiment adds to the numbers of the run.
type tally struct {
	money reports.Money
	clean int // clean payments that were right before the first fault
}

// clearHistories removes the histories of an earlier run from the folder: beside a new result they would tell of another.
func (o *Options) clearHistories() error {
	if o.Out == "" || o.Beside {
		return nil
	}
	old, err := filepath.Glob(filepath.Join(o.Out, "history", "*.jsonl"))
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("removing the histories of an earlier run: %w: %w", stack.ErrNotUp, err)
	}
	return nil
}

// one carries out one experiment, from nothing to its result.
func (o *Options) one(ctx context.Context, job Job) (*reports.Scenario, tally) {
	began := o.Now()
	r := &reports.Scenario{
		Name: job.Scenario.Name, Family: job.Scenario.Family, Title: job.Scenario.Title, Trial: job.Trial,
		Mutant: job.Mutant,
		Faults: []reports.Fault{}, Checks: []reports.Check{},
		Reproduce: o.reproduce(job),
	}
	if missing := o.missing(job.Scenario); missing != "" {
		r.Verdict, r.Reason = reports.Skipped, missing
		o.Progress.Begin(job)
		o.Progress.End(job, r)
		return r, tally{}
	}
	o.Progress.Begin(job)
	x := &experiment{
		Job: job, target: o.Target, seed: trialSeed(o.Seed, job.Trial), options: o,
		phase: func(what string) { o.Progress.Phase(job, what) },
	}
	h, err := x.run(ctx)
	o.keep(r, job, h)
	o.judge(r, h)
	if o.Told != nil {
		o.Told(job, h)
	}
	if err != nil {
		for _, service := range x.stack.All() {
			r.Log = append(r.Log, service.LastWords(20)...)
		}
	}
	r.UpMS = x.up.Milliseconds()
	r.DurationMS = o.Now().Sub(began).Milliseconds()
	o.drop(r, job)
	o.Progress.End(job, r)
	return r, tally{money: moved(h), clean: clean(h)}
}

// reproduce is the command that carries a job out again, and no other.
func (o *Options) reproduce(job Job) string {
	return fmt.Sprintf("onedebit run %s%s%s --seed %d%s", job.Scenario.argument(), job.Scenario.flags, mutantFlag(job.Mutant), trialSeed(o.Seed, job.Trial), o.Again)
}

// missing says which link or ability a scenario needs that runtime or target lacks, or "".
func (o *Options) missing(s *Scenario) string {
	if why := o.lacks(s); why != "" {
		return why
	}
	for _, need := range s.Needed() {
		_, ofRuntime := stack.Abilities[need]
		switch {
		case need == stack.DBLink && !slices.Contains(o.Runtime.Links(o.Servers), need):
			return "the database is a file; --db URL opens the link db"
		case slices.Contains(links, need) && !slices.Contains(o.Runtime.Links(o.Servers), need):
			return fmt.Sprintf("runtime %s has no link %s", o.Runtime.Name, need)
		case ofRuntime && !slices.Contains(o.Runtime.Abilities(o.Servers), need):
			return fmt.Sprintf("runtime %s has not %s: %s", o.Runtime.Name, need, stack.Abilities[need])
		}
		if why := o.Target.Lacks(need); why != "" {
			return why
		}
	}
	return ""
}

// keep writes the history before it is judged.
func (o *Options) keep(r *reports.Scenario, job Job, h *history.History) {
	if o.Out == "" {
		return
	}
	name := job.file()
	if serr := h.Save(filepath.Join(o.Out, name)); serr != nil {
		r.Reason = serr.Error()
		return
	}
	r.History = filepath.ToSlash(name)
}

// drop removes the history of a repeated trial that came out as expected: the first stands for it. That a mutant has passed
// is never expected.
func (o *Options) drop(r *reports.Scenario, job Job) {
	expected := job.Mutant == "" && r.Verdict == reports.Pass || o.Matrix && job.Mutant != "" && r.Verdict == reports.Fail
	if job.Trial > 1 && expected && r.History != "" {
		_ = os.Remove(filepath.Join(o.Out, filepath.FromSlash(r.History)))
		r.History = ""
	}
}

func mutantFlag(name string) string {
	if name == "" {
		return ""
	}
	return " --mutant " + name
}
