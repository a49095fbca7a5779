package checks

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestListedAndCounted(t *testing.T) {
	assert.Equal(t, "", listed(nil))
	assert.Equal(t, "a", listed([]string{"a"}))
	assert.Equal(t, "a, b and c", listed([]string{"a", "b", "c"}))
	assert.Equal(t, "1 debit", counted(1, "debit"))
	assert.Equal(t, "0 debits", counted(0, "debit"))
}
