package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// watchEvery is how often files are looked at. A file that is being written is left alone until it stands still for as long.
const watchEvery = 150 * time.Millisecond

// fileStamp tells whether a file has been saved.
type fileStamp struct {
	size  int64
	saved time.Time
}

// stamps are those of the files that are there.
func stamps(files []string) map[string]fileStamp {
	out := map[string]fileStamp{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			out[file] = fileStamp{info.Size(), info.ModTime()}
		}
	}
	return out
}

// watch does something at once, and again whenever one of the files was saved, until ctx ends. What goes wrong is said, and the
// next save tries again.
func (p *process) watch(ctx context.Context, files []string, do func() error) error {
	if len(files) == 0 {
		return usage{errors.New("--watch needs the scenario files that are to be watched")}
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			return usage{fmt.Errorf("--watch %s: it is no file; onedebit scenarios show NAME > my-own.yaml makes one", file)}
		}
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.Base(file)
	}
	for {
		before := stamps(files)
		err := do()
		var said exit
		if err != nil && ctx.Err() == nil && !errors.As(err, &said) {
			p.complain(err)
		}
		fmt.Fprintf(p.Stderr, "watching %s; Ctrl-C ends it\n", strings.Join(names, ", "))
		if !saved(ctx, files, before) {
			return nil
		}
	}
}

// saved waits until a file is another one than before, and all are there and stand still; false where ctx ended.
func saved(ctx context.Context, files []string, before map[string]fileStamp) bool {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	last := before
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now := stamps(files)
		if len(now) == len(files) && !maps.Equal(now, before) && maps.Equal(now, last) {
			return true
		}
		last = now
	}
}
