package reference

import (
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite is a file. It has one writer, and queueing for it in the process is fairer than polling its lock; a
// transaction holds the writer's lock from its beginning, so no row needs a lock of its own.
var SQLite = dialects.register("sqlite", dialect{
	bind:        "sqlite",
	writers:     1,
	readers:     8,
	open:        openSQLite,
	define:      asItIs,
	isUnique:    sqliteCode(sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY),
	isTransient: sqliteBusy,
	isRefusal:   sqliteBusy,
	isThere:     never,
})

func openSQLite(database string, _ time.Duration) (*sql.DB, error) {
	path := strings.TrimPrefix(database, "sqlite://")
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "?") {
		return nil, errors.New("is not of the form sqlite:///absolute/path.db")
	}
	values := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+values.Encode())
}

func sqliteCode(codes ...int) func(error) bool {
	return func(err error) bool {
		var failure *sqlite.Error
		if !errors.As(err, &failure) {
			return false
		}
		for _, code := range codes {
			if failure.Code() == code {
				return true
			}
		}
		return false
	}
}

// sqliteBusy recognizes all kinds of busy; the kind is in the higher bits of the code.
func sqliteBusy(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY
}
