package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// gooseFiles are the migrations in a folder, in the order of the numbers with which their names begin.
func gooseFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	type numbered struct {
		number int64
		name   string
	}
	var found []numbered
	for _, e := range entries {
		first, _, ok := strings.Cut(e.Name(), "_")
		number, err := strconv.ParseInt(first, 10, 64)
		if !ok || err != nil || e.IsDir() {
			continue
		}
		switch filepath.Ext(e.Name()) {
		case ".sql":
			found = append(found, numbered{number, e.Name()})
		case ".go":
			return nil, fmt.Errorf("%s: a migration in Go is part of a program of its own; use {run: [THAT PROGRAM]}", filepath.Join(folder, e.Name()))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s holds no migration, such as 001_init.sql", folder)
	}
	slices.SortFunc(found, func(a, b numbered) int { return int(min(1, max(-1, a.number-b.number))) })
	var out []string
	for _, f := range found {
		out = append(out, filepath.Join(folder, f.name))
	}
	return out, nil
}

// gooseUp is the part of a migration that is behind -- +goose Up, as statements. What is marked as one statement stays one.
func gooseUp(engine, text string) ([]statement, error) {
	var out []statement
	var block strings.Builder // of lines that are split, or kept as one
	from, up, seen, whole := 1, false, false, false
	flush := func() {
		if text := block.String(); whole && strings.TrimSpace(text) != "" {
			out = append(out, statement{strings.TrimRight(strings.TrimSpace(text), ";"), from})
		} else if !whole {
			for _, s := range statements(engine, text) {
				out = append(out, statement{s.text, s.line + from - 1})
			}
		}
		block.Reset()
	}
	for i, line := range strings.SplitAfter(text, "\n") {
		mark, marked := strings.CutPrefix(strings.TrimSpace(line), "-- +goose ")
		if !marked {
			if up {
				block.WriteString(line)
			}
			continue
		}
		flush()
		from = i + 2
		switch word := strings.ToLower(strings.Fields(mark + " .")[0]); word {
		case "up":
			up, seen = true, true
		case "down":
			up = false
		case "statementbegin":
			whole = true
		case "statementend":
			whole = false
		case "no", "envsub":
		default:
			return nil, fmt.Errorf("line %d: -- +goose %s is not understood", i+1, strings.TrimSpace(mark))
		}
	}
	flush()
	if !seen {
		return nil, fmt.Errorf("-- +goose Up is missing")
	}
	return out, nil
}
