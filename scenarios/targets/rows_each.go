package targets

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"onedebit/scenarios/history"
)

// Subject is one payment that the service is asked after.
type Subject struct {
	Order    string
	Amount   int64 // minor units
	Currency string
	Vars     Vars // all values that questions may name
}

// asked are the payments that the service is asked after, in the order in which they began.
type asked struct {
	mu    sync.Mutex
	order []string
	known map[string]*inquiry
}

// inquiry is one payment with the keys under which it was submitted.
type inquiry struct {
	Subject
	keys []any
}

// Learn says what is known of a payment from now on. A key that is another than before is one more.
func (r *Reader) Learn(k Subject) {
	r.asked.mu.Lock()
	defer r.asked.mu.Unlock()
	i := r.asked.known[k.Order]
	if i == nil {
		i = &inquiry{}
		r.asked.known[k.Order] = i
		r.asked.order = append(r.asked.order, k.Order)
	}
	i.Subject = k
	if key := k.Vars["key"]; key != nil && key != "" && key != Omitted && !slices.Contains(i.keys, key) {
		i.keys = append(i.keys, key)
	}
}

// all is a copy of what is known.
func (a *asked) all() []inquiry {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]inquiry, 0, len(a.order))
	for _, order := range a.order {
		i := *a.known[order]
		i.keys = slices.Clone(i.keys)
		out = append(out, i)
	}
	return out
}

// each asks after every payment that is known.
func (r *Reader) each(ctx context.Context, tx *sql.Tx, out *history.Reading) error {
	for _, p := range r.asked.all() {
		if err := r.states(ctx, tx, &p, out); err != nil {
			return err
		}
		if err := r.debits(ctx, tx, &p, out); err != nil {
			return err
		}
		if r.rows.Alias == nil {
			continue
		}
		err := r.perKey(ctx, tx, "alias", r.rows.Alias, &p, func(a found) error {
			if r.Alias != nil && a.text != "" {
				r.Alias(p.Order, a.text)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// states makes rows of the numbers of rows in each state. Paid ones come first, so that one that becomes paid keeps its name.
func (r *Reader) states(ctx context.Context, tx *sql.Tx, p *inquiry, out *history.Reading) error {
	n := 0
	for _, q := range []struct {
		what, state string
		ask         *Ask
	}{{"success", history.StateSuccess, r.rows.Success}, {"pending", history.StatePending, r.rows.Pending}, {"declined", history.StateFailed, r.rows.Declined}} {
		if q.ask == nil {
			continue
		}
		err := r.perKey(ctx, tx, q.what, q.ask, p, func(a found) error {
			count, err := a.count(q.what)
			if err == nil && n+count > r.most {
				err = fmt.Errorf("rows.%s: more than %d rows of one payment", q.what, r.most)
			}
			for range count {
				if err != nil {
					break
				}
				n++
				out.Rows = append(out.Rows, history.Row{
					ID: fmt.Sprintf("%s#%d", p.Order, n), Order: p.Order, State: q.state, Amount: p.Amount, Currency: p.Currency,
				})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// perKey asks a question about a payment: once, or once for each key where it asks by the key.
func (r *Reader) perKey(ctx context.Context, tx *sql.Tx, what string, a *Ask, p *inquiry, take func(found) error) error {
	keys := []any{p.Vars["key"]}
	if len(p.keys) > 1 && slices.Contains(a.names(), "key") {
		keys = p.keys
	}
	for _, key := range keys {
		got, err := r.ask(ctx, tx, what, a, p.Vars.With(Vars{"key": key}))
		if err == nil {
			err = take(got)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// debits reads the money of a service that has no bank: how many debits there are, or which.
func (r *Reader) debits(ctx context.Context, tx *sql.Tx, p *inquiry, out *history.Reading) error {
	if r.rows.Debits == nil {
		return nil
	}
	n := 0
	return r.perKey(ctx, tx, "debits", r.rows.Debits, p, func(a found) error {
		if len(a.lines) > 0 && len(a.lines[0]) == 2 {
			for _, line := range a.lines {
				amount, err := r.amount.read(line[1], p.Currency)
				if err != nil {
					return fmt.Errorf("rows.debits: amount of %s: %w", line[0], err)
				}
				out.Debits = append(out.Debits, history.OwnDebit{ID: line[0], Order: p.Order, Amount: max(amount, -amount), Currency: p.Currency})
			}
			return nil
		}
		count, err := a.count("debits")
		if err != nil {
			return err
		}
		if n+count > r.most {
			return fmt.Errorf("rows.debits: more than %d of one payment", r.most)
		}
		for range count {
			n++
			out.Debits = append(out.Debits, history.OwnDebit{ID: fmt.Sprintf("%s#%d", p.Order, n), Order: p.Order, Amount: p.Amount, Currency: p.Currency})
		}
		return nil
	})
}

// balance reads what is gone from the account of the service, in minor units.
func (r *Reader) balance(ctx context.Context, tx *sql.Tx, out *history.Reading) error {
	if r.rows.Balance == nil {
		return nil
	}
	a, err := r.ask(ctx, tx, "balance", r.rows.Balance, r.constants)
	if err != nil {
		return err
	}
	gone, err := r.amount.read(a.text, r.currency)
	if err != nil {
		return fmt.Errorf("rows.balance: %w", err)
	}
	out.Balance = gone
	return nil
}
