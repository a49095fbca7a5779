//go:build unix

package stack

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

const imageTarget = `
target: shop
database:
  engine: postgres
  schema: [{sql: schema.sql}, {run: [shop-schema]}]
processes:
  api:
    image: IMAGE
    run: [shop]
    listen: 9999
    env: {HOST: "${listen.host}", PORT: "${listen.port}", BANK: "https://api.psp.example", DSN: "postgres://${db.user}:${db.password}@${db.host}:${db.port}/${db.name}?sslmode=disable"}
    files: {shop.conf: "number ${instance}\n"}
    before_restart: DELETE FROM payments WHERE state = 'NEW'
payment: {each: [{submit: {post: /pay}}]}
rows: {success: SELECT count(*) FROM payments WHERE key = :key}
banks:
  psp:
    names: [api.psp.example]
    tls: true
    calls:
      - {on: POST /debit, money: debit, amount: {at: body.amount, as: decimal}, currency: CNY, reply: {status: 200, json: {ok: true}}}
`

// A service that is an image is met in a container as one that is a command is met on this machine.
func TestServiceInAnImage(t *testing.T) {
	if testing.Short() {
		t.Skip("the service is a process of its own, made of an executable without the race detector")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	images, err := ParseImages(os.Getenv("ONEDEBIT_IMAGES"), nil)
	require.NoError(t, err)
	workdir, err := NewWorkdir(t.TempDir())
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	run := Run{Self: []string{self, "serve"}, Workdir: workdir, Loopback: NewLoopback(rng), Servers: Servers{DB: "postgres"}, Images: images}
	site, err := Docker.Open(t.Context(), run)
	if errors.Is(err, ErrNotUp) && os.Getenv("CI") != "true" {
		t.Skipf("NOT TESTED: %v", err)
	}
	require.NoError(t, err)
	defer func() { assert.NoError(t, errors.Join(site.Close(), workdir.Remove()), "nothing is left behind") }()
	file := filepath.Join(t.TempDir(), "target.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "schema.sql"), []byte(shopSchema), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(imageTarget, "IMAGE", site.(*dockerSite).image)), 0o600))
	target, err := targets.ReadFile(file)
	require.NoError(t, err)
	s, err := site.Up(t.Context(), Spec{Target: target, Speed: 1, Rand: rng, Recorder: history.NewRecorder(time.Now)})
	defer func() { assert.NoError(t, s.Down()) }()
	require.NoError(t, err)
	assert.Equal(t, []string{"bank", "callback", "client", "db"}, s.Links())
	s.Joiner.Learn("O-1", "K-0001")
	require.Equal(t, http.StatusOK, s.paid(t, "K-0001", "10.50"))
	require.NoError(t, s.ReadLedgerToEnd(t.Context()))
	require.Len(t, debits(s), 1)
	assert.Equal(t, "O-1", debits(s)[0].Order)
	require.NoError(t, s.Services[0].Kill())
	require.NoError(t, s.Services[0].Start(t.Context()))
	require.NoError(t, s.SQL(t.Context(), "INSERT INTO payments VALUES ('seed', 'NEW')"), "what was there is deleted before a restart")
	require.Equal(t, http.StatusOK, s.paid(t, "K-0002", "1.00"))
	assert.Contains(t, strings.Join(s.Services[0].LastWords(10), "\n"), "shop begins with number 1")
}
