//go:build !linux

package stack

import (
	"errors"
	"syscall"
)

// cannotHide says why a process cannot have a hosts file of its own here, or "".
func cannotHide() string {
	return "only Linux can give a process a hosts file of its own; run this on Linux, or in containers with image: and --runtime docker, or let the service take the address from its environment"
}

func hiddenAttributes() *syscall.SysProcAttr { return childAttributes() }

// ServeHosts is the role hosts, which only Linux can carry out.
func ServeHosts(HostsRole, []string) error { return errors.New(cannotHide()) }
