package mutants_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference/mutants"
)

func TestEveryMutantIsComplete(t *testing.T) {
	all := mutants.All()
	require.GreaterOrEqual(t, len(all), 80)
	for i, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			for field, text := range map[string]string{"Doc": m.Doc, "Scenario": m.Scenario, "Check": m.Check, "Says": m.Says} {
				assert.NotEmpty(t, text, field)
			}
			assert.NotEmpty(t, m.Sources)
			assert.True(t, i == 0 || all[i-1].Name < m.Name, "not sorted")
			for _, ending := range []string{".go", "_test.go"} {
				assert.FileExists(t, strings.ReplaceAll(m.Name, "-", "_")+ending)
			}
			named, ok := mutants.Named(m.Name)
			assert.True(t, ok)
			assert.Equal(t, m.Doc, named.Doc)
		})
	}
}

func TestNamedOfNobody(t *testing.T) {
	_, ok := mutants.Named("correct")
	assert.False(t, ok)
}

func TestAllReturnsACopy(t *testing.T) {
	mutants.All()[0].Sources[0] = "changed"
	assert.NotEqual(t, "changed", mutants.All()[0].Sources[0])
}

// The README is read by people who never see the registry.
func TestReadmeNamesEveryMutant(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, m := range mutants.All() {
		assert.Contains(t, string(readme), "| `"+m.Name+"` | "+m.Doc+" | `"+m.Scenario+"` | `"+m.Check+"` |")
	}
}
