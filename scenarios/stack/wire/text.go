package wire

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxText  = 200      // bytes of a body or an argument that are shown
	maxShown = 64 << 10 // a longer body is not looked into
)

// masked stands for a value that must not be shown.
const masked = "***"

// secretWords are parts of names whose values never appear in a Text, in lower case.
var secretWords = []string{
	"authorization", "signature", "secret", "password", "passwd", "card", "cvv", "cvc", "credential", "apikey", "api_key",
	"api-key", "private_key", "privatekey",
}

// secret tells by a name whether its value must be masked.
func secret(name string) bool {
	name = strings.ToLower(name)
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return name == "sign" || name == "pin"
}

// jsonText is the beginning of a JSON body in one line, without the values of secrets. It is empty for what is not JSON.
func jsonText(body []byte) string {
	start := skipSpace(body, 0)
	if start == len(body) || len(body) > maxShown || (body[start] != '{' && body[start] != '[') || !json.Valid(body) {
		return ""
	}
	out := make([]byte, 0, maxText+64)
	for i := start; i < len(body) && len(out) <= maxText; {
		if body[i] != '"' {
			if !isSpace(body[i]) {
				out = append(out, body[i])
			}
			i++
			continue
		}
		end := stringEnd(body, i)
		out = append(out, body[i:end]...)
		colon := skipSpace(body, end)
		if colon == len(body) || body[colon] != ':' {
			i = end
			continue
		}
		out = append(out, ':')
		name := body[i:end]
		i = skipSpace(body, colon+1)
		if secretKey(name) {
			out = append(out, `"`+masked+`"`...)
			i = valueEnd(body, i)
		}
	}
	return clip(string(out), maxText)
}

// secretKey is secret for a quoted JSON name, which may hide letters behind escapes.
func secretKey(quoted []byte) bool {
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return true
	}
	return secret(name)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// stringEnd is the place after the JSON string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// valueEnd is the place after the JSON value that begins at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// clip cuts a text to so many bytes, between runes, and makes it fit to be printed in one line.
func clip(s string, limit int) string {
	cut := len(s) > limit
	if cut {
		n := limit
		for n > max(limit-utf8.UTFMax, 0) && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, s)
	if cut {
		s += "…"
	}
	return s
}
