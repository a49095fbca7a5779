package reference_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

// bankOf returns a client of a bank that always answers this.
func bankOf(t *testing.T, status int, body string) *reference.HTTPBank {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return reference.NewHTTPBank(reference.Config{Bank: server.URL + "/", BankTimeout: reference.Duration(10 * time.Second)})
}

const paidAnswer = `{"trade_no":"B1","bank_id":"K1","status":"SUCCESS","amount":500,"currency":"CNY"}`

func TestBankAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		body         string
		debit, query reference.Said
	}{
		"paid":                   {200, paidAnswer, reference.SaidSuccess, reference.SaidSuccess},
		"declined":               {200, `{"trade_no":"B1","status":"FAILED"}`, reference.SaidFailed, reference.SaidFailed},
		"accepted":               {200, `{"trade_no":"B1","status":"PROCESSING"}`, reference.SaidProcessing, reference.SaidProcessing},
		"closed":                 {200, `{"trade_no":"B1","status":"CLOSED"}`, reference.SaidClosed, reference.SaidClosed},
		"a word of tomorrow":     {200, `{"trade_no":"B1","status":"SUCCEEDED"}`, reference.SaidNothing, reference.SaidNothing},
		"lower case":             {200, `{"trade_no":"B1","status":"success"}`, reference.SaidNothing, reference.SaidNothing},
		"not found says nothing": {200, `{"trade_no":"B1","status":"NOT_FOUND"}`, reference.SaidNothing, reference.SaidNothing},
		"about another number":   {200, strings.Replace(paidAnswer, "B1", "B2", 1), reference.SaidNothing, reference.SaidNothing},
		"about no number":        {200, `{"status":"SUCCESS"}`, reference.SaidNothing, reference.SaidNothing},
		"empty":                  {200, ``, reference.SaidNothing, reference.SaidNothing},
		"truncated":              {200, paidAnswer[:40], reference.SaidNothing, reference.SaidNothing},
		"endless":                {200, `{"trade_no":"B1","status":"SUCCESS","x":"` + strings.Repeat("x", 70<<10) + `"}`, reference.SaidNothing, reference.SaidNothing},
		"created":                {201, paidAnswer, reference.SaidNothing, reference.SaidNothing},
		"sent elsewhere":         {302, paidAnswer, reference.SaidNothing, reference.SaidNothing},
		"the bank's not found":   {404, `{"code":"NOT_FOUND"}`, reference.SaidNothing, reference.SaidNotFound},
		"a proxy's not found":    {404, `<html>not found</html>`, reference.SaidNothing, reference.SaidNothing},
		"another not found":      {404, `{"code":"NO_ROUTE"}`, reference.SaidNothing, reference.SaidNothing},
		"duplicate":              {409, `{"code":"DUPLICATE"}`, reference.SaidNothing, reference.SaidNothing},
		"refused, with a body":   {500, `{"trade_no":"B1","status":"FAILED"}`, reference.SaidNothing, reference.SaidNothing},
		"gateway":                {502, paidAnswer, reference.SaidNothing, reference.SaidNothing},
	} {
		t.Run(name, func(t *testing.T) {
			bank, read := bankOf(t, c.status, c.body), reference.Correct().Outcome
			assert.Equal(t, c.debit, read(bank.Debit(t.Context(), reference.Order{TradeNo: "B1"})))
			assert.Equal(t, c.query, read(bank.Query(t.Context(), "B1")))
		})
	}
}

func TestBankCloses(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		body    string
		closed  bool
		refused bool
	}{
		"closed":          {200, `{"status":"CLOSED"}`, true, false},
		"debited":         {409, `{"status":"SUCCESS"}`, false, true},
		"closed by 409":   {409, `{"status":"CLOSED"}`, false, true},
		"OK, but not so":  {200, `{"status":"SUCCESS"}`, false, false},
		"OK of a proxy":   {200, `OK`, false, false},
		"409 of a proxy":  {409, `<html>`, false, false},
		"the bank failed": {500, `{"status":"CLOSED"}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := bankOf(t, c.status, c.body).Close(t.Context(), "B1")
			assert.Equal(t, c.closed, err == nil, err)
			if c.refused {
				assert.ErrorIs(t, err, reference.ErrNotClosed)
			} else {
				assert.NotErrorIs(t, err, reference.ErrNotClosed)
			}
		})
	}
}

func TestBankTimeoutIsNoAnswer(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(quiet), with(func(c *reference.Config) { c.BankTimeout = reference.Duration(500 * time.Millisecond) }))
	defer close(release)
	r.Bank.Act(always("debit", act{Hold: release}))
	answer := r.PayNew("O")
	assert.Equal(t, 202, answer.HTTP)
	assert.Equal(t, reference.Unknown, answer.Status)
	assert.Len(t, r.Bank.Debits("A-O"), 1, "the money is gone all the same")
}

// What the bank says with sense, even a refusal, is no reason to stop asking it.
func TestBreakerCountsOnlySilence(t *testing.T) {
	sensible := []error{nil, reference.ErrNotFound, reference.ErrNotClosed, &reference.StatusError{Code: 409}}
	silent := []error{http.ErrServerClosed, &reference.StatusError{Code: 503}}
	for opens, causes := range map[bool][]error{false: sensible, true: silent} {
		for _, cause := range causes {
			breaker := reference.NewBreaker(reference.Breaker{Failures: 1, Open: reference.Duration(time.Hour)})
			_, _ = breaker.Execute(func() (reference.Reply, error) { return reference.Reply{}, cause })
			assert.Equal(t, opens, breaker.State().String() == "open", "%v", cause)
		}
	}
}
