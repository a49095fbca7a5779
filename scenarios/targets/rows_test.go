package targets

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

// ledger makes a database of a service and returns it with a reader beside it.
func ledger(t *testing.T, b Rows) (*sql.DB, *Reader) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "service.db")
	db, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	_, err = db.Exec(`
		CREATE TABLE pay (id TEXT, ord TEXT, state TEXT, amount INTEGER, currency TEXT, channel TEXT, trade TEXT);
		INSERT INTO pay VALUES ('1', 'O-1', 'paid', 500, 'CNY', 'WECHAT', 'B1'), (2, 'O-2', 'PENDING', 7, 'JPY', NULL, NULL);
		CREATE TABLE trade (no TEXT, ord TEXT, state TEXT);
		INSERT INTO trade VALUES ('B1', 'O-1', 'DONE'), ('B2', 'O-1', NULL);
		CREATE TABLE effect (kind TEXT, ord TEXT, id INTEGER);
		INSERT INTO effect VALUES ('coupon', 'O-1', 9);
		CREATE TABLE alarm (ord TEXT, kind TEXT, detail TEXT);
		INSERT INTO alarm VALUES ('O-1', 'twice', 'two debits'), ('O-2', 'late', NULL);
		CREATE TABLE refund (id TEXT, rid TEXT, ord TEXT, no TEXT, state TEXT, amount INTEGER, currency TEXT, kind TEXT);
		INSERT INTO refund VALUES ('1', 'R-1', 'O-1', 'F1', 'paid', 60, 'CNY', NULL), ('2', NULL, 'O-1', NULL, 'PENDING', 500, 'CNY', 'SURPLUS');
		CREATE TABLE event (id TEXT, type TEXT, ord TEXT, ref TEXT, sent_at INTEGER);
		INSERT INTO event VALUES ('e1', 'pay.success', 'O-1', NULL, 7), ('e2', 'pay.refunded', 'O-1', 'R-1', NULL);
		CREATE TABLE surplus (no TEXT, ord TEXT, amount INTEGER, currency TEXT, state TEXT, refund TEXT);
		INSERT INTO surplus VALUES ('B2', 'O-1', 500, 'CNY', 'paid', 'F2'), ('B3', 'O-1', 500, 'CNY', 'NEW', NULL);`)
	require.NoError(t, err)
	r, err := OpenRows(&Target{Rows: b}, "sqlite", "file:"+file+"?mode=ro&_pragma=busy_timeout(0)", Ways{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return db, r
}

var books = Rows{
	All:     "SELECT * FROM pay ORDER BY id",
	Trades:  "SELECT * FROM trade ORDER BY no",
	Effects: "SELECT * FROM effect",
	Alarms:  "SELECT * FROM alarm ORDER BY ord",
	Refunds: "SELECT * FROM refund ORDER BY id",
	Events:  "SELECT id, type, ord, ref, sent_at IS NOT NULL FROM event ORDER BY id",
	Surplus: "SELECT * FROM surplus ORDER BY no",
	Waiting: "SELECT count(*) FROM trade WHERE state IS NULL",
	States:  map[string]string{"paid": "SUCCESS"},
}

func TestRows(t *testing.T) {
	db, r := ledger(t, books)
	got, err := r.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, history.Reading{
		Rows: []history.Row{
			{ID: "1", Order: "O-1", State: "SUCCESS", Raw: "paid", Amount: 500, Currency: "CNY", Channel: "WECHAT", TradeNo: "B1"},
			{ID: "2", Order: "O-2", State: "PENDING", Amount: 7, Currency: "JPY"},
		},
		Trades:  []history.Trade{{TradeNo: "B1", Order: "O-1", State: "DONE"}, {TradeNo: "B2", Order: "O-1"}},
		Effects: []history.Effect{{Kind: "coupon", Order: "O-1", ID: "9"}},
		Alarms:  []history.Alarm{{Order: "O-1", Kind: "twice", Detail: "two debits"}, {Order: "O-2", Kind: "late"}},
		Refunds: []history.RefundRow{
			{ID: "1", RefundID: "R-1", Order: "O-1", RefundNo: "F1", State: "SUCCESS", Amount: 60, Currency: "CNY"},
			{ID: "2", Order: "O-1", State: "PENDING", Amount: 500, Currency: "CNY", Kind: history.RefundOfSurplus},
		},
		Events: []history.EventRow{{ID: "e1", Type: history.EventPaid, Order: "O-1", Sent: true}, {ID: "e2", Type: history.EventRefunded, Order: "O-1", Ref: "R-1"}},
		Surplus: []history.SurplusRow{
			{TradeNo: "B2", Order: "O-1", Amount: 500, Currency: "CNY", State: "SUCCESS", RefundNo: "F2"},
			{TradeNo: "B3", Order: "O-1", Amount: 500, Currency: "CNY", State: "NEW"},
		},
		Waiting: 1,
	}, got)
	_, err = db.Exec("DELETE FROM pay; UPDATE trade SET state = 'DONE'")
	require.NoError(t, err, "a reader leaves nothing locked")
	got, err = r.Read(t.Context())
	require.NoError(t, err)
	assert.Empty(t, got.Rows)
	assert.Zero(t, got.Waiting)
}

func TestRowsThatSayWhoseItIs(t *testing.T) {
	b := books
	for _, text := range []*string{&b.All, &b.Trades, &b.Effects, &b.Alarms, &b.Refunds, &b.Events, &b.Surplus} {
		*text = "SELECT *, 'M-1' AS Merchant FROM (" + *text + ")"
	}
	_, r := ledger(t, b)
	got, err := r.Read(t.Context())
	require.NoError(t, err)
	for what, merchant := range map[string]string{
		"rows": got.Rows[0].Merchant, "trades": got.Trades[0].Merchant, "effects": got.Effects[0].Merchant, "alarms": got.Alarms[0].Merchant,
		"refunds": got.Refunds[0].Merchant, "events": got.Events[0].Merchant, "surplus": got.Surplus[0].Merchant,
	} {
		assert.Equal(t, "M-1", merchant, what)
	}
	assert.Equal(t, "coupon", got.Effects[0].Kind, "the columns before it stand where they stood")
}

func TestRowsThatAreNotKeptAreEmpty(t *testing.T) {
	_, r := ledger(t, Rows{All: books.All})
	got, err := r.Read(t.Context())
	require.NoError(t, err)
	assert.Len(t, got.Rows, 2)
	assert.Equal(t, "paid", got.Rows[0].State, "a word without a translation stays")
	got.Rows = nil
	assert.Equal(t, history.Reading{}, got)
}

func TestRowsThatCannotBeRead(t *testing.T) {
	with := func(edit func(*Rows)) Rows {
		b := books
		edit(&b)
		return b
	}
	for _, c := range []struct {
		name  string
		books Rows
		want  string
	}{
		{"missing table", with(func(b *Rows) { b.Trades = "SELECT * FROM trades" }), "rows.trades: SQL logic error: no such table: trades"},
		{"no SQL", with(func(b *Rows) { b.All = "GET rows" }), "rows.all: SQL logic error"},
		{"too few columns", with(func(b *Rows) { b.All = "SELECT id, ord FROM pay" }), "rows.all, row 1: sql: expected 2 destination arguments in Scan, not 7"},
		{"too many columns", with(func(b *Rows) { b.Effects = "SELECT *, 1 FROM effect" }), "rows.effects, row 1: sql: expected 4 destination"},
		{"an amount that is none", with(func(b *Rows) { b.All = "SELECT id, ord, state, 'much', currency, channel, trade FROM pay" }), "rows.all, row 1: sql: Scan error on column index 3"},
		{"a fraction of a minor unit", with(func(b *Rows) { b.All = "SELECT id, ord, state, 5.5, currency, channel, trade FROM pay" }), "rows.all, row 1: sql: Scan error on column index 3"},
		{"no state", with(func(b *Rows) { b.All = "SELECT id, ord, NULL, amount, currency, channel, trade FROM pay" }), "rows.all, row 1: sql: Scan error on column index 2"},
		{"alarm without an order", with(func(b *Rows) { b.Alarms = "SELECT NULL, kind, detail FROM alarm" }), "rows.alarms, row 1: "},
		{"waiting is no number", with(func(b *Rows) { b.Waiting = "SELECT 'some'" }), "rows.waiting: sql: Scan error"},
		{"waiting is nothing", with(func(b *Rows) { b.Waiting = "SELECT 1 WHERE 0" }), "rows.waiting: sql: no rows in result set"},
		{"the books are not written to", with(func(b *Rows) { b.Trades = "DELETE FROM trade RETURNING no, ord, state" }), "readonly database"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r := ledger(t, c.books)
			_, err := r.Read(t.Context())
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestRowsAreBounded(t *testing.T) {
	_, r := ledger(t, books)
	assert.Equal(t, 100_000, r.most)
	r.most = 2
	_, err := r.Read(t.Context())
	require.NoError(t, err, "as many as there may be")
	r.most = 1
	_, err = r.Read(t.Context())
	require.ErrorContains(t, err, "rows.all: more than 1 rows")
}

func TestRowsThatAreLocked(t *testing.T) {
	db, r := ledger(t, books)
	_, err := db.Exec("BEGIN EXCLUSIVE")
	require.NoError(t, err)
	_, err = r.Read(t.Context())
	require.ErrorContains(t, err, "database is locked")
	_, err = db.Exec("COMMIT")
	require.NoError(t, err)
	_, err = r.Read(t.Context())
	require.NoError(t, err, "it was the lock alone")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "reading the rows of the service")
}

func TestRowsThatAreNotThere(t *testing.T) {
	r, err := OpenRows(&Target{Rows: books}, "sqlite", "file:"+filepath.Join(t.TempDir(), "none.db")+"?mode=ro", Ways{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	_, err = r.Read(t.Context())
	require.ErrorContains(t, err, "unable to open database file")
	_, err = OpenRows(&Target{Rows: books}, "no such driver", "", Ways{})
	require.ErrorContains(t, err, "opening the rows of the service: sql: unknown driver")
}
