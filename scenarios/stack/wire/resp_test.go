package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command writes a command as clients do.
func command(args ...string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&s, "$%d\r\n%s\r\n", len(a), a)
	}
	return s.String()
}

func TestRESPCommands(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		texts []string
		rest  int
		err   error
	}{
		"key, no value": {command("set", "idem:m:pay:K1", "card 4111", "NX"), []string{"SET idem:m:pay:K1"}, 0, nil},
		"pipelined":     {command("MULTI") + command("INCR", "n") + command("EXEC") + "*1\r\n$4\r\nPI", []string{"MULTI", "INCR n", "EXEC"}, 10, nil},
		"script":        {command("EVALSHA", "abc", "1", "lock:O-1", "v"), []string{"EVALSHA lock:O-1"}, 0, nil},
		"no keys":       {command("EVAL", "return 1", "0"), []string{"EVAL"}, 0, nil},
		"password":      {command("AUTH", "hunter2"), []string{"AUTH"}, 0, nil},
		"hello":         {command("HELLO", "3", "AUTH", "user", "hunter2"), []string{"HELLO 3"}, 0, nil},
		"inline":        {"PING\r\nget  a b\n", []string{"PING", "GET a"}, 0, nil},
		"empty":         {"*0\r\n\r\n*-1\r\n" + command("PING"), []string{"", "", "", "PING"}, 0, nil},
		"binary key":    {command("GET", "a\x00\r\nb"), []string{"GET a...b"}, 0, nil},
		"reply off":     {command("CLIENT", "reply", "OFF"), nil, 0, ErrForeign},
		"replication":   {command("PSYNC", "?", "-1"), nil, 0, ErrForeign},
		"not a string":  {"*1\r\n:1\r\n", nil, 0, ErrForeign},
		"no length":     {"*x\r\n", nil, 0, ErrForeign},
		"endless count": {"*" + strings.Repeat("1", 50), nil, 0, ErrForeign},
		"wrong length":  {"*1\r\n$1\r\nabc\r\n", nil, 0, ErrForeign},
		"large":         {"*1\r\n$1048576\r\n", nil, 0, ErrTooLarge},
		"many":          {"*99999999\r\n", nil, 0, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got, rest, err := everySplit(t, func() func([]byte) (Message, int, error) { return RESP.New().Request }, []byte(c.in))
			require.ErrorIs(t, err, c.err)
			var texts []string
			for _, m := range got {
				texts = append(texts, m.text)
			}
			assert.Equal(t, c.texts, texts)
			if c.err == nil {
				assert.Equal(t, c.rest, rest)
			}
		})
	}
}

func TestRESPAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		commands, in string
		fors         []string // "for: text", in order
		err          error
	}{
		"simple":        {command("SET", "k", "v") + command("GET", "k"), "+OK\r\n$6\r\nsecret\r\n", []string{"SET: OK", "GET: 6 bytes"}, nil},
		"nil, twice":    {command("GET", "k") + command("GET", "k"), "$-1\r\n_\r\n", []string{"GET: nil", "GET: nil"}, nil},
		"error":         {command("GET", "k"), "-WRONGTYPE no\r\n", []string{"GET: WRONGTYPE no"}, nil},
		"blob error":    {command("GET", "k"), "!3\r\nERR\r\n", []string{"GET: ERR"}, nil},
		"nil, of all":   {command("EXEC") + command("EXEC") + command("EXEC"), "!-1\r\n*-1\r\n=-1\r\n", []string{"EXEC: nil", "EXEC: nil", "EXEC: nil"}, nil},
		"minus one":     {command("TTL", "k"), ":-1\r\n", []string{"TTL: -1"}, nil},
		"nested":        {command("EXEC"), "*3\r\n+OK\r\n*2\r\n:1\r\n$1\r\na\r\n%1\r\n+k\r\n*-1\r\n", []string{"EXEC: list of 3"}, nil},
		"attribute":     {command("GET", "k"), "|1\r\n+ttl\r\n:3\r\n:7\r\n", []string{"GET: list of 1"}, nil},
		"push between":  {command("GET", "k"), ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n:1\r\n", []string{": push invalidate", "GET: 1"}, nil},
		"subscribed, 2": {command("SUBSCRIBE", "a", "b") + command("PING"), "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n", []string{"SUBSCRIBE: list of 3", ": list of 3", "SUBSCRIBE: list of 3", "PING: list of 2"}, nil},
		"subscribed, 3": {command("SUBSCRIBE", "a"), ">3\r\n+subscribe\r\n+a\r\n:1\r\n>3\r\n+message\r\n+a\r\n+x\r\n", []string{"SUBSCRIBE: push subscribe", ": push message"}, nil},
		"more answers":  {command("MONITOR"), "+OK\r\n+123 \"GET\" \"k\"\r\n", []string{"MONITOR: OK", ": 123 \"GET\" \"k\""}, nil},
		"too deep":      {command("GET", "k"), strings.Repeat("*1\r\n", 40) + ":1\r\n", nil, ErrForeign},
		"other type":    {command("GET", "k"), "HTTP/1.1 200 OK\r\n", nil, ErrForeign},
		"large":         {command("GET", "k"), "$1048575\r\n", nil, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got, rest, err := everySplit(t, func() func([]byte) (Message, int, error) {
				conn := RESP.New()
				_, rest, err := read(conn.Request, []byte(c.commands))
				require.NoError(t, err)
				require.Zero(t, rest)
				return conn.Answer
			}, []byte(c.in))
			require.ErrorIs(t, err, c.err)
			var fors []string
			for _, m := range got {
				fors = append(fors, m.to+": "+m.text)
			}
			assert.Equal(t, c.fors, fors)
			if c.err == nil {
				assert.Zero(t, rest)
			}
		})
	}
}

func FuzzRESP(f *testing.F) {
	f.Add([]byte(command("SET", "k", "v")+"PING\r\n"), []byte("+OK\r\n*2\r\n$1\r\na\r\n:1\r\n"), uint16(3), uint16(4))
	f.Add([]byte(command("SUBSCRIBE", "a")), []byte(">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n|1\r\n+a\r\n+b\r\n%1\r\n+k\r\n~0\r\n"), uint16(1), uint16(9))
	f.Add([]byte("*-1\r\n\r\n*0\r\n"), []byte("$-1\r\n!-1\r\n!1\r\nx\r\n=5\r\ntxt:a\r\n(1\r\n#t\r\n"), uint16(1), uint16(9))
	f.Fuzz(func(t *testing.T, commands, answers []byte, a, b uint16) { fuzz(t, RESP, commands, answers, a, b) })
}
