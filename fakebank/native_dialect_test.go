package fakebank_test

import (
	"fmt"
	"os"
	"testing"

	"onedebit/fakebank"
	"onedebit/fakebank/dialects"
)

// All tests of the bank run twice: over its own API, and over the same API written as a dialect. What holds for one has to
// hold for the other.
func TestMain(m *testing.M) {
	if code := m.Run(); code != 0 {
		os.Exit(code)
	}
	native, err := dialects.Named("native")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fakebank.Speak(func(c fakebank.Config) fakebank.Language {
		speaker, err := native.Speak(dialects.Options{Secret: c.Secret, Clock: c.Clock})
		if err != nil {
			panic(err) // there are no settings that could be wrong
		}
		return speaker
	})
	fmt.Println("the same tests over dialect native:")
	os.Exit(m.Run())
}
