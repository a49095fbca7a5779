package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// box is a container that runs a role of this very binary. The harness holds its standard input: when that ends, however the
// harness ends, so does the role. As a Service it can be killed, stopped, continued and started again.
type box struct {
	journal

	engine  *engine
	part    part
	config  func() (string, error) // the value of ConfigVar
	id      string                 // "" until it is made
	name    string
	address string // of this machine
	ready   string // URL that answers 200 when it can be used
	event   func(what string, pid int, err error)

	before func(ctx context.Context) error // before it is made
	again  func(ctx context.Context) error // before it is started once more

	mu     sync.Mutex
	pid    int  // 0 while it does not run
	began  bool // it was started before
	killed bool // the engine has still to see that it is gone
	stdin  io.Closer
	gone   chan struct{}
}

// make makes the container. Its configuration cannot be changed later: where that is another now than the last time, another
// container takes its place.
func (b *box) make(ctx context.Context) error {
	config, err := b.config()
	if err != nil || b.id != "" && b.part.env[ConfigVar] == config {
		return err
	}
	if b.before != nil {
		if err := b.before(ctx); err != nil {
			return err
		}
	}
	if b.id != "" {
		if err := b.engine.remove(b.id); err != nil {
			return err
		}
	}
	if config != "" {
		b.part.env = map[string]string{ConfigVar: config}
	}
	b.id, err = b.engine.create(ctx, b.part)
	return err
}

// Start starts the container and waits until it is ready.
func (b *box) Start(ctx context.Context) error {
	if err := b.buried(); err != nil {
		return err
	}
	if b.began && b.again != nil {
		if err := b.again(ctx); err != nil {
			return fmt.Errorf("before %s is started again: %w: %w", b.name, ErrNotUp, err)
		}
	}
	if err := b.spawn(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	gone, pid := b.gone, b.pid
	b.mu.Unlock()
	if err := awaitReady(ctx, b.name, b.ready, gone); err != nil {
		return err
	}
	b.event("ready", pid, nil)
	return nil
}

func (b *box) spawn(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pid != 0 {
		return fmt.Errorf("starting %s: it is already running", b.name)
	}
	if err := b.make(ctx); err != nil {
		return err
	}
	// Attached before it is started: nothing that it says is missed.
	streams, err := b.engine.api.ContainerAttach(context.WithoutCancel(ctx), b.id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return fmt.Errorf("listening to %s: %w: %w", b.name, ErrNotUp, err)
	}
	if err := b.engine.start(ctx, b.id, b.name); err != nil {
		streams.Close()
		return err
	}
	info, err := b.engine.api.ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
	if err != nil {
		streams.Close()
		return fmt.Errorf("asking for %s: %w: %w", b.name, ErrNotUp, err)
	}
	b.began = true
	b.pid, b.stdin, b.gone = max(1, info.Container.State.Pid), streams.Conn, make(chan struct{})
	b.event("started", b.pid, nil)
	go b.reap(b.pid, streams, b.gone)
	return nil
}

// reap reads the log to its end and then takes the exit code, so that the last words are there when it is known to be gone.
func (b *box) reap(pid int, streams client.ContainerAttachResult, gone chan struct{}) {
	b.journal.read(demultiplexed(streams.Reader))
	streams.Close()
	err := b.engine.exit(b.id)
	b.mu.Lock()
	b.pid, b.killed = 0, false
	b.mu.Unlock()
	b.event("exited", pid, err)
	close(gone)
}

// exit waits until a container has ended, and says with what.
func (e *engine) exit(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), exitWait)
	defer cancel()
	wait := e.api.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case r := <-wait.Result:
		switch {
		case r.StatusCode == 0:
			return nil
		case r.StatusCode > 128:
			return fmt.Errorf("signal %d", r.StatusCode-128)
		}
		return fmt.Errorf("exit status %d", r.StatusCode)
	case err := <-wait.Error:
		return err
	}
}

// demultiplexed is what a container says on both of its outputs, as one.
func demultiplexed(streams io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(w, w, streams)
		w.CloseWithError(err)
	}()
	return r
}

// Kill ends the container at once, as kill -9 does, and waits until its process is gone. The engine may take its time to see
// that, longer than a bank waits for an answer at speed, and whoever kills may hold up traffic that is not the killed one's.
func (b *box) Kill() error {
	b.mu.Lock()
	pid, gone, again := b.pid, b.gone, b.killed
	b.killed = pid != 0
	b.mu.Unlock()
	if pid == 0 {
		return nil
	}
	if !again {
		b.event("killed", pid, nil)
	}
	born, seen := birth(pid), b.seen(pid)
	signalled := make(chan error, 1) // the engine answers when it has seen the end
	go func() { signalled <- b.engine.signal(b.id, "KILL") }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(exitWait)
	for {
		select {
		case <-gone:
			return nil
		case err := <-signalled:
			// One that has just ended, or is being killed by another, is waited for all the same.
			if err != nil && !strings.Contains(err.Error(), "is not running") {
				return fmt.Errorf("killing %s: %w", b.name, err)
			}
		case <-tick.C:
			if seen && (birth(pid) != born || processField(pid, 0) == "Z") {
				return nil
			}
		case <-late:
			return fmt.Errorf("killing %s: it is still there after %s", b.name, exitWait)
		}
	}
}

// end kills it and waits until nothing more is heard of it.
func (b *box) end() error { return errors.Join(b.Kill(), b.buried()) }

// buried waits until the engine has seen that a killed one is gone, and its last words are read.
func (b *box) buried() error {
	b.mu.Lock()
	killed, gone := b.killed, b.gone
	b.mu.Unlock()
	if !killed {
		return nil
	}
	select {
	case <-gone:
		return nil
	case <-time.After(exitWait):
		return fmt.Errorf("killing %s: the engine has not seen it end after %s", b.name, exitWait)
	}
}

// seen says whether a process number of the engine's is one here: it may have processes of its own.
func (b *box) seen(pid int) bool {
	group, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	return err == nil && strings.Contains(string(group), b.id)
}

// Running says whether the container runs.
func (b *box) Running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pid != 0 && !b.killed
}

// Pause stops it where it stands.
func (b *box) Pause() error {
	if err := b.signal("stopped", "STOP"); err != nil {
		return err
	}
	b.mu.Lock()
	pid := b.pid
	b.mu.Unlock()
	if !b.seen(pid) {
		return nil
	}
	return awaitStopped(pid)
}

// Continue lets it go on.
func (b *box) Continue() error { return b.signal("continued", "CONT") }

func (b *box) signal(what, sig string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pid == 0 {
		return fmt.Errorf("%s cannot be %s: it is not running", b.name, what)
	}
	if err := b.engine.signal(b.id, sig); err != nil {
		return fmt.Errorf("%s cannot be %s: %w", b.name, what, err)
	}
	b.event(what, b.pid, nil)
	return nil
}

func (e *engine) signal(id, sig string) error {
	ctx, cancel := context.WithTimeout(context.Background(), exitWait)
	defer cancel()
	_, err := e.api.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: sig})
	return err
}
