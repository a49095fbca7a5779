package scenarios

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// BenchmarkStackUp measures bringing one stack up, service and all, and taking it down again.
func BenchmarkStackUp(b *testing.B) {
	o := rig(b)
	workdir, err := stack.NewWorkdir(o.Temp)
	require.NoError(b, err)
	defer func() { _ = workdir.Remove() }()
	loopback := stack.NewLoopback(rand.New(rand.NewPCG(1, uint64(os.Getpid()))))
	site, err := o.Runtime.Open(context.Background(), stack.Run{Self: o.Self, Env: o.Env, Workdir: workdir, Loopback: loopback})
	require.NoError(b, err)
	var up []time.Duration
	for b.Loop() {
		began := time.Now()
		s, err := site.Up(context.Background(), stack.Spec{
			Target: o.Target, Speed: 20, Rand: stream(1, "bank"), Recorder: history.NewRecorder(time.Now),
		})
		up = append(up, time.Since(began))
		s.Down()
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(millis(median(up)), "ms/up")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkContainersUp tells where the time of the runtime docker goes: network and image (open), the shared servers and the
// first experiment's two containers (first), and those of each further one (further).
func BenchmarkContainersUp(b *testing.B) {
	o := rig(b)
	servers, err := stack.Docker.Servers(stack.Servers{})
	require.NoError(b, err)
	images, err := stack.ParseImages(os.Getenv(imagesVar), nil)
	require.NoError(b, err)
	workdir, err := stack.NewWorkdir(o.Temp)
	require.NoError(b, err)
	defer func() { _ = workdir.Remove() }()
	loopback := stack.NewLoopback(rand.New(rand.NewPCG(1, uint64(os.Getpid()))))
	began := time.Now()
	site, err := stack.Docker.Open(b.Context(), stack.Run{Self: o.Self, Env: o.Env, Workdir: workdir, Loopback: loopback, Servers: servers, Images: images})
	if errors.Is(err, stack.ErrNotUp) {
		b.Skipf("NOT MEASURED: %v", err)
	}
	require.NoError(b, err)
	defer func() { require.NoError(b, site.Close()) }()
	opened := time.Since(began)
	var up []time.Duration
	for b.Loop() {
		began := time.Now()
		s, err := site.Up(b.Context(), stack.Spec{Target: o.Target, Speed: 20, Rand: stream(1, "bank"), Recorder: history.NewRecorder(time.Now)})
		up = append(up, time.Since(began))
		s.Down()
		require.NoError(b, err)
	}
	b.ReportMetric(millis(opened), "ms/open")
	b.ReportMetric(millis(up[0]), "ms/first")
	if len(up) > 1 {
		b.ReportMetric(millis(median(up[1:])), "ms/further")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScenario measures one scenario as a user has it: from the command to the verdict, in a process of its own.
func BenchmarkScenario(b *testing.B) { benchmarkCommand(b, "run", "bank-answer-lost") }

// BenchmarkCatalogue measures the whole catalogue as a user has it.
func BenchmarkCatalogue(b *testing.B) { benchmarkCommand(b, "run") }

func benchmarkCommand(b *testing.B, args ...string) {
	bin := filepath.Join(b.TempDir(), "onedebit")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "onedebit/cmd/onedebit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building the command: %v: %s", err, out)
	}
	temp := b.TempDir()
	args = append(args, "--quiet", "--seed", "1", "--out", filepath.Join(temp, "out"))
	var took []time.Duration
	peak := int64(0)
	for b.Loop() {
		cmd := exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		stdout, err := os.Create(filepath.Join(temp, "stdout"))
		require.NoError(b, err)
		cmd.Stdout, cmd.Stderr = stdout, stdout
		began := time.Now()
		require.NoError(b, cmd.Start())
		rss := watchMemory(cmd.Process.Pid)
		err = cmd.Wait()
		took = append(took, time.Since(began))
		peak = max(peak, rss())
		_ = stdout.Close()
		if err != nil {
			said, _ := os.ReadFile(stdout.Name())
			b.Fatalf("%v: %v\n%s", args, err, said)
		}
	}
	b.ReportMetric(millis(median(took)), "ms/verdict")
	b.ReportMetric(0, "ns/op")
	if peak > 0 {
		b.ReportMetric(float64(peak)/1024, "peak-MiB")
	} else {
		b.Logf("memory is not measured: this system (%s) has no /proc with children", runtime.GOOS)
	}
}
