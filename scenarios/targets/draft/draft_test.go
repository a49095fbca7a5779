package draft_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/targets"
	"onedebit/scenarios/targets/draft"
)

func folder(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// file is the file that is drafted; it must be one that can be read.
func file(t *testing.T, s *draft.Service) string {
	t.Helper()
	text := s.File()
	_, err := targets.Load("onedebit.yaml", text)
	require.NoError(t, err, string(text))
	return string(text)
}

func TestOfAnEmptyFolder(t *testing.T) {
	s := draft.Look(folder(nil), "/srv/My Shop!")
	assert.Equal(t, "my-shop", s.Name)
	assert.Empty(t, s.Found)
	text := file(t, s)
	for _, line := range []string{"run: [./server] # guess", "post: /payments # guess", "listen: 8080 # guess"} {
		assert.Contains(t, text, line)
	}
}

func TestOfTheExamples(t *testing.T) {
	for example, lines := range map[string][]string{
		"python": {
			"engine: sqlite", "run: [python3, shop.py]", "listen: auto", "ready: {get: /health}", `DB: "${db.file}"`, `BANK: "${bank.url}"`,
			`PORT: "${listen.port}"`, "post: /payments\n", `headers: {Idempotency-Key: "${key}"}`, "on: POST /charges\n",
			"success: SELECT count(*) FROM payments WHERE order_no = :order AND status = 'PAID'",
			"declined: SELECT count(*) FROM payments WHERE order_no = :order AND status = 'FAILED'",
		},
		"node": {"run: [node, shop.js]", "form: {", "on: POST /v1/charges\n"},
	} {
		for _, version := range []string{"broken", "mended"} {
			text := file(t, draft.Look(os.DirFS("../testdata/examples/"+example+"/"+version), example))
			for _, line := range lines {
				assert.Contains(t, text, line, example)
			}
		}
	}
}

func TestOfAComposeFile(t *testing.T) {
	s := draft.Look(folder(map[string]string{
		"docker-compose.yml": `
services:
  api:
    build: .
    environment:
      - PORT=8080
      - DB_HOST=db
      - DB_PASSWORD=verysecret
      - REDIS_URL=redis://cache:6379/0
      - AMQP_URL=amqp://mq:5672
      - PROVIDER_BASE_URL=https://api.provider.example
      - API_SECRET=sk_live_1
      - LOG_LEVEL=info
  db: {image: "postgres:16"}
  cache: {image: "redis:7"}
  mq: {image: "rabbitmq:3"}
`,
		"Dockerfile": "FROM scratch\nCMD [\"./api\", \"serve\"]\n",
	}), "shop")
	text := file(t, s)
	for _, line := range []string{
		"engine: postgres", "run: [./api, serve]", `DB_HOST: "${db.host}"`, `DB_PASSWORD: "${db.password}"`, `REDIS_URL: "${cache.url}"`,
		`AMQP_URL: "${queue.url}"`, `PROVIDER_BASE_URL: "${bank.url}"`, "LOG_LEVEL: info", "cache: {engine: redis}", "queue: {engine: rabbitmq}", "listen: auto",
	} {
		assert.Contains(t, text, line)
	}
	assert.NotContains(t, text, "secret\"", "no password is copied")
	assert.NotContains(t, text, "sk_live_1")
}

func TestOfMigrationsAndADescription(t *testing.T) {
	s := draft.Look(folder(map[string]string{
		"db/migrations/001_init.sql": "-- +goose Up\nCREATE TABLE transfers (id TEXT PRIMARY KEY, idempotency_key TEXT, state TEXT CHECK (state IN ('COMPLETED', 'REJECTED')));\n-- +goose Down\n",
		"Procfile":                   "web: ./bin/server --port 9000\n",
		"api/openapi.yaml": `
paths:
  /api/accounts: {post: {}}
  /api/transfers:
    post:
      parameters: [{name: X-Idempotency-Key, in: header}]
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Transfer"}
components:
  schemas:
    Transfer:
      properties:
        amount: {type: number}
        currency: {type: string}
        note: {type: string, example: rent}
        express: {type: boolean}
`,
	}), "bank")
	text := file(t, s)
	for _, line := range []string{
		"schema: [{goose: db/migrations}]", `run: [./bin/server, "--port", "9000"]`, "post: /api/transfers\n", `headers: {X-Idempotency-Key: "${key}"}`,
		`json: {amount: "${amount}", currency: "${currency}", express: true, note: rent}`,
		"success: SELECT count(*) FROM transfers WHERE idempotency_key = :key AND state = 'COMPLETED'",
	} {
		assert.Contains(t, text, line)
	}
}

// A folder may hold anything: what is drafted from it can be read, or it is refused, but nothing else happens.
func FuzzLook(f *testing.F) {
	f.Add("web: x", "A=b", "services: {a: {image: redis}}", "CREATE TABLE payments (status TEXT, key TEXT); 'PAID'")
	f.Add("web: \"'#{", "PORT=\x00", "[", "create table payment (\"status\" x, key y); \"paid\"")
	f.Fuzz(func(t *testing.T, procfile, env, compose, sql string) {
		s := draft.Look(folder(map[string]string{"Procfile": procfile, ".env": env, "compose.yaml": compose, "a.sql": sql, "b.py": sql, "package.json": env}), "x")
		if text := s.File(); !strings.Contains(string(text), "\ntarget: x\n") {
			t.Errorf("no target file: %s", text)
		}
	})
}
