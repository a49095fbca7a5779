package targets

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onedebit/scenarios/decode"
)

// parameter is a named parameter of SQL, such as :key. Its second part is of captures and of the amount only: elsewhere a
// dot is not part of a name.
var parameter = regexp.MustCompile(`^:((?:each|setup|amount)\.[A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*)`)

// apart is what of SQL holds no parameters: texts, quoted names, comments, and casts as PostgreSQL writes them.
var apart = regexp.MustCompile("^(?:'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\\n]*|(?s:/\\*.*?\\*/)|::)")

// parameters takes SQL apart: what stands between its parameters, and their names.
func parameters(text string) (between, names []string) {
	var b strings.Builder
	for i := 0; i < len(text); {
		if skip := apart.FindString(text[i:]); skip != "" {
			b.WriteString(skip)
			i += len(skip)
			continue
		}
		if m := parameter.FindStringSubmatch(text[i:]); m != nil {
			between, names = append(between, b.String()), append(names, m[1])
			b.Reset()
			i += len(m[0])
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return append(between, b.String()), names
}

// bind puts values into SQL, in the way of the database: a value is never part of the text.
func bind(driver, text string, vars Vars) (string, []any, error) {
	between, names := parameters(text)
	var b strings.Builder
	var args []any
	for i, name := range names {
		value, known := vars[name]
		if !known {
			return "", nil, errors.New(decode.UnknownName("parameter", ":"+name, vars.parameters()))
		}
		b.WriteString(between[i])
		b.WriteString(mark(driver, i+1))
		args = append(args, bound(driver, value))
	}
	b.WriteString(between[len(names)])
	return b.String(), args, nil
}

// mark is the place of the nth value in SQL.
func mark(driver string, n int) string {
	if driver == "pgx" {
		return "$" + strconv.Itoa(n)
	}
	return "?"
}

// bound is a value as a database takes it. Servers are given texts, of which they make what a column is; a file compares by
// what the value is, so that whole numbers stay numbers.
func bound(driver string, value any) any {
	if n, whole := value.(int64); whole && driver == "sqlite" {
		return n
	}
	if value == Omitted {
		return nil
	}
	return fmt.Sprint(value)
}

func (v Vars) parameters() (out []string) {
	for name := range v {
		if parameter.FindString(":"+name) == ":"+name {
			out = append(out, ":"+name)
		}
	}
	slices.Sort(out)
	return out
}
