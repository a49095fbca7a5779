package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// maxLine bounds one event on disk, so that a damaged file costs an error and not the machine's memory.
const maxLine = 16 << 20

// Write puts the history on w, one event a line.
func (h *History) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range h.Events {
		if err := enc.Encode(&h.Events[i]); err != nil {
			return fmt.Errorf("writing event %d of the history: %w", h.Events[i].Seq, err)
		}
	}
	end := Event{Seq: len(h.Events) + 1, End: &End{Events: len(h.Events)}}
	if n := len(h.Events); n > 0 {
		end.At = h.Events[n-1].At
	}
	if err := enc.Encode(&end); err != nil {
		return fmt.Errorf("writing the end of the history: %w", err)
	}
	return out.Flush()
}

// Save writes the history to a file: whole, or not at all.
func (h *History) Save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of history %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".history-*")
	if err != nil {
		return fmt.Errorf("saving history %s: %w", path, err)
	}
	err = errors.Join(h.Write(tmp), tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("saving history %s: %w", path, err)
	}
	return nil
}

// Read takes a history from r. An error names the line.
func Read(r io.Reader) (*History, error) {
	events, err := readEvents(r)
	if err != nil {
		return nil, err
	}
	h := &History{Events: events}
	if p := h.Plan(); p.Version <= 0 {
		return nil, errors.New("line 1: no plan: this is not a history of onedebit, or its beginning is missing")
	} else if p.Version > Version {
		return nil, fmt.Errorf("line 1: history version %d is newer than this onedebit reads (%d)", p.Version, Version)
	}
	if err := h.whole(); err != nil {
		return nil, err
	}
	return h, nil
}

// whole checks that no line of a history is missing or stands twice, and takes its end off.
func (h *History) whole() error {
	for i := range h.Events {
		if e := &h.Events[i]; e.Seq != i+1 {
			return fmt.Errorf("line %d: it is event %d, expected is event %d: lines are missing, doubled or out of order", i+1, e.Seq, i+1)
		} else if e.End != nil && i+1 < len(h.Events) {
			return fmt.Errorf("line %d: the history goes on behind its end", i+2)
		}
	}
	last := len(h.Events) - 1
	switch end := h.Events[last].End; {
	case end != nil:
		h.Events = h.Events[:last]
	case h.Plan().Version >= 2:
		return fmt.Errorf("line %d: the history ends here without its end: it was cut off", last+1)
	}
	return nil
}

// batchLines is how many lines are taken apart at a time: enough that handing them over costs nothing beside it.
const batchLines = 512

// batch is some lines that follow each other, and the events that they are.
type batch struct {
	first  int // number of its first line
	text   []byte
	ends   []int // of each line in text
	events []Event
	err    error
}

// readEvents reads lines in one goroutine and takes them apart in as many as there are cores: that is where the time goes.
func readEvents(r io.Reader) ([]Event, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	work := make(chan *batch, runtime.GOMAXPROCS(0))
	var hands sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		hands.Go(func() {
			for b := range work {
				b.decode()
			}
		})
	}
	var all []*batch
	now := &batch{first: 1}
	n := 0
	for ; lines.Scan(); n++ {
		now.text = append(now.text, lines.Bytes()...)
		now.ends = append(now.ends, len(now.text))
		if len(now.ends) == batchLines {
			all = append(all, now)
			work <- now
			now = &batch{first: n + 2}
		}
	}
	all = append(all, now)
	work <- now
	close(work)
	hands.Wait()
	events := make([]Event, 0, n)
	for i, b := range all {
		if b.err != nil {
			return nil, b.err
		}
		events = append(events, b.events...)
		all[i] = nil
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", len(events)+1, err)
	}
	return events, nil
}

func (b *batch) decode() {
	begin := 0
	b.events = make([]Event, len(b.ends))
	for i, end := range b.ends {
		e := &b.events[i]
		if err := json.Unmarshal(b.text[begin:end], e); err != nil {
			b.err = fmt.Errorf("line %d: not an event of a history: %s", b.first+i, wrong(err))
			return
		}
		if e.Seq < 1 {
			b.err = fmt.Errorf("line %d: not an event of a history: it has no number", b.first+i)
			return
		}
		begin = end
	}
	b.text, b.ends = nil, nil
}

// wrong says what is wrong with a line, in the words of a file and not of this program.
func wrong(err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		return fmt.Sprintf("%s cannot be a %s", typ.Field, typ.Value)
	}
	if typ != nil {
		return "it is a " + typ.Value
	}
	return "it is damaged, or no JSON"
}

// Load reads a history from a file.
func Load(path string) (*History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening history %s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	h, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading history %s: %w", path, err)
	}
	return h, nil
}
