package referencetest

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

// server is a throw-away server: its data in a temporary folder, on ports of its own, one for all tests of a package.
type server struct {
	name     string // of the product, for messages
	binaries []string
	account  string // that it runs as when the tests run as root, for most refuse root

	begin func(s *server) error // fills url

	once sync.Once
	fail error
	url  string
	dir  string
	ends []func()
}

var running struct {
	sync.Mutex
	servers []*server
}

// bootWithin bounds the start of one server.
const bootWithin = 90 * time.Second

// of returns the URL of a server, started if need be. Where it is not installed the test is skipped on a laptop and
// fails where CI=true.
func (s *server) of(t testing.TB) string {
	t.Helper()
	for _, binary := range s.binaries {
		if find(binary) != "" {
			continue
		}
		missing := fmt.Sprintf("%s is not installed (no %s): nothing is known about the service on it", s.name, binary)
		if os.Getenv("CI") == "true" {
			require.Fail(t, missing)
		}
		_, _ = fmt.Fprintf(os.Stderr, "SKIPPED %s: %s\n", t.Name(), missing)
		t.Skip(missing)
	}
	s.once.Do(func() {
		running.Lock()
		running.servers = append(running.servers, s)
		running.Unlock()
		if s.dir, s.fail = os.MkdirTemp("", "reference-"+s.account+"-"); s.fail != nil {
			return
		}
		if uid, gid, ok := s.owner(); ok {
			s.fail = os.Chown(s.dir, uid, gid)
		}
		if s.fail == nil {
			s.fail = s.begin(s)
		}
	})
	require.NoError(t, s.fail, "starting %s: %s", s.name, s.said())
	return s.url
}

// StopServers ends every server that was started and removes its data. TestMain of a package that starts any calls it.
func StopServers() {
	running.Lock()
	defer running.Unlock()
	for _, s := range running.servers {
		for i := len(s.ends) - 1; i >= 0; i-- {
			s.ends[i]()
		}
		_ = os.RemoveAll(s.dir)
	}
	running.servers = nil
}

// owner is the account that the server runs as; false where it runs as we do.
func (s *server) owner() (uid, gid int, ok bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{s.account, "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid, true
		}
	}
	return 0, 0, false
}

// command makes a command that runs in the server's folder, as its account, in a process group of its own.
func (s *server) command(env []string, binary string, args ...string) (*exec.Cmd, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	c := exec.Command(find(binary), args...)
	c.Dir, c.Stdout, c.Stderr = s.dir, log, log
	c.Env = append(append(os.Environ(), "HOME="+s.dir, "TMPDIR="+s.dir, "LC_ALL=C"), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, ok := s.owner(); ok {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return c, nil
}

// do runs a command to its end.
func (s *server) do(binary string, args ...string) error {
	c, err := s.command(nil, binary, args...)
	if err != nil {
		return err
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("running %s: %w", binary, err)
	}
	return nil
}

// run starts a command that StopServers ends.
func (s *server) run(env []string, binary string, args ...string) error {
	c, err := s.command(env, binary, args...)
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", binary, err)
	}
	end, err := s.watch(c)
	s.ends = append(s.ends, end)
	return err
}

// watch has a server killed, with its process group, when end is called or when this process ends in whatever way: the
// watcher's input is then closed. The data is thrown away, so there is nothing to end gently.
func (s *server) watch(c *exec.Cmd) (end func(), err error) {
	watcher := exec.Command("sh", "-c", `read -r _; kill -9 "-$1"; rm -rf "$2"`, "sh", strconv.Itoa(c.Process.Pid), s.dir)
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := watcher.StdinPipe()
	if err == nil {
		err = watcher.Start()
	}
	if err != nil {
		return func() { _ = c.Process.Kill(); _ = c.Wait() }, fmt.Errorf("watching %s: %w", s.name, err)
	}
	return func() {
		_ = input.Close()
		_ = watcher.Wait()
		_ = c.Wait()
	}, nil
}

// answers waits until the server does what it is there for.
func (s *server) answers(try func() error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(bootWithin); ; <-tick.C {
		err := try()
		if err == nil || time.Now().After(until) {
			return err
		}
	}
}

// said is the end of the server's log.
func (s *server) said() string {
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(log[max(0, len(log)-2000):])
}

// find looks for a binary also where distributions hide those of servers.
func find(binary string) string {
	if path, err := exec.LookPath(binary); err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/sbin/", "/usr/lib/rabbitmq/bin/"} {
		if found, _ := filepath.Glob(pattern + binary); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Database servers.
const (
	Postgres = "postgres"
	MySQL    = "mysql"
)

var databaseServers = map[string]*server{
	Postgres: {name: "PostgreSQL", account: "postgres", binaries: []string{"initdb", "postgres"}, begin: beginPostgres},
	MySQL:    {name: "MariaDB", account: "mysql", binaries: []string{"mariadb-install-db", "mysqld"}, begin: beginMySQL},
}

func beginPostgres(s *server) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	if err := s.do("initdb", "-D", data, "-U", "pay", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	err = s.run(nil, "postgres", "-D", data, "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200")
	if err != nil {
		return err
	}
	s.url = fmt.Sprintf("postgres://pay:secret@127.0.0.1:%d/", port)
	return s.answers(func() error { return query("pgx", s.url+"postgres?sslmode=disable", "SELECT 1") })
}

func beginMySQL(s *server) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	data, grants := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "grants.sql")
	if err := s.do("mariadb-install-db", "--no-defaults", "--datadir="+data, "--skip-test-db", "--auth-root-authentication-method=normal"); err != nil {
		return err
	}
	if err := os.WriteFile(grants, []byte("CREATE USER 'pay'@'%' IDENTIFIED BY 'secret';\nGRANT ALL ON *.* TO 'pay'@'%';\n"), 0o644); err != nil {
		return err
	}
	err = s.run(nil, "mysqld", "--no-defaults", "--datadir="+data, "--port="+strconv.Itoa(port), "--bind-address=127.0.0.1",
		"--socket="+filepath.Join(s.dir, "socket"), "--pid-file="+filepath.Join(s.dir, "pid"), "--init-file="+grants,
		"--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--max-connections=200")
	if err != nil {
		return err
	}
	s.url = fmt.Sprintf("mysql://pay:secret@127.0.0.1:%d/", port)
	return s.answers(func() error { return query("mysql", mysqlDSN(s.url, "mysql"), "SELECT 1") })
}

func mysqlDSN(url, database string) string {
	at := strings.TrimSuffix(strings.TrimPrefix(url, "mysql://"), "/")
	login, address, _ := strings.Cut(at, "@")
	return login + "@tcp(" + address + ")/" + database
}

func query(driver, dsn, statement string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.Exec(statement)
	return err
}

var databases struct {
	sync.Mutex
	made int
}

// freshDatabase makes an empty database at a server and returns its URL; it is dropped when the test ends.
func freshDatabase(t testing.TB, kind string) string {
	t.Helper()
	url := databaseServers[kind].of(t)
	databases.Lock()
	databases.made++
	name := fmt.Sprintf("pay%d", databases.made)
	databases.Unlock()
	if kind == MySQL {
		do := func(statement string) error { return query("mysql", mysqlDSN(url, "mysql"), statement) }
		require.NoError(t, do("CREATE DATABASE "+name))
		t.Cleanup(func() { _ = do("DROP DATABASE " + name) })
		return url + name
	}
	// A schema costs PostgreSQL nothing, a database a checkpoint.
	do := func(statement string) error { return query("pgx", url+"postgres?sslmode=disable", statement) }
	require.NoError(t, do("CREATE SCHEMA "+name))
	t.Cleanup(func() { _ = do("DROP SCHEMA " + name + " CASCADE") })
	return url + "postgres?search_path=" + name
}

// On puts the service on a fresh database of a server, behind a DatabaseLink; an empty kind leaves it on a file.
func On(kind string) Option {
	return func(r *Rig) {
		if kind == "" {
			return
		}
		r.Link = linkTo(r.T, freshDatabase(r.T, kind))
		r.Config.Database = r.Link.URL
		r.Config.DatabaseTimeout = reference.Duration(10 * time.Second) // a slow machine is no fault of the service
	}
}
