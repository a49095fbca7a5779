package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatementsAreNamedByVerbAndTable(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO pay_transaction (a) VALUES ($1)":            "INSERT pay_transaction",
		"insert ignore into `Pay_Transaction` values (1)":        "INSERT pay_transaction",
		`UPDATE public."pay_transaction" SET status = 'SUCCESS'`: "UPDATE pay_transaction",
		"\n  /* c */ -- x\n update only pay_transaction set a=1": "UPDATE pay_transaction",
		"SELECT a, 'x FROM y' FROM pay_transaction FOR UPDATE":   "SELECT pay_transaction",
		"SELECT extract(epoch FROM created) FROM ledger":         "SELECT ledger",
		"SELECT * FROM (SELECT 1 FROM inner_table) x":            "SELECT inner_table",
		"(SELECT 1 FROM a) UNION (SELECT 2 FROM b)":              "SELECT a",
		"SELECT 1":                      "SELECT",
		"DELETE FROM outbox WHERE id=1": "DELETE outbox",
		"WITH d AS (SELECT 1 FROM q) UPDATE pay_order SET a=1": "UPDATE pay_order",
		"CREATE TABLE IF NOT EXISTS pay_order (id INT)":        "CREATE pay_order",
		"CREATE UNIQUE INDEX i ON t (a)":                       "CREATE",
		"TRUNCATE TABLE t":                                     "TRUNCATE t",
		"LOCK TABLE t IN EXCLUSIVE MODE":                       "LOCK t",
		"CALL settle(1)":                                       "CALL settle",
		"COPY t FROM STDIN":                                    "COPY t",
		"begin":                                                "BEGIN",
		"START TRANSACTION READ ONLY":                          "BEGIN",
		"begin isolation level read committed":                 "BEGIN",
		"COMMIT;":                                              "COMMIT",
		"END":                                                  "COMMIT",
		"COMMIT PREPARED 'x'":                                  "COMMIT PREPARED",
		"rollback":                                             "ROLLBACK",
		"ROLLBACK TO SAVEPOINT s":                              "ROLLBACK TO",
		"SAVEPOINT s":                                          "SAVEPOINT",
		"SET NAMES utf8mb4":                                    "SET",
		"BEGIN; UPDATE pay_order SET a=1; COMMIT":              "UPDATE pay_order",
		";;":                "EMPTY",
		"":                  "EMPTY",
		"-- only a comment": "EMPTY",
		"/* never closed":   "EMPTY",
		"\x00\xff":          "OTHER",
		"'a string'":        "EMPTY",
		"SELECT FROM":       "SELECT",
		"UPDATE":            "UPDATE",
		"INSERT INTO " + strings.Repeat("t", 80) + " VALUES (1)":  "INSERT " + strings.Repeat("t", 64) + "…",
		"INSERT INTO t VALUES ('it''s \\' UPDATE x')":             "INSERT t",
		"# a comment of MySQL\nREPLACE INTO idem VALUES (1)":      "REPLACE idem",
		"UPDATE pay_order AS o JOIN pay_transaction SET a=1":      "UPDATE pay_order",
		"SELECT count(*) FROM pay.pay_transaction AS t WHERE a=1": "SELECT pay_transaction",
	} {
		assert.Equal(t, want, readSQL(sql).label, sql)
	}
	assert.True(t, readSQL("BEGIN; UPDATE a SET b=1; COMMIT").commit)
	assert.False(t, readSQL("UPDATE a SET b='COMMIT'").commit)
	assert.False(t, readSQL("ROLLBACK").commit)
}

func TestTextOfStatements(t *testing.T) {
	for sql, want := range map[string]string{
		"UPDATE  a\n\tSET b = 'O-1'":                     "UPDATE a SET b = 'O-1'",
		"INSERT INTO c (card_no) VALUES ('4111', 7, $1)": "INSERT INTO c (card_no) VALUES ('***', ***, $1)",
		"ALTER USER u IDENTIFIED BY 'x'":                 "ALTER USER u IDENTIFIED BY '***'",
		"SELECT '4111 1111 1111 1111', 4111111111111111": "SELECT '***', ***",
		"SELECT '4111 1111 1111 1112', 20261129174000":   "SELECT '4111 1111 1111 1112', 20261129174000",
		`SELECT "my password is x"`:                      `SELECT "***"`,
		"SELECT t1 FROM a2":                              "SELECT t1 FROM a2",
		"":                                               "",
	} {
		assert.Equal(t, want, sqlText(sql), sql)
	}
	assert.Equal(t, "SELECT "+strings.Repeat("x", maxText-7)+"…", sqlText("SELECT "+strings.Repeat("x", 500)))
}

func FuzzSQL(f *testing.F) {
	f.Add("WITH a AS (SELECT 1) UPDATE \"x\".`y` SET a='it''s' -- c\n; COMMIT")
	f.Add("/*'*/ (((SELECT FROM (((")
	f.Fuzz(func(t *testing.T, sql string) {
		s := readSQL(sql)
		assert.NotEmpty(t, s.label)
		assert.Less(t, len(s.label), 200)
		assert.Less(t, len(s.text), 1000)
	})
}
