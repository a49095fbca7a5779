package reference

import (
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
)

func TestMySQLURL(t *testing.T) {
	opens(t, map[string]bool{
		"mysql://pay:secret@h:3306/db": true, "mysql://pay:secret@h/db": true, "mysql://pay:secret@h/db?tls=true": false,
		"mysql://pay:secret@h": false, "mysql://h/db": false, "mysql://pay:secret@tcp(h:3306)/db": false,
	})
}

func TestMySQLErrors(t *testing.T) {
	for number, want := range map[uint16]struct{ unique, transient, refusal bool }{
		1062: {true, false, true}, 1213: {false, true, true}, 1205: {false, true, true}, 1053: {false, true, false},
		1180: {false, false, false}, 1048: {false, false, true},
	} {
		err := fmt.Errorf("writing: %w", &mysql.MySQLError{Number: number})
		assert.Equal(t, want.unique, MySQL.isUnique(err), number)
		assert.Equal(t, want.transient, MySQL.isTransient(err), number)
		assert.Equal(t, want.refusal, MySQL.isRefusal(err), number)
	}
	assert.True(t, MySQL.isTransient(mysql.ErrInvalidConn))
	assert.False(t, MySQL.isRefusal(mysql.ErrInvalidConn), "silence is no refusal")
}

func TestMySQLSchema(t *testing.T) {
	assert.Equal(t, "CREATE INDEX i ON t(a)", defineMySQL("CREATE INDEX IF NOT EXISTS i ON t(a)"))
	assert.Contains(t, defineMySQL("CREATE TABLE IF NOT EXISTS t (a INT)"), "utf8mb4_bin")
}
