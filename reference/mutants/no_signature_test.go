package mutants_test

import (
	"testing"
	"time"
)

func TestNoSignature(t *testing.T) {
	contrast(t, "no-signature", 200, 401, func(r *rig) int { return notifySigned(r, time.Now(), "guessed") })
}
