package reports

import (
	"cmp"
	"strconv"
)

// lossy is one fault by which the kernel lost packets, over all trials of its scenario.
type lossy struct {
	scenario, text string
	Loss
}

// losses sets beside the share of packets that was asked for the one that the kernel came to: on few packets chance is
// rough, and a rate that was never reached has shown less than its name says.
func (p *page) losses() {
	list := lossesOf(p.groups)
	if len(list) == 0 {
		return
	}
	p.printf("## Packets lost by the kernel\n")
	p.header("scenario", "fault", "packets", "lost", "asked", "achieved")
	for _, l := range list[:min(len(list), p.listed)] {
		p.row(codeCell(l.scenario, p.name), p.prose(l.text, p.note), strconv.Itoa(l.Seen), strconv.Itoa(l.Lost), share(l.Asked, 1), share(float64(l.Lost), l.Seen))
	}
	p.further(len(list)-p.listed, "fault")
	p.printf("")
}

func lossesOf(groups []*group) []*lossy {
	var out []*lossy
	for _, g := range groups {
		at := map[string]*lossy{}
		for _, s := range g.trials {
			for _, f := range s.Faults {
				if f.Loss == nil {
					continue
				}
				l := at[f.Name]
				if l == nil {
					l = &lossy{scenario: g.name, text: cmp.Or(f.Text, f.Name), Loss: Loss{Asked: f.Loss.Asked}}
					at[f.Name] = l
					out = append(out, l)
				}
				l.Seen += f.Loss.Seen
				l.Lost += f.Loss.Lost
			}
		}
	}
	return out
}

// share is a part of a whole in percent, and a dash where there is no whole.
func share(part float64, whole int) string {
	if whole <= 0 {
		return "–"
	}
	return strconv.FormatFloat(100*part/float64(whole), 'f', 1, 64) + " %"
}
