package reports

import "fmt"

type htmlBaseline struct {
	Note  string
	Lists []htmlBaselineList
}

type htmlBaselineList struct {
	Title string
	Lines []string
}

// htmlBaselineOf lists what is new, known and fixed against the earlier run that was named.
func htmlBaselineOf(b *Baseline) *htmlBaseline {
	if b == nil {
		return nil
	}
	out := &htmlBaseline{Note: fmt.Sprintf("Compared with %s. Only what is new fails the run.", oneLine(b.File, htmlName))}
	for _, c := range b.lists() {
		list := htmlBaselineList{Title: fmt.Sprintf("%s %d %s", c.sign, len(c.list), c.word)}
		for i, f := range c.list {
			if i == htmlTexts {
				list.Lines = append(list.Lines, fmt.Sprintf("and %d further, which are in result.json", len(c.list)-i))
				break
			}
			list.Lines = append(list.Lines, oneLine(f.String()+": "+f.Says, htmlNote))
		}
		out.Lists = append(out.Lists, list)
	}
	return out
}
