package reference

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// dialect is what differs between databases. All SQL of the service uses ? placeholders, integer times and text ids,
// and neither RETURNING nor ON CONFLICT, so a further database is one more dialect.
type dialect struct {
	bind    string // the name under which sqlx knows the placeholders
	server  bool   // the database is a process of its own: it may be away, and waiting for it is bounded
	writers int    // connections that write; each caller waits for a turn here, in order
	readers int    // connections that read what is committed
	lock    string // what makes a SELECT lock its rows

	// open makes a pool without connecting. within bounds connecting and each word with a server. Its error tells what
	// is wrong with the URL and never shows a password.
	open func(database string, within time.Duration) (*sql.DB, error)

	// define turns a statement of the portable schema into one of this database; alone is what keeps two instances from
	// making the tables side by side, empty where the database does so itself.
	define func(statement string) string
	alone  string

	isUnique    func(error) bool // the violation of a unique index or a primary key
	isTransient func(error) bool // the same transaction may well succeed if it is run again
	isRefusal   func(error) bool // an answer to COMMIT after which it is certain that nothing was written
	isThere     func(error) bool // what a statement of the schema makes is there already
}

// dialects are the databases that are known, by URL scheme.
var dialects = registry[dialect]{}

// serverConnections is how many connections each of the two pools of one instance may hold: sixteen together, so that
// a few instances fit into the hundred that a server usually takes.
const serverConnections = 8

func never(error) bool { return false }

func asItIs(statement string) string { return statement }

// serverURL reads the URL of a database server. Its error shows no part of the URL that may hold a password.
func serverURL(database, scheme, port string) (*url.URL, error) {
	u, err := url.Parse(database)
	form := fmt.Sprintf("%s://user:password@host:%s/database", scheme, port)
	if err != nil || u.Hostname() == "" || u.User.Username() == "" {
		return nil, fmt.Errorf("is not of the form %s", form)
	}
	if name := strings.TrimPrefix(u.Path, "/"); name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("names no database, give %s", form)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	return u, nil
}

// shown is a URL as it may stand in a log: without its password.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not a URL)"
	}
	return u.Redacted()
}
