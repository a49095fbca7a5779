package targets

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Ways in which keys are made.
const (
	KeyLetters = "letters"
	KeyUUID    = "uuid"
	KeyNone    = "none"
)

// Key is how the idempotency key of a payment is made.
type Key struct {
	Kind   string `yaml:"-"`
	Prefix string `yaml:"prefix"`
	Length int    `yaml:"length"` // of all of it
}

// Bounds of a key that is made of letters: shorter ones would come twice.
const (
	minKeyLetters = 8
	maxKeyLetters = 255
	usualKey      = 22
	usualPrefix   = "K-"
)

// DecodeNode reads uuid, none, or {prefix: K-, length: 20}.
func (k *Key) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		k.Kind = n.Value
		if kinds := []string{KeyUUID, KeyNone, KeyLetters}; !slices.Contains(kinds, k.Kind) {
			return f.Unknown(n, "kind of key", k.Kind, kinds)
		}
		return nil
	}
	type plain Key
	if err := f.Decode(n, (*plain)(k)); err != nil {
		return err
	}
	k.Kind = KeyLetters
	if k.Length == 0 {
		k.Length = max(usualKey, len(k.Prefix)+minKeyLetters)
	}
	if letters := k.Length - len(k.Prefix); letters < minKeyLetters || k.Length > maxKeyLetters {
		return fmt.Errorf("length: %d leaves %d letters behind the prefix; at least %d, and at most %d in all", k.Length, letters, minKeyLetters, maxKeyLetters)
	}
	return nil
}

// letters are those that nobody takes for another.
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// Word is a word of so many letters.
func Word(rng *rand.Rand, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[rng.IntN(len(letters))]
	}
	return string(out)
}

// Make makes a key; "" where the service has none.
func (k *Key) Make(rng *rand.Rand) string {
	switch {
	case k.Kind == KeyNone:
		return ""
	case k.Kind == KeyUUID:
		return madeUUID(rng)
	case k.Length == 0:
		return usualPrefix + Word(rng, usualKey-len(usualPrefix))
	}
	return k.Prefix + Word(rng, k.Length-len(k.Prefix))
}

// madeUUID is a random UUID, of version 4, from a stream of chance.
func madeUUID(rng *rand.Rand) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(rng.IntN(256))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
