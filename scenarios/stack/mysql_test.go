//go:build unix

package stack

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// startMySQL starts a MariaDB or MySQL with a table, and returns its address.
func startMySQL(t *testing.T) string {
	t.Helper()
	install, server := program(t, "mariadb-install-db"), program(t, "mariadbd", "/usr/sbin", "/usr/bin", "/usr/local/bin")
	w := newThrowaway(t)
	data := w.dir + "/data"
	w.run(t, install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	port := freePort(t)
	w.start(t, server, "--no-defaults", "--datadir="+data, "--port="+port, "--bind-address=127.0.0.1", "--socket="+w.dir+"/s",
		"--pid-file="+w.dir+"/pid", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M")
	address := "127.0.0.1:" + port
	await(t, "MariaDB", func() error {
		db := openMySQL(t, address, nil)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS pay")
		if err == nil {
			_, err = db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS pay.pay_transaction (id VARCHAR(64) PRIMARY KEY, status VARCHAR(16) NOT NULL) ENGINE=InnoDB")
		}
		return errors.Join(err, db.Close())
	})
	return address
}

// openMySQL makes a pool of one connection.
func openMySQL(t *testing.T, address string, change func(*mysql.Config)) *sql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "tcp", address
	config.Logger = log.New(io.Discard, "", 0)
	if change != nil {
		config.DBName = "pay"
		change(config)
	}
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// mysqlLink is a pool of one connection through a proxy, and one beside it.
type mysqlLink struct {
	*testLink
	seen     *sightings
	db, side *sql.DB
}

func linkMySQL(t *testing.T, address string, change func(*mysql.Config)) *mysqlLink {
	t.Helper()
	l := &mysqlLink{}
	l.testLink, l.seen = linkedHere(t, address, wire.MySQL)
	l.db, l.side = openMySQL(t, l.Address(), change), openMySQL(t, address, change)
	for _, do := range []string{"DELETE FROM pay_transaction", "INSERT INTO pay_transaction VALUES ('O-1', 'PROCESSING'), ('O-2', 'PROCESSING')"} {
		_, err := l.side.ExecContext(patient(t), do)
		require.NoError(t, err)
	}
	return l
}

const setStatusMySQL = "UPDATE pay_transaction SET status = ? WHERE id = ?"

func (l *mysqlLink) status(t *testing.T, id string) (status string) {
	t.Helper()
	require.NoError(t, l.side.QueryRowContext(patient(t), "SELECT status FROM pay_transaction WHERE id = ?", id).Scan(&status))
	return status
}

func (l *mysqlLink) pay(t *testing.T, ids ...string) error {
	t.Helper()
	ctx := patient(t)
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, setStatusMySQL, "SUCCESS", id); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func TestMySQLLink(t *testing.T) {
	address := startMySQL(t)
	for name, change := range map[string]func(*mysql.Config){
		"prepared": func(*mysql.Config) {},
		"text":     func(c *mysql.Config) { c.InterpolateParams = true; c.MultiStatements = true },
	} {
		t.Run(name, func(t *testing.T) {
			link := func(t *testing.T) *mysqlLink { return linkMySQL(t, address, change) }
			t.Run("is read", func(t *testing.T) { mysqlIsRead(t, link(t)) })
			t.Run("deadlock", func(t *testing.T) { mysqlDeadlock(t, link(t)) })
			t.Run("statement refused", func(t *testing.T) { mysqlStatementRefused(t, link(t)) })
			t.Run("commit refused", func(t *testing.T) { mysqlCommitRefused(t, link(t)) })
			t.Run("nth", func(t *testing.T) { mysqlNth(t, link(t)) })
			t.Run("commit's answer lost", func(t *testing.T) { mysqlCommitAnswerLost(t, link(t)) })
			t.Run("commit held", func(t *testing.T) { mysqlCommitHeld(t, link(t)) })
		})
	}
}

func mysqlIsRead(t *testing.T, l *mysqlLink) {
	require.NoError(t, l.pay(t, "O-1"))
	require.NoError(t, l.pay(t, "O-2"))
	stmt, err := l.db.PrepareContext(patient(t), "SELECT id, status FROM pay_transaction WHERE status = ? ORDER BY id")
	require.NoError(t, err)
	for range 3 { // definitions of columns are left out from the second time on
		rows, err := stmt.QueryContext(patient(t), "SUCCESS")
		require.NoError(t, err)
		var got []string
		for rows.Next() {
			var id, status string
			require.NoError(t, rows.Scan(&id, &status))
			got = append(got, id+" "+status)
		}
		require.NoError(t, rows.Err())
		assert.Equal(t, []string{"O-1 SUCCESS", "O-2 SUCCESS"}, got)
	}
	require.NoError(t, stmt.Close())
	require.NoError(t, l.db.PingContext(patient(t)))
	_, err = l.db.ExecContext(patient(t), "INSERT INTO pay_transaction VALUES ('O-1', 'x')")
	mysqlRefusedWith(t, err, 1062)

	count := map[string]int{}
	for _, m := range l.seen.all() {
		count[m.Dir+" "+m.Label]++
		if m.Dir == history.Request && m.Label == "UPDATE pay_transaction" {
			assert.Contains(t, string(m.Raw), "O-", "a text parameter can be joined to its order")
		}
	}
	for label, n := range map[string]int{"BEGIN": 2, "UPDATE pay_transaction": 2, "COMMIT": 2, "SELECT pay_transaction": 3, "INSERT pay_transaction": 1, "PING": 1} {
		assert.Equal(t, n, count["request "+label], label)
		assert.Equal(t, n, count["answer "+label], label)
	}
	assert.Zero(t, l.Unread())
}

func mysqlRefusedWith(t *testing.T, err error, code uint16) {
	t.Helper()
	var got *mysql.MySQLError
	require.ErrorAs(t, err, &got)
	assert.Equal(t, code, got.Number)
}

func mysqlDeadlock(t *testing.T, l *mysqlLink) {
	a := arm(t, l.testLink, Rule{Fault: "deadlock", Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 2, Count: 1}, Do: Refuse{}})
	mysqlRefusedWith(t, l.pay(t, "O-1", "O-2"), 1213)
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"), "all was rolled back")
	require.NoError(t, l.pay(t, "O-1", "O-2"), "the connection can be used")
	assert.Equal(t, "SUCCESS", l.status(t, "O-2"))
	assert.Contains(t, l.seen.lines(), "request UPDATE pay_transaction lost deadlock")
	assert.Contains(t, l.seen.lines(), "answer UPDATE pay_transaction passed deadlock")
	assert.Zero(t, l.Unread())
}

func mysqlStatementRefused(t *testing.T, l *mysqlLink) {
	arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 2, Count: 1}, Do: Refuse{Code: "1205"}})
	ctx := patient(t)
	tx, err := l.db.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(ctx, setStatusMySQL, "SUCCESS", "O-1")
	require.NoError(t, err)
	_, err = tx.ExecContext(ctx, setStatusMySQL, "SUCCESS", "O-2")
	mysqlRefusedWith(t, err, 1205)
	require.NoError(t, tx.Commit())
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"), "the transaction goes on, as at a server whose lock was waited for too long")
	assert.Equal(t, "PROCESSING", l.status(t, "O-2"))
}

func mysqlCommitRefused(t *testing.T, l *mysqlLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"COMMIT"}, Nth: 1, Count: 1}, Do: Refuse{Code: "1180"}})
	mysqlRefusedWith(t, l.pay(t, "O-1"), 1180)
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, "PROCESSING", l.status(t, "O-1"))
	require.NoError(t, l.pay(t, "O-1"))
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"))
}

func mysqlNth(t *testing.T, l *mysqlLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"UPDATE pay_transaction"}, Nth: 3, Count: 1}, Do: Lose{}})
	require.NoError(t, l.pay(t, "O-1", "O-2"))
	require.Error(t, l.pay(t, "O-1"))
	assert.Equal(t, 1, a.Fired())
}

func mysqlCommitAnswerLost(t *testing.T, l *mysqlLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Answer, Labels: []string{"COMMIT"}}, Do: Lose{}})
	err := l.pay(t, "O-1")
	require.Error(t, err)
	var refused *mysql.MySQLError
	assert.False(t, errors.As(err, &refused), "it is the connection that failed: %v", err)
	assert.Equal(t, 1, a.Fired())
	assert.Equal(t, "SUCCESS", l.status(t, "O-1"), "the server has done it")
}

func mysqlCommitHeld(t *testing.T, l *mysqlLink) {
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
