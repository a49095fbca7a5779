package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plan() Event {
	return Event{Plan: &Plan{Version: Version, Scenario: "bank-answer-lost", Seed: 1<<64 - 1, Speed: 20, Target: Target{Rows: true}}}
}

// full has one event of every kind.
func full() *History {
	one := 1
	return New([]Event{
		plan(),
		{At: 1, Phase: &Phase{Name: PhaseDrive}},
		{At: 2, Payment: &Payment{Order: "O-17", Amount: 500, Currency: "CNY", Expect: &Expect{Debits: &one, Status: []string{StateSuccess}}}},
		{At: 3, Fault: &Fault{Name: "lost", State: Armed}},
		{At: 4, Ledger: &LedgerEntry{Seq: 1, Kind: LedgerDebit, Order: "O-17", Amount: 500, Currency: "CNY"}},
		{At: 5, Message: &Message{Link: "bank", Text: "<debit> & more", Fate: Lost}},
		{At: 6, Attempt: &Attempt{Order: "O-17", Op: OpPay, Outcome: Unknown, Sent: 2, Done: 6}},
		{At: 7, Burst: &Burst{N: 1, Copies: 50}},
		{At: 8, Process: &Process{Name: "reference", What: "killed", PID: 7}},
		{At: 9, Log: &LogLine{Text: "line\nwith a break"}},
		{At: 10, Gap: &Gap{What: "rows", Why: "refused"}},
		{At: 10, Refund: &Refund{Order: "O-17", RefundID: "R-1", Amount: 60, Currency: "CNY"}},
		{At: 10, Sent: &SentCallback{Order: "O-17", TradeNo: "T1", Status: "SUCCESS", Why: "signature"}},
		{At: 11, Settled: &Settled{OK: true}},
		{At: 12, Reading: &Reading{Final: true, Waiting: 1, Rows: []Row{{ID: "1", Order: "O-17", State: StateSuccess}},
			Trades: []Trade{{TradeNo: "T1"}}, Effects: []Effect{{Kind: "membership"}}, Alarms: []Alarm{{Kind: "surplus"}},
			Refunds: []RefundRow{{ID: "1", RefundID: "R-1"}}, Events: []EventRow{{ID: "e", Type: EventPaid}}, Surplus: []SurplusRow{{TradeNo: "T2"}}}},
	})
}

func TestNewOrdersByTimeAndNumbers(t *testing.T) {
	h := New([]Event{{At: 30, Log: &LogLine{Text: "c"}}, {At: 10, Log: &LogLine{Text: "a"}}, {At: 30, Log: &LogLine{Text: "d"}},
		{At: 20, Log: &LogLine{Text: "b"}}, {At: -5, Log: &LogLine{Text: "before"}}})
	var texts []string
	for i, l := range h.Log() {
		texts = append(texts, l.V.Text)
		assert.Equal(t, i+1, l.Seq)
		assert.Equal(t, h.Events[i].At, l.Time)
	}
	assert.Equal(t, []string{"before", "a", "b", "c", "d"}, texts, "equal times keep their order")
	assert.Empty(t, New(nil).Events)
}

func TestRecorderStampsAndOrders(t *testing.T) {
	now := time.Date(2026, 11, 29, 17, 40, 0, 0, time.UTC)
	r := NewRecorder(func() time.Time { return now })
	assert.Equal(t, now, r.Start())
	now = now.Add(2 * time.Second)
	r.Add(Event{Log: &LogLine{Text: "later"}})
	r.AddAt(time.Second, Event{Log: &LogLine{Text: "earlier"}})
	h := r.History()
	require.Len(t, h.Events, 2)
	assert.Equal(t, "earlier", h.Log()[0].V.Text)
	assert.Equal(t, 2*time.Second, h.Log()[1].Time)
	assert.Equal(t, 2*time.Second, r.Since())

	r.Add(Event{Log: &LogLine{Text: "last"}})
	assert.Len(t, h.Events, 2, "a history that was taken does not grow")
	assert.Len(t, r.History().Events, 3)
}

func TestRecorderFromManyGoroutines(t *testing.T) {
	r := NewRecorder(time.Now)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 100 {
				r.AddAt(time.Duration(i), Event{Phase: &Phase{}})
				_ = r.History()
			}
		})
	}
	all.Wait()
	h := r.History()
	require.Len(t, h.Events, 800)
	for i, e := range h.Events {
		require.Equal(t, i+1, e.Seq)
		require.True(t, i == 0 || h.Events[i-1].At <= e.At)
	}
}

func TestAccessors(t *testing.T) {
	h := full()
	assert.Equal(t, "bank-answer-lost", h.Plan().Scenario)
	assert.Equal(t, Plan{}, New(nil).Plan())
	assert.Len(t, h.Payments(), 1)
	assert.Len(t, h.Refunds(), 1)
	assert.Len(t, h.Sent(), 1)
	assert.Len(t, h.Attempts(), 1)
	assert.Len(t, h.Ledger(), 1)
	assert.Len(t, h.Readings(), 1)
	assert.Len(t, h.Messages(), 1)
	assert.Len(t, h.Faults(), 1)
	assert.Len(t, h.Bursts(), 1)
	assert.Len(t, h.Phases(), 1)
	assert.Len(t, h.Processes(), 1)
	assert.Len(t, h.Log(), 1)
	assert.Len(t, h.Gaps(), 1)
	assert.Equal(t, 12*time.Nanosecond, h.Readings()[0].Time)

	s, ok := New([]Event{{At: 1, Settled: &Settled{OK: false}}, {At: 2, Settled: &Settled{OK: true}}}).Settled()
	assert.True(t, ok)
	assert.True(t, s.OK, "the last wait counts")
	_, ok = New(nil).Settled()
	assert.False(t, ok)

	rest, ok := New([]Event{{At: 1, Reading: &Reading{Final: true, Waiting: 1}}, {At: 2, Reading: &Reading{Final: true, Waiting: 2}}, {At: 3, Reading: &Reading{Waiting: 3}}}).AtRest()
	assert.True(t, ok)
	assert.Equal(t, 2, rest.Waiting, "the last final reading")
	_, ok = New([]Event{{Reading: &Reading{}}}).AtRest()
	assert.False(t, ok, "a reading that is not final")
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "history.jsonl")
	h := full()
	require.NoError(t, h.Save(path))
	got, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, h, got)

	require.NoError(t, New([]Event{plan()}).Save(path), "a second save replaces the first")
	got, err = Load(path)
	require.NoError(t, err)
	assert.Len(t, got.Events, 1)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1, "nothing temporary is left")
}

func TestSaveThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.ErrorContains(t, full().Save(path), "saving history "+path)
	require.ErrorContains(t, full().Save(filepath.Join("/dev/null", "x")), "making the folder of history")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteReportsTheDisk(t *testing.T) {
	require.ErrorContains(t, full().Write(fullDisk{}), "disk full")
}

func TestReadNamesWhatIsWrong(t *testing.T) {
	var good bytes.Buffer
	require.NoError(t, full().Write(&good))
	lines := strings.SplitAfter(good.String(), "\n")
	first, rest := lines[0], strings.Join(lines[1:], "")
	for name, c := range map[string]struct{ text, want string }{
		"whole":             {good.String(), ""},
		"no last line feed": {strings.TrimSuffix(good.String(), "\n"), ""},
		"damaged":           {first + lines[1] + "{\"seq\":3,\n" + rest, "line 3: not an event of a history"},
		"cut short":         {good.String()[:good.Len()-20], "line 16: not an event of a history"},
		"garbage":           {"\x00\x01\x02\n", "line 1: not an event"},
		"another type":      {first + `{"seq":"two"}`, "line 2: not an event"},
		"empty":             {"", "no plan"},
		"nothing":           {first + "null\n", "line 2: not an event"},
		"no number":         {first + `{"log":{"text":"x"}}`, "line 2: not an event"},
		"no such version":   {`{"seq":1,"at":0,"plan":{"version":-1}}`, "no plan"},
		"beginning missing": {rest, "no plan"},
		"newer":             {`{"seq":1,"at":0,"plan":{"version":3}}`, "history version 3 is newer than this onedebit reads (2)"},
		"an endless line":   {first + `{"log":{"text":"` + strings.Repeat("x", maxLine), "line 2: "},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := Read(strings.NewReader(c.text))
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, full(), h)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, h)
		})
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.jsonl")
	_, err := Load(missing)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(missing, []byte(`{"seq":1}`+"\nnonsense\n"), 0o644))
	_, err = Load(missing)
	require.ErrorContains(t, err, missing)
	require.ErrorContains(t, err, "line 2")
}

// What can be read can be written and read again, and is the same.
func FuzzRead(f *testing.F) {
	var good bytes.Buffer
	require.NoError(f, full().Write(&good))
	f.Add(good.Bytes())
	f.Add(good.Bytes()[:good.Len()/2])
	f.Add([]byte(`{"plan":{"version":1}}` + "\nnull\n"))
	f.Add([]byte(`{"plan":{"version":-1}}`))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Read(bytes.NewReader(data))
		if err != nil {
			require.Nil(t, h)
			return
		}
		var once, twice bytes.Buffer
		require.NoError(t, h.Write(&once))
		again, err := Read(bytes.NewReader(once.Bytes()))
		require.NoError(t, err)
		require.NoError(t, again.Write(&twice))
		require.Equal(t, once.String(), twice.String())
	})
}

// A history of which a line is gone is none: what stood there may have been the second debit.
func TestReadRefusesWhatIsNotWhole(t *testing.T) {
	var text strings.Builder
	h := New([]Event{plan(), {Phase: &Phase{Name: PhaseDrive}}, {Phase: &Phase{Name: PhaseHeal}}})
	require.NoError(t, h.Write(&text))
	lines := strings.SplitAfter(strings.TrimSpace(text.String()), "\n")
	require.Len(t, lines, 4, "the end is a line of its own")
	got, err := Read(strings.NewReader(text.String()))
	require.NoError(t, err)
	assert.Len(t, got.Events, 3, "and no event")

	for want, kept := range map[string][]string{
		"line 2: it is event 3, expected is event 2: lines are missing": {lines[0], lines[2], lines[3]},
		"line 3: it is event 4, expected is event 3":                    {lines[0], lines[1], lines[3]},
		"line 3: it is event 2, expected is event 3":                    {lines[0], lines[1], lines[1], lines[2], lines[3]},
		"line 3: the history ends here without its end: it was cut off": lines[:3],
	} {
		_, err := Read(strings.NewReader(strings.Join(kept, "")))
		assert.ErrorContains(t, err, want)
	}
	old := strings.Replace(strings.Join(lines[:3], ""), fmt.Sprintf(`"version":%d`, Version), `"version":1`, 1)
	_, err = Read(strings.NewReader(old))
	assert.NoError(t, err, "before version 2 a history had no end")
}
