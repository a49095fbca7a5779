package reference_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

// onServers plays a scene on every database server.
func onServers(t *testing.T, play func(t *testing.T)) {
	t.Helper()
	for _, server := range []string{referencetest.Postgres, referencetest.MySQL} {
		t.Run(server, func(t *testing.T) { t.Run("server", play) })
	}
}

// The three transactions of a payment, each by a text that only it holds.
var (
	admitting = referencetest.Commits("INSERT INTO pay_transaction")
	beginning = referencetest.Commits("INSERT INTO bank_trade")
	settling  = referencetest.Commits("INSERT INTO outbox_event")
)

// Whatever becomes of one COMMIT, the payment is carried out once and its client learns the truth.
func TestOneCommitGoesWrong(t *testing.T) {
	onServers(t, func(t *testing.T) {
		for name, act := range map[string]referencetest.DatabaseAct{
			"refused": {Fail: "40001"}, "answer lost": {Lose: true}, "never arrived": {Cut: true},
		} {
			for which, commit := range map[string]func(string, string) bool{"admit": admitting, "begin": beginning, "settle": settling} {
				t.Run(name+", "+which, func(t *testing.T) {
					r := start(t, with(quiet))
					var fired atomic.Bool // written by the link
					r.Link.Nth(1, func(transaction, statement string) bool {
						if commit(transaction, statement) {
							fired.Store(true)
							return true
						}
						return false
					}, act)
					paid := r.PayNew("O")
					assert.True(t, fired.Load())
					assert.Equal(t, 200, paid.HTTP, "%+v\n%s", paid, r.Log)
					assert.Len(t, r.Rows("O"), 1)
					assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
					assert.Equal(t, []string{r.Rows("O")[0].TradeNo}, r.Bank.Debits("A-O"))
					assert.Equal(t, 1, r.Count("bank_trade", "1 = 1"))
					assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
				})
			}
		}
	})
}

// A COMMIT whose answer is lost again and again is neither a success nor a failure.
func TestCommitInDoubt(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t, with(quiet))
		r.Link.Act(func(transaction, statement string) referencetest.DatabaseAct {
			return referencetest.DatabaseAct{Cut: settling(transaction, statement)}
		})
		paid := r.PayNew("O")
		assert.Equal(t, http.StatusAccepted, paid.HTTP)
		assert.Equal(t, reference.Processing, paid.Status)
		assert.Contains(t, r.Log.String(), reference.ErrInDoubt.Error())
		assert.Len(t, r.Bank.Debits("A-O"), 1)

		r.Link.Act(func(string, string) referencetest.DatabaseAct { return referencetest.DatabaseAct{} })
		r.Stop()
		r.Config.ReconcileProcessingAfter = reference.Duration(time.Millisecond)
		r.Start()
		r.Becomes("O", reference.Success)
		assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
	})
}

func TestAdmissionInDoubtIsNotNothing(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t, with(quiet))
		key := r.Token("O")
		r.Link.Act(func(transaction, statement string) referencetest.DatabaseAct {
			return referencetest.DatabaseAct{Cut: admitting(transaction, statement)}
		})
		first := r.Pay(req{Order: "O", Key: key})
		assert.Equal(t, http.StatusAccepted, first.HTTP, "%+v", first)
		r.Link.Act(func(string, string) referencetest.DatabaseAct { return referencetest.DatabaseAct{} })
		assert.Equal(t, http.StatusConflict, r.Pay(req{Order: "O", Key: key}).HTTP, "the key stays taken")
	})
}

func TestStatementErrorIsAnError(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t, with(quiet))
		key := r.Token("O")
		r.Link.Nth(1, func(_, statement string) bool { return strings.Contains(statement, "INSERT INTO pay_transaction") }, referencetest.DatabaseAct{Fail: "XX000"})
		busy := r.Pay(req{Order: "O", Key: key})
		assert.Equal(t, http.StatusServiceUnavailable, busy.HTTP, "nothing was done")
		assert.Equal(t, 200, r.Pay(req{Order: "O", Key: key}).HTTP, "the key was given back")
	})
}

func TestCallbackWhileTheDatabaseIsAway(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t, with(quiet))
		r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
		number := r.PayNew("O").TradeNo
		r.Link.Away(true)
		assert.Equal(t, http.StatusInternalServerError, r.Notify(notice("N1", number, "SUCCESS")), "the bank must send it again")
		code, _ := r.Do(http.MethodGet, "/readyz", nil, http.Header{})
		assert.Equal(t, http.StatusServiceUnavailable, code)
		r.Link.Away(false)
		assert.Equal(t, 200, r.Notify(notice("N1", number, "SUCCESS")))
		assert.Equal(t, reference.Success, r.Order("O").Status)
	})
}

func TestStartWhileTheDatabaseIsAway(t *testing.T) {
	onServers(t, func(t *testing.T) {
		server := start(t)
		server.Stop()
		server.Link.Away(true)
		server.Start()
		key := server.Token("O")
		assert.Equal(t, http.StatusServiceUnavailable, server.Pay(req{Order: "O", Key: key}).HTTP)
		code, body := server.Do(http.MethodGet, "/readyz", nil, http.Header{})
		assert.Equal(t, http.StatusServiceUnavailable, code)
		assert.NotContains(t, string(body), "secret")
		server.Link.Away(false)
		server.Until(func() bool {
			code, _ := server.Do(http.MethodGet, "/readyz", nil, http.Header{})
			return code == http.StatusOK
		}, "not ready although the database is back")
		assert.Equal(t, 200, server.Pay(req{Order: "O", Key: key}).HTTP)
	})
}

func TestStartGivesUpInTheEnd(t *testing.T) {
	r := referencetest.Setup(t)
	r.Config.Database = "postgres://pay:secret@127.0.0.1:9/pay"
	r.Config.DatabaseTimeout = reference.Duration(10 * time.Millisecond)
	service, err := reference.New(t.Context(), r.Config, r.Parts, r.Log, time.Now)
	require.NoError(t, err)
	err = service.Run(t.Context())
	require.ErrorIs(t, err, reference.ErrAway)
	assert.NotContains(t, err.Error(), "secret")
}

func TestSecondInstanceMakesNoSecondTables(t *testing.T) {
	onServers(t, func(t *testing.T) {
		one := start(t, with(quiet))
		two := referencetest.Setup(t)
		two.Bank, two.Config = one.Bank, one.Config
		two.Config.Instance, two.Config.Cache = "2", one.Config.Cache
		two.Start()
		key := one.Token("O")
		paid := one.Pay(req{Order: "O", Key: key})
		assert.Equal(t, 200, paid.HTTP)
		again := two.Pay(req{Order: "O", Key: key})
		assert.True(t, again.Replayed)
		assert.Equal(t, paid.TradeNo, again.TradeNo)
	})
}

// Keys are bytes: what differs only in case, or by a space, is something else on every database.
func TestKeysCompareByteByByte(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t)
		for _, order := range []string{"o", "O"} {
			assert.False(t, r.PayNew(order).Replayed, order)
		}
		assert.Equal(t, 2, r.Count("pay_transaction", "1 = 1"))
	})
}

// What the bank says at length must not keep a payment from its end.
func TestLongWordsOfTheBank(t *testing.T) {
	onServers(t, func(t *testing.T) {
		r := start(t, with(quiet))
		long := string(make([]byte, 300)) + strings.Repeat("é", 300)
		r.Bank.Act(always(referencetest.Debit, act{Amend: func(reply *reference.Reply) {
			reply.Status, reply.BankID, reply.Reason = "FAILED", long, long
		}}))
		declined := r.PayNew("O")
		assert.Equal(t, http.StatusPaymentRequired, declined.HTTP)
		assert.Equal(t, strings.Repeat("é", 128), declined.Message)
	})
}
