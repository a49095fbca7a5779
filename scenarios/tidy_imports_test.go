package scenarios_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ours says which of our packages each package may import. A package that is not here is a decision not yet made.
var ours = map[string][]string{
	"cmd/onedebit": {"fakebank", "fakebank/dialects", "reference", "reference/mutants", "reports", "scenarios", "scenarios/checks", "scenarios/decode",
		"scenarios/faults", "scenarios/history", "scenarios/stack", "scenarios/sweep", "scenarios/targets", "scenarios/targets/draft", "scenarios/workload"},
	"scenarios/sweep": {"reports", "scenarios", "scenarios/decode", "scenarios/history", "scenarios/registry", "scenarios/stack", "scenarios/targets"},
	"scenarios": {"reports", "scenarios/checks", "scenarios/decode", "scenarios/faults", "scenarios/history", "scenarios/money",
		"scenarios/stack", "scenarios/targets", "scenarios/workload"},
	"scenarios/workload":   {"scenarios/decode", "scenarios/faults", "scenarios/history", "scenarios/registry", "scenarios/stack", "scenarios/targets"},
	"scenarios/faults":     {"scenarios/decode", "scenarios/history", "scenarios/registry", "scenarios/stack", "scenarios/targets"},
	"scenarios/stack":      {"fakebank", "fakebank/dialects", "scenarios/decode", "scenarios/history", "scenarios/registry", "scenarios/stack/wire", "scenarios/targets"},
	"scenarios/targets":    {"fakebank/dialects", "scenarios/decode", "scenarios/history", "scenarios/money"},
	"scenarios/checks":     {"scenarios/history", "scenarios/money", "scenarios/registry"},
	"scenarios/stack/wire": {"scenarios/registry"},

	"scenarios/targets/draft": nil, "scenarios/targets/testdata/examples/stripe": nil,

	"fakebank/dialects":       {"fakebank", "scenarios/decode", "scenarios/money"},
	"reference/mutants":       {"reference"},
	"reference/referencetest": {"reference"},

	"fakebank": nil, "reference": nil, "reports": {"scenarios/money"}, "scenarios/money": nil,
	"scenarios/decode": nil, "scenarios/history": nil, "scenarios/registry": nil,
}

// theirs says where each module of others may be used: in packages that are shipped, and then in the tests of the same.
// Whatever else a test needs is in theirsInTests.
var theirs = map[string][]string{
	"github.com/Shopify/toxiproxy/v2":             {"scenarios/stack"},
	"github.com/agext/levenshtein":                {"fakebank", "scenarios/decode", "scenarios/stack"},
	"github.com/alicebob/miniredis/v2":            {"reference/referencetest", "scenarios/stack"},
	"github.com/go-chi/chi/v5":                    {"reference"},
	"github.com/go-sql-driver/mysql":              {"reference", "scenarios/stack"},
	"github.com/jackc/pgx/v5":                     {"reference", "scenarios/stack"},
	"github.com/rabbitmq/amqp091-go":              {"reference", "scenarios/stack"},
	"github.com/google/nftables":                  {"scenarios/stack"},
	"github.com/google/uuid":                      {"reference", "reference/mutants"},
	"github.com/jmoiron/sqlx":                     {"reference"},
	"github.com/mattn/go-runewidth":               {"reports"},
	"github.com/prometheus/client_golang":         {"reference"},
	"github.com/redis/go-redis/v9":                {"reference", "scenarios/stack"},
	"github.com/moby/moby/api":                    {"scenarios/stack"}, // the engine's own ways, where testcontainers has none: attach, import, labels
	"github.com/moby/moby/client":                 {"scenarios/stack"},
	"github.com/testcontainers/testcontainers-go": {"scenarios/stack"},
	"github.com/rs/zerolog":                       {"scenarios/stack"},
	"github.com/sony/gobreaker/v2":                {"reference", "reference/mutants"},
	"github.com/spf13/cobra":                      {"cmd/onedebit"},
	"github.com/spf13/pflag":                      {"cmd/onedebit"},
	"github.com/twmb/franz-go/pkg/kerr":           {"reference", "scenarios/stack"},
	"github.com/twmb/franz-go/pkg/kfake":          {"reference/referencetest", "scenarios/stack"},
	"github.com/twmb/franz-go/pkg/kgo":            {"reference", "scenarios/stack"},
	"github.com/twmb/franz-go/pkg/kmsg":           {"reference", "scenarios/stack", "scenarios/stack/wire"},
	"github.com/vbauerster/mpb/v8":                {"cmd/onedebit"},
	"go.yaml.in/yaml/v3":                          {"fakebank/dialects", "scenarios/decode", "scenarios/sweep", "scenarios/targets", "scenarios/workload", "scenarios/targets/draft"},
	"golang.org/x/sync":                           {"scenarios"},
	"golang.org/x/sys":                            {"scenarios/stack"},
	"golang.org/x/term":                           {"cmd/onedebit"},
	"modernc.org/sqlite":                          {"reference", "scenarios/targets", "scenarios/targets/testdata/examples/stripe"},
	"github.com/stretchr/testify":                 nil,
	"github.com/rogpeppe/go-internal":             nil,
	"github.com/rakyll/hey":                       nil,
	"github.com/santhosh-tekuri/jsonschema/v6":    nil,
	"github.com/stripe/stripe-go/v85":             {"scenarios/targets/testdata/examples/stripe"},
}

// theirsInTests are the further uses in tests. An empty list stands for every package.
var theirsInTests = map[string][]string{
	"github.com/stretchr/testify":              {},
	"github.com/rogpeppe/go-internal":          {"cmd/onedebit"},
	"github.com/rakyll/hey":                    {"scenarios"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"cmd/onedebit", "reports"},
	"github.com/stripe/stripe-go/v85":          {"fakebank/dialects"},
	"github.com/alicebob/miniredis/v2":         {"reference/mutants"},
	"github.com/twmb/franz-go/pkg/kfake":       {"scenarios/stack/wire"},
	"github.com/twmb/franz-go/pkg/kgo":         {"scenarios/faults", "scenarios/stack/wire"},
	"go.yaml.in/yaml/v3":                       {"cmd/onedebit", "scenarios/faults"},
}

// apart are the two sides that must share nothing: a mistake made on both would cancel itself out. It holds for tests too.
var apart = []string{"fakebank", "reference", "reference/mutants", "reference/referencetest"}

func imported(s *source) []string {
	var out []string
	for _, i := range s.Imports {
		if name, err := strconv.Unquote(i.Path.Value); err == nil {
			out = append(out, name)
		}
	}
	return out
}

func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		allowed, known := ours[s.pkg]
		if !seen[s.pkg] {
			seen[s.pkg] = true
			assert.True(t, known, "%s is not in the table of imports: decide what it may import", s.pkg)
		}
		for _, name := range imported(s) {
			name, mine := strings.CutPrefix(name, "onedebit/")
			if !mine {
				continue
			}
			if slices.Contains(apart, s.pkg) && strings.HasPrefix(name, "scenarios") {
				t.Errorf("%s imports %s of the harness", s.path, name)
			}
			if !s.test && !slices.Contains(allowed, name) {
				t.Errorf("%s must not import %s", s.path, name)
			}
		}
	}
	for pkg := range ours {
		assert.True(t, seen[pkg], "the table of imports names %s, which is not there", pkg)
	}
}

func TestModulesOfOthers(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		for _, name := range imported(s) {
			first, _, _ := strings.Cut(name, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			module := moduleOf(name)
			if module == "" {
				t.Errorf("%s uses %s: a new module is a decision, put it into the table", s.path, name)
				continue
			}
			used[module] = true
			anywhere, inTests := theirsInTests[module]
			if slices.Contains(theirs[module], s.pkg) || s.test && inTests && (len(anywhere) == 0 || slices.Contains(anywhere, s.pkg)) {
				continue
			}
			t.Errorf("%s must not use %s", s.path, module)
		}
	}
	for module := range theirs {
		if module == "github.com/rogpeppe/go-internal" {
			continue // scripts of the command line come and go as a whole
		}
		assert.True(t, used[module], "the table names module %s, which nobody uses", module)
	}
}

// moduleOf is the module of the table that an import path belongs to, or "".
func moduleOf(name string) string {
	for module := range theirs {
		if name == module || strings.HasPrefix(name, module+"/") {
			return module
		}
	}
	return ""
}
