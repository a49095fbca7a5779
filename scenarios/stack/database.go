package stack

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// databaseWait bounds the making and the dropping of a database.
const databaseWait = 20 * time.Second

// database is one kind of database server.
type database struct {
	driver   string
	protocol *wire.Protocol
	dsn      func(*url.URL) string
	create   string // with %s for the name, which is made of letters, digits and underscores only
	drop     string
}

var databases = map[string]database{
	"postgres": {
		driver: "pgx", protocol: wire.Postgres, dsn: (*url.URL).String,
		create: "CREATE DATABASE %s", drop: "DROP DATABASE IF EXISTS %s WITH (FORCE)",
	},
	"mysql": {
		driver: "mysql", protocol: wire.MySQL, dsn: mysqlDSN,
		create: "CREATE DATABASE %s CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", drop: "DROP DATABASE IF EXISTS %s",
	},
}

func databaseSchemes() []string {
	var out []string
	for name := range databases {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func mysqlDSN(u *url.URL) string {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User = "tcp", u.Host, u.User.Username()
	c.Passwd, _ = u.User.Password()
	if len(u.Path) > 1 {
		c.DBName = u.Path[1:]
	}
	return c.FormatDSN()
}

// upDatabase gives the experiment a database of its own: a file, or one on the server given, behind the link db.
func (s *Stack) upDatabase(ctx context.Context, place proxied, vars targets.Vars) error {
	asked := s.Target.Database
	switch {
	case asked == nil:
		return nil
	case asked.Engine == targets.SQLite, asked.Engine == "" && s.Servers.DB == "":
		s.upDatabaseFile(vars)
		return nil
	}
	server, err := url.Parse(s.Servers.DB)
	if err != nil || server.Scheme == "" {
		return fmt.Errorf("target %s needs a database server: --db %s://user:password@127.0.0.1:PORT/name, or --runtime docker: %w", s.Target.Name, asked.Engine, ErrNotUp)
	}
	kind := databases[server.Scheme]
	name := s.Workdir.Unique("db")
	l := lease{Kind: leaseDatabase, Server: s.Servers.DB, Name: name}
	if err := s.Workdir.lease(l); err != nil {
		return err
	}
	if err := execute(ctx, kind, server, fmt.Sprintf(kind.create, name)); err != nil {
		return fmt.Errorf("making a database on %s: %w: %w", server.Redacted(), ErrNotUp, err)
	}
	s.onClose(l.end)
	own := *server
	own.Path = "/" + name
	s.placeServer("database", &own)
	at, err := place(DBLink, kind.protocol, server.Host)
	if err != nil {
		return err
	}
	address(vars, DBLink, server.Scheme, at)
	word, _ := own.User.Password()
	vars["db.url"], vars["db.user"], vars["db.password"], vars["db.name"] = through(&own, at).String(), own.User.Username(), word, name
	s.rowsDriver, s.rowsDSN = kind.driver, kind.dsn(&own)
	s.writeDSN = s.rowsDSN
	return nil
}

// upDatabaseFile is an SQLite file. It is made by the first who writes to it.
func (s *Stack) upDatabaseFile(vars targets.Vars) {
	file := filepath.Join(vars["dir"].(string), "service.db")
	vars["db.url"], vars["db.file"] = "sqlite://"+file, file
	s.place("database", file)
	s.rowsDriver, s.writeDSN = "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"
	s.rowsDSN = "file:" + file + "?mode=ro&_pragma=busy_timeout(5000)"
}

// engine is the kind of the service's database, as target files name it.
func (s *Stack) engine() string {
	return map[string]string{"sqlite": targets.SQLite, "pgx": targets.Postgres, "mysql": targets.MySQL}[s.rowsDriver]
}

// execute runs one statement on a server, beside any proxy.
func execute(ctx context.Context, kind database, server *url.URL, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWait)
	defer cancel()
	db, err := sql.Open(kind.driver, kind.dsn(server))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}
