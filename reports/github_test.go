package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func annotations(t *testing.T, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Annotations(&b, d))
	return b.String()
}

func TestAnnotations(t *testing.T) {
	for _, c := range cases() {
		got := annotations(t, c.doc)
		golden(t, c.name+".annotations", got)
		for line := range strings.Lines(got) {
			assert.Regexp(t, `^::(error|warning) title=[^:,]+::[^\r\n]+\n$`, line)
			assert.NotContains(t, line, "\x1b")
		}
		assert.Equal(t, c.doc.Summary.Pass+c.doc.Summary.Skipped == c.doc.Summary.Total() && c.doc.Error == "", got == "", c.name)
	}
	require.ErrorContains(t, Annotations(shut{}, cases()[1].doc), "closed pipe")
}

func TestAnnotationsAreTenAndTheGravestFirst(t *testing.T) {
	d := many(500, 0)
	d.Scenarios = append(d.Scenarios, undecided())
	got := strings.Split(strings.TrimSuffix(annotations(t, finish(d)), "\n"), "\n")
	require.Len(t, got, 10)
	assert.True(t, strings.HasPrefix(got[0], "::error title=bank/scenario-00000::The bank holds 2 debits"), got[0])
	assert.Contains(t, got[0], "%0Aagain: onedebit run")
	assert.Contains(t, got[9], "42 more scenarios did not pass")
}

func TestStepSummaryFitsWhatIsLeft(t *testing.T) {
	d := many(500, 100_000)
	for _, already := range []int64{0, 300 << 10, 900 << 10} {
		var b bytes.Buffer
		require.NoError(t, StepSummary(&b, d, English, already))
		assert.Less(t, already+int64(b.Len()), int64(1024<<10))
		assert.Contains(t, firstLine(b.String()), "**FAIL**")
		sound(t, b.String())
	}
	for _, already := range []int64{1023 << 10, 5000 << 10} {
		var b bytes.Buffer
		require.ErrorContains(t, StepSummary(&b, d, English, already), "the step summary is full")
		assert.Zero(t, b.Len())
	}
}

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x": ": :error::x", "   ::set-env name=A::b": "   : :set-env name=A::b", "x ##[add-mask]y": "x ## [add-mask]y", "a::b": "a::b", "": "",
	} {
		assert.Equal(t, want, Inert(in))
	}
}
