//go:build unix

package stack

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serverPatience bounds how long a server may take to be ready.
const serverPatience = 2 * time.Minute

// program finds a program of a server, in places where scripts in the path lead to, or else in the path. A test that cannot have its server is skipped
// on a laptop and fails where CI=true.
func program(t *testing.T, name string, places ...string) string {
	t.Helper()
	for _, pattern := range places {
		found, _ := filepath.Glob(filepath.Join(pattern, name))
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	message := fmt.Sprintf("NOT TESTED: %s is not installed; try apt-get install postgresql mariadb-server rabbitmq-server", name)
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// throwaway is a directory that a server runs in and a user for it: servers refuse to run as root.
type throwaway struct {
	dir string
	as  *syscall.Credential
	env []string
}

func newThrowaway(t *testing.T) *throwaway {
	t.Helper()
	dir, err := os.MkdirTemp("", "onedebit") // t.TempDir has names that are too long for a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &throwaway{dir: dir, env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TMPDIR=" + dir}}
	if os.Getuid() != 0 {
		return w
	}
	nobody, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.Atoi(nobody.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, uid, gid))
	w.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: false}
	return w
}

func (w *throwaway) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.as, Setpgid: true}
	return cmd
}

// run runs what prepares a server.
func (w *throwaway) run(t *testing.T, path string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), serverPatience)
	defer cancel()
	out, err := w.command(ctx, path, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", path, strings.Join(args, " "), out)
}

// start starts a server that ends with the test, and all that it has started.
func (w *throwaway) start(t *testing.T, path string, args ...string) {
	t.Helper()
	out, err := os.CreateTemp(w.dir, "out")
	require.NoError(t, err)
	cmd := w.command(context.Background(), path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	_ = out.Close()
	t.Cleanup(func() {
		if t.Failed() {
			said, _ := os.ReadFile(out.Name())
			t.Logf("%s said: %s", path, said[max(0, len(said)-4000):])
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
}

// await waits until a server does what is asked of it.
func await(t *testing.T, what string, try func() error) {
	t.Helper()
	var last error
	ready := func() bool { last = try(); return last == nil }
	deadline := time.Now().Add(serverPatience)
	for !ready() {
		if time.Now().After(deadline) {
			require.NoError(t, last, "waiting for %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// freePort is a port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	return port
}
