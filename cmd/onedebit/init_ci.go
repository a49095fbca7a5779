package main

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios/decode"
)

//go:embed ci
var pipelines embed.FS

// pipelineFile is one file of a pipeline: ours, and where it belongs in somebody's repository.
type pipelineFile struct{ from, to string }

// ciKinds are the systems that a pipeline can be written for.
var ciKinds = map[string][]pipelineFile{
	"github":     {{"github.yaml", ".github/workflows/onedebit.yaml"}},
	"gitlab":     {{"gitlab.yaml", ".gitlab-ci.yml"}},
	"jenkins":    {{"Jenkinsfile", "Jenkinsfile"}},
	"kubernetes": {{"kubernetes-parts.yaml", "onedebit-parts.yaml"}, {"kubernetes-merge.yaml", "onedebit-merge.yaml"}},
}

func ciNames() []string { return slices.Sorted(maps.Keys(ciKinds)) }

func addCI(cmd *cobra.Command, ci, dir *string) {
	cmd.Flags().StringVar(ci, "ci", "", "write a pipeline for "+strings.Join(ciNames(), ", "))
	cmd.Flags().StringVar(dir, "dir", ".", "with --ci: the repository to write it into")
	complete(cmd, "ci", ciNames())
}

// writePipeline writes the files of a pipeline into a repository: all, or none where one is there already.
func (p *process) writePipeline(ci, dir string, args []string) error {
	if len(args) > 0 {
		return usage{fmt.Errorf("--ci writes files of fixed names, and takes no %s; --dir names the repository", args[0])}
	}
	files, ok := ciKinds[ci]
	if !ok {
		return usage{errors.New(decode.UnknownName("system", ci, ciNames()))}
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.to))
		if _, err := os.Lstat(to); err == nil {
			return usage{fmt.Errorf("%s is there already: move it away, or write into another folder with --dir and merge by hand", to)}
		}
	}
	for _, f := range files {
		text, err := pipelines.ReadFile("ci/" + f.from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(f.to))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", to, err)
		}
		if err := writeWhole(to, text); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, "wrote", to)
	}
	return nil
}
