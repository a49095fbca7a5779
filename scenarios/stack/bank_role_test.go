package stack

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/fakebank"
)

func TestBankRoleSpeaksADialect(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.yaml")
	require.NoError(t, os.WriteFile(own, []byte("calls: [{on: POST /take, money: debit, reply: {status: 201, json: {}}}]\n"), 0o600))
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("cals: []\n"), 0o600))
	bank := fakebank.Defaults()
	bank.Secret = "s"
	for _, tc := range []struct {
		dialect, path, body string
		settings            map[string]string
		status              int
		err                 string
	}{
		{"", "/v2/debits", "", nil, 404, ""},
		{"native", "/v1/debits", `{"merchant":"M","trade_no":"T","account":"A","amount":5,"currency":"CNY"}`, nil, 200, ""},
		{"stripe", "/v1/payment_intents", `{"amount":5,"currency":"usd","confirm":"true"}`, map[string]string{"webhook_url": ""}, 200, ""},
		{own, "/take", "", nil, 201, ""},
		{"strip", "", "", nil, 0, `did you mean "stripe"?`},
		{"stripe", "", "", map[string]string{"webhook": ""}, 0, `did you mean "webhook_url"?`},
		{bad, "", "", nil, 0, `bad.yaml:1:1: unknown key "cals"`},
		{"none.yaml", "", "", nil, 0, "reading a dialect"},
	} {
		b, err := BankRole{Bank: bank, Dialect: tc.dialect, Settings: tc.settings}.open()
		if tc.err != "" {
			require.ErrorContains(t, err, tc.err)
			continue
		}
		require.NoError(t, err)
		w := httptest.NewRecorder()
		b.API().ServeHTTP(w, httptest.NewRequest("POST", tc.path, strings.NewReader(tc.body)))
		assert.Equal(t, tc.status, w.Code, "%s: %s", tc.dialect, w.Body)
		require.NoError(t, b.Close(t.Context()))
	}
}
