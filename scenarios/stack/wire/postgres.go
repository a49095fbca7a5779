package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Postgres reads version 3 of PostgreSQL's protocol: simple queries, the extended protocol, COPY. A connection that
// turns to TLS, replication, or COPY by the extended protocol is refused from there on.
//
// A request is a simple query, or all messages up to the Sync or Flush that asks for their answers. It is named by its
// first statement that does more than begin a transaction; "PREPARE …" where that is only prepared. An answer goes up
// to the point at which the server waits for the client.
var Postgres = register(Protocol{Name: "postgres", Title: "PostgreSQL", New: func() Conn { return &pgConn{} }, Words: append([]string{"startup", "auth", "SSLRequest", "GSSENCRequest", "CancelRequest"}, sqlVerbs...)})

// Codes that stand where the version stands in the first message of a connection.
const (
	pgVersion3 = 3 // major version, in the upper half
	pgCancel   = 80877102
	pgTLS      = 80877103
	pgGSS      = 80877104
)

// pgCopyEnd is the label of the end of the data of a COPY. A client may send it before it has heard that the server wants
// any.
const pgCopyEnd = "COPY end"

const (
	pgHead        = 5      // bytes of a type and a length
	maxPgStartup  = 10_000 // bytes of the first message, as in PostgreSQL itself
	maxStatements = 4096   // prepared statements of one connection that are remembered
	pgClient      = "BCDEFHPQSXcdfp"
	pgServer      = "123ACDEGHIKNRSTVWZcdnstv"
)

// pgConn remembers what waits for its answer, and the statements that were prepared.
type pgConn struct {
	started  bool // the first message with a version has come
	other    bool // the connection has been turned over to another protocol
	failed   bool // an error makes the server pass over all up to the next Sync
	copying  bool // the server waits for the data of a COPY
	pending  []*pgRequest
	prepared map[string]statement
	portals  map[string]statement
	last     *pgRequest // what Request has returned last, where it can be refused
}

// pgKind is how the answer to a request ends.
type pgKind int

const (
	pgEncrypt pgKind = iota // with its only byte
	pgAuth                  // with the next step of the authentication, or with ReadyForQuery
	pgQuery                 // with ReadyForQuery, or with the server's wish for data
	pgFlush                 // with the answers to all steps, or with an error
)

type pgRequest struct {
	kind    pgKind
	label   string
	steps   []byte // types of the messages of a batch, in order
	commit  bool
	refused string // the error code that the client gets
}

func (c *pgConn) Request(buf []byte) (Message, int, error) {
	switch {
	case c.other:
		return Message{}, 0, foreign("the connection was encrypted")
	case len(c.pending) >= maxPending:
		return Message{}, 0, foreign("more than %d requests without an answer", maxPending)
	case !c.started:
		return c.startup(buf)
	}
	var b pgBatch
	for pos := 0; ; {
		kind, body, end, err := pgFrame(buf, pos, pgClient)
		if err != nil || end == 0 {
			return Message{}, 0, err
		}
		if pos == 0 {
			if m, ok, err := c.single(kind, body); ok || err != nil {
				return m, end, err
			}
		}
		if err := b.take(c, kind, body); err != nil {
			return Message{}, 0, err
		}
		if pos = end; kind == 'S' || kind == 'H' {
			return c.sent(&b, kind), end, nil
		}
	}
}

// startup reads the first message of a connection, which has no type.
func (c *pgConn) startup(buf []byte) (Message, int, error) {
	if len(buf) < 4 {
		return Message{}, 0, nil
	}
	size := int(int32(binary.BigEndian.Uint32(buf)))
	if size < 8 || size > maxPgStartup {
		return Message{}, 0, foreign("a first message of %d bytes", size)
	}
	if len(buf) < 8 {
		return Message{}, 0, nil
	}
	code := binary.BigEndian.Uint32(buf[4:])
	names := map[uint32]string{pgTLS: "SSLRequest", pgGSS: "GSSENCRequest", pgCancel: "CancelRequest"}
	if names[code] == "" && code>>16 != pgVersion3 {
		return Message{}, 0, foreign("version %d.%d", code>>16, code&0xffff)
	}
	if len(buf) < size {
		return Message{}, 0, nil
	}
	switch code {
	case pgCancel:
		return Message{Label: names[code], Text: names[code]}, size, nil // answered by the end of the connection
	case pgTLS, pgGSS:
		c.pending = append(c.pending, &pgRequest{kind: pgEncrypt, label: names[code]})
		return Message{Label: names[code], Text: names[code]}, size, nil
	}
	c.started = true
	c.pending = append(c.pending, &pgRequest{kind: pgAuth, label: "startup"})
	return Message{Label: "startup", Text: join("startup", pgParameters(buf[8:size]))}, size, nil
}

// pgParameters names user and database of a first message.
func pgParameters(body []byte) string {
	var out string
	fields := strings.Split(string(body), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "user" || fields[i] == "database" {
			out = strings.TrimSpace(out + " " + fields[i] + "=" + clip(fields[i+1], maxSQLName))
		}
	}
	return out
}

// single reads what is a request without a Sync. ok is false for the beginning of a batch.
func (c *pgConn) single(kind byte, body []byte) (m Message, ok bool, err error) {
	c.last = nil
	switch kind {
	case 'Q':
		sql, _, _ := bytes.Cut(body, []byte{0})
		s := readSQL(string(sql))
		c.expect(&pgRequest{kind: pgQuery, label: s.label, steps: []byte{'Q'}, commit: s.commit})
		return Message{Label: s.label, Text: s.text}, true, nil
	case 'p':
		c.pending = append(c.pending, &pgRequest{kind: pgAuth, label: "auth"})
		return Message{Label: "auth", Text: "auth"}, true, nil
	case 'X':
		return Message{Label: "terminate", Text: "terminate", Aside: true}, true, nil
	case 'F':
		c.expect(&pgRequest{kind: pgQuery, label: "CALL", steps: []byte{'Q'}})
		return Message{Label: "CALL", Text: "function call"}, true, nil
	case 'd':
		return Message{Label: "COPY data", Text: "COPY data", Aside: true}, true, nil
	case 'c', 'f':
		m = Message{Label: pgCopyEnd, Text: pgCopyEnd, Aside: true}
		n := len(c.pending)
		if m.Aside = !c.copying && (n == 0 || !strings.HasPrefix(c.pending[n-1].label, "COPY ")); m.Aside {
			return m, true, nil // too late: the server has given up
		}
		c.copying = false
		c.pending = append(c.pending, &pgRequest{kind: pgQuery, label: pgCopyEnd})
		return m, true, nil
	}
	return Message{}, false, nil
}

func (c *pgConn) expect(r *pgRequest) {
	c.pending = append(c.pending, r)
	c.last = r
}

// sent ends a batch: what it prepared is remembered, and its answer is waited for.
func (c *pgConn) sent(b *pgBatch, end byte) Message {
	b.remember(c)
	m := Message{Label: b.label(), Text: b.said.text}
	if m.Text == "" {
		m.Text = m.Label
	}
	r := &pgRequest{kind: pgQuery, label: m.Label, steps: b.steps, commit: b.executes && b.said.commit}
	if end == 'H' {
		if c.failed || len(b.steps) == 1 {
			m.Aside = true // the server answers nothing
			return m
		}
		r.kind = pgFlush
	} else {
		c.failed = false
	}
	c.expect(r)
	return m
}

// pgFrame is the first message at pos, and the place after it, which is 0 where it is not complete.
func pgFrame(buf []byte, pos int, types string) (kind byte, body []byte, end int, err error) {
	if pos == len(buf) {
		return 0, nil, 0, nil
	}
	kind = buf[pos]
	if strings.IndexByte(types, kind) < 0 {
		return 0, nil, 0, foreign("a message of type %q", kind)
	}
	if len(buf)-pos < pgHead {
		return 0, nil, 0, nil
	}
	size := int64(int32(binary.BigEndian.Uint32(buf[pos+1:])))
	switch {
	case size < 4:
		return 0, nil, 0, foreign("a message of %d bytes", size)
	case int64(pos)+1+size > MaxMessage:
		return 0, nil, 0, ErrTooLarge
	case int64(len(buf)-pos) < 1+size:
		return 0, nil, 0, nil
	}
	end = pos + 1 + int(size)
	return kind, buf[pos+pgHead : end], end, nil
}
