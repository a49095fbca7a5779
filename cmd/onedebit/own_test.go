package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
)

// example is a copy of an example of a service of one's own.
func example(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(services+"/testdata/examples/"+name)))
	return folder
}

// tried carries a scenario out on a service of one's own, with the bank in every way that the target knows, and returns the exit
// code and the worst result.
func tried(t *testing.T, folder, file, scenario string) (int, reports.Scenario) {
	t.Helper()
	cmd := exec.Command("onedebit", "run", "--target", file, scenario, "--format", "json", "--quiet")
	cmd.Dir = folder
	out, _ := cmd.CombinedOutput()
	var doc reports.Document
	require.NoError(t, json.Unmarshal([]byte(text(t, folder, "onedebit-out", "result.json")), &doc), string(out))
	require.NotEmpty(t, doc.Scenarios, string(out))
	worst := doc.Scenarios[0]
	for _, s := range doc.Scenarios {
		if reports.Worst(worst.Verdict, s.Verdict) != worst.Verdict {
			worst = s
		}
	}
	return cmd.ProcessState.ExitCode(), worst
}

// A service that pays twice is found by the right check, and one that does not is not accused.
func TestServicesOfOnesOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("the run is a process of its own, of which the race detector would see nothing")
	}
	t.Parallel()
	for language, program := range map[string]string{"python": "python3", "node": "node"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			needs(t, program)
			code, result := tried(t, example(t, language+"/broken"), "shop.yaml", "bank-answer-lost")
			assert.Equal(t, exitBroken, code, "%+v", result)
			assert.Contains(t, failed(&result), "one-debit")
			code, result = tried(t, example(t, language+"/mended"), "shop.yaml", "bank-answer-lost")
			assert.Equal(t, exitPass, code, "%+v", result)
		})
	}
}

// Stripe's own client, in a program that knows nothing of a test, asks a host name that is fixed in its code, over TLS.
func TestStripeByItsOwnNameOverTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("the run is a process of its own, of which the race detector would see nothing")
	}
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("host names fixed in code are led elsewhere on Linux only")
	}
	folder := example(t, "stripe")
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "shop"), "./"+services+"/testdata/examples/stripe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	code, result := tried(t, folder, "stripe.yaml", "bank-answer-lost")
	assert.Equal(t, exitPass, code, "%+v", result)

	forgetful := strings.Replace(text(t, folder, "stripe.yaml"), "[./shop]", "[./shop, -fresh-keys]", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "forgetful.yaml"), []byte(forgetful), 0o644))
	code, result = tried(t, folder, "forgetful.yaml", "bank-answer-lost")
	assert.Equal(t, exitBroken, code, "%+v", result)
	assert.Contains(t, failed(&result), "one-debit")
}
