package main

import (
	"bytes"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestPipelinesAreWrittenAndNothingIsOverwritten(t *testing.T) {
	for _, ci := range ciNames() {
		p := inProcess(t)
		dir := t.TempDir()
		c := p.do(t, "init", "--ci", ci, "--dir", dir)
		require.Equal(t, exitPass, c.code, c.stderr)
		for _, f := range ciKinds[ci] {
			assert.Equal(t, pipelineText(t, f.from), text(t, dir, filepath.FromSlash(f.to)))
		}
		c = p.do(t, "init", "--ci", ci, "--dir", dir)
		assert.Equal(t, exitUsage, c.code)
		assert.Contains(t, c.stderr, "is there already")
	}
	c := inProcess(t).do(t, "init", "--ci", "gitlap")
	assert.Equal(t, exitUsage, c.code)
	assert.Contains(t, c.stderr, "gitlab")
}

func pipelineText(t *testing.T, name string) string {
	t.Helper()
	data, err := pipelines.ReadFile("ci/" + name)
	require.NoError(t, err)
	return string(data)
}

// documents are the YAML documents of a pipeline.
func documents(t *testing.T, name string) (out []map[string]any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(pipelineText(t, name)))
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err, name)
		out = append(out, doc)
	}
}

// knownKeys demands that a part of a pipeline has these keys only.
func knownKeys(t *testing.T, where string, part any, known ...string) map[string]any {
	t.Helper()
	m, ok := part.(map[string]any)
	require.True(t, ok, "%s is no map", where)
	for key := range m {
		assert.Contains(t, known, key, where)
	}
	return m
}

func TestPipelineOfGitHub(t *testing.T) {
	docs := documents(t, "github.yaml")
	require.Len(t, docs, 1)
	top := knownKeys(t, "workflow", docs[0], "name", "on", "permissions", "concurrency", "env", "jobs")
	jobs := top["jobs"].(map[string]any)
	for name, j := range jobs {
		job := knownKeys(t, name, j, "needs", "if", "runs-on", "timeout-minutes", "strategy", "env", "steps")
		if needs, ok := job["needs"].(string); ok {
			assert.Contains(t, jobs, needs)
		}
		for _, s := range job["steps"].([]any) {
			step := knownKeys(t, name, s, "name", "if", "uses", "with", "run")
			_, uses := step["uses"]
			_, run := step["run"]
			assert.NotEqual(t, uses, run, "a step either uses or runs")
			if script, ok := step["run"].(string); ok {
				assert.NotContains(t, script, "${{", "what comes from outside goes through the environment")
				shellParses(t, script)
			}
		}
	}
}

func TestPipelineOfGitLab(t *testing.T) {
	docs := documents(t, "gitlab.yaml")
	require.Len(t, docs, 1)
	stages := docs[0]["stages"].([]any)
	for name, j := range docs[0] {
		if name == "variables" || name == "stages" {
			continue
		}
		job := knownKeys(t, name, j, "stage", "image", "cache", "script", "artifacts", "parallel", "timeout", "when", "allow_failure")
		assert.Contains(t, stages, job["stage"])
		var script []string
		for _, line := range job["script"].([]any) {
			script = append(script, line.(string))
		}
		shellParses(t, strings.Join(script, "\n"))
	}
}

var (
	groovyShell = regexp.MustCompile(`(?s)sh '''(.*?)'''`)
	groovyWords = regexp.MustCompile(`(?m)^\s*([a-z]+)\b[^\n]*\{\s*$`)
)

func TestPipelineOfJenkins(t *testing.T) {
	script := pipelineText(t, "Jenkinsfile")
	found := groovyShell.FindAllStringSubmatch(script, -1)
	require.Len(t, found, 2)
	for _, m := range found {
		shellParses(t, m[1])
	}
	bare := groovyShell.ReplaceAllString(script, "")
	assert.Equal(t, strings.Count(bare, "{"), strings.Count(bare, "}"))
	for _, m := range groovyWords.FindAllStringSubmatch(bare, -1) {
		assert.Contains(t, []string{"pipeline", "options", "environment", "stages", "stage", "steps", "post", "always"}, m[1])
	}
}

func TestJobsOfKubernetes(t *testing.T) {
	parts := documents(t, "kubernetes-parts.yaml")
	require.Len(t, parts, 2)
	assert.Equal(t, "PersistentVolumeClaim", parts[0]["kind"])
	spec := knownKeys(t, "job", parts[1]["spec"], "completionMode", "completions", "parallelism", "backoffLimitPerIndex", "podFailurePolicy", "template")
	assert.Equal(t, "Indexed", spec["completionMode"])
	assert.Equal(t, spec["completions"], spec["parallelism"])
	pod := podOf(t, spec)
	assert.Contains(t, pod["env"], map[string]any{"name": shardsVar, "value": "4"})
	assert.Equal(t, 4, spec["completions"])

	merge := documents(t, "kubernetes-merge.yaml")
	require.Len(t, merge, 1)
	spec = knownKeys(t, "job", merge[0]["spec"], "backoffLimit", "template")
	args := wordsOf(podOf(t, spec)["args"])
	for _, part := range []string{"/results/part-0", "/results/part-3"} {
		assert.Contains(t, args, part)
	}
	assert.NotContains(t, args, "/results/part-4")
}

// podOf is the container of a job whose volumes are all there.
func podOf(t *testing.T, job map[string]any) map[string]any {
	t.Helper()
	spec := knownKeys(t, "pod", job["template"].(map[string]any)["spec"], "restartPolicy", "securityContext", "containers", "volumes")
	var volumes []string
	for _, v := range spec["volumes"].([]any) {
		volumes = append(volumes, v.(map[string]any)["name"].(string))
	}
	containers := spec["containers"].([]any)
	require.Len(t, containers, 1)
	c := knownKeys(t, "container", containers[0], "name", "image", "command", "args", "env", "resources", "volumeMounts")
	for _, m := range c["volumeMounts"].([]any) {
		assert.Contains(t, volumes, m.(map[string]any)["name"])
	}
	assert.NoError(t, takes("onedebit "+strings.Join(wordsOf(c["args"]), " ")))
	return c
}

func wordsOf(list any) (out []string) {
	for _, v := range list.([]any) {
		out = append(out, v.(string))
	}
	return out
}

// shellParses demands that a shell can read a script, and that what it asks of onedebit exists.
func shellParses(t *testing.T, script string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	cmd := exec.Command(bash, "-n")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, script)
	for line := range strings.Lines(script) {
		_, command, found := strings.Cut(line, "/onedebit ")
		if !found {
			continue
		}
		command, _, _ = strings.Cut(command, " || ")
		words := slices.DeleteFunc(strings.Fields(command), func(w string) bool { return w == "$ONEDEBIT_ARGS" || w == "$known" })
		for i, w := range words {
			if strings.HasPrefix(w, `"$`) && words[i-1] == "--seed" {
				words[i] = "1"
			}
		}
		assert.NoError(t, takes("onedebit "+strings.Join(words, " ")), line)
	}
}

// The pages show the pipelines as they are written.
func TestPipelinesOnThePageAreFresh(t *testing.T) {
	parts := map[string]string{}
	for _, ci := range ciNames() {
		var b bytes.Buffer
		for _, f := range ciKinds[ci] {
			language := strings.TrimPrefix(path.Ext(f.from), ".")
			if language == "" {
				language = "groovy"
			}
			b.WriteString("`" + f.to + "`\n\n```" + language + "\n" + pipelineText(t, f.from) + "```\n")
			if f != ciKinds[ci][len(ciKinds[ci])-1] {
				b.WriteString("\n")
			}
		}
		parts[ci] = b.String()
	}
	freshParts(t, repository+"/reports/README.md", parts)
}
