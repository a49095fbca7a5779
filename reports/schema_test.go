package reports

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// resultSchema is the published schema, by which anybody can check a result.json without onedebit.
const resultSchema = "result.schema.json"

func TestSchemaIsFresh(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Schema(&b))
	if *update {
		require.NoError(t, os.WriteFile(resultSchema, b.Bytes(), 0o644))
	}
	published, err := os.ReadFile(resultSchema)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(published), "go test ./reports -update writes it anew")
	require.ErrorContains(t, Schema(shut{}), "closed pipe")
}

func TestResultsKeepToTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(resultSchema)
	require.NoError(t, err)
	valid := func(text string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(value)
	}
	for _, c := range cases() {
		assert.NoError(t, valid(render(t, JSON, c.doc)), c.name)
	}
	good := render(t, JSON, cases()[1].doc)
	for _, change := range [][2]string{
		{`"verdict": "fail"`, `"verdict": "failed"`}, {`"seed": 8841723`, `"seed": "x"`}, {`"seed": 8841723`, `"seed": -1`}, {`"seed"`, `"sead"`},
		{`"at_ms": 12031`, `"at_ms": "then"`}, {`"scenarios": [`, `"scenarios": [1,`},
	} {
		require.Contains(t, good, change[0])
		assert.Error(t, valid(strings.Replace(good, change[0], change[1], 1)), change[1])
	}
	assert.NoError(t, valid(strings.Replace(good, `"seed"`, `"of_a_later_one": 1, "seed"`, 1)))
}
