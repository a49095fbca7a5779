package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Bounds of what is kept of a service's log and of how long its ways are waited for, in wall time.
const (
	keptLines  = 200
	toldLines  = 50_000
	toldBytes  = 16 << 20
	maxLogLine = 64 << 10
	readyWait  = 20 * time.Second
	exitWait   = 10 * time.Second
)

// Service is one instance of the service under test, wherever it runs.
type Service interface {
	// Start starts it and waits until it is ready. One that ends first is an error.
	Start(ctx context.Context) error
	// Kill ends it at once, as kill -9 does, and waits until it is gone. Killing one that is gone is no error.
	Kill() error
	// Pause stops it where it stands, as kill -STOP does, and waits until it stands where that can be seen.
	Pause() error
	// Continue lets a paused one go on.
	Continue() error
	// Running says whether it is there.
	Running() bool
	// LastWords are the last lines of its log.
	LastWords(n int) []string
}

// journal is the log of a service: told line by line, and its end kept. One that floods its log is told of no further.
type journal struct {
	tell func(line string)

	mu    sync.Mutex
	lines []string
	told  int // lines
	bytes int // of them
}

// read takes a log to its end. Of a line that is too long the beginning counts.
func (j *journal) read(out io.Reader) {
	lines := bufio.NewReaderSize(out, maxLogLine)
	for {
		text, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		j.keep(string(text))
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
	}
}

func (j *journal) keep(line string) {
	j.mu.Lock()
	j.lines = append(j.lines, line)
	if len(j.lines) > keptLines {
		j.lines = j.lines[len(j.lines)-keptLines:]
	}
	j.told++
	j.bytes += len(line)
	within := j.told < toldLines && j.bytes < toldBytes
	last := !within && j.told-1 < toldLines && j.bytes-len(line) < toldBytes
	j.mu.Unlock()
	switch {
	case within:
		j.tell(line)
	case last:
		j.tell(fmt.Sprintf("(the log is longer than %d lines or %d MiB; the rest of it is not kept)", toldLines, toldBytes>>20))
	}
}

// LastWords are the last lines of the log.
func (j *journal) LastWords(n int) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines[max(0, len(j.lines)-n):]...)
}

// awaitReady waits until a URL answers with a 2xx; tcp://HOST:PORT until the port is open, and heldScheme in its place until a
// connection stays open, since an engine takes those of ports that nobody listens on yet; and for "" not at all. A part that
// is gone before is an error.
func awaitReady(ctx context.Context, name, url string, gone <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		if err := ready(ctx, url); err == nil {
			return nil
		} else if ctx.Err() == nil {
			last = err
		}
		select {
		case <-gone:
			return fmt.Errorf("%s ended before it was ready: %w", name, ErrNotUp)
		case <-ctx.Done():
			return fmt.Errorf("%s did not become ready within %s: %w: %w; is it there that it listens, and is that what it is asked?", name, readyWait, ErrNotUp, last)
		case <-tick.C:
		}
	}
}

// ready asks once.
func ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if url == "" {
		return nil
	}
	if scheme, at, _ := strings.Cut(url, "://"); scheme == tcpScheme || scheme == heldScheme {
		return open(ctx, at, scheme == heldScheme)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("GET %s answers %d", url, resp.StatusCode)
	}
	return nil
}

// Schemes of what is ready without being asked anything.
const (
	tcpScheme  = "tcp"
	heldScheme = "held"
)

// heldWait is how long a connection has to stay open.
const heldWait = 100 * time.Millisecond

// open says whether a port is open.
func open(ctx context.Context, at string, held bool) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", at)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !held {
		return nil
	}
	_ = conn.SetReadDeadline(time.Now().Add(heldWait))
	if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s closes connections", at)
	}
	return nil
}

// awaitStopped waits until a process stands still, where that can be seen.
func awaitStopped(pid int) error {
	for deadline := time.Now().Add(exitWait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if state := processField(pid, 0); state == "T" || state == "" {
			return nil
		}
	}
	return fmt.Errorf("process %d does not stand still", pid)
}
