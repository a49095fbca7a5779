package fakebank

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadRequests(t *testing.T) {
	f := start(t)
	debit := func(change object) any { return debitOf("T1", change) }
	for _, tc := range []struct {
		name, path string
		body       any
		want       string
	}{
		{"empty", "debits", "", "ends early"},
		{"cut", "debits", `{"merchant":`, "ends early"},
		{"not JSON", "debits", `<xml>`, "not JSON"},
		{"not an object", "debits", `[1]`, "the body must be an object, not array"},
		{"two objects", "debits", `{} {}`, "goes on behind"},
		{"no fields", "debits", `{}`, "merchant must have"},
		{"zero", "debits", debit(object{"amount": 0}), "amount must be a positive number"},
		{"negative", "debits", debit(object{"amount": -5}), "amount must be a positive number"},
		{"fraction", "debits", debit(object{"amount": 5.5}), "amount must be a whole number"},
		{"text amount", "debits", debit(object{"amount": "5"}), "amount must be a whole number, not string"},
		{"too large", "debits", debit(object{"amount": 1e30}), "amount must be a whole number"},
		{"no trade_no", "debits", debit(object{"trade_no": ""}), "trade_no must have"},
		{"long trade_no", "debits", debit(object{"trade_no": strings.Repeat("x", 129)}), "trade_no must have 1 to 128"},
		{"line break", "debits", debit(object{"trade_no": "a\nb"}), "trade_no must be printable"},
		{"no account", "debits", debit(object{"account": ""}), "account must have"},
		{"currency", "debits", debit(object{"currency": "yuan"}), "currency must be three capital letters"},
		{"notify_url", "debits", debit(object{"notify_url": "/callback"}), "notify_url must be an absolute"},
		{"notify_url scheme", "debits", debit(object{"notify_url": "file:///etc/passwd"}), "notify_url must be an absolute"},
		{"long body", "debits", debit(object{"merchant": strings.Repeat("x", maxBody)}), "longer than 65536 bytes"},
		{"refund amount", "refunds", `{"refund_no":"R1","trade_no":"T1","amount":-1}`, "amount must be a positive"},
		{"refund_no", "refunds", `{"trade_no":"T1","amount":1}`, "refund_no must have"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := f.send(context.Background(), "POST", f.api.URL+"/v1/"+tc.path, tc.body)
			require.Equal(t, 400, r.status, r.text)
			assert.Equal(t, "BAD_REQUEST", r.field(t, "code"))
			assert.Contains(t, r.field(t, "message"), tc.want)
			lines := f.ledger(kindRequest, kindAnswer)
			assert.Equal(t, 400, lines[len(lines)-1].HTTP, "what came is in the ledger")
		})
	}
	assert.Empty(t, f.ledger(kindDebit, kindRefund, kindDecline))
	assert.Equal(t, 400, f.query(strings.Repeat("x", 129)).status)
	assert.Equal(t, 200, f.debit("T1").status, "after all that it still works")
}

func TestUnknownPaths(t *testing.T) {
	f := start(t)
	for _, r := range []reply{
		f.send(context.Background(), "GET", f.api.URL+"/v2/debits", nil),
		f.send(context.Background(), "DELETE", f.api.URL+"/v1/debits/T1", nil),
		f.send(context.Background(), "GET", f.api.URL+"/control/status", nil),
		f.rule("GET", "nothing", nil),
	} {
		assert.Equal(t, 404, r.status)
		assert.Equal(t, "NO_SUCH_PATH", r.field(t, "code"))
	}
	assert.Empty(t, f.ledger(kindRequest))
}

func TestReadyAndUnusualNumbers(t *testing.T) {
	f := start(t)
	assert.Equal(t, 200, f.send(context.Background(), "GET", f.api.URL+"/readyz", nil).status)
	f.debit("a/b c:ü?")
	assert.Equal(t, Success, f.query("a%2Fb%20c:%C3%BC%3F").field(t, "status"))
}

// half sends the beginning of a debit, and waits until the bank reads it.
func (f *fixture) half() net.Conn {
	f.t.Helper()
	conn, err := net.Dial("tcp", f.api.Listener.Addr().String())
	require.NoError(f.t, err)
	_, err = fmt.Fprint(conn, "POST /v1/debits HTTP/1.1\r\nHost: bank\r\nContent-Length: 500\r\n\r\n{\"merchant\":")
	require.NoError(f.t, err)
	require.Eventually(f.t, func() bool { return f.status().InFlight == 1 }, patience, pollEvery)
	return conn
}

// A request that never arrives in full is no request: nothing is done and nothing written down.
func TestHalfARequest(t *testing.T) {
	f := start(t)
	require.NoError(t, f.half().Close())
	require.Eventually(t, func() bool { return f.status().InFlight == 0 }, patience, pollEvery)
	assert.Empty(t, f.page("").Entries)
}

func TestHalfARequestDoesNotKeepTheBankOpen(t *testing.T) {
	f := start(t)
	conn := f.half()
	defer conn.Close()
	require.NoError(t, f.bank.Close(t.Context()))
	_, err := conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func FuzzReadDebit(f *testing.F) {
	f.Add([]byte(`{"merchant":"M","trade_no":"T","account":"A","amount":5,"currency":"CNY","notify_url":"http://h/"}`))
	f.Add([]byte(`{"amount":1e400}`))
	f.Add([]byte(`null`))
	f.Add(bytes.Repeat([]byte(`[`), 100))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := readDebit(nil, body)
		if err == nil && (c.Amount <= 0 || c.TradeNo == "" || c.Account == "" || c.Merchant == "" || len(c.Currency) != 3) {
			t.Errorf("%q was let pass as %+v", body, c)
		}
	})
}
