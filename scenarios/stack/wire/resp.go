package wire

import (
	"bytes"
	"strings"
)

// RESP reads the protocol of Redis, versions 2 and 3: pipelines, pushes, subscriptions and inline commands.
// A command that changes how answers pair with requests (CLIENT REPLY, SYNC, PSYNC) is refused.
var RESP = register(Protocol{Name: "redis", Title: "Redis (RESP 2 and 3)", New: func() Conn { return &respConn{} }})

// respConn remembers which commands wait for their answers, in order.
type respConn struct {
	pending    []respRequest
	subscribed bool
}

type respRequest struct {
	label string
	left  int // answers still to come
}

func (c *respConn) Request(buf []byte) (Message, int, error) {
	args, end, err := respCommand(buf)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	if len(args) == 0 {
		return Message{Aside: true}, end, nil // the server does not answer an empty command
	}
	label := strings.ToUpper(clip(string(args[0]), 40))
	switch {
	case label == "SYNC", label == "PSYNC", label == "CLIENT" && len(args) > 1 && strings.EqualFold(string(args[1]), "REPLY"):
		return Message{}, 0, foreign("command %s", label)
	case len(c.pending) == maxPending:
		return Message{}, 0, foreign("more than %d commands without an answer", maxPending)
	}
	req := respRequest{label, 1}
	if strings.HasSuffix(label, "SUBSCRIBE") {
		c.subscribed = true
		req.left = max(1, respCount(buf)-1)
	}
	c.pending = append(c.pending, req)
	return Message{Label: label, Text: join(label, respKey(label, args))}, end, nil
}

func (c *respConn) Answer(buf []byte) (Message, int, error) {
	end, err := respEnd(buf, 0, 0)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	m := respAnswer(buf[:end])
	kind := strings.ToUpper(respKind(buf[:end]))
	published := strings.HasSuffix(kind, "MESSAGE") || strings.HasSuffix(kind, "SUBSCRIBE")
	waiting := len(c.pending) > 0
	switch {
	case waiting && published && c.pending[0].label == kind:
	case buf[0] == '>', !waiting, published && c.subscribed:
		m.Aside = true
		return m, end, nil
	}
	m.For = c.pending[0].label
	if c.pending[0].left--; c.pending[0].left <= 0 || buf[0] == '-' {
		c.pending = c.pending[1:]
	}
	return m, end, nil
}

// respKey is the first key of a command; other arguments are values, which are nobody's business.
func respKey(label string, args [][]byte) string {
	at := 1
	switch label {
	case "AUTH":
		return ""
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO":
		at = 3
		if len(args) > 2 && string(args[2]) == "0" {
			return ""
		}
	}
	if len(args) <= at {
		return ""
	}
	return clip(string(args[at]), maxText)
}

// respAnswer describes an answer without showing values.
func respAnswer(msg []byte) Message {
	line, _, _ := bytes.Cut(msg, []byte("\r\n"))
	text := clip(string(line[1:]), maxText)
	if text == "-1" && strings.IndexByte("$!=*~>%|", msg[0]) >= 0 {
		return Message{Label: "nil", Text: "nil"}
	}
	switch msg[0] {
	case '+':
		return Message{Label: "ok", Text: text}
	case '-':
		return Message{Label: "error", Text: text}
	case '!':
		return Message{Label: "error", Text: clip(string(msg[len(line)+2:len(msg)-2]), maxText)}
	case ':', ',', '#', '(':
		return Message{Label: "number", Text: text}
	case '_':
		return Message{Label: "nil", Text: "nil"}
	case '>':
		return Message{Label: "push", Text: "push " + clip(respKind(msg), 40)}
	}
	if msg[0] == '$' || msg[0] == '=' {
		return Message{Label: "value", Text: text + " bytes"}
	}
	return Message{Label: "list", Text: "list of " + text}
}
