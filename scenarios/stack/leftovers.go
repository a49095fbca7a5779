package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Left is what a dead run left behind.
type Left struct {
	Path       string
	Processes  []int // still running
	Leases     int   // databases, keys and queues on servers that others use too
	Containers int
	Networks   int

	onEngine bool   // it has made things on an engine
	host     string // label of what is still there
}

// Leftovers finds what dead runs left below temp, and on the Docker engine where one of them has used it or where that is
// asked for. A run that lives is none of it. The error says what could not be looked at.
func Leftovers(ctx context.Context, temp string, engine bool) ([]Left, error) {
	list, err := leftFolders(temp)
	for _, l := range list {
		engine = engine || l.onEngine
	}
	if err != nil || !engine {
		return list, err
	}
	all, err := leftOnEngine(ctx, list)
	var known []string
	if errors.Is(err, ErrNotUp) {
		// What is there cannot be removed now, and is forgotten with its folder: that stays.
		all = slices.DeleteFunc(all, func(l Left) bool {
			if l.onEngine {
				known = append(known, l.Path)
			}
			return l.onEngine
		})
	}
	if len(known) > 0 {
		return all, fmt.Errorf("what %s has left on the Docker engine stays until that answers: %s", strings.Join(known, ", "), err)
	}
	return all, err
}

// leftFolders finds the folders of dead runs below temp.
func leftFolders(temp string) ([]Left, error) {
	paths, err := filepath.Glob(filepath.Join(temp, workPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("looking for leftovers in %s: %w", temp, err)
	}
	var out []Left
	for _, path := range paths {
		if !abandoned(path) {
			continue
		}
		_, marked := os.Stat(filepath.Join(path, engineFile))
		out = append(out, Left{
			Path: path, Processes: alive(filepath.Join(path, "processes")), Leases: len(leases(path)), onEngine: marked == nil,
		})
	}
	return out, nil
}

// abandoned says whether the run of a working folder is dead: nobody holds its lock. A folder that cannot be looked into is
// somebody else's, and not ours to judge.
func abandoned(path string) bool {
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer lock.Close()
	return lockFile(lock) == nil
}

// alive reads a list of processes and keeps those that still run and are still the same.
func alive(list string) []int {
	f, err := os.Open(list)
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []int
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, born, _ := strings.Cut(lines.Text(), " ")
		pid, err := strconv.Atoi(text)
		if err == nil && pid > 1 && born != "" && birth(pid) == born && processField(pid, 0) != "Z" {
			out = append(out, pid)
		}
	}
	return out
}

// Clean removes it: processes and containers first, then what they have made on servers, and the folder. What cannot be
// removed from a server is in the error and forgotten.
func (l Left) Clean(ctx context.Context) error {
	var errs []error
	for _, pid := range l.Processes {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = killGroup(p)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, fmt.Errorf("ending process %d: %w", pid, err))
		}
	}
	if l.Containers+l.Networks > 0 {
		errs = append(errs, l.sweep(ctx))
	}
	for _, lease := range leases(l.Path) {
		errs = append(errs, lease.end())
	}
	if err := os.RemoveAll(l.Path); err != nil {
		errs = append(errs, fmt.Errorf("removing %s: %w", l.Path, err))
	}
	return errors.Join(errs...)
}
