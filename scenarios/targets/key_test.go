package targets

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		key  Key
		form string
	}{
		{Key{}, `^K-[A-Z2-9]{20}$`},
		{Key{Kind: KeyUUID}, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`},
		{Key{Kind: KeyLetters, Prefix: "pay_", Length: 15}, `^pay_[A-Z2-9]{11}$`},
		{Key{Kind: KeyNone}, `^$`},
	} {
		assert.Regexp(t, c.form, c.key.Make(rng))
	}
	uuid := Key{Kind: KeyUUID}
	assert.NotEqual(t, uuid.Make(rng), uuid.Make(rng))
}
