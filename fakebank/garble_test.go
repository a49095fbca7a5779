package fakebank

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGarbleSaysNothing(t *testing.T) {
	for with, want := range map[string]struct {
		status int
		text   string
	}{
		"html-502":        {502, "<html><head><title>502 Bad Gateway"},
		"json-500":        {500, `"code":"SERVER_ERROR"`},
		"truncated":       {200, `{"`},
		"empty-200":       {200, ""},
		"unknown-code":    {409, `"code":"E9071"`},
		"in-progress-409": {409, `"code":"IN_PROGRESS"`},
	} {
		for _, deed := range []string{"", deedDone, deedNot, deedLater} {
			t.Run(with+"/"+deed, func(t *testing.T) {
				f := start(t)
				params := object{"kind": garble.Name, "with": with, "deed": deed, "count": 1}
				if deed == deedLater {
					params["delay"] = time.Hour
				}
				id := f.arm(params)
				said := f.debit("T1")
				require.NoError(t, said.err)
				assert.Equal(t, want.status, said.status)
				assert.Contains(t, said.text, want.text)
				assert.NotContains(t, said.text, Success)
				assert.Equal(t, 1, f.wait(id, "fired=1").Fired)
				switch deed {
				case deedNot:
					assert.Equal(t, 404, f.query("T1").status)
				case deedLater:
					assert.Equal(t, 404, f.query("T1").status)
					assert.Equal(t, 1, f.status().Held)
					f.rule("POST", "behaviours/"+id+"/release", nil)
					require.Eventually(t, func() bool { return f.query("T1").status == 200 }, patience, pollEvery)
					fallthrough
				default:
					assert.Equal(t, Success, f.query("T1").field(t, "status"))
				}
				want := 1
				if deed == deedNot {
					want = 0
				}
				assert.Len(t, f.ledger(kindDebit), want)
				assert.Equal(t, 1, f.wait(id, "fired=1").Fired)
			})
		}
	}
}

func TestGarbleLater(t *testing.T) {
	t.Run("by its own time, with its callback", func(t *testing.T) {
		f := start(t, func(c *Config) { c.AutoCallbacks, c.CallbackDelay = true, 0 })
		hook := listen(t)
		f.arm(object{"kind": garble.Name, "with": "empty-200", "deed": deedLater, "delay": time.Millisecond, "count": 1})
		f.debit("T1", object{"notify_url": hook.URL})
		assert.Equal(t, Success, receive(t, hook.got).body.Status)
	})
	t.Run("not under a number that was closed meanwhile", func(t *testing.T) {
		f := start(t)
		id := f.arm(object{"kind": garble.Name, "with": "empty-200", "deed": deedLater, "delay": time.Hour, "count": 1})
		f.debit("T1")
		assert.Equal(t, 200, f.close("T1").status)
		f.rule("DELETE", "behaviours/"+id, nil)
		require.Eventually(t, func() bool { return f.status().Held == 0 }, patience, pollEvery)
		assert.Empty(t, f.ledger(kindDebit))
	})
	t.Run("a bank that closes waits for nothing", func(t *testing.T) {
		f := start(t)
		f.arm(object{"kind": garble.Name, "with": "empty-200", "deed": deedLater, "delay": time.Hour})
		f.debit("T1")
	})
}

func TestGarbleIllegal(t *testing.T) {
	f := start(t)
	for name, c := range map[string]struct {
		params object
		text   string
	}{
		"nothing":         {object{}, "use empty-200, html-502"},
		"nearly":          {object{"with": "html-503"}, `did you mean \"html-502\"`},
		"no such deed":    {object{"with": "empty-200", "deed": "maybe"}, "use done, not, later"},
		"later, when?":    {object{"with": "empty-200", "deed": "later"}, "delay 0"},
		"delay of a deed": {object{"with": "empty-200", "delay": 5}, "belongs to deed later"},
	} {
		c.params["kind"] = garble.Name
		said := f.rule("POST", "behaviours", c.params)
		assert.Equal(t, 400, said.status, name)
		assert.Contains(t, said.text, c.text, name)
	}
}
