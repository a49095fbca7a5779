package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// defaultSpeed is by how much real-life durations are shortened with the bundled reference.
const defaultSpeed = 20

// What a run may be asked for. A number beyond is a slip of the keyboard, and would cost the machine's memory.
const (
	mostSpeed    = 1000
	mostRepeat   = 10_000
	mostParallel = 256
)

// imagesVar is the environment variable that names images as --image does, by commas.
const imagesVar = "ONEDEBIT_IMAGES"

// runFlags are the flags that the commands which carry out experiments share.
type runFlags struct {
	runtime string
	target  string // file, or the name of the bundled one
	mutant  string // in the place of the bundled one
	seed    uint64
	speed   float64
	repeat  int

	repeatName string // of its flag
	parallel   int
	out        string
	formats    []string
	lang       string // of the report for people
	failFast   bool
	servers    stack.Servers
	images     []string
	remote     bool
	quiet      bool
	plain      bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.addStack(cmd)
	fs := cmd.Flags()
	fs.Uint64Var(&f.seed, "seed", 0, "the source of all chance; the same seed makes the same plan (default: a new one, told at the beginning and in the reports)")
	fs.IntVar(&f.parallel, "parallel", 0, "how many experiments run side by side (default: three for each core)")
	fs.StringVar(&f.out, "out", "onedebit-out", "folder for histories, result and reports")
	fs.BoolVar(&f.quiet, "quiet", false, "say nothing while it runs")
	fs.BoolVar(&f.plain, "plain", false, "plain lines in place of progress bars, also on a terminal")
}

// addStack adds the flags that say what a stack is made of.
func (f *runFlags) addStack(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.runtime, "runtime", stack.Embedded.Name, "where the parts run (see onedebit list runtimes)")
	fs.Float64Var(&f.speed, "speed", defaultSpeed, "by how much real-life durations are shortened; with a target of your own 1 where not given, its timers being its own")
	fs.StringVar(&f.servers.DB, "db", "", "embedded: URL of a database server that runs already, postgres://user:password@host:port/name or mysql://…; opens the link db; docker: postgres (default) or mysql")
	fs.StringVar(&f.servers.Cache, "cache", "", "embedded: URL of a Redis server that runs already, redis://host:port/0; docker: redis (default)")
	fs.StringVar(&f.servers.Queue, "queue", "", "embedded: URL of a RabbitMQ or Kafka server that runs already, amqp://user:password@host:port/vhost or kafka://host:port; docker: rabbitmq (default) or kafka")
	fs.StringSliceVar(&f.images, "image", nil, "docker: an image in the place of the public one, KIND=NAME, by commas; kinds: "+strings.Join(stack.ImageKinds(), ", ")+"; kafka=self: this very binary stands in; also by "+imagesVar)
	fs.BoolVar(&f.remote, "allow-remote", false, "allow servers that are not on this machine; databases, keys and queues are made and dropped there")
	complete(cmd, "runtime", runtimeNames())
}

// addRepeat adds the number of trials, under the name that the command has for it.
func (f *runFlags) addRepeat(cmd *cobra.Command, name string) {
	f.repeatName = name
	cmd.Flags().IntVar(&f.repeat, name, 1, "how many times each scenario is carried out, each time with another seed of this seed")
}

func (f *runFlags) addFormats(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.formats, "format", formatNames(), "reports to write, by commas")
	complete(cmd, "format", formatNames())
	cmd.Flags().StringVar(&f.lang, "lang", reports.English, "language of the report for people: "+strings.Join(reports.Languages(), " or "))
	complete(cmd, "lang", reports.Languages())
}

// complete lets a shell complete the value of a flag. It panics where the command has no such flag, which is a mistake in
// this package.
func complete(cmd *cobra.Command, flag string, names []string) {
	completeBy(cmd, flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// completeBy is complete where the values are found out when they are asked for.
func completeBy(cmd *cobra.Command, flag string, find cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, find); err != nil {
		panic(fmt.Sprintf("completion of --%s: %v", flag, err))
	}
}

func runtimeNames() (out []string) {
	for _, r := range stack.Runtimes() {
		out = append(out, r.Name)
	}
	return out
}

func formatNames() (out []string) {
	for _, r := range reports.Formats() {
		out = append(out, r.Name)
	}
	return out
}

// given refuses a flag that was given without a value, as a script does whose variable is not set: it would be taken for one
// that was not given, and something else would be tested than was asked for.
func given(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := map[string]string{"string": "", "stringSlice": "[]"}
		if none, known := empty[f.Value.Type()]; known && f.Value.String() == none && err == nil {
			err = usage{fmt.Errorf("--%s is empty: leave it out, or give it a value", f.Name)}
		}
	})
	return err
}

// check refuses what no run can be made of.
func (f *runFlags) check() error {
	switch {
	case f.repeat < 1 || f.repeat > mostRepeat:
		return usage{fmt.Errorf("--%s %d: choose one from 1 to %d", f.repeatName, f.repeat, mostRepeat)}
	case f.parallel < 0 || f.parallel > mostParallel:
		return usage{fmt.Errorf("--parallel %d: choose one from 1 to %d, or 0 to go by the number of cores", f.parallel, mostParallel)}
	}
	return nil
}

// stack turns the flags that say what a stack is made of into a runtime and what it is opened with.
func (p *process) stack(f *runFlags, cmd *cobra.Command, target *targets.Target) (*stack.Runtime, stack.Run, error) {
	run := stack.Run{Self: p.Self, Env: p.Env}
	rt, ok := stack.RuntimeNamed(f.runtime)
	if !ok {
		return nil, run, usage{errors.New(decode.UnknownName("runtime", f.runtime, runtimeNames()))}
	}
	if err := given(cmd); err != nil {
		return nil, run, err
	}
	if !(f.speed > 0 && f.speed <= mostSpeed) { // also where it is not a number
		return nil, run, usage{fmt.Errorf("--speed %g: choose one above 0 and up to %d", f.speed, mostSpeed)}
	}
	var err error
	if run.Servers, err = rt.For(target, f.servers); err != nil {
		return nil, run, usage{err}
	}
	if far := run.Servers.Remote(); len(far) > 0 && !f.remote {
		return nil, run, usage{fmt.Errorf("%s is not this machine: databases, keys and queues would be made and dropped there; --allow-remote allows it", strings.Join(far, ", "))}
	}
	if far := stack.RemoteOf(target); len(far) > 0 && !f.remote {
		return nil, run, usage{fmt.Errorf("%s is not this machine: payments would be made there; --allow-remote allows it", strings.Join(far, ", "))}
	}
	if run.Images, err = stack.ParseImages(p.env(imagesVar), f.images); err != nil {
		return nil, run, usage{err}
	}
	return rt, run, nil
}

// options turns flags into the options of a run. What is wrong is said before anything is started.
func (p *process) options(f *runFlags, cmd *cobra.Command, names []string) (scenarios.Options, error) {
	var o scenarios.Options
	target, err := f.chosen(cmd)
	if err != nil {
		return o, err
	}
	rt, run, err := p.stack(f, cmd, target)
	if err := errors.Join(err, f.check()); err != nil {
		return o, err
	}
	list, err := scenarios.Find(names)
	if err != nil {
		return o, usage{err}
	}
	for _, s := range list {
		if err := s.Fits(target); err != nil {
			return o, usage{err}
		}
	}
	if err := p.usable(f.out); err != nil {
		return o, err
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = 1 + rand.Uint64N(9_999_999)
	}
	o = scenarios.Options{
		Jobs: scenarios.Plan(list, f.repeat, ""), Target: target, Runtime: rt, Servers: run.Servers, Images: run.Images, Seed: f.seed, Speed: f.speed, Repeat: f.repeat,
		Parallel: f.parallel, FailFast: f.failFast, Out: f.out, Self: p.Self, Env: p.Env, Temp: p.Temp, Now: p.Now,
		Tool: reports.Tool{Name: "onedebit", Version: version()}, Command: commandLine(p.Args),
	}
	if target.Dir != "" {
		o.Again += " --target " + f.target
	}
	if f.speed != usualSpeed(target) {
		o.Again += fmt.Sprintf(" --speed %g", f.speed)
	}
	if rt != stack.Embedded {
		o.Again += " --runtime " + rt.Name
	}
	for _, server := range []struct{ flag, url string }{{"db", f.servers.DB}, {"cache", f.servers.Cache}, {"queue", f.servers.Queue}} {
		if server.url != "" {
			o.Again += fmt.Sprintf(" --%s %s", server.flag, redacted(server.url))
		}
	}
	return o, nil
}

// usable makes the folder for the output and proves that it can be written, before minutes are spent on a result that
// could not be kept. Where the folder for temporary files is not there, it makes none.
func (p *process) usable(dir string) error {
	info, err := os.Stat(p.Temp)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return fmt.Errorf("the folder for temporary files, %s, cannot be used (TMPDIR chooses another): %w", p.Temp, err)
	}
	err = os.MkdirAll(dir, 0o755)
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(dir, ".probe-*")
	}
	if err != nil {
		return fmt.Errorf("the folder for the output, %s, cannot be written (--out chooses another): %w", dir, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return err
	}
	return p.take(dir)
}

// take makes sure that nobody else writes to the folder until this process ends, and that nothing is overwritten there
// which is not a result of onedebit.
func (p *process) take(dir string) error {
	if !stack.Mine(dir) {
		histories, _ := filepath.Glob(filepath.Join(dir, "history", "*.jsonl"))
		for _, name := range append(resultFiles(dir), histories...) {
			if _, err := os.Stat(name); err == nil {
				return usage{fmt.Errorf("%s is there and not known to be of onedebit, which would overwrite it: move it away, or choose another folder by --out", name)}
			}
		}
	}
	giveBack, err := stack.TakeFolder(dir, fmt.Sprintf("process %d, %s", os.Getpid(), commandLine(append([]string{"onedebit"}, p.Args...))))
	if err != nil {
		return err
	}
	p.atEnd = append(p.atEnd, giveBack)
	return nil
}

// resultFiles are the reports that a run may write into its folder.
func resultFiles(dir string) (out []string) {
	names := []string{"mutants.json", "mutants.md", "mutants.html", "mutants-by-sweep.json", "mutants-by-sweep.md"}
	for _, f := range reports.Formats() {
		names = append(names, f.File)
	}
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

// sweepLeftovers removes what a dead run left behind, and says so.
func (p *process) sweepLeftovers(ctx context.Context, engine bool) {
	left, err := stack.Leftovers(ctx, p.Temp, engine)
	if err != nil && !engine { // else the run itself will say what is wrong
		fmt.Fprintln(p.Stderr, "onedebit: looking for what dead runs left behind:", err)
	}
	for _, l := range left {
		if err := l.Clean(ctx); err != nil {
			fmt.Fprintln(p.Stderr, "onedebit: removing what a dead run left behind:", err)
			continue
		}
		fmt.Fprintln(p.Stderr, "removed what a dead run left behind:", leftText(l))
	}
}

// clearReports removes what an earlier run has left in the folder: beside a new result it would tell of another.
func clearReports(dir string) error {
	for _, file := range resultFiles(dir) {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the report of an earlier run: %w: %w", stack.ErrNotUp, err)
		}
	}
	return nil
}

// carryOut runs the experiments with progress on stderr.
func (p *process) carryOut(ctx context.Context, f *runFlags, o scenarios.Options, title string) (*reports.Document, error) {
	p.sweepLeftovers(ctx, o.Runtime == stack.Docker)
	if err := clearReports(f.out); err != nil {
		return nil, err
	}
	progress := p.progress(f, title, len(o.Jobs))
	o.Progress = progress
	doc, err := scenarios.Run(ctx, o)
	progress.close()
	return doc, err
}

// formats are the reports that are asked for.
func (p *process) formats(f *runFlags) ([]reports.Format, error) {
	var out []reports.Format
	for i, name := range f.formats {
		format, err := reports.Named(name)
		if err != nil {
			return nil, usage{errors.New(decode.UnknownName("format", name, formatNames()))}
		}
		if f.lang != "" && !slices.Contains(reports.Languages(), f.lang) {
			return nil, usage{errors.New(decode.UnknownName("language", f.lang, reports.Languages()))}
		}
		if format, err = reports.Spoken(format, cmp.Or(f.lang, reports.English)); err != nil {
			return nil, usage{err}
		}
		if !slices.Contains(f.formats[:i], name) {
			out = append(out, format)
		}
	}
	if len(out) == 0 {
		return nil, usage{errors.New("--format is empty: choose from " + strings.Join(formatNames(), ", "))}
	}
	return out, nil
}

// save writes the reports and returns the path of the one that people read.
func (p *process) save(f *runFlags, doc *reports.Document) (string, error) {
	formats, err := p.formats(f)
	if err != nil {
		return "", err
	}
	path := ""
	for _, format := range formats {
		if path == "" || format.Name == reports.Markdown.Name {
			path = filepath.Join(f.out, format.File)
		}
	}
	return path, reports.Save(f.out, doc, formats)
}

// commandLine is what was typed, without the passwords in it, and without where the output goes: who reads it has found it, and
// the same run in another folder is the same run.
func commandLine(args []string) string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		flag, value, joined := strings.Cut(arg, "=")
		switch {
		case flag == "--out":
			if !joined {
				i++ // its value
			}
		case joined && strings.Contains(value, "://"):
			out = append(out, flag+"="+redacted(value))
		case strings.Contains(arg, "://"):
			out = append(out, redacted(arg))
		default:
			out = append(out, arg)
		}
	}
	return strings.Join(out, " ")
}

// redacted is a URL without its password, for what is written down.
func redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "URL"
	}
	return u.Redacted()
}
