package targets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pieces that only some services need.
func TestPieces(t *testing.T) {
	target, err := Load("t.yaml", []byte(`
target: all
database: {engine: postgres, schema: [{goose: migrations}, {run: [python3, manage.py, migrate]}, {sql: schema.sql}]}
processes:
  api: {run: [./api], listen: auto, files: {.env: "XENDIT_BASE_URL=${stripe.url}\nDATABASE_URL=${db.url}\n"}, ready: tcp, stop: 5s, instances: 2}
  worker: {run: [./worker], cwd: work}
payment:
  key: {prefix: K-, length: 20}
  amount: {min: 5000, as: string, unique: true}
  duplicate: [400, 409, 500]
  confirmed: {http: [200], body.status: [PAID, paid]}
  each:
    - {post: /cart, json: {n: "${n}"}, capture: {cart: body.id}}
    - submit: {post: "/pay/${each.cart}", form: {key: "${key}", amount: "${amount}"}}
rows:
  success: {get: "/payments/${key}", state: body.status, is: [PAID]}
  declined: SELECT count(*) FROM payments WHERE reference = :key AND status = 'FAILED'
  pending: {run: [./count, "${key}"]}
  alias: SELECT 'ride-' || id FROM idempotency_keys WHERE idempotency_key = :key
  alone: true
banks: {stripe: {names: [api.stripe.com], tls: true, calls: [{on: POST /v1/payment_intents, money: debit, dedupe: {by: header.Idempotency-Key}}]}}
links:
  cache: {engine: redis}
  queue: {engine: rabbitmq}
  shop: {serve: ./site}
idempotency: {profile: ietf, mismatch: [409]}
`))
	require.NoError(t, err)
	assert.Equal(t, []string{"api", "worker"}, []string{target.Processes[0].Name, target.Processes[1].Name}, "in the order of the file")
	assert.Empty(t, target.Lacks(Ordered), "what was made for the payment names it")
	assert.Equal(t, []int{409}, target.Idempotency.Mismatch)
	assert.Equal(t, []int{400}, target.Idempotency.Missing)
	assert.Contains(t, string(target.Banks["stripe"].Text), "currency: USD")
}

func TestMistakesInTargetsOfOnesOwn(t *testing.T) {
	const whole = `
target: shop
processes: {api: {run: [./api], listen: auto}}
payment: {each: [{submit: {post: /pay, json: {id: "${key}"}}}]}
rows: {success: SELECT 1}
banks: {psp: {calls: [{on: POST /charge, money: debit}]}}
`
	_, err := Load("t.yaml", []byte(whole))
	require.NoError(t, err)
	for name, c := range map[string]struct{ old, now, want string }{
		"no way to start":       {"run: [./api], listen: auto", "listen: auto", "say in one way how it is started"},
		"a recipe":              {"rows:", "links: {queue: {replay: {key: k}}}\nrows:", "links.queue.replay: messages are not sent once more by a recipe yet"},
		"asked for twice":       {"payment: {", "payment: {query: {get: /a}, poll: {get: /b}, ", "query and poll are the same"},
		"not reachable":         {", listen: auto", "", "none can be reached"},
		"port":                  {"listen: auto", "listen: 99999", "expected auto, or a port"},
		"two submits":           {"each: [", "each: [{submit: {post: /again}}, ", "say in one of its steps how a payment is submitted"},
		"a bank without calls":  {"{calls: [{on: POST /charge, money: debit}]}", "{modes: [naive]}", "calls is missing"},
		"a key of no bank":      {"{calls:", "{lisen: 8081, calls:", `unknown key "lisen"; did you mean "listen"?`},
		"a mode":                {"{calls:", "{modes: [naiv], calls:", `unknown mode "naiv"; did you mean "naive"?`},
		"kind of key":           {"{each:", "{key: uid, each:", `unknown kind of key "uid"; did you mean "uuid"?`},
		"a key that is short":   {"{each:", "{key: {prefix: K-, length: 5}, each:", "leaves 3 letters"},
		"an amount":             {"{each:", "{amount: {min: lots}, each:", `expected a number such as 10.00, found "lots"`},
		"no amount at all":      {"{each:", "{amount: {min: 5, max: 4}, each:", "no amount is at least min"},
		"two ways to ask":       {"success: SELECT 1", "success: {sql: SELECT 1, run: [x]}", "ask in one way"},
		"a state without words": {"success: SELECT 1", "success: {get: /x, state: body.s}", "state and is go together"},
		"a path":                {"{each:", "{confirmed: {status: [PAID]}, each:", `"status" is neither http nor a path`},
		"a host":                {"listen: auto", "listen: auto, hosts: {bank.example: pps}", `unknown bank or link "pps"; valid are: psp`},
		"a placeholder":         {`json: {id: "${key}"}`, `json: {id: "${keyy}"}`, `payment.each, step 1: unknown placeholder "keyy"; did you mean "key"?`},
		"one of a process":      {"listen: auto", `listen: auto, env: {DB: "${db.hots}"}`, `processes.api.env.DB: unknown placeholder "db.hots"; did you mean "db.host"?`},
		"one of rows":           {"success: SELECT 1", "success: SELECT 1 WHERE k = :kei", `rows.success: unknown placeholder "kei"; did you mean "key"?`},
		"a capture too early":   {`json: {id: "${key}"}`, `json: {id: "${each.cart}"}`, `unknown placeholder "each.cart"`},
		"a callback":            {"[{on: POST /charge, money: debit}]", "[{on: POST /charge, money: debit, callback: c}], callbacks: {c: {to: apo, post: /x, json: {}}}", `unknown process "apo"; did you mean "api"?`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load("t.yaml", []byte(replaced(t, whole, c.old, c.now)))
			require.ErrorContains(t, err, c.want)
			assert.Regexp(t, `^t\.yaml:\d+:\d+: `, err.Error())
		})
	}
}

func replaced(t *testing.T, text, old, now string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, now, 1)
}
