package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHoldUntilReleasedOrRemoved(t *testing.T) {
	for _, tc := range []struct {
		name, method, path string
		armed              bool
	}{
		{"released", "POST", "/release", true},
		{"removed", "DELETE", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			id := f.arm(object{"kind": hold.Name, "name": "h"})
			first, second := f.later("T1"), f.later("T2")
			assert.Equal(t, counters{id, hold.Name, "h", true, 2, 2, 2}, f.wait(id, "fired=2&holding=2"))
			assert.Equal(t, Success, f.query("T1").field(t, "status"), "it must have acted")
			assert.Equal(t, 2, f.status().Held)
			assert.Empty(t, first)

			after := f.counters(f.rule(tc.method, "behaviours/"+id+tc.path, nil))
			assert.Equal(t, tc.armed, after.Armed)
			assert.Equal(t, 200, receive(t, first).status)
			assert.Equal(t, 200, receive(t, second).status)
			third := f.later("T3")
			if !tc.armed {
				assert.Equal(t, 200, receive(t, third).status)
				assert.Equal(t, counters{id, hold.Name, "h", false, 2, 2, 0}, f.counters(f.rule("GET", "behaviours/"+id, nil)))
				return
			}
			assert.Equal(t, 3, f.wait(id, "fired=3&holding=1").Matched)
			f.rule("DELETE", "behaviours/"+id, nil)
			receive(t, third)
		})
	}
}

func TestHoldByResetEnds(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": hold.Name, "on": "any"})
	held := f.later("T1")
	f.wait(id, "holding=1")
	assert.Equal(t, 200, f.rule("POST", "reset", nil).status)
	assert.Equal(t, 200, receive(t, held).status)
	assert.Equal(t, 404, f.rule("GET", "behaviours/"+id, nil).status)
	assert.Equal(t, 404, f.query("T1").status)
}
