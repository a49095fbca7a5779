package reports

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// oneLine makes any string safe to show on one line of a terminal or a page: white space of every kind becomes single
// blanks, and what would move the cursor, colour the rest or turn the direction of the text becomes U+FFFD. Beyond limit
// runes it is cut with "…".
func oneLine(s string, limit int) string {
	var b strings.Builder
	runes, blank := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = b.Len() > 0
			continue
		}
		if runes >= limit {
			return cutAt(b.String(), limit-1) + "…"
		}
		if blank {
			b.WriteByte(' ')
			runes++
			blank = false
		}
		b.WriteRune(harmless(r))
		runes++
	}
	return cutLonger(b.String(), limit)
}

// harmless is the rune itself unless it acts on the text around it. The joiners of emoji and of Indic scripts stay.
func harmless(r rune) rune {
	if r == '\u200c' || r == '\u200d' {
		return r
	}
	if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) || r&0xfffe == 0xfffe {
		return utf8.RuneError
	}
	return r
}

func cutAt(s string, runes int) string {
	for i := range s {
		if runes <= 0 {
			return s[:i]
		}
		runes--
	}
	return s
}

func cutLonger(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return cutAt(s, limit-1) + "…"
}

// count is "1 payment", "2 payments".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// lasted writes milliseconds for people: "11.2 s", "3 min 12 s".
func lasted(ms int64) string {
	if ms < 60_000 {
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	d := time.Duration(ms) * time.Millisecond
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// instant writes the time since the start of the experiment in seconds; nothing where there is no time.
func instant(ms float64) string {
	if !(ms >= 0) { // also where it is not a number
		return ""
	}
	return fmt.Sprintf("%.3f", ms/1000)
}

// spread writes microseconds with the unit that reads best.
func spread(us int64) string {
	if us < 1000 {
		return fmt.Sprintf("%d µs", us)
	}
	return fmt.Sprintf("%.1f ms", float64(us)/1000)
}
