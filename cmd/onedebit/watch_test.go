package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWatchDoesItAgainWheneverAFileIsSaved(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "my-own.yaml")
	save := func(text string) {
		next := file + ".next" // as editors save
		require.NoError(t, os.WriteFile(next, []byte(text), 0o600))
		require.NoError(t, os.Rename(next, file))
	}
	save("one")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	p := &process{Stderr: &stderr}
	var seen []string
	err := p.watch(ctx, []string{file}, func() error {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		seen = append(seen, string(data))
		switch len(seen) {
		case 1:
			save("three words now")
			return errors.New("it is wrong")
		case 2:
			save("two")
			return exit(exitBroken)
		}
		cancel()
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "three words now", "two"}, seen)
	assert.Contains(t, stderr.String(), "onedebit: it is wrong\nwatching my-own.yaml; Ctrl-C ends it\n")
	assert.NotContains(t, stderr.String(), "exit 1")
}

func TestWatchNeedsFiles(t *testing.T) {
	p := &process{}
	never := func() error { panic("it must not begin") }
	assert.ErrorContains(t, p.watch(context.Background(), nil, never), "needs the scenario files")
	assert.ErrorContains(t, p.watch(context.Background(), []string{"bank-answer-lost"}, never), "it is no file")
}
