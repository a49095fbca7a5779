// Package draft makes a first target file for a service from what lies in its folder: a compose file, .env, migrations, an
// OpenAPI description, the source. What it cannot find it writes down as a guess with a remark, so that whoever reads the
// file, and onedebit probe, can put it right.
package draft

import (
	"cmp"
	"io/fs"
	"path"
	"strings"
)

// Service is what is known of a service: found in its folder, or told by its people. An empty field is not known.
type Service struct {
	Name   string
	Run    []string // the command
	Port   int      // that it insists on
	Auto   bool     // it takes the port that it is given
	Ready  string   // a path that answers when it is up
	Env    []Setting
	Engine string // of the database: sqlite, postgres or mysql

	Schema  []string
	Submit  string // path of a payment
	Header  string // that the key travels in
	Form    bool   // the body is a form
	Fields  []Field
	Success string // SQL: rows of one payment that say it is paid
	Other   map[string]string
	Cache   string // engine of a cache
	Queue   string // engine of a queue
	Calls   []string

	Found []string // what was found and where, for people
}

// Setting is one variable of the environment, and what it is to be.
type Setting struct{ Name, Value string }

// Field is one field of the body of a payment.
type Field struct{ Name, Value string }

// Look reads the folder of a service. What cannot be read is not known.
func Look(folder fs.FS, name string) *Service {
	s := &Service{Name: named(name), Other: map[string]string{}}
	files := gather(folder)
	for _, look := range []func(*Service, *sources){lookCommand, lookCompose, lookEnv, lookSchema, lookTables, lookAPI, lookRoutes, lookCalls} {
		look(s, files)
	}
	return s
}

// named is a name for a target from that of its folder.
func named(folder string) string {
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(path.Base(folder)))
	return cmp.Or(strings.Trim(word, "-"), "shop")
}
