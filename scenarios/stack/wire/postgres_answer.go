package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// pgReply is what was read of one answer.
type pgReply struct {
	tag     string // of the last command that was completed
	code    string // SQLSTATE of the first error
	message string
	ready   byte // status of the transaction, where the server is ready for the next query
	copying bool
	left    []byte // steps of a batch that are not answered yet
}

func (c *pgConn) Answer(buf []byte) (Message, int, error) {
	if c.other {
		return Message{}, 0, foreign("the connection was encrypted")
	}
	if len(buf) == 0 {
		return Message{}, 0, nil
	}
	if len(c.pending) == 0 {
		return c.unasked(buf)
	}
	r := c.pending[0]
	if r.kind == pgEncrypt && buf[0] != 'E' {
		return c.encryption(buf[0])
	}
	reply := pgReply{left: r.steps}
	for pos := 0; ; {
		kind, body, end, err := pgFrame(buf, pos, pgServer)
		if err != nil || end == 0 {
			return Message{}, 0, err
		}
		done, err := reply.take(r.kind, kind, body)
		if err != nil {
			return Message{}, 0, err
		}
		if pos = end; done {
			return c.answered(&reply, buf[:end])
		}
	}
}

// unasked reads what the server says by itself: a notice, a notification, a parameter, or why it ends the connection.
func (c *pgConn) unasked(buf []byte) (Message, int, error) {
	types := "NASE"
	if c.copying {
		types = "NASEZ" // an error ends the COPY before its client has ended it
	}
	kind, body, end, err := pgFrame(buf, 0, types)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	if kind == 'Z' {
		c.copying = false
	}
	m := Message{Label: map[byte]string{'N': "notice", 'A': "notification", 'S': "parameter", 'E': "error", 'Z': "ready"}[kind], Aside: true}
	m.Text = m.Label
	if kind == 'E' || kind == 'N' {
		code, message := pgFields(body)
		m.Text = join(m.Label, join(code, message))
	}
	return m, end, nil
}

// encryption reads the only byte of the answer to the wish to encrypt.
func (c *pgConn) encryption(b byte) (Message, int, error) {
	if b != 'S' && b != 'N' && b != 'G' {
		return Message{}, 0, foreign("the answer %q to the wish to encrypt", b)
	}
	m := Message{Label: string(rune(b)), Text: string(rune(b)), For: c.pending[0].label}
	c.pending = c.pending[1:]
	c.other = b != 'N'
	return m, 1, nil
}

// take reads one message of an answer and tells whether it is the last.
func (p *pgReply) take(kind pgKind, typ byte, body []byte) (done bool, err error) {
	switch typ {
	case 'E':
		if p.code == "" {
			p.code, p.message = pgFields(body)
		}
		return kind != pgQuery, nil
	case 'C':
		p.tag = clip(string(bytes.TrimSuffix(body, []byte{0})), maxSQLName)
	case 'Z':
		if len(body) != 1 || kind == pgFlush {
			return false, foreign("a server that is ready out of turn")
		}
		p.ready = body[0]
		return true, nil
	case 'R':
		if len(body) < 4 || kind != pgAuth {
			return false, foreign("an authentication out of turn")
		}
		step := binary.BigEndian.Uint32(body)
		return step != 0 && step != 12, nil // 0 and 12 need no answer of the client
	case 'G':
		if kind != pgQuery || len(p.left) != 1 || p.left[0] != 'Q' {
			return false, foreign("COPY by the extended protocol")
		}
		p.copying = true
		return true, nil
	case 'W':
		return false, foreign("replication")
	}
	if kind == pgFlush {
		p.step(typ)
		return len(p.left) == 1, nil
	}
	return false, nil
}

// pgStepEnds are the messages that end the answer to one step of a batch.
var pgStepEnds = map[byte]string{'P': "1", 'B': "2", 'D': "Tn", 'E': "CIs", 'C': "3"}

func (p *pgReply) step(typ byte) {
	if len(p.left) > 1 && strings.IndexByte(pgStepEnds[p.left[0]], typ) >= 0 {
		p.left = p.left[1:]
	}
}

// answered ends the waiting of the request that was answered.
func (c *pgConn) answered(p *pgReply, whole []byte) (Message, int, error) {
	r := c.pending[0]
	c.pending = c.pending[1:]
	if ended := len(c.pending) > 0 && c.pending[0].label == pgCopyEnd; p.copying {
		c.copying = !ended
	} else if ended {
		c.pending = c.pending[1:] // the server has never wanted data and passes over them
	}
	if p.code != "" && r.kind == pgFlush {
		c.passOver()
	}
	m := Message{Label: "ok", For: r.label}
	if r.refused != "" {
		m.Instead = pgRefused(r, whole)
		p.code, p.message = r.refused, pgReason(r.refused)
	}
	switch {
	case p.code != "":
		m.Label = clip(p.code, 5)
		m.Text = join(r.label, "error "+p.code+" "+p.message)
	case p.copying:
		m.Text = join(r.label, "waits for data")
	default:
		m.Text = join(r.label, p.tag)
	}
	if p.ready == 'E' || p.ready == 'T' {
		m.Text += map[byte]string{'E': " (transaction failed)", 'T': " (in transaction)"}[p.ready]
	}
	return m, len(whole), nil
}

// passOver forgets what the server passes over after an error in a batch without a Sync.
func (c *pgConn) passOver() {
	for len(c.pending) > 0 && c.pending[0].kind == pgFlush {
		c.pending = c.pending[1:]
	}
	c.failed = len(c.pending) == 0
}

// pgFields are the code and the message of an error or a notice.
func pgFields(body []byte) (code, message string) {
	code = "?"
	for len(body) > 1 {
		value, rest, ok := bytes.Cut(body[1:], []byte{0})
		if !ok {
			break
		}
		switch body[0] {
		case 'C':
			code = clip(string(value), 5)
		case 'M':
			message = sqlText(string(value))
		}
		body = rest
	}
	return code, message
}
