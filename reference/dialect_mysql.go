package reference

import (
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// MySQL is a MySQL or MariaDB server. DDL commits by itself there, so the schema is only as good as each of its
// statements is alone.
var MySQL = dialects.register("mysql", dialect{
	bind:        "mysql",
	server:      true,
	writers:     serverConnections,
	readers:     serverConnections,
	lock:        " FOR UPDATE",
	open:        openMySQL,
	define:      defineMySQL,
	isUnique:    mysqlCode(1062, 1586),
	isTransient: mysqlTransient,
	isRefusal:   mysqlRefusal,
	isThere:     mysqlCode(1061),
})

// openMySQL has UPDATE count the rows that it matched, as everywhere else, and not those whose values it changed; and
// sends a statement with its values in one exchange.
func openMySQL(database string, within time.Duration) (*sql.DB, error) {
	u, err := serverURL(database, "mysql", "3306")
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" {
		return nil, errors.New("takes no parameters, give mysql://user:password@host:3306/database")
	}
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.Collation = "utf8mb4_bin"
	cfg.Timeout, cfg.ReadTimeout, cfg.WriteTimeout = within, within, within
	cfg.ClientFoundRows, cfg.InterpolateParams = true, true
	cfg.Logger = &mysql.NopLogger{}
	cfg.Params = map[string]string{
		// Whole seconds; a lock is given up before the server is, wherever the server is given that long.
		"innodb_lock_wait_timeout": strconv.Itoa(max(1, int(within.Seconds()*3/4))),
		"sql_mode":                 "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// defineMySQL has keys compared byte by byte, as the other databases do, and not as words of a language.
func defineMySQL(statement string) string {
	if strings.HasPrefix(statement, "CREATE TABLE") {
		return statement + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
	}
	return strings.Replace(statement, "CREATE INDEX IF NOT EXISTS", "CREATE INDEX", 1) // MySQL knows no such condition
}

func mysqlCode(codes ...uint16) func(error) bool {
	return func(err error) bool {
		var failure *mysql.MySQLError
		return errors.As(err, &failure) && slices.Contains(codes, failure.Number)
	}
}

// mysqlTransient: deadlock, a lock that was waited for too long, too many connections, a server that is stopping, and
// a connection that is lost or was ended by somebody.
func mysqlTransient(err error) bool {
	return errors.Is(err, mysql.ErrInvalidConn) || mysqlCode(1213, 1205, 1040, 1053, 1927, 4031)(err)
}

// mysqlRefusal: the server has said that it rolled back. Not so where it stops, where COMMIT failed in its middle
// (1180), or where it does not answer at all.
func mysqlRefusal(err error) bool {
	var failure *mysql.MySQLError
	return errors.As(err, &failure) && !mysqlCode(1053, 1180, 1317, 1927)(err)
}
