package wire

import (
	"encoding/binary"
	"fmt"
)

// First bytes of the packets of a server.
const (
	myOK     = 0x00
	myMore   = 0x01
	myFile   = 0xfb
	myEOF    = 0xfe
	myErr    = 0xff
	maxMyEOF = 9 // bytes that an EOF has less than; a row that begins with the same byte has more
)

// What the status of the server says.
const (
	myMoreResults = 1 << 3
	myCursor      = 1 << 6
)

// myProgress is the error code of what is no error but a report of progress, of MariaDB.
const myProgress = 0xffff

// myStage is what the next packet of an answer is.
type myStage int

const (
	myFirst myStage = iota
	myDefinitions
	myDefinitionsEnd
	myRows
	myCounted // one of so many whose content does not matter
)

// myReply is what was read of one answer.
type myReply struct {
	conn    *myConn
	request *myRequest
	stage   myStage
	left    int // definitions, or packets that are counted
	rows    int
	results bool // there was a result set
	changed uint64
	code    int
	message string
}

func (c *myConn) Answer(buf []byte) (Message, int, error) {
	switch {
	case c.phase == myOther:
		return Message{}, 0, foreign("the connection was encrypted")
	case c.phase == myHello || len(c.pending) == 0:
		return c.unasked(buf)
	}
	p := myReply{conn: c, request: c.pending[0]}
	if k := p.request.command; k == myFetch || k == myFieldList {
		p.stage = myRows
	}
	for pos := 0; ; {
		if pos == 0 && p.request.command != 0 && len(buf) >= myHead && buf[3] != 1 {
			return Message{}, 0, foreign("an answer with the number %d", buf[3])
		}
		body, end, err := myPacket(buf, pos)
		if err != nil || end == 0 {
			return Message{}, 0, err
		}
		done, err := p.take(body)
		if err != nil {
			return Message{}, 0, err
		}
		if pos = end; done {
			return c.answered(&p), end, nil
		}
	}
}

// unasked reads the greeting, or why the server ends the connection.
func (c *myConn) unasked(buf []byte) (Message, int, error) {
	if len(buf) >= 3 && (buf[1] >= maxMyHello>>8 || buf[2] != 0 || buf[0] == 0 && buf[1] == 0) {
		return Message{}, 0, foreign("no greeting")
	}
	if len(buf) > myHead && buf[myHead] != myErr && (c.phase != myHello || buf[myHead] != 10) {
		return Message{}, 0, foreign("a packet that nobody asked for")
	}
	body, end, err := myPacket(buf, 0)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	if body[0] == myErr {
		code, message := myError(body)
		return Message{Label: fmt.Sprint(code), Text: fmt.Sprintf("error %d %s", code, message), Aside: true}, end, nil
	}
	if err := c.greet(body); err != nil {
		return Message{}, 0, err
	}
	return Message{Label: "greeting", Text: "greeting", For: "greeting"}, end, nil
}

// take reads one packet of an answer and tells whether it is the last.
func (p *myReply) take(body []byte) (done bool, err error) {
	if len(body) == 0 && p.stage != myCounted {
		return false, foreign("an empty packet")
	}
	if p.stage != myCounted && body[0] == myErr {
		code, message := myError(body)
		if code == myProgress {
			return false, nil
		}
		p.code, p.message = code, message
		return true, nil
	}
	switch p.stage {
	case myFirst:
		return p.first(body)
	case myDefinitions, myCounted:
		if p.left--; p.left > 0 {
			return false, nil
		}
		if p.stage == myCounted {
			return true, nil
		}
		p.stage = p.afterDefinitions()
	case myDefinitionsEnd:
		if body[0] != myEOF || len(body) >= maxMyEOF {
			return false, foreign("definitions of columns without an end")
		}
		p.stage = myRows
		return myStatus(body)&myCursor != 0, nil
	case myRows:
		if body[0] != myEOF || p.conn.agreed&myDeprecateEOF == 0 && len(body) >= maxMyEOF {
			p.rows++
			return false, nil
		}
		p.stage = myFirst
		return myStatus(body)&myMoreResults == 0, nil
	}
	return false, nil
}

// first reads the packet that says what kind of answer it is.
func (p *myReply) first(body []byte) (done bool, err error) {
	switch p.request.command {
	case 0:
		return p.proof(body), nil
	case myPrepare:
		return p.preparation(body)
	case myQuery, myExecute, myBulk, 0x0a:
	default:
		return true, nil
	}
	if body[0] == myOK {
		p.changed, _, _ = myInteger(body[1:])
		return myStatus(body)&myMoreResults == 0, nil
	}
	if body[0] == myFile {
		return false, foreign("LOAD DATA LOCAL")
	}
	columns, rest, ok := myInteger(body)
	if !ok || columns > 4096 {
		return false, foreign("a result set without a number of columns")
	}
	p.results, p.left, p.stage = true, int(columns), myDefinitions
	if p.conn.cached {
		if len(rest) == 0 {
			return false, foreign("a result set that does not say whether it is described")
		}
		if rest[0] == 0 {
			p.stage = p.afterDefinitions()
		}
	}
	return false, nil
}

func (p *myReply) afterDefinitions() myStage {
	if p.conn.agreed&myDeprecateEOF != 0 {
		return myRows
	}
	return myDefinitionsEnd
}

// proof reads a step of the login. What may follow without a word of the client is the same answer.
func (p *myReply) proof(body []byte) (done bool) {
	if body[0] == myOK {
		p.conn.phase = myCommanding
	}
	return body[0] != myMore || len(body) != 2 || body[1] != 3
}

// preparation reads the number of a statement, and of the definitions that follow.
func (p *myReply) preparation(body []byte) (done bool, err error) {
	if body[0] != myOK || len(body) < 9 {
		return false, foreign("no answer to a preparation")
	}
	id := binary.LittleEndian.Uint32(body[1:])
	for _, n := range []int{int(binary.LittleEndian.Uint16(body[5:])), int(binary.LittleEndian.Uint16(body[7:]))} {
		p.left += n
		if n > 0 && p.conn.agreed&myDeprecateEOF == 0 {
			p.left++
		}
	}
	p.conn.keep(id, p.request.said)
	p.stage = myCounted
	return p.left == 0, nil
}

// keep remembers a prepared statement. Beyond a bound it forgets all, and what is carried out by a number that was
// forgotten is called EXECUTE.
func (c *myConn) keep(id uint32, said statement) {
	if c.prepared == nil || len(c.prepared) >= maxStatements {
		c.prepared = map[uint32]statement{}
	}
	c.prepared[id], c.latest = said, id
}

// answered ends the waiting of the command that was answered.
func (c *myConn) answered(p *myReply) Message {
	r := p.request
	c.pending = c.pending[1:]
	m := Message{Label: "ok", Text: join(r.label, "ok"), For: r.label}
	if r.refused != 0 {
		p.code, p.message = int(r.refused), myReason(r.refused)
		m.Instead = myRefused(r.refused)
	}
	switch {
	case p.code != 0:
		m.Label = fmt.Sprint(p.code)
		m.Text = join(r.label, fmt.Sprintf("error %d %s", p.code, p.message))
	case p.results:
		m.Text = join(r.label, fmt.Sprintf("%d rows", p.rows))
	case p.changed > 0:
		m.Text = join(r.label, fmt.Sprintf("ok, %d changed", p.changed))
	}
	return m
}

// myStatus is the status of the server in an OK or an EOF.
func myStatus(body []byte) uint16 {
	if body[0] == myEOF && len(body) == 5 {
		return binary.LittleEndian.Uint16(body[3:])
	}
	rest := body[1:]
	for range 2 { // rows changed, last number given
		var ok bool
		if _, rest, ok = myInteger(rest); !ok {
			return 0
		}
	}
	if len(rest) < 2 {
		return 0
	}
	return binary.LittleEndian.Uint16(rest)
}

// myError are the number and the text of an error.
func myError(body []byte) (code int, message string) {
	if len(body) < 3 {
		return 0, ""
	}
	text := body[3:]
	if len(text) >= 6 && text[0] == '#' {
		text = text[6:]
	}
	return int(binary.LittleEndian.Uint16(body[1:])), sqlText(string(text))
}
