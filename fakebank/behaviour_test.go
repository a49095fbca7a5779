package fakebank

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each kind is a file of its own, of the same name, with its test beside it, and stands in the README.
func TestKindsAreKept(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Len(t, Kinds(), 10)
	last := ""
	for _, k := range Kinds() {
		assert.Greater(t, k.Name, last, "sorted")
		last = k.Name
		file := strings.ReplaceAll(k.Name, "-", "_")
		assert.FileExists(t, file+".go")
		assert.FileExists(t, file+"_test.go")
		assert.NotEmpty(t, k.Doc)
		assert.Contains(t, string(readme), "| `"+k.Name+"` |")
		for _, field := range k.Fields() {
			assert.Contains(t, string(readme), "`"+field+"`", k.Name)
		}
	}
}

func TestRegisterRefusesMistakes(t *testing.T) {
	build := func(struct{}) (effect, error) { return effect{}, nil }
	for _, k := range []Kind{{}, {Name: "x", Ops: everyOp}, {Name: "x", Doc: "d"}, {Name: hold.Name, Doc: "d", Ops: everyOp}} {
		assert.Panics(t, func() { register(k, build) }, "%+v", k)
	}
	k := hold.Fields()
	assert.Empty(t, k)
	barrier.Fields()[0] = "changed"
	assert.Equal(t, "copies", barrier.Fields()[0], "callers get copies")
}

func TestArmingIsStrict(t *testing.T) {
	f := start(t)
	for _, tc := range []struct{ body, want string }{
		{`{"kind":"hodl"}`, `unknown kind "hodl": use accept, barrier, decline, drop, fail, garble, hold, overlook, refuse-before, slow (did you mean "hold"?)`},
		{`{}`, `unknown kind ""`},
		{`{"kind":"slow"}`, "slow: delay 0: use 1 to"},
		{`{"kind":"slow","delay":"5s"}`, "delay must be a whole number, not string"},
		{`{"kind":"slow","dealy":5}`, `unknown field "dealy"`},
		{`{"kind":"slow","dealy":5}`, `did you mean "delay"?`},
		{`{"kind":"slow","Delay":5}`, `did you mean "delay"?`},
		{`{"kind":"hold","delay":5}`, `hold: unknown field "delay"`},
		{`{"kind":"hold","on":"debits"}`, `did you mean "debit"?`},
		{`{"kind":"accept","on":"query"}`, `accept: on "query": use debit, refund, any`},
		{`{"kind":"decline","on":"close"}`, `decline: on "close": use debit, refund, hold, capture, any`},
		{`{"kind":"decline","reason":"a\nb"}`, "reason must be printable"},
		{`{"kind":"hold","nth":-1}`, "counted from 1"},
		{`{"kind":"hold","count":-1}`, "count -1"},
		{`{"kind":"drop","how":"rts"}`, `use rst, fin, silence (did you mean "rst"?)`},
		{`{"kind":"fail","status":404}`, "status 404: use 500 to 599"},
		{`{"kind":"refuse-before","status":200}`, "status 200: use 500 to 599"},
		{`{"kind":"barrier","copies":1,"within":5}`, "copies 1"},
		{`{"kind":"barrier","copies":2}`, "within 0"},
		{`{"kind":"hold"}x`, "goes on behind"},
		{`[]`, "the body must be an object"},
	} {
		r := f.rule("POST", "behaviours", tc.body)
		assert.Equal(t, 400, r.status, tc.body)
		assert.Contains(t, r.field(t, "message"), tc.want, tc.body)
	}
	assert.Equal(t, Success, f.debit("T1").field(t, "status"), "nothing was armed")
}

func TestWhichBehaviourDecides(t *testing.T) {
	f := start(t)
	second := f.arm(object{"kind": fail.Name, "status": 501, "nth": 2, "count": 1})
	onB := f.arm(object{"kind": fail.Name, "status": 502, "account": "B"})
	any := f.arm(object{"kind": fail.Name, "status": 503, "on": "any", "nth": 2, "count": 3})
	for i, tc := range []struct {
		send func() reply
		want int
	}{
		{func() reply { return f.debit("T1") }, 200},
		{func() reply { return f.debit("T2") }, 501}, // the first in arming order
		{func() reply { return f.query("T1") }, 503}, // the third counted the debits before it
		{func() reply { return f.debit("T3", object{"account": "B"}) }, 502},
		{func() reply { return f.query("T3") }, 200}, // the third has had its turns
		{func() reply { return f.debit("T4") }, 200},
	} {
		assert.Equal(t, tc.want, tc.send().status, "request %d", i+1)
	}
	for id, want := range map[string][2]int{second: {4, 1}, onB: {1, 1}, any: {6, 1}} {
		c := f.counters(f.rule("GET", "behaviours/"+id, nil))
		assert.Equal(t, want, [2]int{c.Matched, c.Fired}, id)
	}
}

func TestAccountOfAQueryIsFoundByItsNumber(t *testing.T) {
	f := start(t)
	f.debit("T1", object{"account": "B"})
	f.refund("R1", "T1", 5)
	f.arm(object{"kind": fail.Name, "on": "any", "account": "B"})
	assert.Equal(t, 500, f.query("T1").status)
	assert.Equal(t, 500, f.close("T1").status)
	assert.Equal(t, 500, f.refund("R1", "T1", 5).status)
	assert.Equal(t, 404, f.query("T2").status)
}
