package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// TestServeProxy holds a message at proxies in a process of their own, and then has either side end without a word.
func TestServeProxy(t *testing.T) {
	for name, end := range map[string]func(role *exec.Cmd, stdin io.Closer) error{
		"its standard input ends": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
		"it is killed":            func(role *exec.Cmd, _ io.Closer) error { return role.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var asked atomic.Int32
			bank := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
			defer bank.Close()
			role, stdin, control := serveProxies(t, bank.Listener.Addr().String())
			told := make(chan stack.Seen, 10)
			proxies, err := stack.DialProxies(ctx, control, "word", func(_ string, m stack.Seen, _ time.Time) { told <- m })
			require.NoError(t, err)
			link, err := proxies.Link(stack.BankLink, "")
			require.NoError(t, err)
			call := func() error {
				res, err := http.Get("http://" + link.Address() + "/v1/debits/T1")
				if err == nil {
					err = res.Body.Close()
				}
				return err
			}
			require.NoError(t, call())
			require.NoError(t, proxies.CatchUp(ctx))
			assert.Len(t, told, 2)

			armed, err := link.Arm(ctx, stack.Rule{Match: stack.Match{Dir: history.Request}, Do: stack.Hold{}})
			require.NoError(t, err)
			held := make(chan error, 1)
			go func() { held <- call() }()
			require.NoError(t, armed.Wait(ctx, 1, 1))
			require.NoError(t, end(role, stdin))
			require.Error(t, <-held)
			_ = role.Wait()
			assert.EqualValues(t, 1, asked.Load(), "what was held is lost, not let through")
			require.ErrorContains(t, proxies.Close(ctx), "messages may be missing")
		})
	}
}

// serveProxies starts the role with one link, as a runtime would.
func serveProxies(t *testing.T, upstream string) (role *exec.Cmd, stdin io.Closer, control string) {
	t.Helper()
	control, err := stack.NewLoopback(rand.New(rand.NewPCG(2, uint64(os.Getpid())))).Fixed()
	require.NoError(t, err)
	config, err := json.Marshal(map[string]any{"config": map[string]any{"control": control, "token": "word", "links": []map[string]any{
		{"name": stack.BankLink, "listen": "127.0.0.1:0", "upstreams": []string{upstream}, "protocol": "http"},
	}}})
	require.NoError(t, err)
	role = exec.Command("onedebit", "serve", "proxy")
	role.Env = append(os.Environ(), fmt.Sprintf("%s=%s", stack.ConfigVar, config))
	stdin, err = role.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, role.Start())
	t.Cleanup(func() { _ = role.Process.Kill() })
	return role, stdin, control
}
