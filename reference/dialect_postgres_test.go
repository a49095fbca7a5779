package reference

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
)

func TestPostgresURL(t *testing.T) {
	opens(t, map[string]bool{
		"postgres://pay:secret@h:5432/db": true, "postgres://pay:secret@h/db": true, "postgres://pay:secret@h/db?sslmode=require": true,
		"postgres://pay:secret@h/db?sslmode=maybe": false, "postgres://pay:secret@h": false, "postgres://pay:secret@h/": false,
		"postgres://h/db": false, "postgres://pay:secret@/db": false, "postgres://pay:secret@h:port/db": false, "postgres://pay:secret@h/a/b": false,
	})
}

func TestPostgresErrors(t *testing.T) {
	for code, want := range map[string]struct{ unique, transient, refusal bool }{
		"23505": {true, false, true}, "40001": {false, true, true}, "40P01": {false, true, true}, "55P03": {false, true, true},
		"40003": {false, false, false}, "08007": {false, true, false}, "57P01": {false, true, false}, "23502": {false, false, true},
	} {
		err := fmt.Errorf("writing: %w", &pgconn.PgError{Code: code})
		assert.Equal(t, want.unique, PostgreSQL.isUnique(err), code)
		assert.Equal(t, want.transient, PostgreSQL.isTransient(err), code)
		assert.Equal(t, want.refusal, PostgreSQL.isRefusal(err), code)
	}
	assert.True(t, PostgreSQL.isRefusal(pgx.ErrTxCommitRollback))
	for _, err := range []error{io.ErrUnexpectedEOF, errors.New("conn closed")} {
		assert.False(t, PostgreSQL.isRefusal(err), "silence is no refusal")
	}
}
