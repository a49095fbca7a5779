package fakebank

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (f *fixture) page(query string) ledgerView {
	f.t.Helper()
	var page ledgerView
	r := f.rule("GET", "ledger?"+query, nil)
	require.Equal(f.t, 200, r.status, r.text)
	require.NoError(f.t, json.Unmarshal([]byte(r.text), &page))
	return page
}

func TestLedgerPages(t *testing.T) {
	f := start(t)
	assert.Equal(t, `{"entries":[],"last":0,"more":false,"truncated":false}`, f.rule("GET", "ledger", nil).text)
	for i := range 4 {
		f.debit(fmt.Sprint("T", i)) // request, debit, answer
	}
	for _, tc := range []struct {
		query    string
		first, n int
		last     int
		more     bool
	}{
		{"", 1, 12, 12, false},
		{"after=0&limit=5", 1, 5, 5, true},
		{"after=5&limit=5", 6, 5, 10, true},
		{"after=10&limit=5", 11, 2, 12, false},
		{"after=12", 0, 0, 12, false},
		{"after=99", 0, 0, 99, false},
		{"limit=12", 1, 12, 12, false},
		{"limit=0", 1, 1, 1, true},
	} {
		page := f.page(tc.query)
		require.Len(t, page.Entries, tc.n, tc.query)
		assert.EqualValues(t, tc.last, page.Last, tc.query)
		assert.Equal(t, tc.more, page.More, tc.query)
		for i, e := range page.Entries {
			assert.EqualValues(t, tc.first+i, e.Seq, tc.query)
			assert.False(t, e.At.IsZero())
		}
	}
}

func TestLedgerNumbersGoOnAfterAReset(t *testing.T) {
	f := start(t)
	f.debit("T1")
	f.rule("POST", "reset", nil)
	assert.Empty(t, f.page("").Entries)
	f.debit("T1")
	page := f.page("after=3")
	require.Len(t, page.Entries, 3)
	assert.EqualValues(t, 4, page.Entries[0].Seq)
	assert.Equal(t, page, f.page("after=1"), "what is forgotten is not there")
}

func TestLedgerIsBoundedAndSaysSo(t *testing.T) {
	f := start(t, func(c *Config) { c.LedgerLimit = 4 })
	f.debit("T1")
	assert.False(t, f.page("").Truncated)
	assert.Equal(t, Success, f.debit("T2").field(t, "status"), "the bank works on")
	page := f.page("")
	assert.True(t, page.Truncated)
	require.Len(t, page.Entries, 5)
	assert.Equal(t, kindError, page.Entries[4].Kind)
	assert.Contains(t, page.Entries[4].Detail, "full")
	f.rule("POST", "reset", nil)
	assert.False(t, f.page("").Truncated)
}

// A page that was read stays as it is while the ledger grows: under -race this also shows that it needs no lock.
func TestPageIsStable(t *testing.T) {
	l := ledger{limit: 1000}
	for range 10 {
		l.add(entry{Kind: kindDebit})
	}
	page, _ := l.page(0, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 500 {
			l.add(entry{Kind: kindClose})
		}
	}()
	for i, e := range page {
		assert.EqualValues(t, i+1, e.Seq)
		assert.Equal(t, kindDebit, e.Kind)
	}
	<-done
	assert.Equal(t, 10, cap(page))
}
