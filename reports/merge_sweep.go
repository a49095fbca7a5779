package reports

import (
	"fmt"
	"reflect"
	"slices"
)

// mergeSweeps puts what the parts of a sweep have enumerated together, or is nil where they are no sweep. All parts must have found
// the same points, since a place in that list stands for a point.
func mergeSweeps(parts []*Document) (*Sweep, error) {
	first := parts[0].Sweep
	for _, d := range parts[1:] {
		if (first == nil) != (d.Sweep == nil) {
			return nil, fmt.Errorf("parts of different runs cannot be merged: one of %s and %s is a sweep", parts[0].name(), d.name())
		}
	}
	if first == nil {
		return nil, nil
	}
	out := *first
	out.Cells, out.Smallest = slices.Clone(first.Cells), slices.Clone(first.Smallest)
	for _, d := range parts[1:] {
		s := d.Sweep
		if s.Of != first.Of || !reflect.DeepEqual(s.Points, first.Points) {
			return nil, fmt.Errorf("parts of different runs cannot be merged: %s and %s have found other points", parts[0].name(), d.name())
		}
		for _, c := range s.Cells {
			if !slices.ContainsFunc(out.Cells, func(o SweepCell) bool { return o.Scenario == c.Scenario }) {
				out.Cells = append(out.Cells, c)
			}
		}
		out.Smallest = append(out.Smallest, s.Smallest...)
	}
	return &out, nil
}
