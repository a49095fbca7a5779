package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// The last screen leaves room for the prompt on a terminal of 24 lines.
const (
	screenLines  = 22
	screenWidth  = 80
	screenFailed = 5
)

// Terminal writes the last screen of a run: verdict and counts, money, the gravest failures with the command that
// repeats each, and where the report is (report; left out where empty). It stays below 24 lines of a terminal that is
// width columns wide; below 40 it is taken for 80. Only commands run over the edge, since a cut one is of no use.
// With color, ANSI colours repeat what the words and signs say already.
func Terminal(w io.Writer, doc *Document, report string, width int, color bool) error {
	s := newScreen(width, color)
	s.verdict(doc)
	s.troubles(doc)
	if report != "" {
		s.limit-- // its line is always there
	}
	all := groups(doc)
	s.list(doc.news(failures(all)), red, "✗", func(g *group) string { return contradictions(g.worst)[0] })
	s.list(of(all, Inconclusive), yellow, "?", func(g *group) string { return why(g.worst) })
	s.baseline(doc.Baseline)
	if doc.Verdict == Skipped { // what was skipped beside a verdict is in the report
		s.list(of(all, Skipped), "", "–", func(g *group) string { return why(g.worst) })
	}
	if report != "" {
		s.put("", "report: "+oneLine(report, 1000))
	}
	if _, err := w.Write(s.Bytes()); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// screen collects lines and counts the height that a terminal gives them.
type screen struct {
	bytes.Buffer
	width, limit, height int
	color                bool
}

func newScreen(width int, color bool) *screen {
	if width < 40 {
		width = screenWidth
	}
	return &screen{width: width, limit: screenLines, color: color}
}

// columns counts the cells of a terminal. Ambiguous signs are one cell wide whatever the locale of this process says.
var columns = &runewidth.Condition{}

// put writes a line in a colour. It may be longer than the screen is wide.
func (s *screen) put(colour, line string) {
	line = Inert(line)
	s.height += s.rows(line)
	if s.color && colour != "" {
		line = colour + line + plain
	}
	s.WriteString(line + "\n")
}

func (s *screen) rows(line string) int {
	return max((columns.StringWidth(line)+s.width-1)/s.width, 1)
}

// cut makes a line fit.
func (s *screen) cut(indent, text string) string {
	return columns.Truncate(indent+oneLine(text, 4*s.width), s.width, "…")
}

// wrap breaks a text at blanks into at most n lines; the last is cut. A text with a sign in front hangs below its words.
func (s *screen) wrap(indent, text string, n int) []string {
	hang := indent
	if strings.HasPrefix(text, "! ") || strings.HasPrefix(text, "✗ ") {
		hang += "  "
	}
	words := strings.Fields(oneLine(text, 4*s.width*n))
	var lines []string
	for len(words) > 0 && len(lines) < n-1 {
		line := words[0]
		used := 1
		for used < len(words) && columns.StringWidth(indent+line+" "+words[used]) <= s.width {
			line += " " + words[used]
			used++
		}
		if columns.StringWidth(indent+line) > s.width {
			break // a word as wide as the screen: cutting beats a ragged page
		}
		lines = append(lines, indent+line)
		words, indent = words[used:], hang
	}
	if len(words) > 0 {
		lines = append(lines, s.cut(indent, strings.Join(words, " ")))
	}
	return lines
}

func (s *screen) verdict(doc *Document) {
	word := headword(doc)
	colour := green
	switch {
	case strings.HasPrefix(word, "FAIL"):
		colour = red
	case word != "PASS":
		colour = yellow
	}
	numbers := fmt.Sprintf("%s in %s: %s", tally(doc, len(groups(doc))), lasted(doc.DurationMS), doc.Summary)
	lines := s.wrap("      ", numbers, 2)
	if len(word) == 4 {
		lines[0] = word + lines[0][4:] // PASS and FAIL fit into the indent
	} else {
		s.put(colour, s.cut("", word))
	}
	for _, l := range lines {
		s.put(colour, l)
	}
	for _, l := range s.wrap("      ", moneyLine(doc.Money), 3) {
		s.put("", l)
	}
	if doc.Sweep != nil {
		s.put("", s.cut("      ", sweepLine(doc)))
	}
}

func (s *screen) fit(line string) string { return columns.Truncate(line, s.width, "…") }

// troubles are the environment's and the user's: what made the run say less than it should.
func (s *screen) troubles(doc *Document) {
	if doc.Error != "" {
		for _, l := range s.wrap("  ", "! environment: "+doc.Error, 3) {
			s.put(yellow, l)
		}
	}
	if n := spoilt(doc); n > 0 {
		s.put(yellow, s.cut("  ", fmt.Sprintf("! the environment failed in %s; that says nothing about the target", count(n, "trial"))))
	}
	if doc.Interrupted {
		s.put(yellow, s.cut("  ", "! interrupted: only what had ended is counted"))
	}
	if len(doc.Scenarios) == 0 {
		s.put(yellow, s.cut("  ", "! no scenario was carried out, so nothing can be said of the target"))
	}
}

// list shows scenarios while there is room, and says how many it does not show.
func (s *screen) list(some []*group, colour, sign string, tell func(*group) string) {
	for i, g := range some {
		told := s.wrap("      ", tell(g), 2)
		command := "      " + oneLine(cmp.Or(g.worst.Reproduce, "no command was given"), 4*s.width)
		if i == screenFailed || s.height+1+len(told)+s.rows(command) >= s.limit {
			s.put("", s.cut("  ", fmt.Sprintf("and %d more %s", len(some)-i, sign)))
			return
		}
		name := g.family + "/" + g.name
		trials := ""
		if n := len(g.trials); n > 1 {
			trials = fmt.Sprintf(" (%d of %d trials)", g.with(g.verdict), n)
		}
		name = columns.Truncate(oneLine(name, 4*s.width), s.width-4-len(trials), "…")
		s.put(colour, "  "+sign+" "+name+trials)
		for _, l := range told {
			s.put("", l)
		}
		s.put("", command)
	}
}
