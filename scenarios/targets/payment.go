package targets

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"onedebit/scenarios/decode"
)

// Payment is how a client makes a payment.
type Payment struct {
	Key      Key      `yaml:"key"`      // uuid, none, or {prefix: K-, length: 20}: how the idempotency key is made
	Amount   Amount   `yaml:"amount"`   // which amounts it takes, and how they are written
	Currency string   `yaml:"currency"` // of all payments
	Channels []string `yaml:"channels"` // that it knows; any where not given

	Token *Request      `yaml:"token"` // obtains the idempotency key; without it the harness makes one
	Each  []PaymentStep `yaml:"each"`  // what is done for each payment, in order; one of it is the submit

	// What answers mean, in short; answers: has the full rules, which come first.
	Confirmed Said `yaml:"confirmed"` // statuses, or {http: [200], body.status: [PAID]}: it is paid
	Pending   Said `yaml:"pending"`   // the same: it is under way
	Declined  Said `yaml:"declined"`  // the same: it is definitely not paid
	Duplicate Said `yaml:"duplicate"` // the same: the service has it already

	Query  *Request            `yaml:"query"`
	Poll   *Request            `yaml:"poll"`   // another word for query
	Close  *Request            `yaml:"close"`  // ends an order that is not paid
	Appeal *Request            `yaml:"appeal"` // asks for all that is known about an order
	Doors  map[string]*Request `yaml:"doors"`  // other requests that submit the same payment, by name

	RetryAfter []decode.Duration `yaml:"retry_after"` // after how long clients try again: the first time, the second, and so on; 1s and twice that each time where not given
	Settle     *Settle           `yaml:"settle"`      // the same as settle: at the top
}

// PaymentStep is one step that is done for a payment: the submit, a request before or behind it, or SQL.
type PaymentStep struct {
	Submit *Request `yaml:"submit"`
	Act    `yaml:",inline"`
}

// Validate checks that it is one thing.
func (s *PaymentStep) Validate() error {
	if s.Submit == nil {
		return s.Act.Validate()
	}
	if s.Act.given() {
		return errors.New("a step of each is one thing: submit, a request, or sql")
	}
	if s.Submit.Get != "" {
		return errors.New("payment.submit: say where a payment is sent, for example submit: {post: /pay}")
	}
	return nil
}

// Act is a request or a statement that prepares something.
type Act struct {
	Request  `yaml:",inline"`
	SQL      string `yaml:"sql"`      // in place of a request: statements on the database of the service
	Accepted []int  `yaml:"accepted"` // statuses with which it is accepted; any 2xx where not given
}

// Validate checks that it is one thing.
func (a *Act) Validate() error {
	if a.SQL == "" {
		return a.Request.Validate()
	}
	if a.Request.given() {
		return errors.New("give either sql, or a request with post, get, put or delete")
	}
	return nil
}

// names are the placeholders that it uses.
func (a *Act) names() []string { return append(a.Request.names(), namesIn(a.SQL)...) }

func (a *Act) given() bool { return a.SQL != "" || a.Request.given() }

// Accepts says whether a status is one with which it is accepted.
func (a *Act) Accepts(status int) bool {
	if len(a.Accepted) == 0 {
		return status >= 200 && status < 300
	}
	return slices.Contains(a.Accepted, status)
}

// Captured is what an answer gives for later.
func (a *Act) Captured(reply *Reply) (map[string]string, error) {
	out := map[string]string{}
	for name, path := range a.Capture {
		if out[name] = reply.At(path); out[name] == "" {
			return nil, fmt.Errorf("capture %s: the answer has nothing at %s: %s", name, path, beginning(reply.Raw))
		}
	}
	return out, nil
}

// Refused is the error for an answer that is not accepted.
func (a *Act) Refused(reply *Reply) error {
	method, path := a.line()
	return fmt.Errorf("%s %s was answered %d: %s", method, path, reply.HTTP, beginning(reply.Raw))
}

// beginning is the beginning of an answer, for an error.
func beginning(raw []byte) string {
	const most = 200
	if len(raw) > most {
		return strconv.Quote(string(raw[:most])) + " …"
	}
	return strconv.Quote(string(raw))
}

// Submit is the request that submits a payment.
func (p *Payment) Submit() *Request {
	for i := range p.Each {
		if p.Each[i].Submit != nil {
			return p.Each[i].Submit
		}
	}
	return nil
}

// Accepts are the statuses with which a submit is accepted; none where the file does not say.
func (p *Payment) Accepts() []int {
	for i := range p.Each {
		if p.Each[i].Submit != nil {
			return p.Each[i].Accepted
		}
	}
	return nil
}

// Validate checks that one step is the submit.
func (p *Payment) Validate() error {
	n := 0
	for i := range p.Each {
		if p.Each[i].Submit != nil {
			n++
		}
	}
	if n != 1 {
		return errors.New("payment.each: say in one of its steps how a payment is submitted, for example each: [{submit: {post: /pay}}]")
	}
	if p.Poll != nil && p.Query != nil {
		return errors.New("payment: query and poll are the same, a request that asks how a payment stands; leave out one of them")
	}
	for _, after := range p.RetryAfter {
		if after < 0 {
			return errors.New("payment.retry_after: a client cannot try again before it has tried")
		}
	}
	if p.Currency != "" && !currencyForm.MatchString(p.Currency) {
		return fmt.Errorf("currency: %q is not a code such as USD", p.Currency)
	}
	return nil
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
