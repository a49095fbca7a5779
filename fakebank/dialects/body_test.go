package dialects

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestForms(t *testing.T) {
	for body, want := range map[string]string{
		"":                                    `{}`,
		"a=1&b=x+y":                           `{"a":"1","b":"x y"}`,
		"metadata[order]=7&metadata[n]=":      `{"metadata":{"order":"7","n":""}}`,
		"expand[]=a&expand[]=b":               `{"expand":["a","b"]}`,
		"items[0][price]=p&items[1][price]=q": `{"items":{"0":{"price":"p"},"1":{"price":"q"}}}`,
		"a=1&a=2":                             `{"a":"2"}`,
	} {
		tree, err := readBody(bodyForm, "", []byte(body))
		require.NoError(t, err, body)
		text, err := json.Marshal(tree)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(text))
	}
	for body, want := range map[string]string{
		"a[=1": "brackets do not match", "a[b]c=1": "brackets do not match", "a[[b]]=1": "brackets do not match",
		"a[][b]=1": "at the end only", "a=1&a[b]=2": "as a value and as an object", "a[b]=1&a[b][c]=2": "as a value and as an object",
		"a[1][2][3][4][5][6][7][8]=1": "more than 8 deep", "%zz=1": "not a form",
	} {
		_, err := readBody(bodyForm, "", []byte(body))
		assert.ErrorContains(t, err, want, body)
	}
}

func FuzzReadBody(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, false)
	f.Add("a[b][c]=1&a[b][d][]=2", true)
	f.Fuzz(func(t *testing.T, body string, form bool) {
		kind := bodyJSON
		if form {
			kind = bodyForm
		}
		tree, err := readBody(kind, "", []byte(body))
		if err != nil {
			return
		}
		if _, err := json.Marshal(tree); err != nil {
			t.Errorf("%q became what is not JSON: %v", body, err)
		}
	})
}
