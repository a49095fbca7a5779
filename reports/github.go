package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Limits of GitHub: annotations that a step may make of one kind, and bytes that a step summary may hold.
const (
	maxAnnotations = 10
	githubSummary  = 1024 << 10
)

// Annotations writes what went wrong as workflow commands, which GitHub shows beside the job: at most 10, the gravest first. What
// could not be judged, and what the environment ended, are warnings. Where there are more, the last says how many.
func Annotations(w io.Writer, doc *Document) error {
	type annotation struct{ level, title, message string }
	var all []annotation
	if doc.Error != "" {
		all = append(all, annotation{"error", "environment", doc.Error})
	}
	gs := groups(doc)
	for _, g := range doc.news(failures(gs)) {
		message := contradictions(g.worst)[0]
		if g.worst.Reproduce != "" {
			message += "\nagain: " + oneLine(g.worst.Reproduce, htmlNote)
		}
		all = append(all, annotation{"error", g.family + "/" + g.name, message})
	}
	for _, g := range of(gs, Inconclusive) {
		all = append(all, annotation{"warning", g.family + "/" + g.name + " is inconclusive", why(g.worst)})
	}
	if over := len(all) - maxAnnotations; over > 0 {
		rest := over + 1
		all = append(all[:maxAnnotations-1], annotation{all[maxAnnotations-1].level, "and more", fmt.Sprintf("%d more scenarios did not pass; the summary of this job has all", rest)})
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "::%s title=%s::%s\n", a.level, property(cmp.Or(oneLine(a.title, htmlName), "onedebit")), data(a.message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data escapes the message of a workflow command as GitHub's own toolkit does; what would move a cursor is dropped.
func data(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = oneLine(l, htmlNote)
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(head(lines, 20), "\n"))
}

// property escapes a property of a workflow command, which a colon or a comma would end.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}

// StepSummary writes the report for people so that it fits into a step summary which holds some bytes already.
func StepSummary(w io.Writer, doc *Document, code string, already int64) error {
	room := int(min(max(githubSummary-already, 0), maxMarkdown))
	var l *language
	if read, ok := catalogues[code]; ok {
		l = read()
	}
	var b strings.Builder
	if err := writeMarkdown(&b, doc, l, room); err != nil {
		return err
	}
	if b.Len() >= room { // GitHub would show nothing of all
		return fmt.Errorf("the step summary is full: %d KiB are in it, and GitHub shows up to 1,024", already>>10)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Inert is a line of output that a CI system does not take for a command: GitHub obeys lines that begin with ::, and ##[ anywhere.
func Inert(line string) string {
	line = strings.ReplaceAll(line, "##[", "## [")
	text := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(text, "::") {
		return line
	}
	return line[:len(line)-len(text)] + ": :" + text[2:]
}
