// Command onedebit breaks payments on purpose and says whether the money is right.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// Whoever reads along may leave early; the run goes on to its verdict and cleans up behind itself.
	signal.Ignore(syscall.SIGPIPE)
	// The first Ctrl-C ends a run in order; the second ends the process, and the next run removes what is left.
	context.AfterFunc(ctx, stop)
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	p := &process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: os.Environ(), Temp: os.TempDir(), Now: time.Now, Self: []string{self, "serve"},
	}
	code := p.main(ctx)
	stop()
	os.Exit(code)
}
