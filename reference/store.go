package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// ErrDuplicate is wrapped by the error of a statement that a unique index or a primary key refused.
var ErrDuplicate = errors.New("already there")

// ErrAbsent is wrapped by the error of a read that found no row.
var ErrAbsent = errors.New("no such row")

// Store is the database. It is safe for concurrent use. Statements use ? placeholders.
type Store struct {
	dialect dialect
	name    string // its URL without the password
	write   *sqlx.DB
	read    *sqlx.DB
	turn    chan struct{} // one place for each writer; waiters are served in order, which the pool itself does not promise
	within  time.Duration // bounds one run of a transaction and one read; 0 where the database is a file
}

// openStore makes the pools without connecting; Prepare makes the tables. within bounds each word with a server.
func openStore(database string, within time.Duration) (*Store, error) {
	d, err := dialects.of(database)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	s := &Store{dialect: d, name: shown(database), turn: make(chan struct{}, d.writers)}
	if d.server {
		s.within = within
	}
	if s.write, err = openPool(d, database, within, d.writers); err != nil {
		return nil, err
	}
	if s.read, err = openPool(d, database, within, d.readers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

const (
	idleConnection = 30 * time.Second // shorter than servers and what lies before them usually drop one that is idle
	oldConnection  = 30 * time.Minute
)

func openPool(d dialect, database string, within time.Duration, connections int) (*sqlx.DB, error) {
	pool, err := d.open(database, within)
	if err != nil {
		return nil, fmt.Errorf("opening database %s: %w", shown(database), err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(idleConnection)
	pool.SetConnMaxLifetime(oldConnection)
	return sqlx.NewDb(pool, d.bind), nil
}

// Prepare makes the tables where they are missing. ErrAway is wrapped where the database could not be reached.
func (s *Store) Prepare(ctx context.Context, schema []string) error {
	err := s.Tx(ctx, func(tx *Tx) error {
		if s.dialect.alone != "" {
			if _, err := tx.Exec(ctx, s.dialect.alone); err != nil {
				return err
			}
		}
		for _, statement := range schema {
			if _, err := tx.Exec(ctx, s.dialect.define(statement)); err != nil && !s.dialect.isThere(err) {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		return nil
	case s.dialect.server && s.lost(err):
		return fmt.Errorf("making the tables of %s: %w: %w", s.name, ErrAway, err)
	}
	return fmt.Errorf("making the tables of %s: %w", s.name, err)
}

// Close closes all connections.
func (s *Store) Close() error {
	var faults []error
	for _, pool := range []*sqlx.DB{s.write, s.read} {
		if pool != nil {
			faults = append(faults, pool.Close())
		}
	}
	return errors.Join(faults...)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	return s.read.PingContext(ctx)
}

// Exec runs one statement in a transaction of its own and returns the number of rows that it changed. After a COMMIT
// that was not answered the statement is run again, so that count is of its last run.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) (rows int64, err error) {
	err = s.Tx(ctx, func(tx *Tx) error {
		rows, err = tx.Exec(ctx, statement, args...)
		return err
	})
	return rows, err
}

// Get reads one row of what is committed into dest; a missing row wraps ErrAbsent.
func (s *Store) Get(ctx context.Context, dest any, query string, args ...any) error {
	return s.reading(ctx, func(ctx context.Context) error {
		return absent(s.read.GetContext(ctx, dest, s.read.Rebind(query), args...))
	})
}

// Select reads all rows of what is committed into dest, a pointer to a slice. Bound the query by LIMIT.
func (s *Store) Select(ctx context.Context, dest any, query string, args ...any) error {
	return s.reading(ctx, func(ctx context.Context) error {
		if err := s.read.SelectContext(ctx, dest, s.read.Rebind(query), args...); err != nil {
			return fmt.Errorf("reading rows: %w", err)
		}
		return nil
	})
}

func absent(err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("reading a row: %w", ErrAbsent)
	case err != nil:
		return fmt.Errorf("reading a row: %w", err)
	}
	return nil
}
