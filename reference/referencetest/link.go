package referencetest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// DatabaseAct is what happens to one exchange with the database.
type DatabaseAct struct {
	Hold <-chan struct{} // the statement goes on when this is closed
	Fail string          // the statement is not carried out; the database answers this SQLSTATE. A COMMIT is rolled back.
	Lose bool            // the statement is carried out, and the connection is reset instead of its answer
	Cut  bool            // the statement is not carried out, and the connection is reset
}

// DatabaseLink lies between the service and its database server and sees every statement on its way. The drivers send
// one statement, with its values, in one piece.
type DatabaseLink struct {
	URL string

	kind, address string
	listener      net.Listener

	mu    sync.Mutex
	acts  func(transaction, statement string) DatabaseAct
	conns map[net.Conn]bool
	away  bool
}

func linkTo(t testing.TB, database string) *DatabaseLink {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	l := &DatabaseLink{kind: u.Scheme, address: u.Host, conns: map[net.Conn]bool{}}
	l.Act(func(string, string) DatabaseAct { return DatabaseAct{} })
	l.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u.Host = l.listener.Addr().String()
	l.URL = u.String()
	go l.serve()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.Away(true)
	})
	return l
}

// Act sets what the link does with a statement; transaction is what its connection has sent since the last BEGIN.
func (l *DatabaseLink) Act(acts func(transaction, statement string) DatabaseAct) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts = acts
}

// Nth does this to the n-th statement that matches, counted from 1.
func (l *DatabaseLink) Nth(n int, matches func(transaction, statement string) bool, act DatabaseAct) {
	seen := 0
	l.Act(func(transaction, statement string) DatabaseAct {
		if !matches(transaction, statement) {
			return DatabaseAct{}
		}
		if seen++; seen == n {
			return act
		}
		return DatabaseAct{}
	})
}

// Commits matches the COMMIT of a transaction that holds all these texts.
func Commits(texts ...string) func(transaction, statement string) bool {
	return func(transaction, statement string) bool {
		if !isCommit(statement) {
			return false
		}
		for _, text := range texts {
			if !strings.Contains(transaction, text) {
				return false
			}
		}
		return true
	}
}

// Away cuts all connections and refuses new ones until it is called with false.
func (l *DatabaseLink) Away(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
	if away {
		for conn := range l.conns {
			reset(conn)
		}
	}
}

func (l *DatabaseLink) serve() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		refused := l.away
		l.conns[client] = !refused
		l.mu.Unlock()
		if refused {
			l.end(client)
			continue
		}
		go l.connect(client)
	}
}

func (l *DatabaseLink) end(client net.Conn) {
	l.mu.Lock()
	delete(l.conns, client)
	l.mu.Unlock()
	reset(client)
}

// exchange is one connection, with what is to happen to the next answer of the server.
type exchange struct {
	client, server net.Conn

	mu      sync.Mutex
	instead []byte
	lose    bool
}

func (l *DatabaseLink) connect(client net.Conn) {
	defer l.end(client)
	server, err := net.Dial("tcp", l.address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	x := &exchange{client: client, server: server}
	go x.answers()
	transaction, piece := "", make([]byte, 64<<10)
	for {
		n, err := client.Read(piece)
		if err != nil {
			return
		}
		statement := string(piece[:n])
		if begins(statement) {
			transaction = ""
		}
		l.mu.Lock()
		act := l.acts(transaction, statement)
		l.mu.Unlock()
		transaction += statement
		if act.Hold != nil {
			select {
			case <-act.Hold:
			case <-time.After(Patience):
			}
		}
		if act.Cut || !x.pass(l.kind, statement, act) {
			return
		}
	}
}

// pass sends a statement on, or what stands for it.
func (x *exchange) pass(kind, statement string, act DatabaseAct) bool {
	x.mu.Lock()
	x.lose = act.Lose
	if act.Fail != "" {
		refusal := refusal(kind, act.Fail, isCommit(statement))
		if !isCommit(statement) {
			x.mu.Unlock()
			_, err := x.client.Write(refusal)
			return err == nil
		}
		x.instead, statement = refusal, rollback(kind)
	}
	x.mu.Unlock()
	_, err := io.WriteString(x.server, statement)
	return err == nil
}

// answers carries the server's answers to the client.
func (x *exchange) answers() {
	defer reset(x.client)
	piece := make([]byte, 64<<10)
	for {
		n, err := x.server.Read(piece)
		if err != nil {
			return
		}
		x.mu.Lock()
		answer, lose := piece[:n], x.lose
		if x.instead != nil {
			answer, x.instead = x.instead, nil
		}
		x.mu.Unlock()
		if lose {
			return
		}
		if _, err := x.client.Write(answer); err != nil {
			return
		}
	}
}

func isCommit(statement string) bool {
	return len(statement) < 16 && strings.Contains(strings.ToUpper(statement), "COMMIT")
}

func begins(statement string) bool {
	text := strings.ToUpper(statement[:min(len(statement), 64)])
	return strings.Contains(text, "BEGIN") || strings.Contains(text, "START TRANSACTION")
}

func rollback(kind string) string {
	if kind == MySQL {
		return "\x09\x00\x00\x00\x03ROLLBACK"
	}
	return "Q\x00\x00\x00\x0drollback\x00"
}

// refusal is a server's error. After one PostgreSQL has the transaction undone by the client, unless it was the COMMIT.
func refusal(kind, state string, commit bool) []byte {
	if kind == MySQL {
		number := uint16(1030)
		if state == "40001" {
			number = 1213
		}
		body := append([]byte{0xff, byte(number), byte(number >> 8), '#'}, state+"made up by the test"...)
		return append([]byte{byte(len(body)), 0, 0, 1}, body...)
	}
	fields := "SERROR\x00VERROR\x00C" + state + "\x00Mmade up by the test\x00\x00"
	out := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(fields)+4))
	out = append(out, fields...)
	standing := byte('E')
	if commit {
		standing = 'I'
	}
	return append(out, 'Z', 0, 0, 0, 5, standing)
}

// reset ends a connection without a farewell.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
