package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOverlookHidesWhatIsThere(t *testing.T) {
	f := start(t)
	assert.Equal(t, Success, f.debit("T1").field(t, "status"))
	id := f.arm(object{"kind": overlook.Name, "on": OpQuery, "count": 2})
	for range 2 {
		said := f.query("T1")
		assert.Equal(t, 404, said.status)
		assert.Equal(t, NotFound, said.field(t, "code"))
	}
	assert.Equal(t, Success, f.query("T1").field(t, "status"))
	assert.Equal(t, 2, f.wait(id, "fired=2").Fired)
	assert.Equal(t, 409, f.close("T1").status, "only queries are wrong")
}
