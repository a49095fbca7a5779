package wire

import (
	"bytes"
	"strconv"
)

const (
	maxRespDepth  = 32
	maxRespNumber = 20       // bytes of a line that gives a length
	maxRespInline = 64 << 10 // bytes of an inline command, as in Redis itself
	respArgs      = 4        // arguments of a command that are looked at
)

// respCommand reads one command: its first arguments, and the place after it, which is 0 where it is not complete.
func respCommand(buf []byte) (args [][]byte, end int, err error) {
	if len(buf) == 0 {
		return nil, 0, nil
	}
	if buf[0] != '*' {
		return respInline(buf)
	}
	count, pos, err := respNumber(buf, 1)
	if err != nil || pos == 0 {
		return nil, 0, err
	}
	for i := range count {
		if pos == len(buf) {
			return nil, 0, nil
		}
		if buf[pos] != '$' {
			return nil, 0, foreign("a command's argument of type %q", buf[pos])
		}
		next, err := respEnd(buf, pos, 0)
		if err != nil || next == 0 {
			return nil, 0, err
		}
		if i < respArgs {
			_, start, _ := respNumber(buf, pos+1)
			args = append(args, buf[start:max(start, next-2)])
		}
		pos = next
	}
	return args, pos, nil
}

// respInline reads a command that is typed by hand: words in a line.
func respInline(buf []byte) (args [][]byte, end int, err error) {
	i := bytes.IndexByte(buf, '\n')
	line := buf
	if i >= 0 {
		line = buf[:i]
	}
	if len(line) > maxRespInline {
		return nil, 0, foreign("inline command of more than %d bytes", maxRespInline)
	}
	for at, c := range line {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if c == '\r' && at == len(line)-1 || at > 0 && (c >= ' ' || c == '\t') && c != 0x7f || letter {
			continue
		}
		return nil, 0, foreign("no command")
	}
	if i < 0 {
		return nil, 0, nil
	}
	words := bytes.Fields(line)
	return words[:min(len(words), respArgs)], i + 1, nil
}

// respCount is the number of words in a complete command.
func respCount(buf []byte) int {
	if buf[0] == '*' {
		n, _, _ := respNumber(buf, 1)
		return n
	}
	line, _, _ := bytes.Cut(buf, []byte("\n"))
	return len(bytes.Fields(line))
}

// respEnd is the place after the value that begins at pos, or 0 where it is not complete.
func respEnd(buf []byte, pos, depth int) (int, error) {
	switch {
	case len(buf) > MaxMessage && pos >= MaxMessage:
		return 0, ErrTooLarge
	case pos >= len(buf):
		return 0, nil
	case depth > maxRespDepth:
		return 0, foreign("values nested deeper than %d", maxRespDepth)
	}
	switch buf[pos] {
	case '+', '-', ':', ',', '_', '#', '(':
		return respLine(buf, pos+1)
	case '$', '!', '=':
		return respBlob(buf, pos+1)
	case '*', '~', '>':
		return respList(buf, pos+1, 1, depth)
	case '%':
		return respList(buf, pos+1, 2, depth)
	case '|': // attributes go before the value that they belong to
		end, err := respList(buf, pos+1, 2, depth)
		if err != nil || end == 0 {
			return 0, err
		}
		return respEnd(buf, end, depth+1)
	}
	return 0, foreign("a value of type %q", buf[pos])
}

func respLine(buf []byte, pos int) (int, error) {
	i := bytes.Index(buf[pos:], []byte("\r\n"))
	if i < 0 && len(buf) > MaxMessage || pos+i+2 > MaxMessage {
		return 0, ErrTooLarge
	}
	if i < 0 {
		return 0, nil
	}
	return pos + i + 2, nil
}

func respBlob(buf []byte, pos int) (int, error) {
	size, start, err := respNumber(buf, pos)
	if err != nil || start == 0 {
		return 0, err
	}
	if size < 0 {
		return start, nil
	}
	end := start + size + 2
	if end > MaxMessage {
		return 0, ErrTooLarge
	}
	if len(buf) < end {
		return 0, nil
	}
	if buf[end-2] != '\r' || buf[end-1] != '\n' {
		return 0, foreign("a value that is longer than it says")
	}
	return end, nil
}

func respList(buf []byte, pos, each, depth int) (int, error) {
	count, pos, err := respNumber(buf, pos)
	if err != nil || pos == 0 {
		return 0, err
	}
	for range count * each {
		if pos, err = respEnd(buf, pos, depth+1); err != nil || pos == 0 {
			return 0, err
		}
	}
	return pos, nil
}

// respNumber reads the length at pos: -1 or a number. The place after it is 0 where the line is not complete.
func respNumber(buf []byte, pos int) (n, next int, err error) {
	i := bytes.Index(buf[pos:], []byte("\r\n"))
	if i > maxRespNumber || i < 0 && len(buf)-pos > maxRespNumber+1 {
		return 0, 0, foreign("no length")
	}
	if i < 0 {
		return 0, 0, nil
	}
	n, err = strconv.Atoi(string(buf[pos : pos+i]))
	if err != nil || n < -1 {
		return 0, 0, foreign("length %q", clip(string(buf[pos:pos+i]), maxRespNumber))
	}
	if n > MaxMessage {
		return 0, 0, ErrTooLarge
	}
	return n, pos + i + 2, nil
}

// respKind is the first element of a complete list where that is a text, as it names what a subscriber is told.
func respKind(msg []byte) string {
	if msg[0] != '*' && msg[0] != '>' {
		return ""
	}
	count, pos, err := respNumber(msg, 1)
	if err != nil || count < 1 || pos == 0 || pos >= len(msg) || msg[pos] != '$' && msg[pos] != '+' {
		return ""
	}
	end, err := respEnd(msg, pos, 0)
	if err != nil || end == 0 {
		return ""
	}
	if msg[pos] == '+' {
		return string(msg[pos+1 : end-2])
	}
	size, start, _ := respNumber(msg, pos+1)
	return string(msg[start : start+max(size, 0)])
}
