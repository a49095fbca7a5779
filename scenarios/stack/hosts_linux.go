package stack

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// cannotHide says why a process cannot have a hosts file of its own here, or "".
func cannotHide() string { return "" }

// hiddenAttributes are those of a child with mounts of its own. Who may not have that gets a user namespace to have it in, in
// which it stays who it is.
func hiddenAttributes() *syscall.SysProcAttr {
	out := childAttributes()
	out.Cloneflags = syscall.CLONE_NEWNS
	if os.Geteuid() != 0 || !mayMount() {
		out.Cloneflags |= syscall.CLONE_NEWUSER
		out.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		out.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		out.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	return out
}

// mayMount says whether this process has the right to mount.
func mayMount() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// ServeHosts is the role hosts: it hides files of the system from itself and becomes the command. It returns only where that
// cannot be done.
func ServeHosts(role HostsRole, env []string) error {
	if len(role.Args) == 0 {
		return errors.New("a hosts file of one's own: there is no command")
	}
	runtime.LockOSThread() // rights are a thread's own
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return hidden("making mounts private", err)
	}
	for _, place := range slices.Sorted(maps.Keys(role.Files)) {
		if err := unix.Mount(role.Files[place], place, "", unix.MS_BIND, ""); err != nil {
			return hidden("putting a file over "+place, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return hidden("giving rights back", err)
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, ConfigVar+"=") })
	path, err := exec.LookPath(role.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return fmt.Errorf("looking for the command: %w", err)
	}
	return fmt.Errorf("becoming %s: %w", role.Args[0], syscall.Exec(path, role.Args, env))
}

func hidden(what string, err error) error {
	return fmt.Errorf("a hosts file of one's own: %s: %w; this needs root, or user namespaces for everybody "+
		"(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns); with --runtime docker it needs neither", what, err)
}
