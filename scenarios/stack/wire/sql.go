package wire

import "strings"

// sqlVerbs are the words with which the label of a statement begins.
var sqlVerbs = strings.Fields(`ALTER ANALYZE BEGIN BIND CALL CHECK CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE
	DELETE DESC DESCRIBE DISCARD DO DROP EMPTY EXECUTE EXPLAIN FETCH FLUSH GRANT HANDLER IMPORT INSERT KILL LISTEN LOAD LOCK MERGE MOVE NOTIFY
	OPTIMIZE OTHER PREPARE REASSIGN REFRESH REINDEX RELEASE RENAME REPAIR REPLACE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SELECT SET SHOW
	SYNC TABLE TRUNCATE UNLISTEN UNLOCK UPDATE USE VACUUM VALUES WITH XA`)

const (
	maxSQLRead = 16 << 10 // bytes of a statement that are looked at to name it
	maxSQLName = 64       // bytes of a table's name that are shown
)

// statement is what can be told of a piece of SQL.
type statement struct {
	label  string // verb and first table: "INSERT pay_transaction", "COMMIT"
	text   string // the SQL in one line, what may be secret masked
	verbs  int    // statements in it, as far as they were looked at
	commit bool   // one of them ends a transaction with success
}

// readSQL names a piece of SQL. A piece of several statements has the name of the first that does more than begin.
func readSQL(sql string) statement {
	s := statement{text: sqlText(sql)}
	t := tokens{rest: sql[:min(len(sql), maxSQLRead)]}
	for {
		words := t.statement()
		if len(words) == 0 {
			break
		}
		label := sqlLabel(words)
		s.verbs++
		s.commit = s.commit || label == "COMMIT"
		if s.label == "" || s.label == "BEGIN" {
			s.label = label
		}
	}
	if s.label == "" {
		s.label = "EMPTY"
	}
	return s
}

// add takes one more statement into those that are sent together.
func (s *statement) add(other statement) {
	if s.label == "" || s.label == "BEGIN" {
		s.label = other.label
	}
	s.text = clip(strings.TrimSpace(s.text+" "+other.text), maxText)
	s.commit = s.commit || other.commit
	s.verbs += other.verbs
}

// word is one word of SQL: a bare word in upper case, a name as it was written, or a sign.
type word struct {
	text   string
	quoted bool
	depth  int // of parentheses around it
}

func (w word) is(texts ...string) bool {
	for _, t := range texts {
		if !w.quoted && w.text == t {
			return true
		}
	}
	return false
}

// name tells whether the word can be the name of a table.
func (w word) name() bool { return w.quoted || w.text != "" && wordByte(w.text[0]) }

// sqlLabel names one statement.
func sqlLabel(words []word) string {
	for len(words) > 1 && words[0].is("(") {
		words = words[1:]
	}
	verb := words[0].text
	if c := verb; words[0].quoted || c == "" || c[0] < 'A' || c[0] > 'Z' {
		return "OTHER"
	}
	verb = clip(verb, maxSQLName)
	rest := words[1:]
	switch verb {
	case "BEGIN", "START":
		return "BEGIN"
	case "COMMIT", "END":
		return sqlEnding("COMMIT", rest)
	case "ROLLBACK", "ABORT":
		return sqlEnding("ROLLBACK", rest)
	case "EXPLAIN", "SET", "SHOW", "SAVEPOINT", "RELEASE", "USE", "KILL", "DO", "LISTEN", "NOTIFY", "XA", "DISCARD", "DEALLOCATE", "LOAD":
		return verb
	case "WITH":
		for i, w := range rest {
			if w.depth == words[0].depth && w.is("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE") {
				return sqlLabel(rest[i:])
			}
		}
		return verb
	}
	return join(verb, sqlTable(verb, words[0].depth, rest))
}

// sqlEnding tells the end of a transaction from that of a part of one, or of one that was prepared.
func sqlEnding(verb string, rest []word) string {
	for _, w := range rest {
		if w.is("TO", "PREPARED") {
			return verb + " " + w.text
		}
	}
	return verb
}

// sqlBefore are the words after which the table of a statement stands; others have it after their verb.
var sqlBefore = map[string]string{
	"SELECT": "FROM", "DELETE": "FROM", "INSERT": "INTO", "REPLACE": "INTO", "MERGE": "INTO",
	"CREATE": "TABLE", "ALTER": "TABLE", "DROP": "TABLE",
}

// sqlTable is the first table of a statement, without its schema, in lower case.
func sqlTable(verb string, depth int, words []word) string {
	if before := sqlBefore[verb]; before != "" {
		at := -1
		for i, w := range words {
			if w.depth <= depth && w.is(before) {
				at = i
				break
			}
		}
		if at < 0 {
			return ""
		}
		words = words[at+1:]
	}
	for i, w := range words {
		if w.is("ONLY", "LATERAL", "IGNORE", "LOW_PRIORITY", "QUICK", "TABLE", "IF", "NOT", "EXISTS") {
			continue
		}
		if w.is("(") && i+1 < len(words) && words[i+1].is("SELECT") {
			return sqlTable("SELECT", words[i+1].depth, words[i+2:])
		}
		if w.is("(") {
			continue
		}
		if !w.name() {
			return ""
		}
		for i+2 < len(words) && words[i+1].is(".") && words[i+2].name() {
			i += 2
			w = words[i]
		}
		return clip(strings.ToLower(w.text), maxSQLName)
	}
	return ""
}

// tokens takes SQL apart, as far as naming a statement needs. Strings are left out.
type tokens struct {
	rest string
}

// statement is the words of the next statement that has any, none at the end.
func (t *tokens) statement() []word {
	var out []word
	depth := 0
	for {
		w, ok := t.next()
		switch {
		case !ok, w.is(";") && len(out) > 0:
			return out
		case w.is(";"):
			continue
		case w.is(")"):
			depth = max(depth-1, 0)
		case w.is("("):
			depth++
		}
		w.depth = depth
		out = append(out, w)
	}
}

// next is the next word.
func (t *tokens) next() (word, bool) {
	for t.rest != "" {
		switch c := t.rest[0]; {
		case c <= ' ':
			t.rest = t.rest[1:]
		case strings.HasPrefix(t.rest, "--"), c == '#':
			_, t.rest, _ = strings.Cut(t.rest, "\n")
		case strings.HasPrefix(t.rest, "/*"):
			_, t.rest, _ = strings.Cut(t.rest[2:], "*/")
		case c == '\'':
			t.rest = t.rest[quotedEnd(t.rest, 0):]
		case c == '"' || c == '`':
			end := quotedEnd(t.rest, 0)
			name := strings.Trim(t.rest[:end], string(c))
			t.rest = t.rest[end:]
			return word{text: name, quoted: true}, true
		case wordByte(c):
			n := 1
			for n < len(t.rest) && wordByte(t.rest[n]) {
				n++
			}
			w := t.rest[:n]
			t.rest = t.rest[n:]
			return word{text: strings.ToUpper(w)}, true
		default:
			t.rest = t.rest[1:]
			return word{text: string(rune(c))}, true
		}
	}
	return word{}, false
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// quotedEnd is the place after the quoted text that begins at i. A quote is doubled or, in a string, escaped.
func quotedEnd(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote == '\'':
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// sqlText is the beginning of a piece of SQL in one line. Where a word in it tells of a secret, none of its values is
// shown, and a value that looks like the number of a card never is.
func sqlText(sql string) string {
	sql = sql[:min(len(sql), maxSQLRead)]
	hide := secretIn(sql)
	out := make([]byte, 0, maxText+64)
	for i := 0; i < len(sql) && len(out) <= maxText; {
		switch c := sql[i]; {
		case c <= ' ':
			if len(out) > 0 && out[len(out)-1] != ' ' {
				out = append(out, ' ')
			}
			i++
		case c == '\'' || c == '"':
			end := quotedEnd(sql, i)
			out = append(out, shownValue(sql[i:end], hide && c == '\'' || secretIn(sql[i:end]))...)
			i = end
		case c >= '0' && c <= '9' && (i == 0 || !wordByte(sql[i-1])):
			end := i
			for end < len(sql) && wordByte(sql[end]) {
				end++
			}
			out = append(out, shownValue(sql[i:end], hide)...)
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return strings.TrimSpace(clip(string(out), maxText))
}

// shownValue is a value, quoted or not, or what stands for one that is not shown.
func shownValue(v string, hide bool) string {
	if !hide && !cardNumber(v) {
		return v
	}
	if v[0] == '\'' || v[0] == '"' {
		return v[:1] + masked + v[:1]
	}
	return masked
}

// secretIn tells whether a text holds a name whose value must be masked.
func secretIn(text string) bool {
	text = strings.ToLower(text)
	if strings.Contains(text, "identified by") {
		return true
	}
	for _, w := range secretWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// cardNumber tells whether a value, with or without its quotes, has the length and the check digit of a card's number.
func cardNumber(v string) bool {
	sum, digits := 0, 0
	for i := len(v) - 1; i >= 0; i-- {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			d := int(c - '0')
			if digits%2 == 1 {
				if d *= 2; d > 9 {
					d -= 9
				}
			}
			sum += d
			digits++
		case c == ' ' || c == '-' || c == '\'' || c == '"':
		default:
			return false
		}
	}
	return digits >= 13 && digits <= 19 && sum%10 == 0
}
