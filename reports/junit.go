package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JUnit is the dialect that GitHub actions, GitLab and Jenkins agree on: an invariant broken is a failure, trouble of
// the environment an error, and what was skipped or could not be judged is skipped, with the reason.
var JUnit = register(Format{
	Name:   "junit",
	File:   "junit.xml",
	Doc:    "test results for GitHub, GitLab and Jenkins",
	Render: renderJUnit,
})

// GitLab refuses files above 30 MB, and its parser text above 10 MB; both in bytes.
const (
	maxText  = 64 << 10
	maxTexts = 16 << 20
)

type (
	xmlSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Time     string     `xml:"time,attr"`
		Suites   []xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name       string        `xml:"name,attr"`
		Tests      int           `xml:"tests,attr"`
		Failures   int           `xml:"failures,attr"`
		Errors     int           `xml:"errors,attr"`
		Skipped    int           `xml:"skipped,attr"`
		Time       string        `xml:"time,attr"`
		Timestamp  string        `xml:"timestamp,attr"`
		Properties []xmlProperty `xml:"properties>property"`
		Cases      []xmlCase     `xml:"testcase"`
	}
	xmlProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	xmlCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Time    string      `xml:"time,attr"`
		Failure *xmlTrouble `xml:"failure"`
		Error   *xmlTrouble `xml:"error"`
		Skipped *xmlSkipped `xml:"skipped"`
	}
	xmlTrouble struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
	xmlSkipped struct {
		Message string `xml:"message,attr"`
	}
)

func renderJUnit(w io.Writer, doc *Document) error {
	all := xmlSuites{Name: "onedebit", Time: seconds(doc.DurationMS)}
	for _, s := range suites(doc) {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// suites has one suite per family, and one for what befell the run as a whole.
func suites(doc *Document) []xmlSuite {
	var list []xmlSuite
	names := naming{}
	room := maxTexts / max(len(doc.Scenarios), 1)
	var suite xmlSuite
	var ms int64
	for _, g := range groups(doc) {
		if name := xmlText(g.family, 200); name != suite.Name {
			if suite.Tests > 0 {
				list = append(list, suite)
			}
			suite, ms = newSuite(doc, name), 0
		}
		for _, s := range g.trials {
			ms += s.DurationMS
			suite.Time = seconds(ms)
			suite.add(testcase(doc, s, doc.Repeat > 1 || len(g.trials) > 1, names, min(room, maxText)))
		}
	}
	if suite.Tests > 0 {
		list = append(list, suite)
	}
	if run := runSuite(doc); run.Tests > 0 {
		list = append(list, run)
	}
	return list
}

func newSuite(doc *Document, name string) xmlSuite {
	s := xmlSuite{Name: name, Time: seconds(0), Timestamp: doc.Started.UTC().Format("2006-01-02T15:04:05")}
	for _, p := range [][2]string{
		{"seed", strconv.FormatUint(doc.Seed, 10)},
		{"speed", strconv.FormatFloat(doc.Speed, 'g', -1, 64)},
		{"runtime", doc.Runtime},
		{"target", doc.Target},
		{"mutant", doc.Mutant},
		{"version", doc.Tool.Version},
	} {
		s.Properties = append(s.Properties, xmlProperty{p[0], xmlText(p[1], 400)})
	}
	return s
}

func (s *xmlSuite) add(c xmlCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// runSuite turns what ended a run, and the absence of any scenario, into errors: a CI that counts only test cases would
// otherwise take the rest for the whole.
func runSuite(doc *Document) xmlSuite {
	suite := newSuite(doc, "run")
	trouble := func(name, message string) {
		suite.add(xmlCase{Class: "onedebit.run", Name: name, Time: seconds(0), Error: &xmlTrouble{
			Type: name, Message: xmlText(message, 1000), Text: xmlText(message+"\nseed: "+strconv.FormatUint(doc.Seed, 10), maxText)}})
	}
	if doc.Error != "" {
		trouble("environment", doc.Error)
	}
	if doc.Interrupted {
		trouble("interrupted", "the run was interrupted: only what had ended is reported")
	}
	if len(doc.Scenarios) == 0 && suite.Tests == 0 {
		trouble("empty", "no scenario was carried out")
	}
	return suite
}

// testcase is one trial.
func testcase(doc *Document, s *Scenario, repeated bool, names naming, room int) xmlCase {
	c := xmlCase{Class: "onedebit." + xmlText(family(s), 200), Name: names.of(s, repeated), Time: seconds(s.DurationMS)}
	switch {
	case doc.knows(s):
		c.Skipped = &xmlSkipped{Message: xmlText(doc.asKnown(s), 1000)}
	case s.Verdict == Fail:
		messages := contradictions(s)
		kind := "expectation"
		if bad := broken(s); len(bad) > 0 {
			kind = bad[0].Name
		}
		c.Failure = &xmlTrouble{Type: xmlText(kind, 200), Message: xmlText(messages[0], 1000), Text: xmlText(failureText(doc, s), room)}
	case s.Error != "":
		c.Error = &xmlTrouble{Type: "environment", Message: xmlText(s.Error, 1000), Text: xmlText(errorText(doc, s), room)}
	case s.Verdict == Skipped:
		c.Skipped = &xmlSkipped{Message: xmlText(why(s), 1000)}
	case s.Verdict != Pass:
		c.Skipped = &xmlSkipped{Message: "inconclusive: " + xmlText(why(s), 1000)}
	}
	return c
}

// failureText repeats the seed and the command, because properties of a suite are not shown everywhere. They come
// first: what is too long is cut at its end.
func failureText(doc *Document, s *Scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nseed: %d\nreproduce: %s\n", doc.Seed, cmp.Or(s.Reproduce, "–"))
	for _, c := range broken(s) {
		fmt.Fprintf(&b, "\n%s %s\n", c.Name, c.Invariant)
		if c.Reason != "" {
			fmt.Fprintf(&b, "  %s\n", c.Reason)
		}
		for _, f := range c.Findings {
			fmt.Fprintf(&b, "  %s: %s\n", f.Payment, f.Message)
			for _, e := range f.Evidence {
				fmt.Fprintf(&b, "    %s\n", e)
			}
		}
		if c.Cause != "" {
			fmt.Fprintf(&b, "  usual cause: %s\n", c.Cause)
		}
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Reason)
	}
	return b.String()
}

func errorText(doc *Document, s *Scenario) string {
	return fmt.Sprintf("\nseed: %d\nreproduce: %s\n\n%s\n\n%s\n", doc.Seed, cmp.Or(s.Reproduce, "–"), s.Error, strings.Join(s.Log, "\n"))
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }

// xmlText drops what XML 1.0 cannot hold in any form, and cuts what is longer than limit bytes.
func xmlText(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r < 0x20 || r == 0x7f || r == utf8.RuneError || r&0xfffe == 0xfffe:
			return -1
		}
		return r
	}, s)
	if len(s) <= limit {
		return s
	}
	end := max(limit-len(" … (cut)"), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + " … (cut)"
}
