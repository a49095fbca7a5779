package reports

import (
	"strings"
	"unicode"
)

// Everything in a document that comes from the service, the bank or a user's file is hostile until it went through
// prose or code. Both give one line that is safe within a paragraph and within a cell of a table.

// prose escapes what GitHub-flavoured markdown would take for markup, and as little else as it can, since a report is
// read raw as well. What a forge would turn into a link or a mention by itself becomes code.
func prose(s string, limit int) string {
	words := strings.Split(oneLine(s, limit), " ")
	for i, word := range words {
		if strings.Contains(word, "://") || strings.Contains(word, "@") || strings.Contains(strings.ToLower(word), "www.") {
			words[i] = inert(word)
		} else {
			words[i] = escape(word)
		}
	}
	return strings.Join(words, " ")
}

// inert is a word as code. A pipe stays outside, because within code it is written in one way in a cell and in
// another elsewhere.
func inert(word string) string {
	parts := strings.Split(word, "|")
	for i, p := range parts {
		if p != "" {
			parts[i] = span(p)
		}
	}
	return strings.Join(parts, `\|`)
}

func escape(word string) string {
	line := []rune(word)
	var b strings.Builder
	for i, r := range line {
		next := rune(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '\\':
			// Renderers disagree whether a pipe after an escaped backslash ends the cell. An entity leaves no doubt.
			if next == '|' {
				b.WriteString("&#92;")
			} else {
				b.WriteString(`\\`)
			}
		case '`', '*', '[', ']', '|', '~':
			b.WriteRune('\\')
			b.WriteRune(r)
		case '_', '&', '$', '!', '#':
			if marks(line, i) {
				b.WriteRune('\\')
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// marks tells whether a rune that is markup only in some places is so at i: _ but within a word, & before an entity,
// $ but before a digit, ! before a bracket, # in front of a word or alone, where it would end a heading.
func marks(line []rune, i int) bool {
	var prev, next rune
	if i > 0 {
		prev = line[i-1]
	}
	if i+1 < len(line) {
		next = line[i+1]
	}
	switch line[i] {
	case '_':
		return !wordly(prev) || !wordly(next)
	case '&':
		return next == '#' || wordly(next)
	case '$':
		return !unicode.IsDigit(next)
	case '#':
		return i == 0
	}
	return next == '['
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// opening is prose at the start of a line, of a quote or of a list item, where also a heading, a list, a rule and a
// table could begin.
func opening(s string, limit int) string {
	p := prose(s, limit)
	digits := len(p) - len(strings.TrimLeft(p, "0123456789"))
	if rest := p[digits:]; digits > 0 && rest != "" && strings.ContainsRune(".)", rune(rest[0])) && (len(rest) == 1 || rest[1] == ' ') {
		return p[:digits] + `\` + rest
	}
	if p != "" && strings.ContainsRune("+-=:", rune(p[0])) {
		return `\` + p
	}
	return p
}

// code is a code span; nothing within it is markup. In a cell, a pipe must be escaped even there.
func code(s string, limit int) string { return span(oneLine(s, limit)) }

// codeCell is code for a cell of a table.
func codeCell(s string, limit int) string {
	line := oneLine(s, limit)
	if strings.Contains(line, `\|`) {
		return prose(line, limit) // within code nothing can say which of the two is meant
	}
	return strings.ReplaceAll(span(line), "|", `\|`)
}

func span(line string) string {
	if line == "" {
		return "–"
	}
	fence := strings.Repeat("`", longestRun(line, '`')+1)
	if strings.HasPrefix(line, "`") || strings.HasSuffix(line, "`") {
		return fence + " " + line + " " + fence
	}
	return fence + line + fence
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// slug is the anchor that GitHub gives to a heading of that plain text: lower case, letters, digits, marks, "-" and "_"
// kept, blanks turned into "-".
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			b.WriteRune(r)
		}
	}
	return b.String()
}
