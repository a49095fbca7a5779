package reference_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

// Whatever a debit's answer becomes on its way, the payment is UNKNOWN, and the bank's word about it decides.
func TestUnansweredThenReconciled(t *testing.T) {
	for name, c := range map[string]struct {
		debit  act
		want   reference.Status
		debits int // requests
	}{
		"answer lost":         {act{Drop: true}, reference.Success, 1},
		"page of a gateway":   {act{Garble: "<html>502</html>"}, reference.Success, 1},
		"empty answer":        {act{Garble: "{}"}, reference.Success, 1},
		"unknown word":        {act{Amend: func(r *reference.Reply) { r.Status = "MAYBE" }}, reference.Success, 1},
		"other amount":        {act{Amend: func(r *reference.Reply) { r.Amount++ }}, reference.Success, 1},
		"other currency":      {act{Amend: func(r *reference.Reply) { r.Currency = "USD" }}, reference.Success, 1},
		"other number":        {act{Amend: func(r *reference.Reply) { r.TradeNo = "B0" }}, reference.Success, 1},
		"declined, then lost": {act{Decline: "NO", Drop: true}, reference.Failed, 1},
		"refused before":      {act{Refuse: true}, reference.Success, 2},
		"accepted, not paid":  {act{Accept: true}, reference.Processing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			r.Bank.Act(on(referencetest.Debit, 1, c.debit))
			first := r.PayNew("O")
			openOrMended(t, first)
			row := r.Becomes("O", c.want)
			assert.Equal(t, c.debits, r.Bank.Calls(referencetest.Debit))
			assert.Len(t, r.Bank.Trades("A-O"), c.debits-r.Count("bank_trade", "status = 'CLOSED'"))
			if c.want == reference.Success {
				assert.Equal(t, []string{row.TradeNo}, r.Bank.Debits("A-O"))
				assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
			}
		})
	}
}

func TestMismatchIsAnAlarm(t *testing.T) {
	r := start(t, with(quiet))
	r.Bank.Act(on(referencetest.Debit, 1, act{Amend: func(r *reference.Reply) { r.Amount = 1 }}))
	assert.Equal(t, reference.Unknown, r.PayNew("O").Status)
	assert.Equal(t, 1, r.Count("alarm", "order_id = 'O' AND kind = 'mismatch'"))
}

func TestCloseAndDriveAgainUnderANewNumber(t *testing.T) {
	r := start(t)
	r.Bank.Act(on(referencetest.Debit, 1, act{Refuse: true}))
	r.PayNew("O")
	row := r.Becomes("O", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Close))
	assert.Equal(t, 1, r.Count("bank_trade", "status = 'CLOSED' AND trade_no <> ?", row.TradeNo))
	assert.Equal(t, 1, r.Count("bank_trade", "status = 'SUCCESS' AND trade_no = ?", row.TradeNo))
	log := r.Log.String()
	assert.Contains(t, log, "from=UNKNOWN status=PENDING")
	assert.Equal(t, 2, strings.Count(log, "from=PENDING status=PROCESSING"))
}

// The debit overtakes the query: the bank has nothing when it is asked, and has it when it is told to close.
func TestQueryOvertakesTheDebit(t *testing.T) {
	r := start(t)
	r.Bank.Act(func(op string, n int, _ string) act {
		return act{Drop: op == referencetest.Debit, NotFound: op == referencetest.Query && n == 1}
	})
	r.PayNew("O")
	r.Becomes("O", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Close))
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
}

func TestBankSilentChangesNothing(t *testing.T) {
	r := start(t)
	r.Bank.Act(func(op string, n int, _ string) act {
		return act{Drop: op == referencetest.Debit, Refuse: op == referencetest.Query && n < 4}
	})
	r.PayNew("O")
	r.Until(func() bool { return r.Bank.Calls(referencetest.Query) >= 3 }, "nobody asks the bank")
	r.Becomes("O", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
}

func TestBreakerOpenIsUnknown(t *testing.T) {
	r := start(t, with(quiet), with(func(c *reference.Config) {
		c.Breaker = reference.Breaker{Failures: 2, Open: reference.Duration(time.Hour)}
	}))
	r.Bank.Act(always(referencetest.Debit, act{Drop: true}))
	for _, order := range []string{"O1", "O2", "O3"} {
		answer := r.PayNew(order)
		assert.Equal(t, 202, answer.HTTP, order)
		assert.Equal(t, reference.Unknown, answer.Status, order)
	}
	assert.Equal(t, 2, r.Bank.Calls(referencetest.Debit), "the third was not sent")
	assert.Contains(t, r.Log.String(), "the bank is not asked for a while")
}

// The lost answer comes after all, under a number that the payment has left behind.
func TestLateAnswerOfAnOlderNumber(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(200 * time.Millisecond) }))
	r.Bank.Act(on(referencetest.Debit, 1, act{Before: release}))
	key, answer := r.Token("O"), make(chan reference.Answer, 1)
	go func() { answer <- r.Pay(req{Order: "O", Key: key}) }()
	row := r.Becomes("O", reference.Success)
	close(release) // the first debit request reaches the bank only now
	assert.Equal(t, 200, referencetest.Next(t, answer).HTTP, "its own answer was a refusal; the payment's state is told")
	assert.Equal(t, []string{row.TradeNo}, r.Bank.Debits("A-O"))
	assert.Equal(t, reference.Success, r.Order("O").Status)
	assert.Equal(t, row.TradeNo, r.Rows("O")[0].TradeNo)
}

// Rows as a process leaves them that is killed between two statements.
func TestRestartFinishesEveryState(t *testing.T) {
	for name, c := range map[string]struct {
		row    reference.Payment
		trades []string
		bank   string // what the bank has under B1, empty for nothing
		want   reference.Status
		debits int // requests after the restart
	}{
		"admitted, not begun":              {reference.Payment{Status: reference.Pending}, nil, "", reference.Success, 1},
		"number stored, not sent":          {reference.Payment{Status: reference.Processing, TradeNo: "B1"}, []string{"B1"}, "", reference.Success, 1},
		"sent, debited, answer not stored": {reference.Payment{Status: reference.Processing, TradeNo: "B1"}, []string{"B1"}, "SUCCESS", reference.Success, 0},
		"sent, declined, not stored":       {reference.Payment{Status: reference.Processing, TradeNo: "B1"}, []string{"B1"}, "FAILED", reference.Failed, 0},
		"unknown, debited":                 {reference.Payment{Status: reference.Unknown, TradeNo: "B1"}, []string{"B1"}, "SUCCESS", reference.Success, 0},
		"unknown, never arrived":           {reference.Payment{Status: reference.Unknown, TradeNo: "B1"}, []string{"B1"}, "", reference.Success, 1},
		"closed at the bank, not stored":   {reference.Payment{Status: reference.Unknown, TradeNo: "B1"}, []string{"B1"}, "CLOSED", reference.Success, 1},
		"closed, not driven again":         {reference.Payment{Status: reference.Pending, TradeNo: "B1"}, []string{"B1"}, "CLOSED", reference.Success, 1},
		"above the limit, not refused":     {reference.Payment{Status: reference.Pending}, nil, "", reference.Failed, 0},
		"paid":                             {reference.Payment{Status: reference.Success, TradeNo: "B1"}, []string{"B1"}, "SUCCESS", reference.Success, 0},
		"declined":                         {reference.Payment{Status: reference.Failed, TradeNo: "B1"}, []string{"B1"}, "FAILED", reference.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, with(quiet))
			insert(t, r, withOrder(c.row, "O"), c.trades...)
			r.Stop()
			if c.bank != "" {
				r.Bank.Put(reference.Order{TradeNo: "B1", Account: "A-O", Amount: 500, Currency: "CNY"}, c.bank)
			}
			r.Config.ReconcileUnknownAfter, r.Config.ReconcileProcessingAfter = reference.Duration(time.Millisecond), reference.Duration(time.Millisecond)
			if strings.HasPrefix(name, "above") {
				r.Config.MaxAmount = 499
			}
			r.Start()
			r.Becomes("O", c.want)
			assert.Equal(t, c.debits, r.Bank.Calls(referencetest.Debit))
			if c.want == reference.Success {
				assert.Len(t, r.Bank.Debits("A-O"), 1)
			}
		})
	}
}

func TestTwoInstancesDriveOnce(t *testing.T) {
	one := start(t, with(quiet))
	two := referencetest.Setup(t)
	two.Bank, two.Config = one.Bank, one.Config
	two.Config.Instance = "2"
	for _, order := range []string{"O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8"} {
		insert(t, one, reference.Payment{OrderID: order, Status: reference.Pending})
	}
	one.Stop()
	for _, r := range []*referencetest.Rig{one, two} {
		r.Config.ReconcileProcessingAfter = reference.Duration(time.Second)
		r.Start()
	}
	one.Until(func() bool { return one.Count("pay_transaction", "status = 'SUCCESS'") == 8 }, "not all were driven")
	assert.Equal(t, 8, one.Bank.Calls(referencetest.Debit))
}

func withOrder(p reference.Payment, order string) reference.Payment {
	p.OrderID = order
	return p
}
