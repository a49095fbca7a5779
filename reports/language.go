package reports

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// English is the language that results are written in; every other is a translation of it by a catalogue of phrases.
const English = "en"

//go:embed zh.txt
var zh string

// catalogues are the languages besides English, by their codes, each read when it is first asked for.
var catalogues = map[string]func() *language{
	"zh": sync.OnceValue(func() *language { return readLanguage("zh.txt", zh) }),
}

// Languages are the codes that --lang takes.
func Languages() []string { return append([]string{English}, slices.Sorted(maps.Keys(catalogues))...) }

// Spoken is a format in a language. Only the report for people is translated: what machines read has one language.
func Spoken(f Format, code string) (Format, error) {
	if code == English {
		return f, nil
	}
	read, ok := catalogues[code]
	if !ok {
		return f, fmt.Errorf("unknown language %q: use one of %s", code, strings.Join(Languages(), ", "))
	}
	if f.Name == Markdown.Name {
		f.Render = markdownIn(read())
	}
	return f, nil
}

// Tell says a sentence of a result in another language. What is in no catalogue, such as the words of somebody's own
// scenario, stays as it is.
func Tell(code, sentence string) string {
	if read, ok := catalogues[code]; ok {
		return read().tell(sentence)
	}
	return sentence
}

// language is a catalogue of phrases. A nil one is English.
type language struct {
	exact   map[string]*phrase
	byWord  map[string][]*phrase // by their first word; longest text first
	gapped  []*phrase            // those that begin with a gap
	reading sync.Mutex
	known   map[string]string
}

// phrase is one sentence with gaps: what stands between the gaps in English, and the whole in the other language, where {2}
// is the second gap and {} the next. In English {n} is a gap that holds a number.
type phrase struct {
	english []string
	number  []bool // gaps that hold a number and nothing else
	text    int    // bytes between the gaps
	other   string
}

// readLanguage reads pairs of lines, parted by empty ones: English, then the translation. A line that begins with # is a remark. In
// English [s] is an ending that may be there, and a line that begins with "= " is a format that texts are not compared with. It panics on a pair without its second half, which is a mistake in this package.
func readLanguage(file, text string) *language {
	l := &language{exact: map[string]*phrase{}, byWord: map[string][]*phrase{}, known: map[string]string{}}
	english, whole := "", false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		switch {
		case english == "" && (line == "" || strings.HasPrefix(line, "# ")):
		case english == "":
			english, whole = strings.CutPrefix(line, "= ")
		case line == "":
			panic(fmt.Sprintf("reports: %s line %d: no translation of %q", file, n, english))
		default:
			for _, form := range forms(english) {
				l.add(form, line, !whole)
			}
			english = ""
		}
	}
	longest := func(a, b *phrase) int { return cmp.Compare(b.text, a.text) }
	slices.SortStableFunc(l.gapped, longest)
	for _, list := range l.byWord {
		slices.SortStableFunc(list, longest)
	}
	return l
}

// forms are a phrase without and with each of its optional endings.
func forms(english string) []string {
	before, rest, found := strings.Cut(english, "[")
	ending, after, closed := strings.Cut(rest, "]")
	if !found || !closed || len(ending) > 3 {
		return []string{english}
	}
	var out []string
	for _, tail := range forms(after) {
		out = append(out, before+tail, before+ending+tail)
	}
	return out
}

func (l *language) add(english, other string, compared bool) {
	p := &phrase{english: gapOf.Split(english, -1), other: other}
	for _, text := range p.english {
		p.text += len(text)
	}
	for _, g := range gapOf.FindAllString(english, -1) {
		p.number = append(p.number, g == "{n}")
	}
	l.exact[gapOf.ReplaceAllString(english, "{}")] = p
	if len(p.english) == 1 || !compared {
		return
	}
	if word := firstWord(p.english[0]); word != "" {
		l.byWord[word] = append(l.byWord[word], p)
	} else {
		l.gapped = append(l.gapped, p)
	}
}

// firstWord is what stands before the first blank; nothing where a gap begins before it.
func firstWord(s string) string {
	word, _, found := strings.Cut(s, " ")
	if !found {
		return ""
	}
	return word
}

// tell says a sentence in the language.
func (l *language) tell(s string) string {
	if l == nil || s == "" {
		return s
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	return l.say(s, 0)
}

// maxDepth bounds how deep phrases within phrases are looked for.
const maxDepth = 6

func (l *language) say(s string, depth int) string {
	if depth > 0 && !strings.Contains(s, " ") {
		return s
	}
	if said, ok := l.known[s]; ok {
		return said
	}
	said, ok := l.match(s, depth)
	if !ok {
		said, ok = l.parts(s, depth)
	}
	if plain, stop := strings.CutSuffix(s, "."); !ok && stop {
		if said = l.say(plain, depth+1); said != plain {
			said, ok = said+"。", true
		}
	}
	if !ok {
		said = s
	}
	if len(l.known) < 1<<14 && len(s) < 1<<10 { // a hostile target must not fill the memory
		l.known[strings.Clone(s)] = said
	}
	return said
}

func (l *language) match(s string, depth int) (string, bool) {
	// A word alone is a head or a cell; within a sentence it may as well be somebody's name for a fault.
	if p := l.exact[s]; p != nil && len(p.english) == 1 && (depth == 0 || strings.Contains(s, " ")) {
		return p.other, true
	}
	if depth > maxDepth {
		return s, false
	}
	for _, list := range [][]*phrase{l.byWord[firstWord(s)], l.gapped} {
		for _, p := range list {
			if gaps, ok := p.gaps(s); ok && (p.english[0] != "" || !strings.Contains(gaps[0], ", ")) { // a list is said part by part
				if gaps, ok := l.sayGaps(gaps, depth); ok {
					return p.fill(gaps), true
				}
			}
		}
	}
	return s, false
}

// sayGaps says what is in the gaps. One with half a bracket, or with several sentences of which nothing is known, shows that the
// phrase was torn from one sentence and another: ok is false.
func (l *language) sayGaps(gaps []string, depth int) (out []string, ok bool) {
	for _, g := range gaps {
		said := l.say(g, depth+1)
		if strings.Count(g, "(") != strings.Count(g, ")") || said == g && strings.Contains(g, "; ") {
			return nil, false
		}
		out = append(out, said)
	}
	return out, true
}

// gaps are what a sentence has in the gaps of a phrase; ok is false where it is another sentence.
func (p *phrase) gaps(s string) (out []string, ok bool) {
	last := len(p.english) - 1
	if last == 0 || len(s) < p.text || !strings.HasPrefix(s, p.english[0]) || !strings.HasSuffix(s, p.english[last]) {
		return nil, false
	}
	rest := s[len(p.english[0]):]
	for _, text := range p.english[1:last] {
		gap, after, found := strings.Cut(rest, text)
		if !found {
			return nil, false
		}
		out, rest = append(out, gap), after
	}
	gap, found := strings.CutSuffix(rest, p.english[last])
	out = append(out, gap)
	for i, g := range out {
		if g == "" || p.number[i] && strings.Trim(g, "0123456789") != "" {
			return nil, false
		}
	}
	return out, found
}

var (
	gapOf = regexp.MustCompile(`\{n?\}`)  // in English
	gap   = regexp.MustCompile(`\{\d*\}`) // in the other language
)

// fill is the phrase in the other language with its gaps filled.
func (p *phrase) fill(gaps []string) string {
	next := 0
	return gap.ReplaceAllStringFunc(p.other, func(g string) string {
		n, err := strconv.Atoi(g[1 : len(g)-1])
		if err != nil {
			next++
			n = next
		}
		if n < 1 || n > len(gaps) {
			return g
		}
		return gaps[n-1]
	})
}

var (
	joints = []struct{ english, other string }{{"; ", "；"}, {", ", "，"}, {" or ", "或"}, {" and ", "和"}}
	words  = regexp.MustCompile(`(^|\s)[a-z]{2,}`)
)

// parts says a list part by part, where each is a phrase or holds no words, such as a number or a sum.
func (l *language) parts(s string, depth int) (string, bool) {
	for _, j := range joints {
		list := strings.Split(s, j.english)
		if len(list) == 1 || depth > maxDepth {
			continue
		}
		whole := true
		for i, part := range list {
			said, ok := l.match(part, depth+1)
			if !ok {
				said, ok = l.parts(part, depth+1)
			}
			whole = whole && (ok || !words.MatchString(part))
			list[i] = said
		}
		if whole {
			return strings.Join(list, j.other), true
		}
	}
	return s, false
}

var verb = regexp.MustCompile(`%[-+ #0]*[0-9]*(\.[0-9]+)?[a-z]|%%`)

// sprintf is fmt.Sprintf with a format that the catalogue has, its verbs as gaps.
func (l *language) sprintf(format string, args ...any) string {
	if l == nil {
		return fmt.Sprintf(format, args...)
	}
	p := l.exact[keyOf(format)]
	if p == nil {
		return fmt.Sprintf(format, args...)
	}
	gaps := make([]string, len(args))
	for i, v := range verbsOf(format) {
		if i < len(args) {
			gaps[i] = l.tell(fmt.Sprintf(v, args[i]))
		}
	}
	body := strings.TrimSpace(format)
	before, after, _ := strings.Cut(format, body)
	return before + p.fill(gaps) + after
}

// keyOf is a format as the catalogue has it.
func keyOf(format string) string {
	return strings.TrimSpace(verb.ReplaceAllStringFunc(format, func(v string) string {
		if v == "%%" {
			return "%"
		}
		return "{}"
	}))
}

func verbsOf(format string) []string {
	return slices.DeleteFunc(verb.FindAllString(format, -1), func(v string) bool { return v == "%%" })
}
