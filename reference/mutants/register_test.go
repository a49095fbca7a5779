package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestRegisterRefuses(t *testing.T) {
	apply := func(*reference.Parts) {}
	for name, m := range map[string]Mutant{
		"no name":    {Apply: apply},
		"no apply":   {Name: "new"},
		"name taken": {Name: LockTTL5s.Name, Apply: apply},
	} {
		t.Run(name, func(t *testing.T) { assert.Panics(t, func() { register(m) }) })
	}
}
