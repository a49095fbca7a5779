package reference

import (
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// PostgreSQL is a PostgreSQL server. A URL without sslmode is not encrypted.
//
// Two sessions that make the same table at the same time get a violation of a system index, in spite of IF NOT EXISTS;
// an advisory lock keeps them apart.
var PostgreSQL = dialects.register("postgres", dialect{
	bind:        "pgx",
	server:      true,
	writers:     serverConnections,
	readers:     serverConnections,
	lock:        " FOR UPDATE",
	open:        openPostgres,
	define:      asItIs,
	alone:       "SELECT pg_advisory_xact_lock(1684365668)",
	isUnique:    func(err error) bool { return postgresCode(err) == "23505" },
	isTransient: postgresTransient,
	isRefusal:   postgresRefusal,
	isThere:     never,
})

// openPostgres sends every statement with its text and in one exchange, so that no prepared statement outlives a change
// of the schema or a pooler's connection.
func openPostgres(database string, within time.Duration) (*sql.DB, error) {
	u, err := serverURL(database, "postgres", "5432")
	if err != nil {
		return nil, err
	}
	if query := u.Query(); !query.Has("sslmode") {
		query.Set("sslmode", "disable")
		u.RawQuery = query.Encode()
	}
	cfg, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, err // pgx leaves the password out
	}
	cfg.ConnectTimeout = within
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	millis := func(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
	// The server gives up waiting for a lock a little before we give the server up, and drops the transaction of an
	// instance that has gone without a word, so that its locks do not stay.
	cfg.RuntimeParams["lock_timeout"] = millis(within * 3 / 4)
	cfg.RuntimeParams["idle_in_transaction_session_timeout"] = millis(within * 6)
	cfg.RuntimeParams["application_name"] = "reference"
	return stdlib.OpenDB(*cfg), nil
}

func postgresCode(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// postgresTransient: serialization failure, deadlock, a lock that was waited for too long, too many connections, a
// server that is stopping or starting, and a connection that is lost.
func postgresTransient(err error) bool {
	code := postgresCode(err)
	if code == "" {
		return pgconn.SafeToRetry(err) || pgconn.Timeout(err)
	}
	return strings.HasPrefix(code, "08") || slices.Contains([]string{"40001", "40P01", "55P03", "53300", "57P01", "57P02", "57P03", "25P03"}, code)
}

// postgresRefusal: the server has said that it rolled back. Not so where it stops, where it has lost track (40003,
// 08007), or where it does not answer at all.
func postgresRefusal(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return true
	}
	code := postgresCode(err)
	return code != "" && code != "40003" && !strings.HasPrefix(code, "08") && !strings.HasPrefix(code, "57")
}
