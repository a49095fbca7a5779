package wire

// Raw takes every piece of bytes as it arrives for a message of its own. It is for links whose protocol is not known or
// encrypted: delay and loss still work on them, positions and labels do not mean anything.
var Raw = register(Protocol{Name: "raw", Title: "any bytes", New: func() Conn { return rawConn{} }})

type rawConn struct{}

func (rawConn) Request(buf []byte) (Message, int, error) {
	return Message{Label: "bytes"}, len(buf), nil
}

func (rawConn) Answer(buf []byte) (Message, int, error) {
	return Message{Label: "bytes", For: "bytes"}, len(buf), nil
}
