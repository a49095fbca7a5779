package stack

import (
	"regexp"
	"strings"
)

// statement is one statement of an SQL file and the line on which it begins.
type statement struct {
	text string
	line int
}

// statements splits the text of an SQL file as the engine's own client does, so that each is carried out by itself: some
// may not stand in a transaction with others.
func statements(engine, text string) []statement {
	s := &splitter{engine: engine, text: text, line: 1, end: ";"}
	for s.at < len(s.text) {
		s.step()
	}
	s.cut(len(s.text))
	return s.out
}

// splitter goes once through the text.
type splitter struct {
	engine, text string
	at, line     int
	begin, first int    // of the statement, and its line; first 0: it has not begun
	end          string // what ends a statement
	depth        int    // of BEGIN and CASE in the body of a trigger or routine
	last         string // word before this one
	out          []statement
}

// bodied are statements whose body holds further statements.
var bodied = regexp.MustCompile(`(?is)^create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|definer\s*=\s*\S+\s+|constraint\s+)*(?:trigger|procedure|function|event)\b`)

var dollarQuote = regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z_0-9]*)?\$`)

// step passes one token.
func (s *splitter) step() {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case s.first == 0 && s.engine == "mysql" && prefixed(rest, "delimiter "):
		line, _, _ := strings.Cut(rest, "\n")
		if end := strings.TrimSpace(line[len("delimiter "):]); end != "" {
			s.end = end
		}
		s.pass(len(line))
		s.begin = s.at
	case strings.HasPrefix(rest, s.end) && (s.depth == 0 || s.end != ";"):
		s.cut(s.at)
		s.pass(len(s.end))
		s.begin, s.depth = s.at, 0
	case strings.HasPrefix(rest, "--"), c == '#' && s.engine == "mysql":
		line, _, _ := strings.Cut(rest, "\n")
		s.pass(len(line))
	case strings.HasPrefix(rest, "/*"):
		if s.first == 0 && s.engine == "mysql" && strings.HasPrefix(rest, "/*!") {
			s.start() // what only some servers carry out is a statement to them
		}
		s.pass(commentLength(rest, s.engine == "postgres"))
	case c == '\'' || c == '"' || c == '`':
		s.start()
		s.pass(quotedLength(rest, c, s.engine == "mysql" || c == '\'' && strings.EqualFold(s.last, "e")))
	case c == '$' && s.engine == "postgres" && dollarQuote.MatchString(rest):
		s.start()
		tag := dollarQuote.FindString(rest)
		n := strings.Index(rest[len(tag):], tag)
		if n < 0 {
			s.pass(len(rest))
			return
		}
		s.pass(n + 2*len(tag))
	case isLetter(c):
		s.start()
		s.word(rest)
	default:
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			s.start()
			s.last = ""
		}
		s.pass(1)
	}
}

// word passes a word, and counts the blocks of a body.
func (s *splitter) word(rest string) {
	n := 1
	for n < len(rest) && (isLetter(rest[n]) || rest[n] >= '0' && rest[n] <= '9') {
		n++
	}
	word := strings.ToLower(rest[:n])
	inBody := s.depth > 0 || (word == "begin" || word == "case") && bodied.MatchString(s.text[s.begin:s.at])
	if inBody {
		switch after := strings.ToLower(strings.TrimSpace(rest[n:])); {
		case word == "begin", word == "case" && s.last != "end":
			s.depth++
		case word == "end" && !prefixed(after, "if") && !prefixed(after, "loop") && !prefixed(after, "while") && !prefixed(after, "repeat"):
			s.depth--
		}
	}
	s.last = word
	s.pass(n)
}

// start says that a statement begins here, unless it has.
func (s *splitter) start() {
	if s.first == 0 {
		s.first, s.begin = s.line, s.at
	}
}

// pass goes on by so many bytes.
func (s *splitter) pass(n int) {
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

// cut ends the statement before a place.
func (s *splitter) cut(at int) {
	if s.first > 0 {
		s.out = append(s.out, statement{strings.TrimSpace(s.text[s.begin:at]), s.first})
	}
	s.first, s.last = 0, ""
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func prefixed(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// quotedLength is the length of a quoted piece at the beginning of a text.
func quotedLength(text string, quote byte, escapes bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// commentLength is the length of a comment at the beginning of a text.
func commentLength(text string, nests bool) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			if depth == 0 || nests {
				depth++
			}
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(text)
}
