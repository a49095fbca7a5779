package stack

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Examined is one thing that a runtime needs of the machine, and how it stands.
type Examined struct {
	What  string `json:"what"`
	State string `json:"state"` // Usable, Limited or Missing
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // what to do where it is not usable
}

// States of what was examined.
const (
	Usable  = "ok"
	Limited = "limited" // something cannot be carried out, the rest can
	Missing = "missing"
)

func usable(what, format string, args ...any) Examined {
	return Examined{What: what, State: Usable, Found: fmt.Sprintf(format, args...)}
}

func missing(what string, err error, do string) Examined {
	return Examined{What: what, State: Missing, Found: err.Error(), Do: do}
}

// leastFree is the room below which a disk is told of: a run with its histories, or an image, needs less.
const leastFree = 1 << 30

// examineRoom looks at the room on the disk of a folder. A disk whose room cannot be told is not a reason to run nothing.
func examineRoom(what, dir string) Examined {
	free, err := freeBytes(dir)
	switch {
	case err != nil:
		return usable(what, "%s; its room cannot be told: %v", dir, err)
	case free < leastFree:
		return Examined{What: what, State: Limited, Found: fmt.Sprintf("%s has %d MB free", dir, free>>20), Do: "make room: a run may need 1 GB"}
	}
	return usable(what, "%s has %d GB free", dir, free>>30)
}

// examineEmbedded looks at what the embedded runtime needs: a folder, addresses, and this very binary.
func examineEmbedded(_ context.Context, run Run) []Examined {
	out := []Examined{examineRoom("temporary folder", filepath.Dir(run.Workdir.Path)), examineLoopback(run.Loopback)}
	if path, err := exec.LookPath(run.Self[0]); err != nil {
		out = append(out, missing("this executable", err, "start onedebit by its full path"))
	} else {
		out = append(out, usable("this executable", "%s", path))
	}
	return out
}

func examineLoopback(l *Loopback) Examined {
	address, err := l.Fixed()
	if err != nil {
		return missing("loopback", err, "end what listens there")
	}
	return usable("loopback", "%s is free", address)
}
