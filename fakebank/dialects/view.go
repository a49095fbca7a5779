package dialects

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"onedebit/fakebank"
	"onedebit/scenarios/money"
)

// view is everything that a template can name at one moment. What is not known yet is nothing.
type view struct {
	dialect  *Dialect
	settings map[string]string

	form                      bool // the body is a form
	body, query, path, when   map[string]any
	header                    http.Header
	remembered                map[string]any // values of the call that a notification is about
	kept                      map[string]any
	ids                       *ids
	outcome                   fakebank.Outcome
	now                       time.Time
	event                     map[string]any
	secret, raw, hex, base64_ string
}

// ids are the ids that the bank makes for one request: the same name is the same id.
type ids struct {
	make func(prefix string) string
	made map[string]string
}

func (i *ids) get(name string) any {
	if i == nil {
		return nil
	}
	if i.made[name] == "" {
		i.made[name] = i.make("")
	}
	return i.made[name]
}

func (v view) get(n name) any {
	switch n.root {
	case "body", "form", "query", "header", "path", "when":
		if v.remembered != nil {
			return v.remembered[n.String()]
		}
		return v.ofRequest(n)
	case "new":
		return v.ids.get(strings.Join(n.rest, "."))
	case "setting":
		return orNothing(v.settings[strings.Join(n.rest, ".")])
	case "kept":
		return dig(v.kept, n.rest)
	case "event":
		if at, ok := v.event[n.rest[0]].(time.Time); ok {
			return moment(at, n.rest[1:])
		}
		return v.event[n.rest[0]]
	case "secret":
		return v.secret
	case "raw":
		return v.raw
	case "hex":
		return v.hex
	case "base64":
		return v.base64_
	case "now":
		return moment(v.now, n.rest)
	}
	return v.ofOutcome(n)
}

func (v view) ofRequest(n name) any {
	switch n.root {
	case "query":
		return dig(v.query, n.rest)
	case "path":
		return dig(v.path, n.rest)
	case "when":
		return dig(v.when, n.rest)
	case "header":
		return orNothing(v.header.Get(strings.Join(n.rest, ".")))
	case "form":
		if !v.form {
			return nil
		}
	}
	return dig(v.body, n.rest)
}

func (v view) ofOutcome(n name) any {
	o := v.outcome
	lower := slices.Equal(n.rest, []string{"lower"})
	switch n.root {
	case "status":
		return v.dialect.word(v.table(), o.Status)
	case "word":
		return v.dialect.Words[n.rest[0]][strings.ToLower(o.Status)]
	case "reason":
		if o.Status != fakebank.Failed {
			return nil
		}
		return orNothing(lowered(o.Reason, lower))
	case "code":
		return orNothing(lowered(o.Code, lower))
	case "message":
		return orNothing(o.Message)
	case "currency":
		return orNothing(lowered(o.Currency, lower))
	case "account":
		return orNothing(o.Account)
	case "merchant":
		return orNothing(o.Merchant)
	case "reference":
		return orNothing(o.TradeNo)
	case "refund":
		return orNothing(o.RefundNo)
	case "bank_id":
		return orNothing(o.BankID)
	case "made":
		return moment(o.Made, n.rest)
	}
	return v.money(n)
}

// table is the table of words that a status is told in: refunds may have one of their own.
func (v view) table() string {
	if v.outcome.RefundNo != "" && v.dialect.Words["refund"] != nil {
		return "refund"
	}
	return "status"
}

func (v view) money(n name) any {
	o := v.outcome
	if o.TradeNo == "" || o.Currency == "" {
		return nil
	}
	amount := map[string]int64{"amount": o.Amount, "total": o.Total, "taken": o.Taken, "refunded": o.Refunded, "left": o.Taken - o.Refunded}[n.root]
	if len(n.rest) == 0 {
		return amount
	}
	text := money.Decimal(amount, o.Currency)
	if n.rest[0] == "decimal" {
		return json.Number(text)
	}
	return text
}

func moment(t time.Time, form []string) any {
	switch {
	case t.IsZero():
		return nil
	case len(form) == 0:
		return t.Unix()
	case form[0] == "ms":
		return t.UnixMilli()
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func lowered(s string, lower bool) string {
	if lower {
		return strings.ToLower(s)
	}
	return s
}

func orNothing(s string) any {
	if s == "" {
		return nil
	}
	return s
}
