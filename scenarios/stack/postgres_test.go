//go:build unix

package stack

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// startPostgres starts a PostgreSQL with a table, and returns its address.
func startPostgres(t *testing.T) string {
	t.Helper()
	const places = "/usr/lib/postgresql/*/bin"
	initdb, postgres := program(t, "initdb", places), program(t, "postgres", places)
	w := newThrowaway(t)
	data := w.dir + "/data"
	w.run(t, initdb, "-D", data, "-U", "payer", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
	port := freePort(t)
	w.start(t, postgres, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off")
	address := "127.0.0.1:" + port
	await(t, "PostgreSQL", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		conn, err := pgx.Connect(ctx, postgresURL(address))
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "CREATE TABLE IF NOT EXISTS pay_transaction (id TEXT PRIMARY KEY, status TEXT NOT NULL)")
		return errors.Join(err, conn.Close(ctx))
	})
	return address
}

func postgresURL(address string) string {
	return "postgres://payer:payer@" + address + "/postgres?sslmode=disable"
}

// postgresLink is one connection through a proxy, and one beside it.
type postgresLink struct {
	*testLink
	seen *sightings
	conn *pgx.Conn
	side *pgx.Conn
	mode pgx.QueryExecMode
}

func linkPostgres(t *testing.T, address string, mode pgx.QueryExecMode) *postgresLink {
	t.Helper()
	l := &postgresLink{mode: mode}
	l.testLink, l.seen = linkedHere(t, address, wire.Postgres)
	l.conn, l.side = l.connect(t, l.Address()), l.connect(t, address)
	_, err := l.side.Exec(patient(t), "TRUNCATE pay_transaction")
	require.NoError(t, err)
	_, err = l.side.Exec(patient(t), "INSERT INTO pay_transaction VALUES ('O-1', 'PROCESSING'), ('O-2', 'PROCESSING')")
	require.NoError(t, err)
	return l
}

func (l *postgresLink) connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(postgresURL(address))
	require.NoError(t, err)
	config.DefaultQueryExecMode = l.mode
	conn, err := pgx.ConnectConfig(patient(t), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

const setStatus = "UPDATE pay_transaction SET status = $1 WHERE id = $2"

// status reads a row beside the proxy.
func (l *postgresLink) status(t *testing.T, id string) (status string) {
	t.Helper()
	require.NoError(t, l.side.QueryRow(patient(t), "SELECT status FROM pay_transaction WHERE id = $1", id).Scan(&status))
	return status
}

// pay sets the status of payments in one transaction.
func (l *postgresLink) pay(t *testing.T, ids ...string) error {
	t.Helper()
	ctx := patient(t)
	tx, err := l.conn.Begin(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.Exec(ctx, setStatus, "SUCCESS", id); err != nil {
			return errors.Join(err, tx.Rollback(ctx))
		}
	}
	return tx.Commit(ctx)
}

func TestPostgresLink(t *testing.T) {
	address := startPostgres(t)
	modes := map[string]pgx.QueryExecMode{
		"prepared": pgx.QueryExecModeCacheStatement, "described": pgx.QueryExecModeDescribeExec,
		"extended": pgx.QueryExecModeExec, "simple": pgx.QueryExecModeSimpleProtocol,
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			t.Run("is read", func(t *testing.T) { postgresIsRead(t, linkPostgres(t, address, mode)) })
			t.Run("statement refused", func(t *testing.T) { postgresStatementRefused(t, linkPostgres(t, address, mode)) })
			t.Run("commit refused", func(t *testing.T) { postgresCommitRefused(t, linkPostgres(t, address, mode)) })
			t.Run("alone refused", func(t *testing.T) { postgresAloneRefused(t, linkPostgres(t, address, mode)) })
			t.Run("nth", func(t *testing.T) { postgresNth(t, linkPostgres(t, address, mode)) })
		})
	}
	t.Run("commit's answer lost", func(t *testing.T) { postgresCommitAnswerLost(t, linkPostgres(t, address, pgx.QueryExecModeExec)) })
	t.Run("commit held", func(t *testing.T) { postgresCommitHeld(t, linkPostgres(t, address, pgx.QueryExecModeExec)) })
	t.Run("batch refused", func(t *testing.T) { postgresBatchRefused(t, linkPostgres(t, address, pgx.QueryExecModeExec)) })
	t.Run("copy", func(t *testing.T) { postgresCopy(t, linkPostgres(t, address, pgx.QueryExecModeExec)) })
}

func postgresIsRead(t *testing.T, l *postgresLink) {
	require.NoError(t, l.pay(t, "O-1"))
	require.NoError(t, l.pay(t, "O-2"))
	assert.Equal(t, "SUCCESS", l.status(t, "O-2"))
	count := map[string]int{}
	for _, m := range l.seen.all() {
		count[m.Dir+" "+m.Label]++
		assert.Equal(t, history.Passed, m.Fate)
		if m.Dir == history.Request && m.Label == "UPDATE pay_transaction" {
			assert.Contains(t, string(m.Raw), "O-", "a text parameter can be joined to its order")
		}
	}
	for _, label := range []string{"BEGIN", "UPDATE pay_transaction", "COMMIT"} {
		assert.Equal(t, 2, count["request "+label], label)
		assert.Equal(t, 2, count["answer "+label], label)
	}
	assert.Equal(t, 1, count["request startup"])
	assert.Zero(t, l.Unread())
}

// refusedWith checks the error that a client gets.
func refusedWith(t *testing.T, err error, code string) {
	t.Helper()
	var got *pgconn.PgError
	require.ErrorAs(t, err, &got)
	assert.Equal(t, code, got.Code)
	assert.Equal(t, "ERROR", got.Severity)
}

func postgresStatementRefused(t *testing.T, l *postgresLink) {
	a := arm(t, l.testLink, Rule{Fault: "deadlock", Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 2, Count: 1}, Do: Refuse{Code: "40P01"}})
	ctx := patient(t)
	tx, err := l.conn.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, setStatus, "SUCCESS", "O-1")
	require.NoError(t, err)
	_, err = tx.Exec(ctx, setStatus, "SUCCESS", "O-2")
	refusedWith(t, err, "40P01")
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, byte('E'), l.conn.PgConn().TxStatus())
	_, err = tx.Exec(ctx, "SELECT 1")
	refusedWith(t, err, "25P02") // the server knows that the transaction has failed
	require.NoError(t, tx.Rollback(ctx))
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"), "all was rolled back")

	require.NoError(t, l.pay(t, "O-1", "O-2"), "the connection can be used")
	assert.Equal(t, "SUCCESS", l.status(t, "O-2"))
	assert.Contains(t, l.seen.lines(), "request UPDATE pay_transaction lost deadlock")
	assert.Contains(t, l.seen.lines(), "answer UPDATE pay_transaction passed deadlock")
	assert.Zero(t, l.Unread())
}

func postgresCommitRefused(t *testing.T, l *postgresLink) {
	a := arm(t, l.testLink, Rule{Fault: "refused", Match: Match{Dir: history.Request, Labels: []string{"COMMIT"}, Nth: 1, Count: 1}, Do: Refuse{}})
	refusedWith(t, l.pay(t, "O-1"), "40001")
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, byte('I'), l.conn.PgConn().TxStatus())
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"))
	require.NoError(t, l.pay(t, "O-1"))
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"))
}

func postgresAloneRefused(t *testing.T, l *postgresLink) {
	arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"UPDATE *"}, Nth: 1, Count: 1}, Do: Refuse{Code: "55P03"}})
	_, err := l.conn.Exec(patient(t), setStatus, "SUCCESS", "O-1")
	refusedWith(t, err, "55P03")
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"))
	_, err = l.conn.Exec(patient(t), setStatus, "SUCCESS", "O-1")
	require.NoError(t, err)
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"))
}

func postgresNth(t *testing.T, l *postgresLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 3, Count: 1}, Do: Lose{}})
	require.NoError(t, l.pay(t, "O-1", "O-2"))
	require.Error(t, l.pay(t, "O-1"))
	assert.Equal(t, 1, a.Fired())
	assert.True(t, l.conn.IsClosed())
}

func postgresCommitAnswerLost(t *testing.T, l *postgresLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Answer, Labels: []string{"COMMIT"}}, Do: Lose{}})
	err := l.pay(t, "O-1")
	require.Error(t, err)
	var refused *pgconn.PgError
	assert.False(t, errors.As(err, &refused), "it is the connection that failed: %v", err)
	assert.True(t, l.conn.IsClosed())
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"), "the server has done it")
}

func postgresCommitHeld(t *testing.T, l *postgresLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"COMMIT"}}, Do: Hold{}})
	done := make(chan error, 1)
	go func() { done <- l.pay(t, "O-1") }()
	require.NoError(t, a.Wait(patient(t), 0, 1))
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"), "nobody sees it before")
	notYet(t, done)
	a.Release()
	require.NoError(t, came(t, done))
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"))
}

func postgresBatchRefused(t *testing.T, l *postgresLink) {
	arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 1, Count: 1}, Do: Refuse{}})
	batch := func() error {
		b := &pgx.Batch{}
		b.Queue(setStatus, "SUCCESS", "O-1")
		b.Queue(setStatus, "SUCCESS", "O-2")
		return l.conn.SendBatch(patient(t), b).Close()
	}
	refusedWith(t, batch(), "40001")
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"))
	require.NoError(t, batch())
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"))
}

func postgresCopy(t *testing.T, l *postgresLink) {
	n, err := l.conn.CopyFrom(patient(t), pgx.Identifier{"pay_transaction"}, []string{"id", "status"}, pgx.CopyFromRows([][]any{{"C-1", "SUCCESS"}}))
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	_, err = l.conn.CopyFrom(patient(t), pgx.Identifier{"pay_transaction"}, []string{"id", "status"}, pgx.CopyFromRows([][]any{{"C-1", "SUCCESS"}}))
	refusedWith(t, err, "23505")
	require.NoError(t, l.pay(t, "O-1"))
	assert.Contains(t, l.seen.lines(), "request COPY end passed")
	assert.Zero(t, l.Unread())
}
