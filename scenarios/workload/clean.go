package workload

import (
	"context"
	"fmt"
)

// Clean makes so many clean payments, one after the other, and says of each what is wrong with it, nil where nothing is. It
// ends early only with its context.
func (e *Env) Clean(ctx context.Context, n int) (wrong []error) {
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		wrong = append(wrong, e.probe(ctx, fmt.Sprintf("probe %d", i+1)))
	}
	return wrong
}
