package reference_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestLogLines(t *testing.T) {
	at := func() time.Time { return time.Date(2026, 11, 29, 17, 40, 0, 123456000, time.UTC) }
	for want, step := range map[string][5]string{
		"[O-17] [T-77] [bank.call] [START] [trade_no=B0001 amount=500]": {"O-17", "T-77", "bank.call", "START", "trade_no=B0001 amount=500"},
		"[-] [-] [queue] [ERROR] [-]":                                   {"", "", "queue", "ERROR", ""},
		"[O] [T] [pay] [ERROR] [a  (forged) line]":                      {"O", "T", "pay", "ERROR", "a\n\r[forged]\nline"},
		"[O] [T] [pay] [ERROR] [" + strings.Repeat("x", 500) + "]":      {"O", "T", "pay", "ERROR", strings.Repeat("x", 9000)},
	} {
		lines := &referencetest.Lines{}
		reference.NewLogger(lines, at).Step(step[0], step[1], step[2], step[3], step[4])
		assert.Equal(t, "2026-11-29T17:40:00.123456Z "+want+"\n", lines.String())
	}
}

func TestLogLinesAreNeverTorn(t *testing.T) {
	lines := &referencetest.Lines{}
	log := reference.NewLogger(lines, time.Now)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { log.Step(fmt.Sprint(i), "T", "S", "OK", "detail") })
	}
	all.Wait()
	for line := range strings.Lines(lines.String()) {
		assert.Regexp(t, `^\S+ \[\d+\] \[T\] \[S\] \[OK\] \[detail\]\n$`, line)
	}
	assert.Equal(t, 50, strings.Count(lines.String(), "\n"))
}

type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func TestLogThatCannotBeWrittenStopsNothing(t *testing.T) {
	assert.NotPanics(t, func() { reference.NewLogger(deaf{}, time.Now).Step("O", "T", "S", "OK", "") })
}
