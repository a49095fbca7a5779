package stack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// takenMark is the file by which a folder of results is known. It is locked while somebody writes there, however that
// ends, and stays.
const takenMark = ".onedebit"

// Mine says whether a folder has been taken before: what is in it under names of ours is ours.
func Mine(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, takenMark))
	return err == nil
}

// TakeFolder takes a folder of results for one writer until it is given back. The error, which wraps ErrNotUp, says who has
// it.
func TakeFolder(dir, who string) (giveBack func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, takenMark), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("taking the folder %s: %w: %w", dir, ErrNotUp, err)
	}
	if err := lockFile(f); err != nil && !errors.Is(err, errors.ErrUnsupported) { // some file systems know no locks
		holder, _ := io.ReadAll(io.LimitReader(f, 200))
		_ = f.Close()
		return nil, fmt.Errorf("the folder %s is being written by another run (%s): wait until it has ended, or choose another folder: %w",
			dir, strings.TrimSpace(string(holder)), ErrNotUp)
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(who+"\n"), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("taking the folder %s: %w: %w", dir, ErrNotUp, err)
	}
	return f.Close, nil
}
