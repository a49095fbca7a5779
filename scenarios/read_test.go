package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFaultsAreCalledByNamesThatThereAre(t *testing.T) {
	const head = "name: x\ntitle: t\nsteps:\n"
	for text, says := range map[string]string{
		"  - await: {fault: nope}":                                                               `s.yaml:4:5: await: unknown fault "nope"`,
		"  - fault: {cache-flush: {}, as: gone}\n  - heal: gnoe":                                 `did you mean "gone"?`,
		"  - release: held\n  - fault: {hold: {link: bank}, as: held}":                           `s.yaml:4:5: release: unknown fault "held"`,
		"  - fault: {cache-flush: {}}\n  - together: [{heal: cache-flush}, {await: {fault: x}}]": `unknown fault "x"`,
		"  - during: {fault: {link-down: {link: cache}, as: cut}, steps: [{heal: cut}]}":         "",
		"  - fault: {cache-flush: {}}\n  - await: {fault: cache-flush}":                          "",
		"  - pay: {}\nexpect-of: {B: {debits: 0}}":                                               `s.yaml:5:13: unknown payment "B"`,
		"  - wait: 1s\nexpect: {debits: 1}":                                                      "s.yaml:5:1: expect: no step makes a payment",
		"  - pay: {}\nexpect: {debits: -1}":                                                      "debits: -1",
		"  - pay: {}\nexpect: {debits: 1, declined: true}":                                       "declined:",
	} {
		_, err := Load("s.yaml", []byte(head+text+"\n"))
		if says == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, says, text)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(dir)
	require.ErrorContains(t, err, "not a regular file")
	_, err = ReadFile(filepath.Join(dir, "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = ReadFile("/dev/zero")
	require.ErrorContains(t, err, "not a regular file")
}

func TestWordsForAShell(t *testing.T) {
	for word, want := range map[string]string{
		"own.yaml": "own.yaml", "a b.yaml": "'a b.yaml'", "it's.yaml": `'it'\''s.yaml'`, "$x": "'$x'",
	} {
		require.Equal(t, want, quoted(word))
	}
}
