package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told is a message as the tests write it.
type told struct {
	label, text, to string
	size            int
}

// read takes messages out of bytes that arrive in pieces of the sizes given; the last piece is the rest. Like a tap it
// takes a message that only the end of the connection ends when all has arrived.
func read(next func([]byte) (Message, int, error), data []byte, pieces ...int) (out []told, rest int, err error) {
	var buf []byte
	for first := true; first || len(data) > 0; first = false {
		n := len(data)
		if len(pieces) > 0 {
			n, pieces = min(pieces[0], n), pieces[1:]
		}
		buf = append(buf[:len(buf):len(buf)], data[:n]...)
		data = data[n:]
		for len(buf) > 0 {
			m, n, err := next(buf)
			if err != nil {
				return out, len(buf), err
			}
			if n < 0 || n > len(buf) {
				return out, len(buf), fmt.Errorf("a message of %d bytes in %d", n, len(buf))
			}
			if n == 0 || m.Close && len(data) > 0 {
				break
			}
			out = append(out, told{m.Label, m.Text, m.For, n})
			buf = buf[n:]
		}
	}
	return out, len(buf), nil
}

// everySplit checks that the same is read from bytes however they arrive: whole, in two pieces cut anywhere, one by one.
func everySplit(t *testing.T, conn func() func([]byte) (Message, int, error), data []byte) ([]told, int, error) {
	t.Helper()
	whole, rest, err := read(conn(), data)
	check := func(pieces ...int) {
		t.Helper()
		got, r, e := read(conn(), data, pieces...)
		require.Equal(t, whole, got, "%d", pieces)
		require.Equal(t, err == nil, e == nil, "%v and %v", err, e)
		if err == nil {
			require.Equal(t, rest, r)
		}
	}
	for i := 1; i < len(data) && i < 300; i++ {
		check(i)
	}
	ones := make([]int, min(len(data), 300))
	for i := range ones {
		ones[i] = 1
	}
	check(ones...)
	return whole, rest, err
}

func TestRegistryIsClean(t *testing.T) {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
		found, ok := Named(p.Name)
		assert.True(t, ok)
		assert.Same(t, p, found)
		assert.NotNil(t, p.New())
	}
	assert.Equal(t, []string{"amqp", "http", "kafka", "mysql", "postgres", "raw", "redis"}, names)
	_, ok := Named("smtp")
	assert.False(t, ok)
	assert.Panics(t, func() { register(Protocol{Name: "http", Title: "again", New: Raw.New}) })
	assert.Panics(t, func() { register(Protocol{Title: "without a name", New: Raw.New}) })
}

func TestRawTakesEveryPiece(t *testing.T) {
	got, rest, err := read(Raw.New().Request, []byte("\x16\x03anything"), 3, 4)
	require.NoError(t, err)
	assert.Zero(t, rest)
	assert.Equal(t, []told{{"bytes", "", "", 3}, {"bytes", "", "", 4}, {"bytes", "", "", 3}}, got)
	m, n, err := Raw.New().Answer([]byte("abc"))
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, "bytes", m.For)
}

// foreigners are bytes of other protocols, which must be refused at once: nobody would ever complete them.
var foreigners = map[string]string{
	"TLS hello":  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	"TLS alert":  "\x15\x03\x03\x00\x02\x02\x46",
	"zeros":      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	"PostgreSQL": "\x00\x00\x00\x08\x04\xd2\x16\x2f\x00\x00\x00\x08\x04\xd2\x16\x2f",
	"high bytes": "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6\xf5\xf4",
}

func TestForeignBytesAreRefusedAtOnce(t *testing.T) {
	for _, p := range []*Protocol{HTTP, RESP, Kafka, Postgres, MySQL, AMQP} {
		for name, data := range foreigners {
			for dir, next := range map[string]func([]byte) (Message, int, error){
				"request": p.New().Request, "answer": p.New().Answer,
			} {
				_, _, err := next([]byte(data))
				if p == Postgres && dir == "request" && name == "PostgreSQL" {
					assert.NoError(t, err, "these are its own")
					continue
				}
				if p == Kafka && dir == "answer" && name == "PostgreSQL" {
					assert.ErrorIs(t, err, ErrForeign)
					continue
				}
				assert.True(t, errors.Is(err, ErrForeign) || errors.Is(err, ErrTooLarge), "%s %s %s: %v", p.Name, dir, name, err)
			}
		}
	}
}

func TestTextMasksSecrets(t *testing.T) {
	for body, want := range map[string]string{
		`{"amount": 500, "trade_no": "T1"}`:                           `{"amount":500,"trade_no":"T1"}`,
		`{"card_no":"6222021234","amount":1}`:                         `{"card_no":"***","amount":1}`,
		`{"a":{"Password":{"x":[1,"}"]},"b":2}}`:                      `{"a":{"Password":"***","b":2}}`,
		`{"pass` + `\u0077` + `ord":"hunter2","ok":true}`:             `{"pass` + `\u0077` + `ord":"***","ok":true}`,
		`{"sign":"abc","assign":"left alone","X-Bank-Signature":123}`: `{"sign":"***","assign":"left alone","X-Bank-Signature":"***"}`,
		`{"secret":[1,2,{"k":"v"}],"client_secret":null}`:             `{"secret":"***","client_secret":"***"}`,
		`["card","4111"]`:        `["card","4111"]`,
		` { "note" : "a\"b:" } `: `{"note":"a\"b:"}`,
		`not json`:               "",
		`{"card": "411`:          "",
		`"just a text"`:          "",
		``:                       "",
		`{"k":"` + strings.Repeat("é", 150) + `"}`: `{"k":"` + strings.Repeat("é", 97) + `…`,
	} {
		assert.Equal(t, want, jsonText([]byte(body)), body)
	}
	assert.Empty(t, jsonText([]byte(`{"k":"`+strings.Repeat("x", maxShown)+`"}`)), "a long body is not looked into")
	assert.Equal(t, "a.b.c", clip("a\nb\xffc", 10))
}
