package fakebank

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// raw sends one debit on a connection of its own, on which the end can be told apart.
func raw(t *testing.T, f *fixture, tradeNo string, before int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", f.api.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	in := bufio.NewReader(conn)
	for range before { // makes it a connection that is kept alive and used again
		_, err := io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: bank\r\n\r\n")
		require.NoError(t, err)
		for line := ""; line != `{"status":"ready"}`; {
			b, err := in.ReadBytes('}')
			if err == nil {
				line = string(b[bytes.LastIndexByte(b, '{'):])
			}
			require.NoError(t, err)
		}
	}
	body, err := json.Marshal(debitOf(tradeNo))
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST /v1/debits HTTP/1.1\r\nHost: bank\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	require.NoError(t, err)
	return conn
}

func TestDropClosesWithoutAnAnswer(t *testing.T) {
	for _, tc := range []struct {
		how    any
		before int
		end    error
	}{
		{nil, 0, syscall.ECONNRESET},
		{"rst", 0, syscall.ECONNRESET},
		{"rst", 2, syscall.ECONNRESET},
		{"fin", 0, io.EOF},
		{"fin", 2, io.EOF},
	} {
		t.Run(fmt.Sprint(tc.how, tc.before), func(t *testing.T) {
			f := start(t)
			params := object{"kind": drop.Name}
			if tc.how != nil {
				params["how"] = tc.how
			}
			id := f.arm(params)
			_, err := raw(t, f, "T1", tc.before).Read(make([]byte, 1))
			require.ErrorIs(t, err, tc.end)
			assert.Equal(t, Success, f.query("T1").field(t, "status"), "it must have acted")
			assert.Equal(t, 1, f.wait(id, "fired=1").Fired)
			lines := f.ledger(kindAnswer)
			assert.Equal(t, 0, lines[0].HTTP)
			assert.Contains(t, lines[0].Detail, "withheld: dropped by")
			assert.Equal(t, Success, lines[0].Status)
		})
	}
}

func TestDropBySilence(t *testing.T) {
	for name, end := range map[string]func(f *fixture, id string, conn net.Conn){
		"released": func(f *fixture, id string, _ net.Conn) { f.rule("POST", "behaviours/"+id+"/release", nil) },
		"removed":  func(f *fixture, id string, _ net.Conn) { f.rule("DELETE", "behaviours/"+id, nil) },
		"gone":     func(_ *fixture, _ string, conn net.Conn) { conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			id := f.arm(object{"kind": drop.Name, "how": "silence"})
			conn := raw(t, f, "T1", 0)
			assert.Equal(t, 1, f.wait(id, "fired=1&holding=1").Holding)
			assert.Len(t, f.ledger(kindAnswer), 1, "an answer that never comes is withheld at once")
			end(f, id, conn)
			assert.Eventually(t, func() bool { return f.status() == statusView{} }, patience, pollEvery)
			n, err := conn.Read(make([]byte, 1))
			assert.Error(t, err)
			assert.Zero(t, n)
		})
	}
}
