//go:build unix

package stack

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// shop is a service of somebody's own: it knows nothing but its environment and the files of its folder.
func shop() {
	text, err := os.ReadFile("shop.conf")
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	fmt.Println("shop begins with", strings.TrimSpace(string(text)))
	driver, dsn, insert := "sqlite", "file:data/shop.db?_pragma=busy_timeout(5000)", "INSERT INTO payments VALUES (?, 'PAID')"
	switch where := os.Getenv("DSN"); {
	case strings.HasPrefix(where, "postgres://"):
		driver, dsn, insert = "pgx", where, "INSERT INTO payments VALUES ($1, 'PAID')"
	case where != "":
		driver, dsn = "mysql", where
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		panic(err)
	}
	http.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Join(os.Environ(), "\n")) })
	http.HandleFunc("GET /resolve", func(w http.ResponseWriter, r *http.Request) {
		if _, err := net.LookupHost(r.FormValue("name")); err != nil {
			http.NotFound(w, r)
		}
	})
	http.HandleFunc("POST /pay", func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		resp, err := http.Post(os.Getenv("BANK")+"/debit", "application/json", strings.NewReader(fmt.Sprintf(`{"note":"for %s","amount":%s}`, key, r.FormValue("amount"))))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			http.Error(w, resp.Status, http.StatusPaymentRequired)
			return
		}
		if _, err := db.Exec(insert, key); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	if err := http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), nil); err != nil {
		fmt.Println(err)
		os.Exit(4)
	}
}

const shopTarget = `
target: shop
database:
  engine: sqlite
  file: data/shop.db
  schema: [{sql: schema.sql}, {run: [touch, schema-was-run]}]
processes:
  api:
    run: [SELF, shop]
    listen: auto
    env: {HOST: "${listen.host}", PORT: "${listen.port}", BANK: BANK_URL}
    files: {shop.conf: "number ${instance} at ${listen}\n", schema-was-run: ""}
    ready: {get: /health}
    before_restart: DELETE FROM payments WHERE state = 'NEW'
payment:
  each: [{submit: {post: /pay, headers: {Idempotency-Key: "${key}"}, form: {amount: "${amount}"}}}]
rows: {success: SELECT count(*) FROM payments WHERE key = :key}
banks:
  psp:
PSP
    calls:
      - on: POST /debit
        money: debit
        amount: {at: body.amount, as: decimal}
        currency: CNY
        reply: {status: 200, json: {ok: true}}
`

// ownStack brings up a stack with a target of somebody's own, whose file is in a folder with these files.
func ownStack(t *testing.T, text string, files map[string]string) (*Stack, string, error) {
	return ownStackOn(t, Servers{}, text, files)
}

// ownStackOn is the same on servers that run already.
func ownStackOn(t *testing.T, servers Servers, text string, files map[string]string) (*Stack, string, error) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	files["target.yaml"] = strings.ReplaceAll(text, "SELF", self)
	for path, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, path), []byte(text), 0o600))
	}
	target, err := targets.ReadFile(filepath.Join(folder, "target.yaml"))
	require.NoError(t, err)
	workdir, err := NewWorkdir(t.TempDir())
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	run := Run{Self: []string{self, "serve"}, Env: append(os.Environ(), "STRAY=1"), Workdir: workdir, Loopback: NewLoopback(rng), Servers: servers}
	site, err := Embedded.Open(t.Context(), run)
	require.NoError(t, err)
	s, err := site.Up(t.Context(), Spec{Target: target, Speed: 1, Rand: rng, Recorder: history.NewRecorder(time.Now)})
	t.Cleanup(func() {
		require.NoError(t, s.Down())
		left, err := filepath.Glob(filepath.Join(workdir.Path, "x-*"))
		require.NoError(t, err)
		assert.Empty(t, left, "nothing of the experiment is left")
		require.NoError(t, workdir.Remove())
	})
	return s, folder, err
}

const shopSchema = "CREATE TABLE payments (key TEXT PRIMARY KEY, state TEXT);\nINSERT INTO payments VALUES ('seed', 'NEW');"

func shopWith(bankURL, psp string) string {
	return strings.NewReplacer("BANK_URL", bankURL, "PSP\n", psp).Replace(shopTarget)
}

func (s *Stack) paid(t *testing.T, key, amount string) int {
	t.Helper()
	base, err := s.ClientURL(0)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/pay", strings.NewReader("amount="+amount))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, resp.Body)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func debits(s *Stack) (out []history.LedgerEntry) {
	for _, e := range s.Recorder.History().Events {
		if e.Ledger != nil && e.Ledger.Kind == history.LedgerDebit {
			out = append(out, *e.Ledger)
		}
	}
	return out
}

func TestServiceOfOnesOwn(t *testing.T) {
	s, folder, err := ownStack(t, shopWith(`"${psp.url}"`, ""), map[string]string{"schema.sql": shopSchema, "data/seed.txt": "kept"})
	require.NoError(t, err)
	s.Joiner.Learn("O-1", "K-0001")
	require.Equal(t, http.StatusOK, s.paid(t, "K-0001", "10.50"))
	require.NoError(t, s.ReadLedgerToEnd(t.Context()))
	require.Len(t, debits(s), 1)
	assert.Equal(t, "O-1", debits(s)[0].Order, "by a word in the request")
	assert.EqualValues(t, 1050, debits(s)[0].Amount)

	base, err := s.ClientURL(0)
	require.NoError(t, err)
	resp, err := http.Get(base + "/env")
	require.NoError(t, err)
	env, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.NotContains(t, string(env), "STRAY", "a clean environment")
	assert.Contains(t, string(env), "TMPDIR="+s.Workdir.Path)

	api, err := s.Process("api", 1)
	require.NoError(t, err)
	assert.Contains(t, api.LastWords(10)[0], "shop begins with number 1 at 127.0.0.1:")
	require.NoError(t, api.Kill())
	require.NoError(t, api.Start(t.Context()))
	require.NoError(t, s.SQL(t.Context(), "INSERT INTO payments VALUES ('seed', 'NEW')"), "what was there is deleted before a restart")
	_, err = s.Process("apj", 1)
	require.ErrorContains(t, err, `"api"`)

	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing is written into the programmer's folder: %v", entries)
	inner, err := os.ReadDir(filepath.Join(folder, "data"))
	require.NoError(t, err)
	assert.Len(t, inner, 1)
}

// On a server every experiment has a database of its own, made from whatever the service's schema is.
func TestServiceOfOnesOwnOnAServer(t *testing.T) {
	for name, test := range map[string]struct {
		server func(*testing.T) string
		dsn    string
	}{
		"postgres": {func(t *testing.T) string { return "postgres://payer:payer@" + startPostgres(t) + "/postgres" }, "postgres://${db.user}:${db.password}@${db.host}:${db.port}/${db.name}?sslmode=disable"},
		"mysql":    {func(t *testing.T) string { return "mysql://root@" + startMySQL(t) + "/pay" }, "${db.user}:${db.password}@tcp(${db.host}:${db.port})/${db.name}"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer("engine: sqlite\n  file: data/shop.db", "engine: "+name, "{sql: schema.sql}", "{goose: migrations}", "env: {", `env: {DSN: "`+test.dsn+`", `).
				Replace(shopWith(`"${psp.url}"`, ""))
			s, _, err := ownStackOn(t, Servers{DB: test.server(t)}, text, map[string]string{
				"migrations/1_init.sql": "-- +goose Up\nCREATE DATABASE elsewhere;\nUSE elsewhere;\nCREATE TABLE payments (pay_key VARCHAR(40) PRIMARY KEY, state VARCHAR(9));\n-- +goose Down\nDROP TABLE payments;\n",
				"migrations/2_more.sql": "-- +goose Up\nINSERT INTO payments VALUES ('a;b', 'NEW');\n",
			})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, s.paid(t, "K-0001", "10.50"))
			told := false
			for _, e := range s.Recorder.History().Events {
				told = told || e.Message != nil && e.Message.Link == DBLink && strings.Contains(e.Message.Text, "INSERT INTO payments")
			}
			assert.True(t, told, "the service speaks to its database through the link")
			require.NoError(t, s.SQL(t.Context(), "DELETE FROM payments WHERE pay_key = 'a;b'; DELETE FROM payments WHERE pay_key = 'none'"))
			require.ErrorContains(t, s.SQL(t.Context(), "DELETE FROM payment"), "payment")
		})
	}
}

// Two banks that use the same numbers are two ledgers, and one link.
func TestServiceWithTwoBanks(t *testing.T) {
	text := shopWith(`"${psp.url}"`, "") + strings.ReplaceAll(strings.SplitAfter(shopWith("", ""), "banks:\n")[1], "psp:", "alt:")
	s, _, err := ownStack(t, text, map[string]string{"schema.sql": shopSchema, "data/seed.txt": ""})
	require.NoError(t, err)
	assert.Equal(t, []string{"bank", "callback", "client"}, s.Links())
	link, err := s.Link(BankLink)
	require.NoError(t, err)
	armed, err := link.Arm(t.Context(), Rule{Match: Match{Dir: history.Answer, Count: 1}, Do: Lose{}})
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, s.paid(t, "K-0001", "10.50"))
	require.NoError(t, armed.Wait(t.Context(), 1, 0))
	require.NoError(t, armed.Remove(t.Context()))
	require.NoError(t, s.ReadLedgerToEnd(t.Context()))
	require.Len(t, debits(s), 1)
	assert.True(t, strings.HasPrefix(debits(s)[0].TradeNo, "psp/"))
	id, err := s.Bank.Arm(t.Context(), Behaviour{Kind: "decline"})
	require.NoError(t, err)
	s.paid(t, "K-0002", "1.00")
	state, err := s.Bank.AwaitBehaviour(t.Context(), id, 1, 0, patience)
	require.NoError(t, err)
	assert.Equal(t, 1, state.Fired)
	require.NoError(t, s.Bank.Disarm(t.Context(), id))
}

// A name that is fixed in the code of a service leads to the bank, over TLS, and no name reaches a resolver.
func TestServiceWithAFixedHostName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(cannotHide())
	}
	if err := advicePort(443); err != nil {
		t.Skip(err)
	}
	s, _, err := ownStack(t, shopWith("https://api.psp.example", "    names: [api.psp.example]\n    tls: true\n"), map[string]string{"schema.sql": shopSchema, "data/seed.txt": ""})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, s.paid(t, "K-0001", "10.50"))
	require.NoError(t, s.ReadLedgerToEnd(t.Context()))
	require.Len(t, debits(s), 1)
	named := false
	for _, e := range s.Recorder.History().Events {
		named = named || e.Message != nil && e.Message.Link == BankLink && e.Message.Name == "debit"
	}
	assert.True(t, named, "messages have names behind TLS")
}

// advicePort says why a port cannot be listened on by who runs the tests.
func advicePort(port int) error {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.77.0.1:%d", port))
	if err != nil {
		return err
	}
	return ln.Close()
}

func TestServiceOfOnesOwnThatDoesNotComeUp(t *testing.T) {
	files := func() map[string]string { return map[string]string{"schema.sql": shopSchema, "data/seed.txt": ""} }
	for name, test := range map[string]struct{ from, to, want string }{
		"ends at once":           {"SELF, shop", "/bin/sh, -c, echo no luck; exit 3", "ended before it was ready"},
		"no such command":        {"SELF, shop", "./no-such", "no such file"},
		"no such folder":         {"listen: auto", "listen: auto\n    cwd: nowhere", "nowhere is no folder"},
		"no such schema":         {"schema.sql", "schemas.sql", "schemas.sql: no such file"},
		"a schema command fails": {"touch, schema-was-run", "/bin/sh, -c, echo broken; exit 1", "broken"},
		"a file out of it":       {"schema-was-run: \"\"", "../out: x", "within its folder"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(shopWith(`"${psp.url}"`, ""), test.from, test.to, 1)
			require.NotEqual(t, shopWith(`"${psp.url}"`, ""), text)
			_, _, err := ownStack(t, text, files())
			require.ErrorContains(t, err, test.want)
			require.ErrorIs(t, err, ErrNotUp)
		})
	}
}

// A port that somebody else has is said before anything is started.
func TestServiceThatInsistsOnATakenPort(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	_, _, err = ownStack(t, strings.Replace(shopWith(`"${psp.url}"`, ""), "listen: auto", "listen: "+port, 1), map[string]string{"schema.sql": shopSchema, "data/seed.txt": ""})
	require.ErrorIs(t, err, ErrNotUp)
	require.ErrorContains(t, err, "port "+port+", on which process api insists, is taken")
}

// One that runs already is met where it is, looks for its bank where it always does, and is left alone.
func TestServiceThatRunsAlready(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, ln.Close())
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Post("http://127.0.0.1:"+port+"/debit", "application/json", bytes.NewReader([]byte(`{"amount": 3.00}`)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = resp.Body.Close()
	})}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = srv.Serve(at) }()
	defer srv.Close()
	text := `
target: running
database: {engine: sqlite}
processes: {api: {url: "http://URL/v1"}}
payment: {each: [{submit: {post: /pay}}]}
rows: {success: {get: /count, count: body.n}}
banks:
  psp: {listen: PORT, calls: [{on: POST /debit, money: debit, amount: {at: body.amount, as: decimal}, currency: CNY, reply: {status: 200, json: {}}}]}
`
	s, _, err := ownStack(t, strings.NewReplacer("URL", at.Addr().String(), "PORT", port).Replace(text), map[string]string{})
	require.NoError(t, err)
	base, err := s.ClientURL(0)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(base, "/v1"))
	require.Equal(t, http.StatusOK, s.paid(t, "K-1", "3.00"))
	require.NoError(t, s.ReadLedgerToEnd(context.Background()))
	require.Len(t, debits(s), 1)
	require.ErrorContains(t, s.Services[0].Kill(), "it ran already")
}
