package stack

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

func TestRefuseIsArmedOnlyWhereItCanWork(t *testing.T) {
	for name, c := range map[string]struct {
		protocol  *wire.Protocol
		dir, code string
		want      string // empty where it is fine
	}{
		"PostgreSQL":            {wire.Postgres, history.Request, "40P01", ""},
		"PostgreSQL, the usual": {wire.Postgres, history.Request, "", ""},
		"MySQL":                 {wire.MySQL, history.Request, "1205", ""},
		"number for a SQLSTATE": {wire.Postgres, history.Request, "1213", `arming fault "f" on link db: refusing a statement: "1213" is no SQLSTATE`},
		"SQLSTATE for a number": {wire.MySQL, history.Request, "40001", `"40001" is no number`},
		"an answer":             {wire.Postgres, history.Answer, "", `direction must be "request"`},
		"HTTP":                  {wire.HTTP, history.Request, "", "only databases refuse statements"},
		"AMQP":                  {wire.AMQP, history.Request, "", "only databases refuse statements"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewTap("db", c.protocol, nil).Arm(Rule{Fault: "f", Match: Match{Dir: c.dir}, Do: Refuse{Code: c.code}})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestRefusalIsAskedOfADatabaseThatIsRead(t *testing.T) {
	for name, protocol := range map[string]*wire.Protocol{"no database": wire.HTTP, "nothing asked": wire.Postgres} {
		c := NewTap("db", protocol, nil).newConn(1, func() {})
		_, err := c.refusal("", nil)
		require.Error(t, err, name)
		assert.Nil(t, c.refused(), name)
	}
}

// scribe is as much of a PostgreSQL as refusals need: it writes down what it is asked, cannot parse one statement, and
// says that it has done all others.
type scribe struct {
	net.Listener
	mu    sync.Mutex
	asked []string
}

func newScribe(t *testing.T) *scribe {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &scribe{Listener: ln}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return s
}

func (s *scribe) serve(conn net.Conn) {
	defer conn.Close()
	message := func(head int) (kind byte, body string, err error) {
		b := make([]byte, head)
		if _, err := io.ReadFull(conn, b); err != nil {
			return 0, "", err
		}
		rest := make([]byte, min(binary.BigEndian.Uint32(b[head-4:])-4, 1<<16))
		_, err = io.ReadFull(conn, rest)
		return b[0], strings.TrimRight(string(rest), "\x00"), err
	}
	say := func(kind byte, body string) string {
		return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body)))) + body
	}
	if _, _, err := message(4); err != nil {
		return
	}
	_, _ = io.WriteString(conn, say('R', "\x00\x00\x00\x00")+say('Z', "I"))
	for {
		kind, sql, err := message(5)
		if err != nil || kind != 'Q' {
			return
		}
		s.mu.Lock()
		s.asked = append(s.asked, sql)
		s.mu.Unlock()
		answer := say('C', sql+"\x00") + say('Z', "T")
		if strings.HasPrefix(sql, "this") {
			answer = say('E', "SERROR\x00C42601\x00Msyntax error\x00\x00") + say('Z', "E")
		}
		_, _ = io.WriteString(conn, answer)
	}
}

func TestRefusedStatementsNeverReachTheServer(t *testing.T) {
	onBoth(t, testRefusedStatementsNeverReachTheServer)
}

func testRefusedStatementsNeverReachTheServer(t *testing.T, linked linker) {
	server := newScribe(t)
	p, seen := linked(t, server.Addr().String(), wire.Postgres)
	conn, err := pgconn.Connect(patient(t), "postgres://payer@"+p.Address()+"/pay?sslmode=disable")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(patient(t)) })
	first := arm(t, p, Rule{Fault: "first", Match: Match{Dir: history.Request, Labels: []string{"UPDATE t"}, Nth: 2, Count: 1}, Do: Refuse{Code: "40P01"}})
	second := arm(t, p, Rule{Fault: "second", Match: Match{Dir: history.Request, Labels: []string{"COMMIT"}}, Do: Refuse{}})
	none := arm(t, p, Rule{Fault: "none", Match: Match{Dir: history.Request, Labels: []string{"terminate"}}, Do: Refuse{}})
	run := func(sql string) (code string) {
		_, err := conn.Exec(patient(t), sql).ReadAll()
		if err == nil {
			return ""
		}
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused)
		return refused.Code
	}
	var codes []string
	for _, sql := range []string{"UPDATE t SET a=1", "UPDATE t SET a=2", "UPDATE t SET a=3", "COMMIT", "COMMIT"} {
		codes = append(codes, run(sql))
	}
	assert.Equal(t, []string{"", "40P01", "", "40001", "40001"}, codes)
	second.Remove()
	assert.Empty(t, run("COMMIT"))
	assert.Equal(t, []int{1, 2, 0}, []int{first.Fired(), second.Fired(), none.Fired()})
	server.mu.Lock()
	assert.Equal(t, []string{"UPDATE t SET a=1", "this statement is refused", "UPDATE t SET a=3", "ROLLBACK", "ROLLBACK", "COMMIT"}, server.asked)
	server.mu.Unlock()
	assert.Equal(t, []string{
		"request startup passed", "answer startup passed", "request UPDATE t passed", "answer UPDATE t passed",
		"request UPDATE t lost first", "answer UPDATE t passed first", "request UPDATE t passed", "answer UPDATE t passed",
		"request COMMIT lost second", "answer COMMIT passed second", "request COMMIT lost second", "answer COMMIT passed second",
		"request COMMIT passed", "answer COMMIT passed",
	}, seen.lines())
	for _, m := range seen.all() {
		if m.Fault == "first" && m.Dir == history.Request {
			assert.Contains(t, string(m.Raw), "a=2", "what was refused is told, not what the server got")
		}
	}
}

func TestTheAnswerToARefusalCanBeLostToo(t *testing.T) {
	onBoth(t, testTheAnswerToARefusalCanBeLostToo)
}

func testTheAnswerToARefusalCanBeLostToo(t *testing.T, linked linker) {
	server := newScribe(t)
	p, seen := linked(t, server.Addr().String(), wire.Postgres)
	conn, err := pgconn.Connect(patient(t), "postgres://payer@"+p.Address()+"/pay?sslmode=disable")
	require.NoError(t, err)
	lost := arm(t, p, Rule{Fault: "lost", Match: Match{Dir: history.Answer, Labels: []string{"COMMIT"}}, Do: Lose{}})
	refused := arm(t, p, Rule{Fault: "refused", Match: Match{Dir: history.Request, Labels: []string{"COMMIT"}}, Do: Refuse{}})
	_, err = conn.Exec(patient(t), "COMMIT").ReadAll()
	require.Error(t, err)
	assert.True(t, conn.IsClosed())
	assert.Equal(t, []int{1, 1}, []int{lost.Fired(), refused.Fired()})
	assert.Contains(t, seen.lines(), "answer COMMIT lost lost") // the client may also have tried to cancel it
}
