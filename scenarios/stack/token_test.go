package stack

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/fakebank"
	"onedebit/scenarios/targets"
)

// testToken is the token of proxies in tests.
const testToken = "the word"

func TestControlIsTheHarnesssAlone(t *testing.T) {
	called := 0
	h := guarded("secret", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called++ }))
	for header, status := range map[string]int{
		"Bearer secret": 200,
		"":              401, "Bearer": 401, "Bearer ": 401, "Bearer secre": 401, "Bearer secret2": 401, "Basic secret": 401, "secret": 401,
	} {
		req := httptest.NewRequest("POST", "/control/reset", nil)
		req.Header.Set("Authorization", header)
		rec := httptest.NewRecorder()
		called = 0
		h.ServeHTTP(rec, req)
		assert.Equal(t, status, rec.Code, header)
		assert.Equal(t, status == 200, called == 1, header)
	}
	rec := httptest.NewRecorder()
	req := httptest.NewRequest("GET", "/", nil)
	authorize(req, "")
	guarded("", h).ServeHTTP(rec, req)
	assert.Equal(t, 401, rec.Code, "no token is nobody's token")
	assert.NotEqual(t, newStackToken(t), newStackToken(t), "each experiment has its own")
}

func newStackToken(t *testing.T) string {
	t.Helper()
	s := newStack(Run{}, Spec{Target: &targets.Target{Processes: targets.Processes{{Name: "api", Takes: "payments"}}}})
	require.GreaterOrEqual(t, len(s.Token()), 20)
	return s.Token()
}

// TestRolesWantTheirToken asks the roles of containers for what only the harness may have.
func TestRolesWantTheirToken(t *testing.T) {
	loopback := NewLoopback(rand.New(rand.NewPCG(3, uint64(os.Getpid()))))
	fixed := func() string {
		address, err := loopback.Fixed()
		require.NoError(t, err)
		return address
	}
	bank := fakebank.Defaults()
	bank.Secret = "s"
	alone := BankRole{API: fixed(), Control: fixed(), Bank: bank}
	beside := BankRole{API: fixed(), Bank: bank}
	proxies := ProxyRole{Control: fixed(), Banks: []BankRole{beside}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.ErrorIs(t, ServeBank(ctx, alone), errNoToken)
	require.ErrorIs(t, ServeProxies(ctx, proxies), errNoToken)

	alone.Token, proxies.Token = "secret", "secret"
	ended := make(chan error, 2)
	go func() { ended <- ServeBank(ctx, alone) }()
	go func() { ended <- ServeProxies(ctx, proxies) }()
	for control, paths := range map[string][]string{
		alone.Control:   {"/control/ledger"},
		proxies.Control: {"/control/links", "/control/events", bankPath(0) + "/control/ledger"},
	} {
		require.NoError(t, awaitReady(patient(t), "the role", "http://"+control+"/readyz", nil), "anybody may ask whether it is ready")
		for _, path := range paths {
			res, err := http.Get("http://" + control + path)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, http.StatusUnauthorized, res.StatusCode, path)
		}
	}
	for _, control := range []string{alone.Control, proxies.Control + bankPath(0)} {
		_, err := newBankAPI("", control, "secret").Ledger(patient(t), 0)
		require.NoError(t, err)
		_, err = newBankAPI("", control, "other").Ledger(patient(t), 0)
		require.ErrorContains(t, err, "401")
	}
	_, err := DialProxies(patient(t), proxies.Control, "other", nil)
	require.ErrorContains(t, err, "token of the experiment")
	res, err := http.Post("http://"+beside.API+"/v1/debits", "application/json", strings.NewReader(`{"merchant":"M","trade_no":"T","account":"A","amount":5,"currency":"CNY"}`))
	require.NoError(t, err, "the bank's own API is the service's")
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)

	remote, err := DialProxies(patient(t), proxies.Control, "secret", func(string, Seen, time.Time) {})
	require.NoError(t, err)
	require.NoError(t, remote.Close(patient(t)))
	require.NoError(t, came(t, ended), "the banks end with the proxies beside them")
	_, err = http.Get("http://" + beside.API)
	require.Error(t, err)
}
