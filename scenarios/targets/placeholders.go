package targets

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"onedebit/scenarios/decode"
)

// checkPlaceholders finds a placeholder that nothing will ever fill, before anything is started.
func (t *Target) checkPlaceholders() error {
	for _, check := range []func() error{t.processPlaceholders, t.setupPlaceholders, t.requestPlaceholders, t.rowPlaceholders} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// known checks names against those that there are.
func known(place string, names, valid []string) error {
	for _, name := range names {
		if !slices.Contains(valid, name) {
			return fmt.Errorf("%s: %w", place, errors.New(decode.UnknownName("placeholder", name, valid)))
		}
	}
	return nil
}

// stackNames are the names that a process can use: addresses, and what the harness makes for it.
func (t *Target) stackNames() []string {
	out := []string{
		"listen", "listen.url", "listen.host", "listen.port", "instance", "dir", "ca.file", "db.user", "db.password", "db.name", "db.file",
		"cache.prefix", "queue.prefix", "queue.topic",
	}
	with := []string{"client", "callback", "db", "cache", "queue"}
	for _, p := range t.Processes {
		if p.Reachable() {
			with = append(with, p.Name)
		}
	}
	for _, name := range slices.Concat(with, t.BankNames(), t.LinkNames()) {
		out = append(out, name+".url", name+".host", name+".port")
	}
	for _, bank := range t.BankNames() {
		out = append(out, bank+".secret")
	}
	return out
}

func (t *Target) processPlaceholders() error {
	valid := t.stackNames()
	for _, p := range t.Processes {
		place := "processes." + p.Name
		for _, word := range p.Run {
			if err := known(place+".run", namesIn(word), valid); err != nil {
				return err
			}
		}
		for what, texts := range map[string]map[string]string{"env": p.Env, "files": p.Files, "config": p.Config} {
			for _, name := range slices.Sorted(maps.Keys(texts)) {
				if err := known(place+"."+what+"."+name, namesIn(texts[name]), valid); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// constantNames are the names of what holds for every payment.
func (t *Target) constantNames() []string {
	out := slices.Collect(maps.Keys(t.Vars))
	for _, caller := range t.Callers {
		out = slices.AppendSeq(out, maps.Keys(caller))
	}
	return out
}

func (t *Target) setupPlaceholders() error {
	valid := t.constantNames()
	for i := range t.Setup {
		if err := known(fmt.Sprintf("setup, step %d", i+1), t.Setup[i].names(), valid); err != nil {
			return err
		}
		for name := range t.Setup[i].Capture {
			valid = append(valid, "setup."+name)
		}
	}
	return nil
}

// paymentNames are the names that a request about a payment can use, once the payment is made.
func (t *Target) paymentNames() []string {
	out := append(t.constantNames(), "order", "account", "channel", "currency", "key", "trace", "amount", "amount.minor", "refund", "n", "now")
	for i := range t.Setup {
		for name := range t.Setup[i].Capture {
			out = append(out, "setup."+name)
		}
	}
	return out
}

func (t *Target) requestPlaceholders() error {
	valid := t.paymentNames()
	for i := range t.Payment.Each {
		step := &t.Payment.Each[i]
		names, captured := step.Act.names(), step.Act.Capture
		if step.Submit != nil {
			names, captured = step.Submit.names(), step.Submit.Capture
		}
		if err := known(fmt.Sprintf("payment.each, step %d", i+1), names, valid); err != nil {
			return err
		}
		for name := range captured {
			valid = append(valid, "each."+name)
		}
	}
	requests := map[string]*Request{
		"payment.token": t.Payment.Token, "payment.query": t.Payment.Query, "payment.poll": t.Payment.Poll, "payment.close": t.Payment.Close,
		"payment.appeal": t.Payment.Appeal, "refund.submit": t.Refund.Submit, "refund.query": t.Refund.Query,
	}
	for name, door := range t.Payment.Doors {
		requests["payment.doors."+name] = door
	}
	for _, place := range slices.Sorted(maps.Keys(requests)) {
		if r := requests[place]; r != nil {
			if err := known(place, r.names(), valid); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Target) rowPlaceholders() error {
	valid := t.paymentNames()
	for i := range t.Payment.Each {
		step := &t.Payment.Each[i]
		captured := step.Act.Capture
		if step.Submit != nil {
			captured = step.Submit.Capture
		}
		for name := range captured {
			valid = append(valid, "each."+name)
		}
	}
	for _, q := range []struct {
		what  string
		ask   *Ask
		valid []string
	}{
		{"success", t.Rows.Success, valid}, {"declined", t.Rows.Declined, valid}, {"pending", t.Rows.Pending, valid},
		{"debits", t.Rows.Debits, valid}, {"alias", t.Rows.Alias, valid}, {"balance", t.Rows.Balance, t.constantNames()},
	} {
		if q.ask == nil {
			continue
		}
		if err := known("rows."+q.what, q.ask.names(), q.valid); err != nil {
			return err
		}
	}
	return nil
}
