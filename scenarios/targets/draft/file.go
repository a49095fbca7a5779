package draft

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// guess marks what was not found.
const guess = "# guess: "

// File is the target file. Lines that hold a guess say so.
func (s *Service) File() []byte {
	w := &writer{}
	w.line(0, "# How onedebit starts %s, pays with it and reads what it knows. Written by onedebit init: look at every line,", s.Name)
	w.line(0, "# above all at those marked as a guess. onedebit probe tells what is still wrong, and breaks nothing.")
	w.line(0, "target: %s", s.Name)
	s.database(w)
	s.process(w)
	s.payment(w)
	s.rows(w)
	s.bank(w)
	s.links(w)
	return []byte(w.String())
}

type writer struct{ strings.Builder }

func (w *writer) line(depth int, format string, args ...any) {
	fmt.Fprintf(w, strings.Repeat("  ", depth)+format+"\n", args...)
}

var plain = regexp.MustCompile(`^[A-Za-z./_][A-Za-z0-9./_-]*( [A-Za-z0-9./_-]+)*$`)

// quoted is a value as it is written in YAML.
func quoted(v string) string {
	switch strings.ToLower(v) {
	case "true", "false", "yes", "no", "null", "on", "off", "y", "n", "":
		return `"` + v + `"`
	}
	if plain.MatchString(v) {
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}

func list(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (s *Service) database(w *writer) {
	if s.Engine == "" {
		w.line(0, "# No database was found. One is written as: database: {engine: postgres, schema: [{sql: schema.sql}]}")
		return
	}
	w.line(0, "database:")
	w.line(1, "engine: %s", s.Engine)
	if len(s.Schema) > 0 {
		w.line(1, "schema: [%s] # remove it where the service makes its tables itself", strings.Join(s.Schema, ", "))
	}
}

func (s *Service) process(w *writer) {
	w.line(0, "processes:")
	w.line(1, "%s:", s.Name)
	if len(s.Run) > 0 {
		w.line(2, "run: %s", list(s.Run))
	} else {
		w.line(2, "run: [./server] %sthe command that starts the service, from the folder of this file", guess)
	}
	switch {
	case s.Port != 0:
		w.line(2, "listen: %d # the port that it insists on", s.Port)
	case s.gives("${listen"):
		w.line(2, "listen: auto")
	case s.Auto:
		w.line(2, "listen: auto # it has to be told ${listen.port}, by env, files or a word of the command")
	default:
		w.line(2, "listen: 8080 %sthe port that it insists on; auto where it is told one, by ${listen.port} in env or files", guess)
	}
	if s.Ready != "" {
		w.line(2, "ready: {get: %s}", s.Ready)
	}
	if len(s.Env) == 0 {
		w.line(2, "# env: {BANK_URL: \"${bank.url}\", DATABASE_URL: \"${db.url}\"} # how it learns where bank and database are")
		return
	}
	w.line(2, "env:")
	for _, e := range s.Env {
		w.line(3, "%s: %s", e.Name, quoted(e.Value))
	}
}

// gives says whether the service is told something by its environment or command.
func (s *Service) gives(what string) bool {
	return slices.ContainsFunc(s.Env, func(e Setting) bool { return strings.Contains(e.Value, what) }) ||
		slices.ContainsFunc(s.Run, func(word string) bool { return strings.Contains(word, what) })
}

func (s *Service) payment(w *writer) {
	w.line(0, "payment:")
	w.line(1, "amount: {min: 100} # in minor units; with decimals, 12.50, it is {min: 1.00, step: 0.01}, in text as: string beside")
	w.line(1, "each:")
	w.line(2, "- submit:")
	mark := ""
	if s.Submit == "" {
		mark = " " + guess + "where payments are sent"
	}
	w.line(4, "post: %s%s", cmp.Or(s.Submit, "/payments"), mark)
	if s.Header != "" {
		w.line(4, "headers: {%s: \"${key}\"}", s.Header)
	}
	fields, mark := s.Fields, ""
	if len(fields) == 0 {
		mark = " " + guess + "the fields of a payment"
		fields = []Field{{"order", "${order}"}, {"amount", "${amount}"}, {"currency", "${currency}"}}
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Name + ": " + quoted(f.Value)
		if number.MatchString(f.Value) || f.Value == "true" {
			parts[i] = f.Name + ": " + f.Value
		}
	}
	w.line(4, "%s: {%s}%s", map[bool]string{true: "form", false: "json"}[s.Form], strings.Join(parts, ", "), mark)
	w.line(1, "# What answers mean, where it is not as usual: confirmed: [200, 201], pending: [202], declined: [402], duplicate: [409].")
}

var number = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

func (s *Service) rows(w *writer) {
	w.line(0, "rows: # :key, :order and :amount are those of the payment that is asked after")
	if s.Success == "" {
		if s.Engine == "" {
			w.line(1, `success: {get: "/payments/${order}", state: body.status, is: [PAID]} %show to see that a payment is paid`, guess)
			return
		}
		w.line(1, "success: SELECT count(*) FROM payments WHERE order_id = :order AND status = 'PAID' %show many rows say that it is paid", guess)
		return
	}
	w.line(1, "success: %s", s.Success)
	for _, kind := range slices.Sorted(maps.Keys(s.Other)) {
		w.line(1, "%s: %s", kind, s.Other[kind])
	}
}

func (s *Service) bank(w *writer) {
	w.line(0, "banks: # each a fake bank that does as your provider does")
	w.line(1, "bank:")
	if !s.gives("${bank") {
		w.line(2, "# The service has to be told to ask ${bank.url}: by env or files above, or by names: [api.provider.example], tls: true (Linux).")
	}
	w.line(2, "calls:")
	mark := ""
	if len(s.Calls) == 0 {
		mark = " " + guess + "the request that moves money; onedebit probe tells what the service sends"
	}
	path := "/charges"
	if len(s.Calls) > 0 {
		path = s.Calls[0]
	}
	w.line(3, "- on: POST %s%s", path, mark)
	w.line(4, "money: debit")
	w.line(4, "amount: body.amount # where decimal: {at: body.amount, as: decimal}; as: decimal-text for text")
	w.line(4, "# dedupe: {by: body.reference} # by what your provider knows a repeat, such as header.Idempotency-Key; without it none is known")
	w.line(4, `reply: {status: 200, json: {id: "${reference}", status: "${status}"}} %swhat your provider answers`, guess)
}

func (s *Service) links(w *writer) {
	if s.Cache == "" && s.Queue == "" {
		return
	}
	w.line(0, "links:")
	if s.Cache != "" {
		w.line(1, "cache: {engine: %s}", s.Cache)
	}
	if s.Queue != "" {
		w.line(1, "queue: {engine: %s}", s.Queue)
	}
}
