package wire

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// MySQL reads the protocol of MySQL and MariaDB, from the server's greeting on: the login in all its ways, text and
// prepared statements, result sets with and without CLIENT_DEPRECATE_EOF. A connection that turns to TLS, compression,
// replication or LOAD DATA LOCAL is refused from there on.
//
// A statement that is prepared is named "PREPARE …"; its executions have the name of its SQL.
var MySQL = register(Protocol{Name: "mysql", Title: "MySQL", New: func() Conn { return &myConn{} }, Words: slices.Concat([]string{"login", "auth", "SSLRequest"}, slices.Collect(maps.Values(myCommands)), sqlVerbs)})

// Capabilities that matter to where a message ends.
const (
	myCompress     = 1 << 5
	myProtocol41   = 1 << 9
	myTLS          = 1 << 11
	myDeprecateEOF = 1 << 24
	myOptionalMeta = 1 << 25
	myZstd         = 1 << 26
	myAttributes   = 1 << 27
	myNotMariaDB   = 1 << 0 // MariaDB's own capabilities count where this one is absent
	myCachedMeta   = 1 << 4 // of MariaDB's own
)

const (
	myHead     = 4    // bytes of a length and a sequence number
	maxMyHello = 1024 // bytes of a greeting
	myLogin    = 32   // bytes of a login up to the user's name
)

// Commands that are told apart.
const (
	myQuit         = 0x01
	myQuery        = 0x03
	myFieldList    = 0x04
	myChangeUser   = 0x11
	myPrepare      = 0x16
	myExecute      = 0x17
	myLongData     = 0x18
	myClose        = 0x19
	myFetch        = 0x1c
	myBulk         = 0xfa
	myLastPrepared = 0xffffffff // the statement that was prepared last, of MariaDB
)

// myCommands are the commands with their names; others are not understood.
var myCommands = map[byte]string{
	myQuit: "QUIT", 0x02: "INIT_DB", myQuery: "QUERY", myFieldList: "FIELD_LIST", 0x07: "REFRESH", 0x09: "STATISTICS",
	0x0a: "PROCESS_INFO", 0x0c: "PROCESS_KILL", 0x0d: "DEBUG", 0x0e: "PING", myChangeUser: "CHANGE_USER", myPrepare: "PREPARE",
	myExecute: "EXECUTE", myLongData: "LONG_DATA", myClose: "CLOSE", 0x1a: "RESET", 0x1b: "SET_OPTION", myFetch: "FETCH",
	0x1f: "RESET_CONNECTION", myBulk: "EXECUTE",
}

// myPhase is how far a connection has come.
type myPhase int

const (
	myHello     myPhase = iota // the server speaks first
	myLoggingIn                // the client answers
	myProving                  // it goes to and fro till the server is content
	myCommanding
	myOther // turned over to another protocol
)

// myConn remembers what was agreed, what waits for its answer, and the statements that were prepared.
type myConn struct {
	phase    myPhase
	server   uint32 // what the server can do
	agreed   uint32 // what both can
	mariadb  uint32 // the server's capabilities of MariaDB's own
	cached   bool   // the definitions of columns may be left out
	pending  []*myRequest
	prepared map[uint32]statement
	latest   uint32     // the statement that was prepared last
	last     *myRequest // what Request has returned last, where it can be refused
}

type myRequest struct {
	command byte // 0 for a step of the login
	label   string
	said    statement // of what is prepared or carried out
	refused uint16    // the error that the client gets
}

func (c *myConn) Request(buf []byte) (Message, int, error) {
	switch {
	case c.phase == myOther:
		return Message{}, 0, foreign("the connection was encrypted")
	case c.phase == myHello:
		return Message{}, 0, foreign("a client that speaks before the server")
	case len(c.pending) >= maxPending:
		return Message{}, 0, foreign("more than %d commands without an answer", maxPending)
	case c.phase == myCommanding && len(buf) >= myHead && buf[3] != 0:
		return Message{}, 0, foreign("a command with the number %d", buf[3])
	}
	body, end, err := myPacket(buf, 0)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	var m Message
	c.last = nil
	switch c.phase {
	case myLoggingIn:
		m, err = c.login(body)
	case myProving:
		m = c.expect(&myRequest{label: "auth"}, "auth")
	default:
		m, err = c.command(body)
	}
	if err != nil {
		return Message{}, 0, err
	}
	return m, end, nil
}

func (c *myConn) expect(r *myRequest, text string) Message {
	c.pending = append(c.pending, r)
	return Message{Label: r.label, Text: text}
}

// greet reads the server's first words.
func (c *myConn) greet(body []byte) error {
	end := bytes.IndexByte(body, 0)
	if body[0] != 10 || end < 0 || len(body) < end+16 {
		return foreign("no greeting of version 10")
	}
	at := end + 1 + 4 + 8 + 1 // connection, first part of the salt, filler
	c.server = uint32(binary.LittleEndian.Uint16(body[at:]))
	if len(body) >= at+18 {
		c.server |= uint32(binary.LittleEndian.Uint16(body[at+5:])) << 16
		if c.server&myNotMariaDB == 0 {
			c.mariadb = binary.LittleEndian.Uint32(body[at+14:])
		}
	}
	c.phase = myLoggingIn
	return nil
}

// login reads the client's answer to the greeting.
func (c *myConn) login(body []byte) (Message, error) {
	if len(body) < myLogin {
		return Message{}, foreign("a login of %d bytes", len(body))
	}
	can := binary.LittleEndian.Uint32(body)
	c.agreed = can & c.server
	switch {
	case c.agreed&myProtocol41 == 0:
		return Message{}, foreign("a login from before version 4.1")
	case can&myTLS != 0 && len(body) == myLogin:
		c.phase = myOther
		return Message{Label: "SSLRequest", Text: "SSLRequest"}, nil
	case c.agreed&(myCompress|myZstd) != 0:
		return Message{}, foreign("compression")
	case c.agreed&myOptionalMeta != 0:
		return Message{}, foreign("result sets without a description of their columns")
	}
	if can&myNotMariaDB == 0 {
		c.cached = c.mariadb&binary.LittleEndian.Uint32(body[28:])&myCachedMeta != 0
	}
	user, _, _ := bytes.Cut(body[myLogin:], []byte{0})
	c.phase = myProving
	return c.expect(&myRequest{label: "login"}, "login user="+clip(string(user), maxSQLName)), nil
}

// command reads a command.
func (c *myConn) command(body []byte) (Message, error) {
	if len(body) == 0 {
		return Message{}, foreign("a command of no bytes")
	}
	r := &myRequest{command: body[0], label: myCommands[body[0]]}
	if r.label == "" {
		return Message{}, foreign("command 0x%02x", body[0])
	}
	text := r.label
	switch r.command {
	case myQuit, myLongData, myClose:
		if r.command == myClose && len(body) >= 5 {
			delete(c.prepared, binary.LittleEndian.Uint32(body[1:]))
		}
		return Message{Label: r.label, Text: text, Aside: true}, nil // not answered
	case myChangeUser:
		c.phase = myProving
		r.command = 0
		return c.expect(r, text), nil
	case myQuery, myPrepare:
		sql, err := c.sql(body)
		if err != nil {
			return Message{}, err
		}
		r.said = readSQL(sql)
		r.label, text = r.said.label, r.said.text
		if r.command == myPrepare {
			r.label = join("PREPARE", r.label)
		}
	case myExecute, myBulk:
		if len(body) < 5 {
			return Message{}, foreign("an execution of nothing")
		}
		id := binary.LittleEndian.Uint32(body[1:])
		if id == myLastPrepared {
			id = c.latest
		}
		if said, ok := c.prepared[id]; ok {
			r.said, r.label, text = said, said.label, said.text
		}
	}
	c.last = r
	return c.expect(r, text), nil
}

// sql is the SQL of a command. Attributes of a query, where they are agreed on, stand before it.
func (c *myConn) sql(body []byte) (string, error) {
	if body[0] != myQuery || c.agreed&myAttributes == 0 {
		return string(body[1:]), nil
	}
	if len(body) < 3 || body[1] != 0 || body[2] != 1 {
		return "", foreign("a query with attributes")
	}
	return string(body[3:]), nil
}

// myPacket is the packet at pos, and the place after it, which is 0 where it is not complete.
func myPacket(buf []byte, pos int) (body []byte, end int, err error) {
	if len(buf)-pos < myHead {
		return nil, 0, nil
	}
	size := int(buf[pos]) | int(buf[pos+1])<<8 | int(buf[pos+2])<<16
	end = pos + myHead + size
	switch {
	case end > MaxMessage:
		return nil, 0, ErrTooLarge
	case len(buf) < end:
		return nil, 0, nil
	}
	return buf[pos+myHead : end], end, nil
}

// myInteger reads a number whose length is in its first byte.
func myInteger(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	size := map[byte]int{0xfc: 2, 0xfd: 3, 0xfe: 8}[b[0]]
	switch {
	case b[0] < 0xfb:
		return uint64(b[0]), b[1:], true
	case size == 0 || len(b) < 1+size:
		return 0, nil, false
	}
	for i := size; i > 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v, b[1+size:], true
}
