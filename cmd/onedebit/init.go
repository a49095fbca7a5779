package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/targets/draft"
)

// targetFile is where a target file is usually kept.
const targetFile = "onedebit.yaml"

// initFlags are what init is told; each stands for the answer to one of its questions.
type initFlags struct {
	name, run, listen, submit, header, engine, success, call string
	force, yes                                               bool
}

func (p *process) initCommand() *cobra.Command {
	var f initFlags
	var ci, dir string
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Writes a target file for a service of your own",
		Long: `Writes a target file, ` + targetFile + ` where no FILE is named, for the service in its folder. It looks at what lies there (compose
file, .env, migrations, OpenAPI description, source), asks on a terminal for what it has found and what not, and marks in the
file what is a guess. Flags answer questions ahead. The file is yours from then on: onedebit probe tells what is wrong in it.

With --ci it writes a pipeline in place of that: one that builds onedebit, carries scenarios out in parts side by side, keeps the
reports, and gates on the verdict.`,
		Example: "  onedebit init\n  onedebit init --yes\n  onedebit init shop/onedebit.yaml --listen auto --submit /payments\n  onedebit init --ci github",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage{fmt.Errorf("%s takes one FILE, found %d; see %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := given(cmd); err != nil {
				return err
			}
			if ci != "" {
				return p.writePipeline(ci, dir, args)
			}
			file := targetFile
			if len(args) == 1 {
				file = args[0]
			}
			return p.init(&f, file)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.name, "name", "", "what the service is called (default: its folder)")
	fs.StringVar(&f.run, "run", "", "the command that starts it, from the folder of the file")
	fs.StringVar(&f.listen, "listen", "", "the port that it insists on, or auto where it takes the one it is given")
	fs.StringVar(&f.submit, "submit", "", "path that payments are posted to")
	fs.StringVar(&f.header, "key-header", "", "header that the idempotency key travels in")
	fs.StringVar(&f.engine, "engine", "", "its database: sqlite, postgres or mysql")
	fs.StringVar(&f.success, "success", "", "SQL that counts the rows saying that a payment, :key or :order, is paid")
	fs.StringVar(&f.call, "bank-call", "", "path of the request by which it asks its bank for money")
	fs.BoolVar(&f.force, "force", false, "write over a file that is there")
	addCI(cmd, &ci, &dir)
	fs.BoolVar(&f.yes, "yes", false, "ask nothing, take what was found")
	return cmd
}

// init looks, asks and writes.
func (p *process) init(f *initFlags, file string) error {
	if _, err := os.Lstat(file); err == nil && !f.force {
		return usage{fmt.Errorf("%s is there already: name another file, or write over it with --force", file)}
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("looking at the folder of %s: %w", file, err)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return usage{fmt.Errorf("%s is no folder: give init a file in the folder of the service", filepath.Dir(file))}
	}
	s := draft.Look(os.DirFS(folder), folder)
	for _, line := range s.Found {
		fmt.Fprintln(p.Stderr, "found:", oneLine(line))
	}
	if err := p.ask(f, s); err != nil {
		return err
	}
	text := s.File()
	if _, err := targets.Load(file, text); err != nil {
		return usage{fmt.Errorf("what was told makes no target file: %w", err)}
	}
	if err := writeWhole(file, text); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "wrote %s: %d lines, %d of them guesses\n", file, strings.Count(string(text), "\n"), strings.Count(string(text), "# guess: "))
	fmt.Fprintf(p.Stdout, "\nnow look through it, and then:\n  onedebit probe --target %s              # starts it, pays three times, breaks nothing\n", file)
	fmt.Fprintf(p.Stdout, "  onedebit run --target %s bank-answer-lost\n", file)
	return nil
}

// writeWhole writes a file in one piece or not at all.
func writeWhole(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".onedebit-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", file, err), os.Remove(f.Name()))
	}
	return nil
}

// question is one thing that init has to know.
type question struct {
	text  string
	flag  string // the answer given ahead
	found string
	take  func(answer string) error
}

// ask puts the questions that no flag has answered, where somebody is there to answer them.
func (p *process) ask(f *initFlags, s *draft.Service) error {
	in := bufio.NewReader(p.Stdin)
	there := !f.yes && p.askable()
	for _, q := range questions(f, s) {
		for {
			answer := q.flag
			if answer == "" && there {
				fmt.Fprintf(p.Stderr, "%s [%s]: ", q.text, q.found)
				line, err := in.ReadString('\n')
				if err != nil && !errors.Is(err, io.EOF) {
					return fmt.Errorf("reading an answer: %w", err)
				}
				there = err == nil // who has gone is asked no more
				answer = strings.TrimSpace(line)
			}
			if answer == "" {
				break
			}
			err := q.take(answer)
			if err == nil {
				break
			}
			if q.flag != "" || !there {
				return usage{err}
			}
			fmt.Fprintln(p.Stderr, " ", err)
		}
	}
	return nil
}

// askable says whether somebody is there to answer.
func (p *process) askable() bool {
	f, ok := p.Stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func questions(f *initFlags, s *draft.Service) []question {
	listen := "auto"
	if s.Port != 0 {
		listen = strconv.Itoa(s.Port)
	}
	into := func(to *string) func(string) error {
		return func(answer string) error { *to = answer; return nil }
	}
	path := func(to *string) func(string) error {
		return func(answer string) error {
			if !strings.HasPrefix(answer, "/") {
				return fmt.Errorf("%q is not a path: begin it with /, as in /payments", answer)
			}
			*to = answer
			return nil
		}
	}
	call := ""
	if len(s.Calls) > 0 {
		call = s.Calls[0]
	}
	return []question{
		{"what is the service called", f.name, s.Name, into(&s.Name)},
		{"which command starts it", f.run, strings.Join(s.Run, " "), func(a string) error { s.Run = strings.Fields(a); return nil }},
		{"on which port does it insist, or auto", f.listen, listen, func(a string) error { return takePort(s, a) }},
		{"which path are payments posted to", f.submit, s.Submit, path(&s.Submit)},
		{"which header has the idempotency key", f.header, s.Header, into(&s.Header)},
		{"which database has it: sqlite, postgres, mysql", f.engine, s.Engine, func(a string) error { return takeEngine(s, a) }},
		{"SQL that counts the rows of a payment, :key or :order, that is paid", f.success, s.Success, into(&s.Success)},
		{"which path does it ask its bank for money by", f.call, call, func(a string) error { s.Calls = []string{""}; return path(&s.Calls[0])(a) }},
	}
}

func takePort(s *draft.Service, answer string) error {
	if answer == "auto" {
		s.Port, s.Auto = 0, true
		return nil
	}
	port, err := strconv.Atoi(answer)
	if err != nil || port < 1 || port > 65535 {
		return fmt.Errorf("%q is no port: a number from 1 to 65535, or auto", answer)
	}
	s.Port, s.Auto = port, false
	return nil
}

func takeEngine(s *draft.Service, answer string) error {
	engines := []string{targets.SQLite, targets.Postgres, targets.MySQL}
	if !slices.Contains(engines, answer) {
		return errors.New(decode.UnknownName("engine", answer, engines))
	}
	s.Engine = answer
	return nil
}
