package targets

import (
	"errors"
	"fmt"
	"slices"

	"onedebit/scenarios/decode"
)

// Engines of a database.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
	MySQL    = "mysql"
)

// Database is the database of a service. Without an engine the service takes whichever it is given.
type Database struct {
	Engine string       `yaml:"engine"` // sqlite, postgres or mysql
	File   string       `yaml:"file"`   // of sqlite: where the service keeps it, within its folder; without it the file is ${db.file}
	Tables []string     `yaml:"tables"` // that messages of link db are checked against; any where not given
	Schema []SchemaStep `yaml:"schema"` // how its tables are made, in order; a service that makes them itself needs none
}

var engines = []string{SQLite, Postgres, MySQL}

// Validate checks the engine's name.
func (d *Database) Validate() error {
	switch {
	case d.Engine != "" && !slices.Contains(engines, d.Engine):
		return errors.New(decode.UnknownName("engine", d.Engine, engines))
	case d.File != "" && d.Engine != SQLite:
		return fmt.Errorf("file: a database of engine %q is no file", d.Engine)
	}
	return nil
}

// SchemaStep is one step in which the tables are made.
type SchemaStep struct {
	SQL   string   `yaml:"sql"`   // a file of statements, carried out one by one
	Goose string   `yaml:"goose"` // a folder of migrations, of which the part behind -- +goose Up is carried out
	Run   []string `yaml:"run"`   // a command, with the environment of the first process
}

// Validate checks that a step says one thing.
func (s *SchemaStep) Validate() error {
	n := 0
	for _, given := range []bool{s.SQL != "", s.Goose != "", len(s.Run) > 0} {
		if given {
			n++
		}
	}
	if n != 1 {
		return errors.New("a step of the schema is one of {sql: FILE}, {goose: FOLDER} and {run: [COMMAND]}")
	}
	return nil
}
