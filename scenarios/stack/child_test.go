//go:build unix

package stack

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell is a child that runs a shell script; the test itself answers in its place that it is ready.
type shell struct {
	*Child
	mu     sync.Mutex
	events []string
	logged []string
}

func newShell(t *testing.T, ready int, script string) *shell {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(ready) }))
	t.Cleanup(server.Close)
	s := &shell{}
	s.Child = &Child{
		name: "service", args: []string{"/bin/sh", "-c", script}, ready: server.URL,
		journal: journal{tell: func(line string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.logged = append(s.logged, line)
		}},
		event: func(what string, _ int, _ error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, what)
		},
	}
	t.Cleanup(func() { require.NoError(t, s.Kill()) })
	return s
}

func (s *shell) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.events...)
}

func TestChildStartsIsKilledAndStartsAgain(t *testing.T) {
	s := newShell(t, http.StatusOK, "sleep 600")
	for range 2 {
		require.NoError(t, s.Start(t.Context()))
		require.True(t, s.Running())
		require.ErrorContains(t, s.Start(t.Context()), "already running")
		require.NoError(t, s.Kill())
		require.False(t, s.Running())
	}
	require.NoError(t, s.Kill(), "one that is gone")
	assert.Equal(t, []string{"started", "ready", "killed", "exited", "started", "ready", "killed", "exited"}, s.seen())
	require.ErrorContains(t, s.Pause(), "not running")
}

func TestChildStandsStillAndGoesOn(t *testing.T) {
	s := newShell(t, http.StatusOK, "sleep 600")
	require.NoError(t, s.Start(t.Context()))
	pid := s.cmd.Process.Pid
	require.NoError(t, s.Pause())
	if state := processField(pid, 0); state != "" {
		assert.Equal(t, "T", state)
	}
	require.NoError(t, s.Continue())
	require.NoError(t, s.Kill())
}

func TestChildThatEndsBeforeItIsReady(t *testing.T) {
	s := newShell(t, http.StatusServiceUnavailable, "echo first; echo 'the port is taken' >&2; exit 3")
	err := s.Start(t.Context())
	require.ErrorIs(t, err, ErrNotUp)
	require.ErrorContains(t, err, "ended before it was ready")
	assert.Equal(t, []string{"first", "the port is taken"}, s.LastWords(20))
	assert.Equal(t, []string{"the port is taken"}, s.LastWords(1))
}

func TestChildThatIsNoProgram(t *testing.T) {
	s := newShell(t, http.StatusOK, "")
	s.args = []string{"/none/such"}
	require.ErrorIs(t, s.Start(t.Context()), ErrNotUp)
	assert.False(t, s.Running())
}

// A service that floods its log costs neither memory nor the end of its lines.
func TestChildThatTalksTooMuch(t *testing.T) {
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo line $i; i=$((i+1)); done; head -c 200000 /dev/zero | tr '\\0' x; echo; echo last; exit 1", keptLines+50)
	s := newShell(t, http.StatusServiceUnavailable, script)
	require.Error(t, s.Start(t.Context()))
	words := s.LastWords(keptLines)
	assert.Len(t, words, keptLines)
	assert.Equal(t, "last", words[len(words)-1])
	assert.LessOrEqual(t, len(words[len(words)-2]), maxLogLine)
}

// A history does not grow with the log of a service that never stops talking.
func TestAFloodedLogIsNotTold(t *testing.T) {
	told := []string{}
	j := &journal{tell: func(line string) { told = append(told, line) }}
	for range toldLines + 10 {
		j.keep("x")
	}
	require.Len(t, told, toldLines)
	assert.Contains(t, told[toldLines-1], "the rest of it is not kept")
	assert.Equal(t, []string{"x"}, j.LastWords(1), "its last words are")

	told, j = nil, &journal{tell: func(line string) { told = append(told, line) }}
	for range toldBytes/maxLogLine + 10 {
		j.keep(strings.Repeat("x", maxLogLine))
	}
	assert.Len(t, told, toldBytes/maxLogLine)
}

func TestServeStopsWithTheStack(t *testing.T) {
	s := &Stack{Run: Run{Loopback: &Loopback{host: "127.0.0.1"}}}
	addr, err := s.serve(http.NotFoundHandler())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.NoError(t, s.Down())
	_, err = net.Dial("tcp", addr)
	require.Error(t, err)
	require.NoError(t, s.Down(), "twice")
}
