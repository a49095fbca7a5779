package wire

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	maxHead      = 64 << 10 // bytes of a request or status line with its headers
	maxMethod    = 24
	maxChunkLine = 4 << 10 // bytes of the line that gives the size of a chunk, with its extensions
)

// httpHead is what the head of a message says about the message's end.
type httpHead struct {
	first   string // request or status line
	size    int    // bytes up to and including the empty line
	length  int    // Content-Length, -1 where there is none
	chunked bool   // there is a transfer coding
	coding  string // the last transfer coding, in lower case
}

// untilClose tells whether only the end of the connection ends the body of an answer.
func (h *httpHead) untilClose() bool {
	if h.chunked {
		return h.coding != "chunked"
	}
	return h.length < 0
}

// readHead reads request or status line and headers. check judges the first line, of which more may still come.
func readHead(buf []byte, check func(line []byte, complete bool) error) (h httpHead, ok bool, err error) {
	h.length = -1
	pos := 0
	for pos < len(buf) && pos < 4 && (buf[pos] == '\r' || buf[pos] == '\n') {
		pos++ // empty lines before a message are allowed
	}
	for pos < len(buf) {
		i := bytes.IndexByte(buf[pos:], '\n')
		complete := i >= 0
		line := buf[pos:]
		if complete {
			line = bytes.TrimSuffix(buf[pos:pos+i], []byte("\r"))
			pos += i + 1
		}
		if h.first == "" {
			if err := check(line, complete); err != nil {
				return h, false, err
			}
		}
		switch {
		case !complete && len(buf) > maxHead, pos > maxHead:
			return h, false, foreign("headers of more than %d bytes", maxHead)
		case !complete:
			return h, false, nil
		case h.first == "":
			h.first = string(line)
		case len(line) == 0:
			h.size = pos
			return h, true, nil
		default:
			if err := h.field(line); err != nil {
				return h, false, err
			}
		}
	}
	return h, false, nil
}

// field takes one header line.
func (h *httpHead) field(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 {
		return foreign("header line without a name")
	}
	switch {
	case len(name) == len("Content-Length") && strings.EqualFold(string(name), "Content-Length"):
		n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 40)
		if err != nil || h.length >= 0 && h.length != int(n) {
			return foreign("content length %q", clip(string(value), 40))
		}
		h.length = int(n)
	case len(name) == len("Transfer-Encoding") && strings.EqualFold(string(name), "Transfer-Encoding"):
		codings := strings.Split(strings.ToLower(string(value)), ",")
		h.coding = strings.TrimSpace(codings[len(codings)-1])
		h.chunked = h.chunked || h.coding != "identity"
	}
	return nil
}

// readBody finds the end of a body that is delimited by its head, and the body itself.
func readBody(buf []byte, h httpHead) (end int, body []byte, ok bool, err error) {
	if h.chunked {
		return readChunks(buf, h.size)
	}
	end = h.size + max(h.length, 0)
	if end > MaxMessage {
		return 0, nil, false, ErrTooLarge
	}
	if len(buf) < end {
		return 0, nil, false, nil
	}
	return end, buf[h.size:end], true, nil
}

// readChunks finds the end of a chunked body that begins at pos. The body is put together only as far as it is shown.
func readChunks(buf []byte, pos int) (end int, body []byte, ok bool, err error) {
	for {
		line, next, err := readLine(buf, pos)
		if err != nil || next == 0 {
			return 0, nil, false, err
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, perr := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 40)
		if perr != nil {
			return 0, nil, false, foreign("chunk size %q", clip(string(digits), 40))
		}
		if size == 0 {
			end, ok, err = readTrailers(buf, next)
			return end, body, ok, err
		}
		stop := next + int(size)
		if stop+2 > MaxMessage {
			return 0, nil, false, ErrTooLarge
		}
		if len(buf) < stop+2 {
			return 0, nil, false, nil
		}
		if buf[stop] != '\r' || buf[stop+1] != '\n' {
			return 0, nil, false, foreign("chunk that is longer than it says")
		}
		if len(body) <= maxShown {
			body = append(body, buf[next:stop]...)
		}
		pos = stop + 2
	}
}

// readTrailers finds the end of the lines after the last chunk.
func readTrailers(buf []byte, pos int) (end int, ok bool, err error) {
	for {
		line, next, err := readLine(buf, pos)
		if err != nil || next == 0 {
			return 0, false, err
		}
		if len(line) == 0 {
			return next, true, nil
		}
		pos = next
	}
}

// readLine is the line at pos and the place after it, which is 0 where the line is not complete.
func readLine(buf []byte, pos int) (line []byte, next int, err error) {
	i := bytes.IndexByte(buf[pos:], '\n')
	switch {
	case i > maxChunkLine, i < 0 && len(buf)-pos > maxChunkLine:
		return nil, 0, foreign("line of more than %d bytes in a chunked body", maxChunkLine)
	case pos+i+1 > MaxMessage, i < 0 && len(buf) > MaxMessage:
		return nil, 0, ErrTooLarge
	case i < 0:
		return nil, 0, nil
	}
	return bytes.TrimSuffix(buf[pos:pos+i], []byte("\r")), pos + i + 1, nil
}

// requestLine checks what there is of a request line: METHOD target HTTP/1.x.
func requestLine(line []byte, complete bool) error {
	method, rest, spaced := bytes.Cut(line, []byte(" "))
	if len(method) > maxMethod || spaced && len(method) == 0 {
		return foreign("no request line")
	}
	for i, c := range method {
		if (c < 'A' || c > 'Z') && c != '-' && c != '_' && !(c == '\r' && !complete && i == len(line)-1) {
			return foreign("no request line")
		}
	}
	for i, c := range rest {
		if c < ' ' && !(c == '\r' && !complete && len(method)+1+i == len(line)-1) || c == 0x7f {
			return foreign("control character in a request line")
		}
	}
	if !complete {
		return nil
	}
	i := bytes.LastIndexByte(rest, ' ')
	if i <= 0 {
		return foreign("no request line")
	}
	if v := string(rest[i+1:]); v != "HTTP/1.1" && v != "HTTP/1.0" {
		return foreign("version %q", clip(v, 20))
	}
	return nil
}

// statusLine checks what there is of a status line: HTTP/1.x NNN reason.
func statusLine(line []byte, complete bool) error {
	const shape = "HTTP/1.x 999"
	for i := 0; i < len(shape) && i < len(line); i++ {
		c, digit := line[i], line[i] >= '0' && line[i] <= '9'
		switch {
		case shape[i] == 'x' && (c == '0' || c == '1'), shape[i] == '9' && digit, shape[i] == c:
		default:
			return foreign("no status line")
		}
	}
	if complete && (len(line) < len(shape) || line[9] == '0' || len(line) > len(shape) && line[len(shape)] != ' ') {
		return foreign("no status line")
	}
	return nil
}
