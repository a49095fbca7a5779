package reference

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jmoiron/sqlx"
)

// ErrInDoubt is wrapped by the error of a transaction of which nobody can say whether it was written: its COMMIT was
// sent and not answered, and running it again did not tell either. It must not be taken for "not written".
var ErrInDoubt = errors.New("it is not known whether this was written")

// ErrAway is wrapped where the database cannot be reached at all.
var ErrAway = errors.New("the database is away")

const (
	maxRuns    = 5                     // of one transaction, and of one read
	firstPause = 10 * time.Millisecond // before the second run; it doubles
	turnWithin = 30 * time.Second      // for a turn to write
)

// Tx runs work in one transaction at READ COMMITTED: committed when work returns nil, undone otherwise.
//
// After a deadlock, a serialization failure or a lost connection it is run again from its beginning, a few times. So
// work does nothing that a rollback does not undo. A COMMIT that was not answered may have been carried out, or may
// yet be: the next run waits for the locks of the lost one, finds what that has written, and must come to the same
// end; Tx.InDoubt tells it. ErrInDoubt is wrapped where it could not be found out.
func (s *Store) Tx(ctx context.Context, work func(*Tx) error) error {
	doubt := false
	for run := 1; ; run++ {
		err := s.once(ctx, sql.LevelReadCommitted, doubt, work)
		if err == nil {
			return nil
		}
		doubt = doubt || errors.Is(err, ErrInDoubt)
		if run == maxRuns || !s.transient(err) || !pause(ctx, firstPause<<(run-1)) {
			if doubt && !errors.Is(err, ErrInDoubt) {
				err = fmt.Errorf("%w: %w", ErrInDoubt, err)
			}
			return err
		}
	}
}

// Once runs work in one transaction of this isolation, and never again. ErrInDoubt is wrapped where its COMMIT was not
// answered.
func (s *Store) Once(ctx context.Context, isolation sql.IsolationLevel, work func(*Tx) error) error {
	return s.once(ctx, isolation, false, work)
}

func (s *Store) once(ctx context.Context, isolation sql.IsolationLevel, doubt bool, work func(*Tx) error) error {
	waiting := time.NewTimer(turnWithin)
	defer waiting.Stop()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-waiting.C:
		return fmt.Errorf("waiting for a turn to write: none within %s", turnWithin)
	case <-ctx.Done():
		return fmt.Errorf("waiting for a turn to write: %w", ctx.Err())
	}
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	until, _ := ctx.Deadline()
	tx, err := s.write.BeginTxx(ctx, &sql.TxOptions{Isolation: isolation})
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // without effect after the commit
	if err := work(&Tx{InDoubt: doubt, tx: tx, dialect: s.dialect, until: until}); err != nil {
		return err
	}
	switch err := tx.Commit(); {
	case err == nil:
		return nil
	case s.dialect.isRefusal(err):
		return fmt.Errorf("committing a transaction: %w", err)
	default:
		return fmt.Errorf("committing a transaction: %w: %w", ErrInDoubt, err)
	}
}

// bounded ends a context after database_timeout where there is a server to wait for.
func (s *Store) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.within == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.within)
}

// reading runs a read, again after a failure that may pass.
func (s *Store) reading(ctx context.Context, read func(context.Context) error) error {
	for run := 1; ; run++ {
		bounded, cancel := s.bounded(ctx)
		err := read(bounded)
		cancel()
		if err == nil || run == maxRuns || !s.transient(err) || !pause(ctx, firstPause<<(run-1)) {
			return err
		}
	}
}

// transient reports whether it makes sense to try again what has failed.
func (s *Store) transient(err error) bool {
	return errors.Is(err, ErrInDoubt) || s.dialect.isTransient(err) || s.dialect.server && s.lost(err)
}

// lost reports whether an error tells of a server that does not answer.
func (s *Store) lost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) || s.dialect.isTransient(err)
}

// Tx is one open transaction.
type Tx struct {
	InDoubt bool // an earlier run of the same work may have been committed

	tx      *sqlx.Tx
	dialect dialect
	until   time.Time // the whole transaction is bounded; zero where the database is a file
}

// bounded ends the context of a statement with its transaction: a statement that waits keeps the transaction open.
func (t *Tx) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, t.until)
}

// Exec runs one statement and returns the number of rows that it matched. The refusal of a unique index wraps
// ErrDuplicate; the transaction must then be undone, since some databases accept nothing more in it.
func (t *Tx) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	result, err := t.tx.ExecContext(ctx, t.tx.Rebind(statement), args...)
	if err != nil {
		if t.dialect.isUnique(err) {
			return 0, fmt.Errorf("writing a row: %w: %w", ErrDuplicate, err)
		}
		return 0, fmt.Errorf("writing a row: %w", err)
	}
	return result.RowsAffected()
}

// Get reads one row into dest; a missing row wraps ErrAbsent.
func (t *Tx) Get(ctx context.Context, dest any, query string, args ...any) error {
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	return absent(t.tx.GetContext(ctx, dest, t.tx.Rebind(query), args...))
}

// GetLocked is Get of a row that nobody else changes before this transaction has ended. The row is read after the lock
// is held. The query must end where a locking clause can follow.
func (t *Tx) GetLocked(ctx context.Context, dest any, query string, args ...any) error {
	return t.Get(ctx, dest, query+t.dialect.lock, args...)
}
