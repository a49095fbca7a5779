package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// said is what one side of a conversation says, in one piece.
type said struct {
	server bool
	data   string
}

func client(data string) said { return said{data: data} }
func server(data string) said { return said{server: true, data: data} }

// talked is a conversation and what it comes to.
type talked struct {
	talk []said
	want []string
	err  error
}

// heard is what a conversation comes to: "> label: text" of requests, "< for label: text" of answers, with an asterisk
// where they are aside, and the error that it ends with.
func heard(t *testing.T, c Conn, talk []said, pieces func(n int) int) (out []string, err error) {
	t.Helper()
	for _, s := range talk {
		var buf []byte
		for data := []byte(s.data); len(data) > 0; {
			n := pieces(len(data))
			buf, data = append(buf[:len(buf):len(buf)], data[:n]...), data[n:]
			for len(buf) > 0 {
				next, arrow := c.Request, "> "
				if s.server {
					next, arrow = c.Answer, "< "
				}
				m, n, err := next(buf)
				if err != nil {
					return out, err
				}
				require.True(t, n >= 0 && n <= len(buf))
				if n == 0 {
					break
				}
				out = append(out, arrow+line(m))
				buf = buf[n:]
			}
		}
		if len(buf) > 0 {
			out = append(out, "… incomplete")
		}
	}
	return out, nil
}

func line(m Message) string {
	out := m.Label + ": " + m.Text
	if m.For != "" {
		out = m.For + " " + out
	}
	if m.Aside {
		out = "* " + out
	}
	return out
}

// conversation checks what a conversation comes to, in whatever pieces it arrives.
func conversation(t *testing.T, p *Protocol, talk []said, want []string, wantErr error) {
	t.Helper()
	for size := 1; size < 40; size++ {
		got, err := heard(t, p.New(), talk, func(n int) int { return min(n, size) })
		require.ErrorIs(t, err, wantErr, "in pieces of %d", size)
		require.Equal(t, want, got, "in pieces of %d", size)
	}
	got, err := heard(t, p.New(), talk, func(n int) int { return n })
	require.ErrorIs(t, err, wantErr)
	assert.Equal(t, want, got)
}

// refusing has the last request of a conversation refused, and returns what the server
// gets, and what the client gets when the server has answered that.
func refusing(t *testing.T, p *Protocol, talk []said, code, answer string) (toServer, toClient string, m Message) {
	t.Helper()
	c := p.New()
	_, err := heard(t, c, talk, func(n int) int { return n })
	require.NoError(t, err)
	sent, err := c.(Refuser).Refusal(code)
	require.NoError(t, err)
	m, n, err := c.Answer([]byte(answer))
	require.NoError(t, err)
	require.Equal(t, len(answer), n)
	require.NotNil(t, m.Instead)
	return string(sent), string(m.Instead), m
}
