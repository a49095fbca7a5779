package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// ErrNotUp is what every failure to bring a part up wraps: trouble of the environment, never a verdict.
var ErrNotUp = errors.New("not up")

// Child is a service that is a process of this machine, run by the harness.
type Child struct {
	journal

	name string
	args []string
	env  []string
	// config is the value of ConfigVar, made anew at each start: it may have changed in between.
	config func() (string, error)
	dir    string
	ready  string // what tells that it can be asked (see awaitReady)
	event  func(what string, pid int, err error)

	attributes func() *syscall.SysProcAttr     // nil: childAttributes
	again      func(ctx context.Context) error // before it is started once more
	orderly    time.Duration                   // how long it may take to end when it is asked to; 0: it is not asked

	mu    sync.Mutex
	cmd   *exec.Cmd
	began bool // it was started before
	stdin io.Closer
	gone  chan struct{}
}

// Start starts the process and waits until it is ready. A process that ends first is an error with its last words.
func (c *Child) Start(ctx context.Context) error {
	if c.again != nil && c.began {
		if err := c.again(ctx); err != nil {
			return fmt.Errorf("before %s is started again: %w: %w", c.name, ErrNotUp, err)
		}
	}
	if err := c.spawn(); err != nil {
		return err
	}
	return c.awaitReady(ctx)
}

func (c *Child) spawn() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil {
		return fmt.Errorf("starting %s: it is already running", c.name)
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Env, cmd.Dir = slices.Clone(c.env), c.dir
	if c.config != nil {
		config, err := c.config()
		if err != nil {
			return fmt.Errorf("starting %s: %w", c.name, err)
		}
		cmd.Env = append(cmd.Env, ConfigVar+"="+config)
	}
	cmd.SysProcAttr = childAttributes()
	if c.attributes != nil {
		cmd.SysProcAttr = c.attributes()
	}
	out, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w: %w", c.name, ErrNotUp, err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	// The process is to end when its standard input does, which happens however the harness dies.
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = w.Close()
	if err != nil {
		_ = out.Close()
		return fmt.Errorf("starting %s (%s): %w: %w", c.name, c.args[0], ErrNotUp, err)
	}
	c.cmd, c.stdin, c.gone, c.began = cmd, stdin, make(chan struct{}), true
	c.event("started", cmd.Process.Pid, nil)
	go c.reap(cmd, out, c.gone)
	return nil
}

// reap reads the log to its end and then takes the process's exit status; both in one goroutine, so that the last words
// of a process are there when it is known to be gone.
func (c *Child) reap(cmd *exec.Cmd, out *os.File, gone chan struct{}) {
	c.journal.read(out)
	_ = out.Close()
	err := cmd.Wait()
	c.mu.Lock()
	if c.cmd == cmd {
		c.cmd = nil
	}
	c.mu.Unlock()
	c.event("exited", cmd.Process.Pid, err)
	close(gone)
}

func (c *Child) awaitReady(ctx context.Context) error {
	c.mu.Lock()
	gone, pid := c.gone, 0
	if c.cmd != nil {
		pid = c.cmd.Process.Pid
	}
	c.mu.Unlock()
	if err := awaitReady(ctx, c.name, c.ready, gone); err != nil {
		return err
	}
	c.event("ready", pid, nil)
	return nil
}

// Kill ends the process at once, as kill -9 does, and waits until it is gone. Killing one that is gone is no error.
func (c *Child) Kill() error {
	c.mu.Lock()
	cmd, gone := c.cmd, c.gone
	c.mu.Unlock()
	if cmd == nil {
		return nil
	}
	c.event("killed", cmd.Process.Pid, nil)
	if err := killGroup(cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("killing %s: %w", c.name, err)
	}
	select {
	case <-gone:
		return nil
	case <-time.After(exitWait):
		return fmt.Errorf("killing %s: process %d is still there after %s", c.name, cmd.Process.Pid, exitWait)
	}
}

// end ends the process for good: in order where it may take time for that, else at once.
func (c *Child) end() error {
	c.mu.Lock()
	cmd, gone := c.cmd, c.gone
	c.mu.Unlock()
	if cmd != nil && c.orderly > 0 && signalGroup(cmd.Process, endSignal) == nil {
		c.event("asked to end", cmd.Process.Pid, nil)
		select {
		case <-gone:
		case <-time.After(c.orderly):
		}
	}
	return c.Kill()
}

// Running says whether the process is there.
func (c *Child) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd != nil
}

// Pause stops the process where it stands, as kill -STOP does, and waits until it stands where that can be seen.
func (c *Child) Pause() error {
	if err := c.signal("stopped", stopSignal); err != nil {
		return err
	}
	c.mu.Lock()
	pid := 0
	if c.cmd != nil {
		pid = c.cmd.Process.Pid
	}
	c.mu.Unlock()
	return awaitStopped(pid)
}

// Continue lets a paused process go on.
func (c *Child) Continue() error { return c.signal("continued", continueSignal) }

func (c *Child) signal(what string, sig syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		return fmt.Errorf("%s cannot be %s: it is not running", c.name, what)
	}
	if err := signalGroup(c.cmd.Process, sig); err != nil {
		return fmt.Errorf("%s cannot be %s: %w", c.name, what, err)
	}
	c.event(what, c.cmd.Process.Pid, nil)
	return nil
}
