package wire

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pg writes a message of a type.
func pg(kind byte, body string) string { return string(pgMessage(kind, body)) }

// pgFirst writes the first message of a connection.
func pgFirst(code uint32, body string) string {
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return string(binary.BigEndian.AppendUint32(out, code)) + body
}

const (
	pgUser  = "user\x00payer\x00database\x00pay\x00password\x00hunter2\x00\x00"
	pgThree = 3 << 16
)

func ready(status string) string { return pg('Z', status) }
func done(tag string) string     { return pg('C', tag+"\x00") }
func query(sql string) string    { return pg('Q', sql+"\x00") }
func failed(code string) string {
	return pg('E', "SERROR\x00C"+code+"\x00Mno\x00\x00")
}

// parse, bind and execute are messages of the extended protocol.
func parse(name, sql string) string { return pg('P', name+"\x00"+sql+"\x00\x00\x00") }
func bind(portal, name string) string {
	return pg('B', portal+"\x00"+name+"\x00\x00\x00\x00\x00\x00\x00")
}
func execute(portal string) string { return pg('E', portal+"\x00\x00\x00\x00\x00") }

var (
	pgSync, pgFlushed = pg('S', ""), pg('H', "")
	pgRow             = pg('T', "\x00\x00") + pg('D', "\x00\x00")
	pgOpened          = []said{client(pgFirst(pgThree, pgUser)), server(pg('R', "\x00\x00\x00\x00") + pg('S', "a\x00b\x00") + pg('K', "12345678") + ready("I"))}
	pgOpenedLines     = []string{"> startup: startup user=payer database=pay", "< startup ok: startup"}
)

// pgTalks checks conversations that go on from an opened connection.
func pgTalks(t *testing.T, talks map[string]talked) {
	t.Helper()
	for name, c := range talks {
		t.Run(name, func(t *testing.T) {
			conversation(t, Postgres, append(pgOpened[:2:2], c.talk...), append(pgOpenedLines[:2:2], c.want...), c.err)
		})
	}
}

func TestPostgres(t *testing.T) {
	const update = "UPDATE pay_transaction SET a=$1"
	pgTalks(t, map[string]talked{
		"simple": {[]said{
			client(query("begin")), server(done("BEGIN") + ready("T")),
			client(query("INSERT INTO t\n VALUES (1)") + query("SELECT 1")), server(done("INSERT 0 1") + ready("T") + pgRow + done("SELECT 1") + ready("T")),
			client(query("commit")), server(failed("40001") + ready("I")),
			client(query("")), server(pg('I', "") + ready("I")), client(pg('X', "")),
		}, []string{
			"> BEGIN: begin", "< BEGIN ok: BEGIN BEGIN (in transaction)",
			"> INSERT t: INSERT INTO t VALUES (1)", "> SELECT: SELECT 1",
			"< INSERT t ok: INSERT t INSERT 0 1 (in transaction)", "< SELECT ok: SELECT SELECT 1 (in transaction)",
			"> COMMIT: commit", "< COMMIT 40001: COMMIT error 40001 no",
			"> EMPTY: ", "< EMPTY ok: EMPTY", "> * terminate: terminate",
		}, nil},
		"prepared, executed, closed": {[]said{
			client(parse("s1", update) + pg('D', "Ss1\x00") + pgSync), server(pg('1', "") + pg('t', "\x00\x00") + pg('n', "") + ready("I")),
			client(bind("", "s1") + pg('D', "P\x00") + execute("") + pgSync), server(pg('2', "") + pg('n', "") + done("UPDATE 1") + ready("I")),
			client(pg('C', "Ss1\x00") + pgSync), server(pg('3', "") + ready("I")),
			client(bind("", "s1") + execute("") + pgSync), server(failed("26000") + ready("I")),
		}, []string{
			"> PREPARE UPDATE pay_transaction: " + update, "< PREPARE UPDATE pay_transaction ok: PREPARE UPDATE pay_transaction",
			"> UPDATE pay_transaction: " + update, "< UPDATE pay_transaction ok: UPDATE pay_transaction UPDATE 1",
			"> CLOSE: CLOSE", "< CLOSE ok: CLOSE",
			"> EXECUTE: EXECUTE", "< EXECUTE 26000: EXECUTE error 26000 no",
		}, nil},
		"a batch with its BEGIN": {[]said{
			client(parse("", "BEGIN") + bind("", "") + execute("") + parse("", update) + bind("", "") + execute("") + pgSync),
			server(pg('1', "") + pg('2', "") + done("BEGIN") + pg('1', "") + pg('2', "") + done("UPDATE 1") + ready("T")),
		}, []string{"> UPDATE pay_transaction: BEGIN " + update, "< UPDATE pay_transaction ok: UPDATE pay_transaction UPDATE 1 (in transaction)"}, nil},
		"flushed": {[]said{
			client(parse("s", update) + pg('D', "Ss\x00") + pgFlushed), server(pg('1', "") + pg('t', "\x00\x00") + pg('n', "")),
			client(bind("", "s") + execute("") + pgFlushed + pgFlushed), server(pg('2', "") + pg('s', "")),
			client(pgSync), server(ready("I")),
		}, []string{
			"> PREPARE UPDATE pay_transaction: " + update, "< PREPARE UPDATE pay_transaction ok: PREPARE UPDATE pay_transaction",
			"> UPDATE pay_transaction: " + update, "> * FLUSH: FLUSH", "< UPDATE pay_transaction ok: UPDATE pay_transaction",
			"> SYNC: SYNC", "< SYNC ok: SYNC",
		}, nil},
		"flushed, with an error": {[]said{
			client(parse("s", update) + pgFlushed + bind("", "s") + execute("") + pgFlushed), server(failed("42601")),
			client(bind("", "s") + pgFlushed), client(pgSync), server(ready("I")), client(query("SELECT 1")), server(done("SELECT 1") + ready("I")),
		}, []string{
			"> PREPARE UPDATE pay_transaction: " + update, "> UPDATE pay_transaction: " + update,
			"< PREPARE UPDATE pay_transaction 42601: PREPARE UPDATE pay_transaction error 42601 no", "> * BIND: BIND",
			"> SYNC: SYNC", "< SYNC ok: SYNC", "> SELECT: SELECT 1", "< SELECT ok: SELECT SELECT 1",
		}, nil},
	})
}

func TestPostgresCopies(t *testing.T) {
	pgTalks(t, map[string]talked{
		"copied in": {[]said{
			client(query("COPY t FROM STDIN")), server(pg('G', "\x00\x00\x00")), client(pg('d', "1\n") + pg('c', "")), server(done("COPY 1") + ready("I")),
		}, []string{
			"> COPY t: COPY t FROM STDIN", "< COPY t ok: COPY t waits for data", "> * COPY data: COPY data", "> COPY end: COPY end",
			"< COPY end ok: COPY end COPY 1",
		}, nil},
		"copied in, without waiting": {[]said{
			client(query("COPY t FROM STDIN")), client(pg('d', "1\n") + pg('c', "")), server(pg('G', "\x00\x00\x00") + done("COPY 1") + ready("I")),
			client(query("COPY t FROM STDIN")), client(pg('f', "no\x00")), server(failed("42P01") + ready("I")),
			client(query("SELECT 1")), server(done("SELECT 1") + ready("I")),
		}, []string{
			"> COPY t: COPY t FROM STDIN", "> * COPY data: COPY data", "> COPY end: COPY end", "< COPY t ok: COPY t waits for data",
			"< COPY end ok: COPY end COPY 1",
			"> COPY t: COPY t FROM STDIN", "> COPY end: COPY end", "< COPY t 42P01: COPY t error 42P01 no",
			"> SELECT: SELECT 1", "< SELECT ok: SELECT SELECT 1",
		}, nil},
		"copied in, with an error": {[]said{
			client(query("COPY t FROM STDIN")), server(pg('G', "\x00\x00\x00")), client(pg('d', "1\n")), server(failed("22P02") + ready("I")),
			client(pg('c', "")), client(query("SELECT 1")), server(done("SELECT 1") + ready("I")),
		}, []string{
			"> COPY t: COPY t FROM STDIN", "< COPY t ok: COPY t waits for data", "> * COPY data: COPY data",
			"< * error: error 22P02 no", "< * ready: ready", "> * COPY end: COPY end", "> SELECT: SELECT 1", "< SELECT ok: SELECT SELECT 1",
		}, nil},
		"copied out": {[]said{
			client(query("COPY t TO STDOUT")), server(pg('H', "\x00\x00\x00") + pg('d', "1\n") + pg('c', "") + done("COPY 1") + ready("I")),
		}, []string{"> COPY t: COPY t TO STDOUT", "< COPY t ok: COPY t COPY 1"}, nil},
	})
}

func TestPostgresUnusual(t *testing.T) {
	pgTalks(t, map[string]talked{
		"by itself": {[]said{
			server(pg('N', "SNOTICE\x00C00000\x00Mhello\x00\x00") + pg('A', "1234x\x00y\x00") + pg('S', "a\x00b\x00") + failed("57P01")),
		}, []string{"< * notice: notice 00000 hello", "< * notification: notification", "< * parameter: parameter", "< * error: error 57P01 no"}, nil},
		"nobody asked":      {[]said{server(ready("I"))}, nil, ErrForeign},
		"unknown type":      {[]said{client("~")}, nil, ErrForeign},
		"no length":         {[]said{client("Q\x00\x00\x00\x03")}, nil, ErrForeign},
		"too long":          {[]said{client("Q\x7f\x00\x00\x03")}, nil, ErrTooLarge},
		"replication":       {[]said{client(query("START_REPLICATION")), server(pg('W', "\x00\x00\x00"))}, []string{"> START_REPLICATION: START_REPLICATION"}, ErrForeign},
		"a batch too large": {[]said{client(pg('B', "\x00\x00") + "B\x00\x10\x00\x00")}, nil, ErrTooLarge},
		"Parse, no SQL":     {[]said{client(pg('P', "abc"))}, nil, ErrForeign},
	})
}

func TestPostgresBeginnings(t *testing.T) {
	sasl := func(step byte) string { return pg('R', "\x00\x00\x00"+string(rune(step))+"more") }
	startup := client(pgFirst(pgThree, pgUser))
	const started = "> startup: startup user=payer database=pay"
	for name, c := range map[string]struct {
		talk []said
		want []string
		err  error
	}{
		"SCRAM": {[]said{
			startup, server(sasl(10)), client(pg('p', "SCRAM-SHA-256\x00secret")), server(sasl(11)), client(pg('p', "secret")),
			server(sasl(12) + pg('R', "\x00\x00\x00\x00") + ready("I")),
		}, []string{started, "< startup ok: startup", "> auth: auth", "< auth ok: auth", "> auth: auth", "< auth ok: auth"}, nil},
		"wrong password": {[]said{startup, server(sasl(5)), client(pg('p', "x\x00")), server(failed("28P01"))},
			[]string{started, "< startup ok: startup", "> auth: auth", "< auth 28P01: auth error 28P01 no"}, nil},
		"TLS": {[]said{client(pgFirst(pgTLS, "")), server("S"), client("\x16\x03\x01")},
			[]string{"> SSLRequest: SSLRequest", "< SSLRequest S: S"}, ErrForeign},
		"TLS, from the server": {[]said{client(pgFirst(pgTLS, "")), server("S"), server("\x16\x03\x01")},
			[]string{"> SSLRequest: SSLRequest", "< SSLRequest S: S"}, ErrForeign},
		"no TLS, no GSS": {[]said{client(pgFirst(pgGSS, "")), server("N"), client(pgFirst(pgTLS, "")), server("N"), startup},
			[]string{"> GSSENCRequest: GSSENCRequest", "< GSSENCRequest N: N", "> SSLRequest: SSLRequest", "< SSLRequest N: N", started}, nil},
		"TLS is unknown":   {[]said{client(pgFirst(pgTLS, "")), server(failed("08P01"))}, []string{"> SSLRequest: SSLRequest", "< SSLRequest 08P01: SSLRequest error 08P01 no"}, nil},
		"TLS, odd answer":  {[]said{client(pgFirst(pgTLS, "")), server("x")}, []string{"> SSLRequest: SSLRequest"}, ErrForeign},
		"cancel":           {[]said{client(pgFirst(pgCancel, "12345678"))}, []string{"> CancelRequest: CancelRequest"}, nil},
		"version 2":        {[]said{client(pgFirst(2<<16, "x"))}, nil, ErrForeign},
		"version 3.2":      {[]said{client(pgFirst(3<<16|2, pgUser))}, []string{started}, nil},
		"direct TLS":       {[]said{client("\x16\x03\x01\x02\x00")}, nil, ErrForeign},
		"long":             {[]said{client("\x00\x00\x40\x00\x00\x03\x00\x00")}, nil, ErrForeign},
		"half a beginning": {[]said{client(pgFirst(pgThree, pgUser)[:20])}, []string{"… incomplete"}, nil},
	} {
		t.Run(name, func(t *testing.T) { conversation(t, Postgres, c.talk, c.want, c.err) })
	}
}

func TestPostgresRefusals(t *testing.T) {
	again := pg('E', "SERROR\x00VERROR\x00C40001\x00Mcould not serialize access due to concurrent update\x00\x00")
	never := "this statement is refused"
	for name, c := range map[string]struct {
		request, answer, toServer, toClient string
	}{
		"query":          {query("UPDATE t SET a=1"), failed("42601") + ready("E"), query(never), again + ready("E")},
		"commit":         {query("COMMIT"), done("ROLLBACK") + ready("I"), query("ROLLBACK"), again + ready("I")},
		"batch":          {parse("", "UPDATE t SET a=1") + bind("", "") + execute("") + pgSync, failed("42601") + ready("E"), parse("", never) + pgSync, again + ready("E")},
		"batch, flushed": {parse("", "UPDATE t SET a=1") + pgFlushed, failed("42601"), parse("", never) + pgFlushed, again},
		"commit, extended": {parse("", "COMMIT") + bind("", "") + execute("") + pgSync,
			pg('1', "") + pg('2', "") + done("ROLLBACK") + failed("42601") + ready("I"),
			parse("", "ROLLBACK") + bind("", "") + execute("") + parse("", never) + pgSync, again + ready("I")},
		"commit, only prepared": {parse("s", "COMMIT") + pgSync, failed("42601") + ready("T"), parse("", never) + pgSync, again + ready("T")},
		"commit, flushed": {parse("", "COMMIT") + bind("", "") + execute("") + pgFlushed,
			pg('1', "") + pg('2', "") + done("ROLLBACK") + failed("42601"),
			parse("", "ROLLBACK") + bind("", "") + execute("") + parse("", never) + pgFlushed, again},
	} {
		t.Run(name, func(t *testing.T) {
			toServer, toClient, m := refusing(t, Postgres, append(pgOpened[:2:2], client(c.request)), "", c.answer)
			assert.Equal(t, c.toServer, toServer)
			assert.Equal(t, c.toClient, toClient)
			assert.Equal(t, "40001", m.Label)
		})
	}
}

func TestPostgresRefusesNoMoreThanStatements(t *testing.T) {
	for _, request := range []string{pg('X', ""), pg('p', "x"), pgSync, pgFlushed, pg('d', "x"), ""} {
		c := Postgres.New()
		_, err := heard(t, c, append(pgOpened[:2:2], client(request)), func(n int) int { return n })
		require.NoError(t, err)
		_, err = c.(Refuser).Refusal("40001")
		require.Error(t, err, "%q", request)
	}
	_, err := Postgres.New().(Refuser).Refusal("")
	require.Error(t, err)
	for code, ok := range map[string]bool{"": true, "40001": true, "40P01": true, "4000": false, "40p01": false, "00000": false, "01000": false, "1213": false, "40 01": false} {
		assert.Equal(t, ok, Postgres.New().(Refuser).CheckRefusal(code) == nil, code)
	}
}

func TestPostgresForgetsBeyondABound(t *testing.T) {
	c := Postgres.New().(*pgConn)
	_, err := heard(t, c, pgOpened, func(n int) int { return n })
	require.NoError(t, err)
	for i := range maxStatements + 10 {
		request := parse(fmt.Sprintf("s%d", i), "SELECT 1") + pgSync
		_, err := heard(t, c, []said{client(request), server(pg('1', "") + ready("I"))}, func(n int) int { return n })
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, len(c.prepared), maxStatements)
	assert.NotEmpty(t, c.prepared)
}

// opened is a protocol whose connections have the beginning of a conversation behind them.
func opened(p *Protocol, talk []said) *Protocol {
	return &Protocol{Name: p.Name, Title: p.Title, New: func() Conn {
		c := p.New()
		for _, s := range talk {
			next := c.Request
			if s.server {
				next = c.Answer
			}
			for data := []byte(s.data); len(data) > 0; {
				_, n, err := next(data)
				if err != nil || n == 0 {
					panic("the beginning of a conversation is wrong")
				}
				data = data[n:]
			}
		}
		return c
	}}
}

func FuzzPostgres(f *testing.F) {
	f.Add([]byte(query("SELECT 1")+parse("s", "COMMIT")+bind("", "s")+execute("")+pgSync), []byte(pgRow+done("SELECT 1")+ready("I")+pg('1', "")+pg('2', "")+done("COMMIT")+ready("I")), uint16(3), uint16(9))
	f.Add([]byte(parse("s", "UPDATE t SET a=1")+pg('D', "Ss\x00")+pgFlushed+pgSync), []byte(failed("40001")+ready("E")), uint16(8), uint16(1))
	f.Add([]byte(query("COPY t FROM STDIN")+pg('d', "x")+pg('c', "")), []byte(pg('G', "\x00\x00\x00")+done("COPY 1")+ready("I")), uint16(8), uint16(1))
	f.Fuzz(func(t *testing.T, requests, answers []byte, a, b uint16) {
		fuzz(t, opened(Postgres, pgOpened), requests, answers, a, b)
		fuzz(t, Postgres, append([]byte(pgFirst(pgTLS, "")), requests...), answers, a, b)
	})
}
