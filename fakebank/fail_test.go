package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFailActsAndHidesIt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		params object
		status int
		text   string
	}{
		{"default", object{}, 500, "SERVER_ERROR"},
		{"json body", object{"status": 503, "body": `{"oops":1}`}, 503, `{"oops":1}`},
		{"html body", object{"status": 502, "body": "<h1>Bad Gateway</h1>"}, 502, "<h1>Bad Gateway</h1>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			tc.params["kind"], tc.params["count"] = fail.Name, 1
			id := f.arm(tc.params)
			r := f.debit("T1")
			assert.Equal(t, tc.status, r.status)
			assert.Contains(t, r.text, tc.text)
			assert.Equal(t, Success, f.query("T1").field(t, "status"), "it must have acted")
			assert.Equal(t, tc.status, f.ledger(kindAnswer)[0].HTTP)
			assert.Equal(t, 1, f.wait(id, "fired=1").Fired)
			assert.Equal(t, 200, f.debit("T1").status)
			assert.Len(t, f.ledger(kindDebit), 1)
		})
	}
}
