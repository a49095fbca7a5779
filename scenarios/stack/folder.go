package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// linkedFolder makes a folder that has everything that another has, as links, and places of its own: files by relative path
// that are written there, and those in away, which are links to files elsewhere. What a service writes to these never gets into
// the folder of its programmer.
func linkedFolder(at, of string, files, away map[string]string) error {
	var own []string
	for _, places := range []map[string]string{files, away} {
		for path := range places {
			if !filepath.IsLocal(path) {
				return fmt.Errorf("%s: a file of a process is within its folder", path)
			}
			own = append(own, filepath.Clean(path))
		}
	}
	if err := linkAround(at, of, ".", own); err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(at, path), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for path, to := range away {
		if err := os.Symlink(to, filepath.Join(at, path)); err != nil {
			return err
		}
	}
	return nil
}

// linkAround links what is in one folder of the tree, but for the places of its own, around which real folders are made.
func linkAround(at, of, below string, own []string) error {
	if err := os.MkdirAll(filepath.Join(at, below), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(of, below))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	around := map[string]bool{} // folders with own places in them
	for _, path := range own {
		if rest, ok := inside(below, path); ok {
			if first, _, nested := strings.Cut(rest, string(filepath.Separator)); nested {
				around[first] = true
			}
		}
	}
	for _, e := range entries {
		path := filepath.Join(below, e.Name())
		if around[e.Name()] || slices.Contains(own, path) || besideOwn(path, own) {
			continue
		}
		if err := os.Symlink(filepath.Join(of, path), filepath.Join(at, path)); err != nil {
			return err
		}
	}
	for name := range around {
		if err := linkAround(at, of, filepath.Join(below, name), own); err != nil {
			return err
		}
	}
	return nil
}

// besideOwn says whether a file is what a database keeps beside one of the own files.
func besideOwn(path string, own []string) bool {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if base, ok := strings.CutSuffix(path, end); ok && slices.Contains(own, base) {
			return true
		}
	}
	return false
}

// inside is the part of a path below a folder.
func inside(folder, path string) (string, bool) {
	if folder == "." {
		return path, true
	}
	return strings.CutPrefix(path, folder+string(filepath.Separator))
}
