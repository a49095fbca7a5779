package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBind(t *testing.T) {
	vars := Vars{"key": "K'1", "amount": "12.50", "amount.minor": int64(1250), "n": int64(7), "each.cart": "C-1", "order": "O-1"}
	for _, c := range []struct {
		driver, text, want string
		args               []any
	}{
		{"sqlite", "SELECT 1", "SELECT 1", nil},
		{"sqlite", "SELECT count(*) FROM p WHERE k = :key AND n = :n", "SELECT count(*) FROM p WHERE k = ? AND n = ?", []any{"K'1", int64(7)}},
		{"pgx", "SELECT :key, :n, :key", "SELECT $1, $2, $3", []any{"K'1", "7", "K'1"}},
		{"mysql", "SELECT `a:key` FROM p WHERE x = :amount.minor", "SELECT `a:key` FROM p WHERE x = ?", []any{"1250"}},
		{"pgx", "SELECT a::text, ':key', \":n\" -- :key\n, /* :n */ :each.cart", "SELECT a::text, ':key', \":n\" -- :key\n, /* :n */ $1", []any{"C-1"}},
		{"pgx", "SELECT 'it''s :key' || :order||'x'", "SELECT 'it''s :key' || $1||'x'", []any{"O-1"}},
		{"pgx", "SELECT :order.x", "SELECT $1.x", []any{"O-1"}},
	} {
		text, args, err := bind(c.driver, c.text, vars)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.want, text)
		assert.Equal(t, c.args, args, c.text)
	}
	_, _, err := bind("pgx", "SELECT :kye", vars)
	require.EqualError(t, err, `unknown parameter ":kye"; did you mean ":key"?`)
}

// FuzzBind holds that no text makes it panic, and that no value ever becomes part of the text.
func FuzzBind(f *testing.F) {
	for _, seed := range []string{"", ":a", "':a", "/* :a", "-- :a\n:a", "::a", ":each.a", "`:a` \":a\" ':a'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const secret = "\x00value\x00"
		for _, driver := range []string{"sqlite", "pgx", "mysql"} {
			out, args, err := bind(driver, text, Vars{"a": secret, "each.a": secret})
			if err != nil {
				continue
			}
			_, names := parameters(text)
			require.Len(t, args, len(names))
			if text == "" {
				require.Empty(t, out)
			}
		}
	})
}
