package wire

import (
	"net/http"
	"strconv"
	"strings"
)

// HTTP reads HTTP/1.0 and HTTP/1.1. HTTP/2 is refused by its preface.
//
// A request that asks for "100 Continue" is one message with its body, so that its client waits for its own time-out
// before it sends the body.
var HTTP = register(Protocol{Name: "http", Title: "HTTP/1.1", New: func() Conn { return &httpConn{} }, Words: []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, http.MethodConnect,
}})

// httpConn remembers which requests wait for their answers, in order.
type httpConn struct {
	pending []httpRequest
	other   bool // the connection has been turned over to another protocol
}

type httpRequest struct {
	method, label string
}

func (c *httpConn) Request(buf []byte) (Message, int, error) {
	if c.other {
		return Message{}, 0, foreign("the connection was upgraded")
	}
	h, ok, err := readHead(buf, requestLine)
	if err != nil || !ok {
		return Message{}, 0, err
	}
	if h.chunked && h.coding != "chunked" {
		return Message{}, 0, foreign("request with transfer coding %q", h.coding)
	}
	end, body, ok, err := readBody(buf, h)
	if err != nil || !ok {
		return Message{}, 0, err
	}
	if len(c.pending) == maxPending {
		return Message{}, 0, foreign("more than %d requests without an answer", maxPending)
	}
	method, target, _ := strings.Cut(h.first, " ")
	target = target[:strings.LastIndexByte(target, ' ')]
	label := method + " " + clip(path(target), maxText)
	c.pending = append(c.pending, httpRequest{method, label})
	return Message{Label: label, Text: join(label, jsonText(body))}, end, nil
}

func (c *httpConn) Answer(buf []byte) (Message, int, error) {
	if c.other {
		return Message{}, 0, foreign("the connection was upgraded")
	}
	h, ok, err := readHead(buf, statusLine)
	if err != nil || !ok {
		return Message{}, 0, err
	}
	code, _ := strconv.Atoi(h.first[9:12])
	m := Message{Label: h.first[9:12]}
	m.Text = join(m.Label, http.StatusText(code))
	if code < 200 && code != http.StatusSwitchingProtocols {
		m.Aside = true
		return m, h.size, nil
	}
	var req httpRequest
	if len(c.pending) > 0 {
		req = c.pending[0]
	}
	m.For = req.label
	tunnel := code == http.StatusSwitchingProtocols || req.method == http.MethodConnect && code < 300
	var end int
	switch {
	case tunnel, req.method == http.MethodHead, code == http.StatusNoContent, code == http.StatusNotModified:
		end = h.size
	case h.untilClose():
		if len(buf) > MaxMessage {
			return Message{}, 0, ErrTooLarge
		}
		m.Close = true
		m.Text = join(m.Text, jsonText(buf[h.size:]))
		return m, len(buf), nil
	default:
		var body []byte
		if end, body, ok, err = readBody(buf, h); err != nil || !ok {
			return Message{}, 0, err
		}
		m.Text = join(m.Text, jsonText(body))
	}
	if len(c.pending) > 0 {
		c.pending = c.pending[1:]
	}
	c.other = tunnel
	return m, end, nil
}

// path is the path of a request target, without a query, which may carry a signature.
func path(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return "/"
		}
		target = rest[i:]
	}
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	return target
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}
