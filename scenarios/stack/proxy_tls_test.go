package stack

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// A client of a link that speaks TLS is told apart from one in plain text by nobody: messages have names, and what a rule
// does to them is felt.
func TestProxySpeaksTLS(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "paid "+string(body))
	}))
	defer server.Close()
	ca, err := newAuthority(time.Now())
	require.NoError(t, err)
	shown, err := ca.certify("api.bank.example", "127.0.0.1")
	require.NoError(t, err)
	seen := make(chan Seen, 100)
	proxies := NewProxies()
	defer proxies.Close()
	p, err := proxies.Add(ProxyConfig{
		Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{strings.TrimPrefix(server.URL, "http://")}, Protocol: wire.HTTP, Certificate: shown,
	}, func(m Seen) { seen <- m })
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(ca.PEM))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "api.bank.example"}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	post := func() (string, error) {
		resp, err := client.Post("https://"+p.Address()+"/pay", "text/plain", strings.NewReader("5"))
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	text, err := post()
	require.NoError(t, err)
	assert.Equal(t, "paid 5", text)
	assert.Equal(t, "POST /pay", (<-seen).Label)
	assert.Equal(t, history.Answer, (<-seen).Dir)

	armed, err := p.Arm(t.Context(), Rule{Match: Match{Dir: history.Answer}, Do: Lose{}})
	require.NoError(t, err)
	_, err = post()
	require.ErrorContains(t, err, "connection reset", "a RST is one in TLS too")
	fired, _, err := armed.Counts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, fired)
	require.NoError(t, armed.Remove(t.Context()))

	stranger := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	_, err = stranger.Get("https://" + p.Address())
	var unknown x509.UnknownAuthorityError
	require.True(t, errors.As(err, &unknown), "only who was given the authority trusts it: %v", err)
}
