package targets

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"

	_ "modernc.org/sqlite" // the driver of the embedded database

	"onedebit/scenarios/history"
)

// maxRows bounds one reading of one table; a service with more rows than this is not under test but in production.
const maxRows = 100_000

// Rows say where the service keeps what it knows. Either all rows are read by one query, or each payment is asked after;
// columns of a query for all are taken by position. A last column that is named merchant says whose order it is, where two
// merchants may use one number.
type Rows struct {
	All     string            `yaml:"all"`     // id, order, state, amount, currency, channel, trade number
	Trades  string            `yaml:"trades"`  // trade number, order, state
	Effects string            `yaml:"effects"` // kind, order, id
	Alarms  string            `yaml:"alarms"`  // order, kind, detail
	Refunds string            `yaml:"refunds"` // id, refund id, order, refund number, state, amount, currency, kind (SURPLUS or nothing)
	Events  string            `yaml:"events"`  // id, type (pay.success, pay.refunded …), order, what of the order, sent (yes or no)
	Surplus string            `yaml:"surplus"` // trade number, order, amount, currency, state, refund number
	Waiting string            `yaml:"waiting"` // one number: work still to be done
	States  map[string]string `yaml:"states"`  // the service's own words for PENDING, PROCESSING, UNKNOWN, SUCCESS, FAILED, CLOSED, PARTLY_REFUNDED and REFUNDED

	Success  *Ask `yaml:"success"`  // SQL, request or command, of one payment: how many rows say that it is paid
	Declined *Ask `yaml:"declined"` // the same: that it is definitely not paid
	Pending  *Ask `yaml:"pending"`  // the same: that it is under way
	Debits   *Ask `yaml:"debits"`   // where there is no bank: how many debits, or rows of id and amount
	Balance  *Ask `yaml:"balance"`  // one number for all: what is gone from the account; equal to the sum of what is paid
	Alias    *Ask `yaml:"alias"`    // the name by which the bank knows the payment
	Alone    bool `yaml:"alone"`    // nothing joins bank and payment: one payment at a time
}

// Read says whether payment rows can be read at all.
func (r *Rows) Read() bool { return r.All != "" || r.Success != nil }

// Reader reads the books of one running service, beside it: never over a link that a fault may be on.
type Reader struct {
	// Alias is told the name by which the bank knows a payment; nil where nobody wants to know.
	Alias func(order, alias string)

	rows      *Rows
	amount    *Amount
	currency  string
	constants Vars
	ways      Ways
	client    *http.Client
	asked     asked
	driver    string
	db        *sql.DB // nil where the service has none
	snapshot  sql.TxOptions
	most      int // rows of one table
}

// OpenRows makes ready to read the rows of a target: in a database, if it has one, and in other ways.
func OpenRows(t *Target, driver, dsn string, ways Ways) (*Reader, error) {
	r := &Reader{
		rows: &t.Rows, amount: &t.Payment.Amount, currency: t.Currency(), constants: t.constants(), ways: ways, driver: driver,
		client: &http.Client{Transport: ways.HTTP, Timeout: askWait}, asked: asked{known: map[string]*inquiry{}},
		snapshot: sql.TxOptions{ReadOnly: true}, most: maxRows,
	}
	if driver == "" {
		return r, nil
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("opening the rows of the service: %w", err)
	}
	db.SetMaxOpenConns(1)
	r.db = db
	if driver != "sqlite" { // whose transactions see one state in any case, and which takes no other level
		r.snapshot.Isolation = sql.LevelRepeatableRead
	}
	return r, nil
}

// Close ends the reading.
func (r *Reader) Close() error {
	r.client.CloseIdleConnections()
	if r.db == nil {
		return nil
	}
	return r.db.Close()
}

// Read takes one reading. All queries see one and the same state of the database.
func (r *Reader) Read(ctx context.Context) (history.Reading, error) {
	var out history.Reading
	var tx *sql.Tx
	if r.db != nil {
		var err error
		if tx, err = r.db.BeginTx(ctx, &r.snapshot); err != nil {
			return out, fmt.Errorf("reading the rows of the service: %w", err)
		}
		defer func() { _ = tx.Rollback() }()
		if err := r.tables(ctx, tx, &out); err != nil {
			return out, err
		}
	}
	if err := r.each(ctx, tx, &out); err != nil {
		return out, err
	}
	return out, r.balance(ctx, tx, &out)
}

// tables reads what one query tells of all payments.
func (r *Reader) tables(ctx context.Context, tx *sql.Tx, out *history.Reading) (err error) {
	if out.Rows, err = query(ctx, tx, r.most, "all", r.rows.All, r.row); err != nil {
		return err
	}
	if out.Trades, err = query(ctx, tx, r.most, "trades", r.rows.Trades, scanTrade); err != nil {
		return err
	}
	if out.Effects, err = query(ctx, tx, r.most, "effects", r.rows.Effects, scanEffect); err != nil {
		return err
	}
	if out.Alarms, err = query(ctx, tx, r.most, "alarms", r.rows.Alarms, scanAlarm); err != nil {
		return err
	}
	if out.Refunds, err = query(ctx, tx, r.most, "refunds", r.rows.Refunds, r.refund); err != nil {
		return err
	}
	if out.Events, err = query(ctx, tx, r.most, "events", r.rows.Events, scanEvent); err != nil {
		return err
	}
	if out.Surplus, err = query(ctx, tx, r.most, "surplus", r.rows.Surplus, r.surplus); err != nil {
		return err
	}
	if r.rows.Waiting != "" {
		if err = tx.QueryRowContext(ctx, r.rows.Waiting).Scan(&out.Waiting); err != nil {
			return fmt.Errorf("rows.waiting: %w", err)
		}
	}
	return nil
}

// line is one line of an answer.
type line struct {
	rows  *sql.Rows
	named bool // its last column is the merchant
}

func (l line) scan(merchant *string, into ...any) error {
	var name sql.NullString
	if l.named {
		into = append(into, &name)
	}
	err := l.rows.Scan(into...)
	*merchant = name.String
	return err
}

func (r *Reader) row(l line) (history.Row, error) {
	var out history.Row
	var raw string
	var channel, trade sql.NullString
	err := l.scan(&out.Merchant, &out.ID, &out.Order, &raw, &out.Amount, &out.Currency, &channel, &trade)
	out.State, out.Channel, out.TradeNo = normalise(raw, r.rows.States), channel.String, trade.String
	if out.State != raw {
		out.Raw = raw
	}
	return out, err
}

func scanTrade(l line) (t history.Trade, err error) {
	var state sql.NullString
	err = l.scan(&t.Merchant, &t.TradeNo, &t.Order, &state)
	t.State = state.String
	return t, err
}

func scanEffect(l line) (e history.Effect, err error) {
	err = l.scan(&e.Merchant, &e.Kind, &e.Order, &e.ID)
	return e, err
}

func scanAlarm(l line) (a history.Alarm, err error) {
	var detail sql.NullString
	err = l.scan(&a.Merchant, &a.Order, &a.Kind, &detail)
	a.Detail = detail.String
	return a, err
}

func (r *Reader) refund(l line) (out history.RefundRow, err error) {
	var id, number, kind sql.NullString
	err = l.scan(&out.Merchant, &out.ID, &id, &out.Order, &number, &out.State, &out.Amount, &out.Currency, &kind)
	out.RefundID, out.RefundNo, out.Kind = id.String, number.String, kind.String
	out.State = normalise(out.State, r.rows.States)
	return out, err
}

func scanEvent(l line) (e history.EventRow, err error) {
	var ref sql.NullString
	err = l.scan(&e.Merchant, &e.ID, &e.Type, &e.Order, &ref, &e.Sent)
	e.Ref = ref.String
	return e, err
}

func (r *Reader) surplus(l line) (out history.SurplusRow, err error) {
	var number sql.NullString
	err = l.scan(&out.Merchant, &out.TradeNo, &out.Order, &out.Amount, &out.Currency, &out.State, &number)
	out.RefundNo = number.String
	out.State = normalise(out.State, r.rows.States)
	return out, err
}

func query[T any](ctx context.Context, tx *sql.Tx, most int, what, text string, scan func(line) (T, error)) ([]T, error) {
	if text == "" {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("rows.%s: %w", what, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("rows.%s: %w", what, err)
	}
	l := line{rows: rows, named: len(columns) > 0 && strings.EqualFold(columns[len(columns)-1], "merchant")}
	var out []T
	for rows.Next() {
		if len(out) == most {
			return nil, fmt.Errorf("rows.%s: more than %d rows", what, most)
		}
		v, err := scan(l)
		if err != nil {
			return nil, fmt.Errorf("rows.%s, row %d: %w", what, len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("rows.%s: %w", what, err)
	}
	return out, nil
}
