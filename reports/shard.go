package reports

import "fmt"

// Shard says which part of a run a result is of.
type Shard struct {
	Index   int `json:"index"`   // from 1
	Of      int `json:"of"`      // how many parts the run has
	Planned int `json:"planned"` // experiments of this part
	Whole   int `json:"whole"`   // experiments of all parts together
}

// String is "2/4".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }
