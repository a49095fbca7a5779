package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AMQP reads version 0-9-1 of the protocol of RabbitMQ. Every method is a message, with its content where it has one,
// and the two directions are streams of their own: For is a message's own label, because nothing joins what a broker
// delivers to what was asked.
//
// Where frames of other channels stand between those of one content, all of them are one message, named by the first.
var AMQP = register(Protocol{Name: "amqp", Title: "AMQP 0-9-1", New: func() Conn { return &amqpConn{} }, Words: amqpLabels()})

const (
	amqpHello = "AMQP\x00\x00\x09\x01"
	amqpHead  = 7 // bytes of a frame's type, channel and length
	amqpEnd   = 0xce
)

// Types of frames.
const (
	amqpMethodFrame = 1
	amqpHeaderFrame = 2
	amqpBodyFrame   = 3
	amqpHeartbeat   = 8
)

// amqpConn remembers which directions have begun.
type amqpConn struct {
	greeted  bool // the client has named the protocol
	answered bool
}

func (c *amqpConn) Request(buf []byte) (Message, int, error) {
	if !c.greeted {
		n := min(len(buf), len(amqpHello))
		if string(buf[:n]) != amqpHello[:n] {
			return Message{}, 0, foreign("no header of AMQP 0-9-1")
		}
		if n < len(amqpHello) {
			return Message{}, 0, nil
		}
		c.greeted = true
		return Message{Label: "protocol", Text: "protocol AMQP 0-9-1"}, n, nil
	}
	return amqpMessage(buf)
}

func (c *amqpConn) Answer(buf []byte) (Message, int, error) {
	m, n, err := amqpMessage(buf)
	if !c.answered && len(buf) > 0 && buf[0] == amqpHello[0] {
		return Message{}, 0, foreign("a broker that wants another version")
	}
	c.answered = c.answered || n > 0
	m.For = m.Label
	return m, n, err
}

// amqpContent is a content whose frames have not all come.
type amqpContent struct {
	headed bool
	left   uint64 // bytes of the body still to come
}

// amqpMessage finds the first message: a frame, or a method with its content.
func amqpMessage(buf []byte) (Message, int, error) {
	var (
		open  = map[uint16]*amqpContent{}
		shown amqpShown
	)
	for pos := 0; ; {
		f, end, err := amqpFrame(buf, pos)
		if err != nil || end == 0 {
			return Message{}, 0, err
		}
		if pos == 0 {
			shown.channel = f.channel
		}
		switch f.kind {
		case amqpHeartbeat:
			if pos == 0 {
				return Message{Label: "heartbeat", Text: "heartbeat"}, end, nil
			}
		case amqpMethodFrame:
			err = f.method(open, &shown, pos == 0)
		case amqpHeaderFrame:
			err = f.header(open, pos)
		default:
			err = f.part(open, &shown)
		}
		if err != nil {
			return Message{}, 0, err
		}
		if pos = end; len(open) == 0 {
			return shown.message(), end, nil
		}
	}
}

// frame is one frame of AMQP.
type frame struct {
	kind    byte
	channel uint16
	payload []byte
}

// amqpFrame is the frame at pos, and the place after it, which is 0 where it is not complete.
func amqpFrame(buf []byte, pos int) (f frame, end int, err error) {
	if pos == len(buf) {
		return f, 0, nil
	}
	switch f.kind = buf[pos]; f.kind {
	case amqpMethodFrame, amqpHeaderFrame, amqpBodyFrame, amqpHeartbeat:
	default:
		return f, 0, foreign("a frame of type %d", f.kind)
	}
	if len(buf)-pos < amqpHead {
		return f, 0, nil
	}
	f.channel = binary.BigEndian.Uint16(buf[pos+1:])
	size := uint64(binary.BigEndian.Uint32(buf[pos+3:]))
	if uint64(pos)+amqpHead+size+1 > MaxMessage {
		return f, 0, ErrTooLarge
	}
	end = pos + amqpHead + int(size) + 1
	if len(buf) < end {
		return f, 0, nil
	}
	if buf[end-1] != amqpEnd {
		return f, 0, foreign("a frame without its end")
	}
	f.payload = buf[pos+amqpHead : end-1]
	return f, end, nil
}

// method reads a frame of a method, the first of a message or one that stands between the frames of a content.
func (f frame) method(open map[uint16]*amqpContent, shown *amqpShown, first bool) error {
	if len(f.payload) < 4 {
		return foreign("a method without a name")
	}
	if open[f.channel] != nil {
		return foreign("a method in the middle of a content")
	}
	class, id := binary.BigEndian.Uint16(f.payload), binary.BigEndian.Uint16(f.payload[2:])
	if amqpClasses[class] == "" {
		return foreign("a method of class %d", class)
	}
	if first {
		shown.name(class, id, f.payload[4:])
	}
	if class == amqpBasic && (id == amqpPublish || id == amqpReturn || id == amqpDeliver || id == amqpGetOK) {
		open[f.channel] = &amqpContent{}
	}
	return nil
}

// header reads the frame that says how long a body is.
func (f frame) header(open map[uint16]*amqpContent, pos int) error {
	content := open[f.channel]
	if content == nil || content.headed || len(f.payload) < 14 {
		return foreign("a header without a method")
	}
	content.headed, content.left = true, binary.BigEndian.Uint64(f.payload[4:])
	switch {
	case content.left > uint64(MaxMessage-pos):
		return ErrTooLarge
	case content.left == 0:
		delete(open, f.channel)
	}
	return nil
}

// part reads a frame of a body.
func (f frame) part(open map[uint16]*amqpContent, shown *amqpShown) error {
	content := open[f.channel]
	if content == nil || !content.headed || uint64(len(f.payload)) > content.left {
		return foreign("a body without a header, or longer than that says")
	}
	if f.channel == shown.channel && len(shown.body) <= maxShown {
		shown.body = append(shown.body, f.payload...)
	}
	if content.left -= uint64(len(f.payload)); content.left == 0 {
		delete(open, f.channel)
	}
	return nil
}

// amqpShown is what a message is called and shown as.
type amqpShown struct {
	channel uint16
	label   string
	text    string
	body    []byte
}

func (s *amqpShown) message() Message {
	return Message{Label: s.label, Text: join(s.text, amqpText(s.body))}
}

// amqpText is the beginning of a body, where it is text and says nothing of a secret.
func amqpText(body []byte) string {
	if text := jsonText(body); text != "" || len(body) == 0 || len(body) > maxShown {
		return text
	}
	text := string(body)
	if !utf8.ValidString(text) || secretIn(text) || cardNumber(text) {
		return fmt.Sprintf("%d bytes", len(body))
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return fmt.Sprintf("%d bytes", len(body))
		}
	}
	return clip(string(bytes.Join(bytes.Fields(body), []byte(" "))), maxText)
}
