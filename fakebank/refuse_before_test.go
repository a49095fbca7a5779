package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefuseBeforeDoesNothing(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": refuseBefore.Name, "status": 502, "on": "any", "count": 2})
	assert.Equal(t, 502, f.debit("T1").status)
	assert.Equal(t, 502, f.close("T1").status)
	assert.Equal(t, 404, f.query("T1").status, "it must not have acted")
	assert.Empty(t, f.ledger(kindDebit, kindClose))
	assert.Len(t, f.ledger(kindRequest), 3, "but it was asked")
	assert.Equal(t, 2, f.wait(id, "fired=2").Fired)
	assert.Equal(t, Success, f.debit("T1").field(t, "status"))
}
