//go:build windows

package stack

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Windows has no signals that stop and continue a process; sending these is an error that says so.
const (
	endSignal      = syscall.SIGTERM
	stopSignal     = syscall.Signal(0x13)
	continueSignal = syscall.Signal(0x12)
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) error { return p.Kill() }

func signalGroup(p *os.Process, sig syscall.Signal) error { return p.Signal(sig) }

// lockFile takes a lock that ends with the process, however it ends. It does not wait.
func lockFile(f *os.File) error {
	const exclusiveAndAtOnce = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), exclusiveAndAtOnce, 0, 1, 0, new(windows.Overlapped))
}
