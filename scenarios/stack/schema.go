package stack

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"onedebit/scenarios/targets"
)

// Bounds of the making of tables.
const (
	schemaWait = 2 * time.Minute // of one file, or one command
	maxSchema  = 64 << 20        // bytes of one file
	saidLines  = 20              // of a command that fails
)

// makeTables carries out the steps of the schema, on the service's own database and beside the proxy.
func (s *Stack) makeTables(ctx context.Context, vars targets.Vars) error {
	if s.Target.Database == nil {
		return nil
	}
	for i, step := range s.Target.Database.Schema {
		if err := s.schemaStep(ctx, step, vars); err != nil {
			return fmt.Errorf("database.schema, step %d: %w: %w", i+1, ErrNotUp, err)
		}
	}
	return nil
}

func (s *Stack) schemaStep(ctx context.Context, step targets.SchemaStep, vars targets.Vars) error {
	ctx, cancel := context.WithTimeout(ctx, schemaWait)
	defer cancel()
	switch {
	case step.SQL != "":
		return s.runFile(ctx, s.within(step.SQL), func(engine, text string) ([]statement, error) { return statements(engine, text), nil })
	case step.Goose != "":
		files, err := gooseFiles(s.within(step.Goose))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := s.runFile(ctx, file, gooseUp); err != nil {
				return err
			}
		}
		return nil
	}
	return s.command(ctx, step.Run, vars)
}

// within is a path of the target file, which is relative to its folder.
func (s *Stack) within(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Target.Dir, path)
}

func (s *Stack) runFile(ctx context.Context, file string, split func(engine, text string) ([]statement, error)) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fmt.Errorf("reading the schema: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxSchema:
		return fmt.Errorf("%s: a schema is a file of at most %d MiB", file, maxSchema>>20)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	list, err := split(s.engine(), string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return s.carryOut(ctx, list, func(line int) string { return fmt.Sprintf("%s:%d", file, line) })
}

// SQL carries out statements on the service's own database, one by one and beside the proxy.
func (s *Stack) SQL(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWait)
	defer cancel()
	return s.carryOut(ctx, statements(s.engine(), text), func(int) string { return "sql" })
}

// elsewhere are statements that make or choose a database: the experiment has one of its own, and must leave others alone.
var elsewhere = regexp.MustCompile(`(?is)^(?:(?:create|drop|alter)\s+(?:database|schema\s+if\s+not\s+exists\s+\x60)|use\s)`)

// ofPsql are lines for PostgreSQL's own client.
var ofPsql = regexp.MustCompile(`(?is)^(?:\\|copy\s.*\sfrom\s+stdin)`)

// carryOut runs statements on one connection, as a client does that reads a file: some set what later ones go by.
func (s *Stack) carryOut(ctx context.Context, list []statement, place func(line int) string) error {
	if s.writeDSN == "" {
		return fmt.Errorf("the target has no database; name it under the key database")
	}
	db, err := sql.Open(s.rowsDriver, s.writeDSN)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reaching the database: %w", err)
	}
	defer conn.Close()
	for _, one := range list {
		switch {
		case elsewhere.MatchString(one.text):
			continue
		case ofPsql.MatchString(one.text):
			return fmt.Errorf("%s: %q is for psql alone; leave it out, or run psql by {run: [psql, …]}", place(one.line), firstLine(one.text))
		}
		if _, err := conn.ExecContext(ctx, one.text); err != nil {
			return fmt.Errorf("%s: %w", place(one.line), err)
		}
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 80)]
}

// runCommand runs a command of the schema as the first process would be run.
func (s *Stack) runCommand(ctx context.Context, words []string, vars targets.Vars) error {
	first := s.Target.Processes[0]
	made, err := s.prepare(first, 1, vars)
	if err != nil {
		return err
	}
	for i, word := range words {
		if words[i], err = vars.Expand(word); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = made.dir, made.env, time.Second
	cmd.SysProcAttr = childAttributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	var said bytes.Buffer
	out := &firstBytes{into: &said, left: maxLogLine}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; it said:\n%s", strings.Join(words, " "), err, lastLines(said.String(), saidLines))
	}
	return nil
}

// firstBytes keeps the beginning of what is written to it and forgets the rest.
type firstBytes struct {
	into *bytes.Buffer
	left int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.into.Write(p[:n])
	f.left -= n
	return len(p), nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
