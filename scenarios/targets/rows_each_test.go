package targets

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

// askedAfter makes a service's database and records, and a reader that asks it after payments.
func askedAfter(t *testing.T, rows Rows, ways Ways) (*sql.DB, *Reader) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "service.db")
	db, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	_, err = db.Exec(`
		CREATE TABLE payments (id INTEGER PRIMARY KEY, key TEXT, amount INTEGER, status TEXT);
		INSERT INTO payments (key, amount, status) VALUES ('K-1', 1250, 'PAID'), ('K-2', 1250, 'PAID'), ('K-3', 700, 'OPEN'), ('K-4', 800, 'NO');`)
	require.NoError(t, err)
	r, err := OpenRows(&Target{Rows: rows}, "sqlite", "file:"+file+"?mode=ro", ways)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	for i, key := range []string{"K-1", "K-3", "K-4", "K-5"} {
		r.Learn(subject(fmt.Sprintf("O-%d", i+1), key))
	}
	r.Learn(subject("O-1", "K-2")) // the same payment under another key
	return db, r
}

func subject(order, key string) Subject {
	return Subject{Order: order, Amount: 1250, Currency: "USD", Vars: Vars{"order": order, "key": key, "amount": int64(1250)}}
}

func sqlAsk(text string) *Ask { return &Ask{SQL: text} }

func TestRowsByPayment(t *testing.T) {
	count := func(status string) *Ask {
		return sqlAsk("SELECT count(*) FROM payments WHERE key = :key AND status = '" + status + "'")
	}
	_, r := askedAfter(t, Rows{Success: count("PAID"), Pending: count("OPEN"), Declined: count("NO"), Alias: sqlAsk("SELECT 'ride-' || id FROM payments WHERE key = :key")}, Ways{})
	aliases := map[string][]string{}
	r.Alias = func(order, alias string) { aliases[order] = append(aliases[order], alias) }
	got, err := r.Read(t.Context())
	require.NoError(t, err)
	row := func(id, order, state string) history.Row {
		return history.Row{ID: id, Order: order, State: state, Amount: 1250, Currency: "USD"}
	}
	assert.Equal(t, []history.Row{
		row("O-1#1", "O-1", history.StateSuccess), row("O-1#2", "O-1", history.StateSuccess),
		row("O-2#1", "O-2", history.StatePending), row("O-3#1", "O-3", history.StateFailed),
	}, got.Rows, "each key of a payment counts, and a payment that nobody knows has no row")
	assert.Equal(t, map[string][]string{"O-1": {"ride-1", "ride-2"}, "O-2": {"ride-3"}, "O-3": {"ride-4"}}, aliases)
}

func TestOwnDebitsAndBalance(t *testing.T) {
	_, r := askedAfter(t, Rows{
		Success: sqlAsk("SELECT 0"), Debits: sqlAsk("SELECT id, amount FROM payments WHERE key = :key AND status = 'PAID'"),
		Balance: sqlAsk("SELECT sum(amount) FROM payments WHERE status = 'PAID'"),
	}, Ways{})
	got, err := r.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []history.OwnDebit{{ID: "1", Order: "O-1", Amount: 1250, Currency: "USD"}, {ID: "2", Order: "O-1", Amount: 1250, Currency: "USD"}}, got.Debits)
	assert.Equal(t, int64(2500), got.Balance)

	_, r = askedAfter(t, Rows{Success: sqlAsk("SELECT 0"), Debits: sqlAsk("SELECT count(*) FROM payments WHERE key = :key AND status = 'PAID'")}, Ways{})
	got, err = r.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"O-1#1", "O-1#2"}, []string{got.Debits[0].ID, got.Debits[1].ID})
}

func TestRowsByRequest(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/payments/K-1":
			_, _ = fmt.Fprint(w, `{"status": "paid", "items": [{"state": "paid"}, {"state": "open"}], "n": 3}`)
		case "/payments/K-3":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer service.Close()
	for _, c := range []struct {
		name string
		ask  Ask
		want int
	}{
		{"a word", Ask{State: "body.status", Is: []string{"PAID", "paid"}}, 1},
		{"another word", Ask{State: "body.status", Is: []string{"done"}}, 0},
		{"a list", Ask{Count: "body.items"}, 2},
		{"some of a list", Ask{Count: "body.items", State: "state", Is: []string{"paid"}}, 1},
		{"a number", Ask{Count: "body.n"}, 3},
		{"nothing", Ask{Count: "body.none"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.ask.Get = "/payments/${key}"
			r, err := OpenRows(&Target{Rows: Rows{Success: &c.ask}}, "", "", Ways{Base: service.URL})
			require.NoError(t, err)
			r.Learn(subject("O-1", "K-1"))
			r.Learn(subject("O-2", "K-9"))
			got, err := r.Read(t.Context())
			require.NoError(t, err)
			assert.Len(t, got.Rows, c.want, "what is not found is no row")
			r.Learn(subject("O-3", "K-3"))
			_, err = r.Read(t.Context())
			require.EqualError(t, err, "rows.success: GET /payments/K-3: answer 500")
			require.NoError(t, r.Close())
		})
	}
}

func TestRowsByCommand(t *testing.T) {
	read := func(words ...string) (history.Reading, error) {
		r, err := OpenRows(&Target{Rows: Rows{Success: &Ask{Run: words}}}, "", "", Ways{Dir: t.TempDir(), Env: []string{"N=2"}})
		require.NoError(t, err)
		r.Learn(subject("O-1", "K-1"))
		return r.Read(t.Context())
	}
	got, err := read("/bin/sh", "-c", `test "$0" = K-1 && echo $N`, "${key}")
	require.NoError(t, err)
	assert.Len(t, got.Rows, 2)
	_, err = read("/bin/sh", "-c", "echo no such table >&2; exit 3")
	require.EqualError(t, err, "rows.success: /bin/sh: exit status 3: no such table")
	_, err = read("/bin/sh", "-c", "echo some")
	require.EqualError(t, err, `rows.success: expected one number, found "some"`)
}

func TestRowsThatCannotBeAsked(t *testing.T) {
	for want, ask := range map[string]string{
		"rows.success: SQL logic error: no such table: pay":            "SELECT count(*) FROM pay",
		`rows.success: unknown parameter ":kye"; did you mean ":key"?`: "SELECT count(*) FROM payments WHERE key = :kye",
		"rows.success: expected one number, found 4 rows":              "SELECT id FROM payments",
		`rows.success: expected one number, found "PAID"`:              "SELECT 'PAID'",
		`rows.success: expected one number, found "-1"`:                "SELECT -1",
		"rows.success: more than 100000 rows of one payment":           "SELECT 100001",
		"attempt to write a readonly database":                         "DELETE FROM payments RETURNING id",
	} {
		_, r := askedAfter(t, Rows{Success: sqlAsk(ask)}, Ways{})
		_, err := r.Read(t.Context())
		require.ErrorContains(t, err, want)
	}
	r, err := OpenRows(&Target{Rows: Rows{Success: sqlAsk("SELECT 1")}}, "", "", Ways{})
	require.NoError(t, err)
	r.Learn(subject("O-1", "K-1"))
	_, err = r.Read(t.Context())
	require.ErrorContains(t, err, "rows.success: the target has no database: say which under database:")
}
