package dialects

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"onedebit/fakebank"
)

// candidate is a call that a request may be, by its method and path.
type candidate struct {
	call *Call
	path map[string]any
}

// turn is one request on its way through a dialect.
type turn struct {
	s    *Speaker
	bank *fakebank.Bank
	r    *http.Request
	body []byte
	call *Call
	v    view
	said fakebank.Call
}

// read finds the call that is meant, and takes out of the request what the bank has to know.
func (s *Speaker) read(b *fakebank.Bank, r *http.Request, body []byte, fitting []candidate) fakebank.Request {
	t := &turn{s: s, bank: b, r: r, body: body, v: s.view()}
	t.v.header = r.Header
	t.v.query = map[string]any{}
	for key, values := range r.URL.Query() {
		t.v.query[key] = values[0]
	}
	t.v.ids = &ids{make: b.NewID, made: map[string]string{}}
	err := t.choose(fitting)
	if err == nil {
		err = t.understand()
	}
	t.said.Op = t.call.op()
	t.said.Detail = detail(t.call, t.v)
	return fakebank.Request{Call: t.said, Err: err, Act: t.act, Refuse: t.word}
}

// choose takes the first call whose conditions are met.
func (t *turn) choose(fitting []candidate) error {
	for _, c := range fitting {
		t.call, t.v.path, t.v.when = c.call, c.path, map[string]any{}
		tree, err := readBody(c.call.Body, t.r.Header.Get("Content-Type"), t.body)
		if err != nil {
			return err
		}
		t.v.body, t.v.form = tree, c.call.Body == bodyForm || isForm(t.r)
		t.lookUp()
		if t.fits() {
			return nil
		}
	}
	return fmt.Errorf("no call of dialect %s for %s fits what the request says", t.s.dialect.Name, t.call.On)
}

func isForm(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

// lookUp recalls the payment, or refund, that the request names, if the bank knows it.
func (t *turn) lookUp() {
	t.v.outcome = fakebank.Outcome{}
	t.v.kept = nil
	if t.call.Reference.fresh() {
		return
	}
	refund := ""
	if t.call.op() == fakebank.OpQuery {
		refund = t.call.Refund.fill(t.v)
	}
	known, ok := t.bank.Look(t.call.Reference.fill(t.v), refund)
	if !ok {
		return
	}
	t.v.outcome = known
	t.v.recall(known)
	t.v.remembered = nil // what is named now is of this request
}

func (t *turn) fits() bool {
	for _, text := range sortedKeys(t.call.When) {
		n, _ := parseName(text, everywhere) // checked when the dialect was read
		found := asText(t.v.get(n))
		want := t.call.When[text]
		if want == nil && found != "" || want != nil && !want.match(found, t.v.when) {
			return false
		}
	}
	return true
}

// key is what makes the request known again, or nothing where it is carried out however often it comes.
func (t *turn) key() string {
	d := t.call.Dedupe
	if d == nil || d.Reply == current || d.Reply == none || t.bank.Mode() == fakebank.Naive {
		return ""
	}
	key := asText(d.By.value(t.v))
	if key != "" && !d.ofHeader() { // a field of a body is a key among calls of its kind
		key = t.call.On.String() + " " + key
	}
	return key
}

// share makes the new ids that name the payment or refund those of all requests under the same key.
func (t *turn) share() {
	key := t.key()
	if key == "" {
		return
	}
	for _, n := range append(t.call.Reference.names(), t.call.Refund.names()...) {
		if id := strings.Join(n.rest, "."); n.root == "new" && t.v.ids.made[id] == "" {
			t.v.ids.made[id] = t.s.keys.id(key, id, func() string { return t.bank.NewID("") })
		}
	}
}

// understand fills in the bank's call. All mistakes are told together.
func (t *turn) understand() error {
	t.share()
	c, known := t.call, t.v.outcome
	var errs []error
	take := func(s Source, otherwise string) string {
		text, err := s.word(t.v, otherwise)
		errs = append(errs, err)
		return text
	}
	t.said = fakebank.Call{Repeat: c.repeat(), Bound: c.Bound, Known: c.Known}
	t.said.Merchant = cmp.Or(take(c.Merchant, "merchant"), known.Merchant)
	t.said.TradeNo = take(c.Reference, "reference")
	if c.op() != fakebank.OpQuery || c.Refund.given() {
		t.said.RefundNo = take(c.Refund, "refund")
	}
	belongs := take(c.Belongs.Key, "belongs")
	if belongs == "" {
		belongs = asText(t.s.dialect.Belongs.value(t.v))
	}
	t.said.Account = cmp.Or(take(c.Account, "account"), known.Account, belongs)
	switch c.op() {
	case fakebank.OpOpen, fakebank.OpDebit, fakebank.OpHold, fakebank.OpCapture, fakebank.OpRefund:
		if c.Reference.fresh() && c.Dedupe != nil { // what the repeats have in common, also where the bank takes each for new
			t.said.Account = cmp.Or(t.said.Account, asText(c.Dedupe.By.value(t.v)))
		}
		t.said.Account = cmp.Or(t.said.Account, t.said.TradeNo)
		errs = append(errs, t.money())
	}
	errs = append(errs, t.notify())
	return errors.Join(errs...)
}

// word is a source as a number or name that the bank takes.
func (s Source) word(v view, otherwise string) (string, error) {
	if !s.given() {
		return "", nil
	}
	field := s.field(otherwise)
	found := s.value(v)
	switch found.(type) {
	case nil, string, json.Number:
	default:
		return "", fmt.Errorf("%s must be a string, not %s", field, jsonKind(found))
	}
	text := asText(found)
	if text == "" && s.optional {
		return "", nil
	}
	return text, fakebank.CheckWord(field, text)
}

// money reads currency and amount. What the call leaves open is as the payment was opened.
func (t *turn) money() error {
	c, known := t.call, t.v.outcome
	code := c.Currency.fixed
	if c.Currency.at.given() {
		code = asText(c.Currency.at.value(t.v))
		if t.s.dialect.Case == "lower" && code == strings.ToLower(code) {
			code = strings.ToUpper(code)
		}
		if err := fakebank.CheckCurrency(c.Currency.at.field("currency"), code); err != nil && (code != "" || !c.Currency.at.optional) {
			_, amount := t.amount(code)
			return errors.Join(amount, err)
		}
	}
	t.said.Currency = cmp.Or(code, known.Currency, t.s.dialect.Currency, noCurrency)
	var err error
	t.said.Amount, err = t.amount(t.said.Currency)
	return err
}

// noCurrency is ISO 4217's code for none.
const noCurrency = "XXX"

func (t *turn) amount(currency string) (int64, error) {
	c := t.call
	if c.Amount != nil {
		n, err := c.Amount.read(t.v, currency)
		if n != 0 || err != nil || c.op() == fakebank.OpRefund || c.op() == fakebank.OpCapture {
			return n, err
		}
	}
	if c.op() == fakebank.OpDebit || c.op() == fakebank.OpHold {
		return t.v.outcome.Amount, nil
	}
	return 0, nil
}

// notify finds out where the outcome is to be told, and what has to be remembered for that.
func (t *turn) notify() error {
	c := t.call
	var told map[string]any
	if callback := t.s.dialect.Notices[c.Callback]; callback != nil {
		t.said.Notify = callback.notify(c.Callback, t.v, t.s)
		told = callback.remembered(t.v)
		if err := fakebank.CheckURL(callback.to.field("callback"), t.said.Notify.URL); err != nil {
			return err
		}
	}
	kept := map[string]any{}
	for name, s := range c.Keep {
		if found := s.value(t.v); found != nil && found != "" {
			kept[name] = found
		}
	}
	if len(kept) > 0 || told != nil {
		before, _ := t.v.outcome.Memo.(*memo)
		t.said.Memo = before.over(kept, told)
	}
	return nil
}

// repeat is what becomes of a payment that comes again, where the request itself is not recognised.
func (c *Call) repeat() string {
	switch {
	case c.Once:
		return fakebank.Once
	case c.Dedupe != nil && c.Dedupe.Reply == current:
		return "" // the bank's mode
	}
	return fakebank.Naive
}

// act carries the call out, unless it came before.
func (t *turn) act(do func(fakebank.Call) fakebank.Outcome) fakebank.Answer {
	d, key := t.call.Dedupe, t.key()
	if key == "" {
		return t.carryOut(do)
	}
	met, before := t.s.keys.meet(key, t.print())
	switch {
	case met == first:
		a := t.carryOut(do)
		if d.Status == 0 {
			a.Done = func(given fakebank.Answer, _ bool) { t.s.keys.answered(before, given) }
		}
		return a
	case met == noRoom:
		return t.word(fakebank.Outcome{Code: fakebank.Full, Message: "the bank remembers no more keys; nothing was done"})
	case met == other && (d.Status == 0 || t.has("mismatch")):
		return t.word(fakebank.Outcome{Code: fakebank.Mismatch, Message: "this key was used before for another request"})
	case d.Status != 0:
		a := t.word(fakebank.Outcome{Code: fakebank.Duplicate, Message: "this request came before"})
		a.HTTP = d.Status
		return a
	case met == running:
		return t.word(fakebank.Outcome{Code: inFlight, Message: "the first request under this key is not answered yet"})
	case t.bank.Mode() == fakebank.Refuse:
		return t.word(fakebank.Outcome{Code: fakebank.Duplicate, Message: "this request came before"})
	}
	return t.again(before)
}

func (t *turn) has(outcome string) bool {
	return t.call.Reply[outcome] != nil || t.s.dialect.Replies[outcome] != nil
}

// again is the first answer once more.
func (t *turn) again(before *firstTime) fakebank.Answer {
	a := before.answer // it is not changed any more
	a.Header = a.Header.Clone()
	t.v.outcome = a.Outcome
	fillHeaders(a.Header, t.call.Dedupe.Headers, t.v)
	a.Detail = "answered again"
	return a
}

// print is what has to be the same in a request that comes again.
func (t *turn) print() [32]byte {
	compared := []any{t.r.Method, t.r.URL.EscapedPath(), t.v.query, t.v.body}
	if sources := t.call.Dedupe.Compare; len(sources) > 0 {
		compared = nil
		for _, s := range sources {
			compared = append(compared, asText(s.value(t.v)))
		}
	}
	text, err := json.Marshal(compared)
	if err != nil { // trees hold nothing but JSON's own kinds
		panic(fmt.Sprintf("marshalling a request: %v", err))
	}
	return sha256.Sum256(text)
}

func (t *turn) carryOut(do func(fakebank.Call) fakebank.Outcome) fakebank.Answer {
	if t.said.Op == fakebank.OpOther {
		return t.word(fakebank.Outcome{})
	}
	return t.word(do(t.said))
}

// word tells an outcome.
func (t *turn) word(o fakebank.Outcome) fakebank.Answer {
	v := t.v
	v.outcome = o
	v.recall(o)
	v.remembered = nil
	reply, status := t.s.dialect.reply(t.call, o)
	a := reply.answer(status, v)
	for name, value := range t.s.dialect.Headers {
		if said := value.fill(v); said != "" && a.Header.Get(name) == "" {
			a.Header.Set(name, said)
		}
	}
	a.Outcome = o
	return a
}
