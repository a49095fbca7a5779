package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestSnapshotBeforeLock(t *testing.T) {
	contrastOnServers(t, "snapshot-before-lock", 2, 1, slowCommit, referencetest.With(quiet))
}
