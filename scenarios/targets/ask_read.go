package targets

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of one question.
const (
	askWait   = 10 * time.Second
	maxPrints = 64 << 10 // bytes that a command prints
)

// Ways are the ways in which questions beside SQL are asked.
type Ways struct {
	Base string            // of requests: the address of the service, beside any proxy
	Dir  string            // of commands: the folder they run in
	Env  []string          // of commands
	HTTP http.RoundTripper // nil is the usual one
}

// found is what a question brought: a number, or a line for each thing.
type found struct {
	text  string
	lines [][]string
}

// ask asks one question, with the values of one payment.
func (r *Reader) ask(ctx context.Context, tx *sql.Tx, what string, a *Ask, vars Vars) (found, error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	var out found
	var err error
	switch {
	case a.SQL != "" && tx == nil:
		err = errors.New("the target has no database: say which under database: in its file")
	case a.SQL != "":
		out, err = r.askSQL(ctx, tx, a.SQL, vars)
	case a.Get != "":
		out, err = r.askHTTP(ctx, a, vars)
	default:
		out, err = r.askCommand(ctx, a.Run, vars)
	}
	if err != nil {
		return out, fmt.Errorf("rows.%s: %w", what, err)
	}
	return out, nil
}

func (r *Reader) askSQL(ctx context.Context, tx *sql.Tx, text string, vars Vars) (out found, err error) {
	text, args, err := bind(r.driver, text, vars)
	if err != nil {
		return out, err
	}
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return out, err
	}
	for rows.Next() {
		if len(out.lines) == r.most {
			return out, fmt.Errorf("more than %d rows", r.most)
		}
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return out, err
		}
		line := make([]string, len(columns))
		for i, c := range cells {
			line[i] = c.String
		}
		out.lines = append(out.lines, line)
	}
	if err := rows.Err(); err != nil {
		return out, err
	}
	if len(columns) == 1 && len(out.lines) == 1 {
		out.text = out.lines[0][0]
	}
	return out, nil
}

func (r *Reader) askHTTP(ctx context.Context, a *Ask, vars Vars) (out found, err error) {
	req, err := (&Request{Get: a.Get, Headers: a.Headers}).Build(ctx, r.ways.Base, vars)
	if err != nil {
		return out, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return out, err
	}
	reply, err := ReadReply(resp)
	if err != nil {
		return out, err
	}
	switch {
	case reply.HTTP == http.StatusNotFound:
		return found{text: "0"}, nil
	case reply.HTTP >= 300:
		return out, fmt.Errorf("GET %s: answer %d", req.URL.Path, reply.HTTP)
	case a.Count == "":
		if slices.Contains(a.Is, reply.At(a.State)) {
			return found{text: "1"}, nil
		}
		return found{text: "0"}, nil
	}
	return counted(reply, a)
}

// counted counts the items of a list in an answer, or reads a number in it.
func counted(reply *Reply, a *Ask) (found, error) {
	switch x := reply.dig(a.Count).(type) {
	case nil:
		return found{text: "0"}, nil
	case json.Number:
		return found{text: x.String()}, nil
	case []any:
		n := 0
		for _, item := range x {
			if a.State == "" || slices.Contains(a.Is, textAt(item, strings.Split(a.State, "."))) {
				n++
			}
		}
		return found{text: strconv.Itoa(n)}, nil
	default:
		return found{}, fmt.Errorf("%s of the answer is neither a list nor a number", a.Count)
	}
}

func (r *Reader) askCommand(ctx context.Context, words []string, vars Vars) (out found, err error) {
	filled := make([]string, len(words))
	for i, word := range words {
		if filled[i], err = vars.Expand(word); err != nil {
			return out, err
		}
	}
	cmd := exec.CommandContext(ctx, filled[0], filled[1:]...)
	cmd.Dir = r.ways.Dir
	cmd.Env = append([]string{}, r.ways.Env...)
	cmd.WaitDelay = time.Second
	var said, told bounded
	cmd.Stdout, cmd.Stderr = &said, &told
	if err := cmd.Run(); err != nil {
		return out, fmt.Errorf("%s: %w: %s", filled[0], err, bytes.TrimSpace(told.Bytes()))
	}
	return found{text: strings.TrimSpace(said.String())}, nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if left := maxPrints - b.Len(); left > 0 {
		b.Buffer.Write(p[:min(left, len(p))])
	}
	return len(p), nil
}

// count is an answer that is to be a number of things.
func (a found) count(what string) (int, error) {
	if a.text == "" && len(a.lines) == 0 {
		return 0, nil
	}
	n, err := strconv.Atoi(a.text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("rows.%s: expected one number, found %s", what, a.said())
	}
	return n, nil
}

func (a found) said() string {
	if a.text != "" {
		return strconv.Quote(a.text)
	}
	return fmt.Sprintf("%d rows", len(a.lines))
}
