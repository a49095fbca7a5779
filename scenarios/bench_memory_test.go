package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// memoryTick is how often memory is looked at; what lives shorter is not seen.
const memoryTick = 5 * time.Millisecond

// watchMemory looks at the resident memory of a process and all its children until the function that it returns is
// called, which tells the most that they held together, in KiB; 0 where the system does not tell.
func watchMemory(pid int) (stop func() int64) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	var peak int64
	wait.Go(func() {
		tick := time.NewTicker(memoryTick)
		defer tick.Stop()
		for {
			peak = max(peak, residentTree(pid))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() int64 {
		close(done)
		wait.Wait()
		return peak
	}
}

func residentTree(pid int) int64 {
	total := resident(pid)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		for child := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(child); err == nil {
				total += residentTree(n)
			}
		}
	}
	return total
}

// resident is the resident memory of one process in KiB, or 0 where it has gone.
func resident(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			return n
		}
	}
	return 0
}

func TestResidentMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system tells of no memory in /proc")
	}
	require.Positive(t, resident(os.Getpid()))
	assert.GreaterOrEqual(t, residentTree(os.Getpid()), int64(1024), "KiB; a Go program holds more than one MiB")
	assert.Zero(t, resident(-1))
	assert.Positive(t, watchMemory(os.Getpid())())
}

func median[T int64 | time.Duration](all []T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
