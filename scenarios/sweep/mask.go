package sweep

import (
	"regexp"
	"strings"
	"unicode"

	"onedebit/scenarios/history"
)

var (
	token = regexp.MustCompile(`[A-Za-z0-9_-]+|[^A-Za-z0-9_-]+`)
	uuid  = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// longDigits is from how many digits on a word is taken for a number made by chance.
const longDigits = 5

// mask replaces what is made by chance by *: numbers that a service or a bank makes up, and words known to belong to one
// payment alone.
type mask map[string]bool

// maskOf knows the words of the payments of a history.
func maskOf(h *history.History) mask {
	m := mask{}
	learn := func(words ...string) {
		for _, w := range words {
			if len(w) > 2 {
				m[w] = true
			}
		}
	}
	for _, p := range h.Payments() {
		learn(p.V.Order, p.V.Account)
	}
	for _, a := range h.Attempts() {
		learn(a.V.Key, a.V.Trace, a.V.PaymentID, a.V.RefundID)
	}
	for _, l := range h.Ledger() {
		learn(l.V.TradeNo, l.V.RefundNo, l.V.BankID, l.V.NotificationID)
	}
	return m
}

func (m mask) text(s string) string {
	s = uuid.ReplaceAllString(s, "*")
	var b strings.Builder
	for _, w := range token.FindAllString(s, -1) {
		if m.volatile(w) {
			w = "*"
		}
		b.WriteString(w)
	}
	return b.String()
}

func (m mask) volatile(w string) bool {
	if m[w] {
		return true
	}
	digits, hex := 0, 0
	for _, r := range w {
		if unicode.IsDigit(r) {
			digits++
		}
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			hex++
		}
	}
	return digits >= longDigits || digits > 0 && hex == len(w) && hex >= 8
}

// special are the signs that mean something in a pattern of path.Match.
var special = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `?`, `\?`, `*`, `\*`)

// pattern is how a scenario calls messages of a label: where it holds what is made by chance, by a pattern.
func (m mask) pattern(label string) string {
	s := uuid.ReplaceAllString(label, "\x00")
	var b strings.Builder
	for _, w := range token.FindAllString(s, -1) {
		if m.volatile(w) {
			w = "\x00"
		}
		b.WriteString(w)
	}
	return strings.ReplaceAll(special.Replace(b.String()), "\x00", "*")
}

// maxLabel is how long the text of a message may be in the name of a point, in bytes.
const maxLabel = 60

// label is the text of a message for a person: one line without its body.
func (m mask) label(text string) string {
	text, _, _ = strings.Cut(text, " {")
	text = strings.Join(strings.Fields(m.text(text)), " ")
	if len(text) > maxLabel {
		text = strings.ToValidUTF8(text[:maxLabel], "") + "…"
	}
	return text
}

// alike is what two texts have in common, word by word, with * for what they have not.
func alike(a, b string) string {
	x, y := token.FindAllString(a, -1), token.FindAllString(b, -1)
	if len(x) != len(y) {
		first, _, _ := strings.Cut(a, " ")
		return first
	}
	for i := range x {
		if x[i] != y[i] {
			x[i] = "*"
		}
	}
	return strings.Join(x, "")
}
