//go:build unix

package stack

import (
	"os"
	"syscall"
)

const (
	endSignal      = syscall.SIGTERM
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)

// childAttributes put a child into a process group of its own, so that Ctrl-C reaches the harness alone, which then
// ends the child in order, and so that a child's own children end with it.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error { return signalGroup(p, syscall.SIGKILL) }

func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

// lockFile takes a lock that ends with the process, however it ends. It does not wait.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
