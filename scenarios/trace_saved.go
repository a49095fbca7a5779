package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"onedebit/reports"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
)

// Traced is one payment retold from one experiment.
type Traced struct {
	Plan  history.Plan
	File  string // of the history; empty where it was read from elsewhere
	Order reports.Order
}

// TraceSaved finds an order in saved histories and retells it from each that knows it. A folder stands for the histories in it.
// The error for an order that none knows names the nearest that there are.
func TraceSaved(paths []string, order string) ([]Traced, error) {
	files, err := historyFiles(paths)
	if err != nil {
		return nil, err
	}
	var out []Traced
	others := map[string]bool{}
	for _, file := range files {
		mentioned, err := mentions(file, order, others)
		if err != nil {
			return nil, err
		}
		if !mentioned {
			continue
		}
		h, err := history.Load(file)
		if err != nil {
			return nil, err
		}
		if told, ok := Trace(h, order); ok {
			out = append(out, Traced{Plan: h.Plan(), File: file, Order: told})
		}
	}
	if len(out) == 0 {
		return nil, unknownOrder(order, others, len(files))
	}
	return out, nil
}

// TraceRead retells an order from one history that is read from a stream.
func TraceRead(r io.Reader, order string) (Traced, error) {
	h, err := history.Read(r)
	if err != nil {
		return Traced{}, err
	}
	told, ok := Trace(h, order)
	if !ok {
		others := map[string]bool{}
		for _, reading := range h.Readings() {
			for _, row := range reading.V.Rows {
				others[row.Order] = true
			}
		}
		return Traced{}, unknownOrder(order, others, 1)
	}
	return Traced{Plan: h.Plan(), Order: told}, nil
}

var orderField = regexp.MustCompile(`"order":"([^"]+)"`)

// mentions says whether a history holds a word at all, before it is taken apart, and gathers the orders in it where not.
func mentions(file, word string, others map[string]bool) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("opening history: %w", err)
	}
	if bytes.Contains(data, []byte(word)) {
		return true, nil
	}
	for _, m := range orderField.FindAllSubmatch(data, -1) {
		others[string(m[1])] = true
	}
	return false, nil
}

func counted(histories int) string {
	if histories == 1 {
		return "1 history"
	}
	return fmt.Sprintf("%d histories", histories)
}

func unknownOrder(order string, others map[string]bool, histories int) error {
	var names []string
	for name := range others {
		names = append(names, name)
	}
	slices.Sort(names)
	text := fmt.Sprintf("no order %s in %s", order, counted(histories))
	if near := decode.Nearest(order, names); near != "" {
		text += "; did you mean " + near + "?"
	} else if len(names) > 0 {
		text += "; there are, for example, " + names[0]
	}
	return errors.New(text)
}
