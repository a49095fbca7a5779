package targets

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Two services that are in use, which are as unlike each other as they come.
func TestRealServicesCanBeDescribed(t *testing.T) {
	rinha, err := ReadFile("testdata/real/rinha.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "second"}, rinha.BankNames())
	assert.Equal(t, 9999, rinha.TakesPayments().Listen.Port)
	assert.Equal(t, KeyUUID, rinha.Payment.Key.Kind)
	assert.Equal(t, []int{202}, rinha.Payment.Accepts())
	assert.Equal(t, "10s", rinha.Settle.Within.String())
	assert.Equal(t, []string{"POST /payments"}, rinha.Messages("bank")["debit"])

	transfers, err := ReadFile("testdata/real/secure-payment.yaml")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"transfer-processor": "psp"}, transfers.TakesPayments().Hosts)
	assert.Len(t, transfers.Setup, 2)
	assert.Equal(t, KeyNone, transfers.Payment.Key.Kind)
	assert.Len(t, transfers.Payment.RetryAfter, 2)
	assert.NotNil(t, transfers.Rows.Balance)
	assert.Equal(t, []string{"POST /api/webhook/transfer"}, transfers.Messages("callback")["callback"])
}

// least is a target file to which what varies is added.
const least = `
target: any
processes: {api: {run: [./api], listen: auto}}
payment: {each: [{submit: {post: /pay, json: {amount: "${amount}"}}}]}
rows: {success: SELECT count(*) FROM payments WHERE amount = :amount}
`

// described is the least file with its keys in the place of others.
func described(t *testing.T, keys string) (*Target, error) {
	t.Helper()
	var file, more map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(least), &file))
	require.NoError(t, yaml.Unmarshal([]byte(keys), &more), keys)
	maps.Copy(file, more)
	text, err := yaml.Marshal(file)
	require.NoError(t, err)
	return Load("any.yaml", text)
}

// What varies between services that are in use, and how each variant is said.
var varies = map[string][]string{
	"credentials on submit": {
		`payment: {each: [{submit: {post: /pay, headers: {X-User: "7"}, json: {}}}]}`,
		`payment: {each: [{submit: {post: /pay, headers: {Authorization: Bearer fixed}, json: {}}}]}`,
		`{setup: [{post: /login, json: {user: a}, capture: {token: body.token}}], payment: {each: [{submit: {post: /pay, headers: {Authorization: "Bearer ${setup.token}"}, json: {}}}]}}`,
	},
	"before the first payment": {
		`setup: [{post: /accounts, json: {id: payer}, accepted: [201]}]`, `{database: {engine: sqlite}, setup: [{sql: "INSERT INTO customers VALUES (1)"}]}`,
		`payment: {each: [{post: /orders, json: {}, capture: {order: body.id}}, {submit: {post: "/orders/${each.order}/pay", json: {}}}]}`,
	},
	"client calls per payment": {
		`payment: {each: [{post: /cart, json: {}, capture: {cart: body.id}}, {submit: {post: /pay, json: {cart: "${each.cart}"}}}]}`,
		`payment: {each: [{submit: {post: /pay, json: {}, capture: {id: body.id}}}, {post: "/pay/${each.id}/confirm"}]}`,
	},
	"payment key travels in": {
		`payment: {each: [{submit: {post: /pay, json: {key: "${key}"}}}]}`, `payment: {each: [{submit: {post: /pay, headers: {Idempotency-Key: "${key}"}}}]}`,
		`payment: {each: [{submit: {post: "/pay/${key}"}}]}`, `payment: {key: none, each: [{submit: {post: /pay}}]}`,
	},
	"key format rules": {
		`payment: {key: uuid, each: [{submit: {post: /pay}}]}`, `payment: {key: {prefix: K-, length: 20}, each: [{submit: {post: /pay}}]}`,
		`payment: {key: {length: 15}, each: [{submit: {post: /pay}}]}`,
	},
	"amount": {
		`payment: {amount: {min: 5000}, each: [{submit: {post: /pay, json: {amount: "${amount}"}}}]}`,
		`payment: {amount: {min: 10.00, step: 0.01}, each: [{submit: {post: /pay, json: {amount: "${amount}"}}}]}`,
		`payment: {amount: {min: 10.00, step: 0.01, as: string}, each: [{submit: {post: /pay, json: {amount: "${amount}", cents: "${amount.minor}"}}}]}`,
		`payment: {amount: {min: 499, max: 499, unique: false}, each: [{submit: {post: /pay}}]}`,
	},
	"currency":         {`payment: {currency: USD, each: [{submit: {post: /pay, json: {currency: "${currency}"}}}]}`},
	"request encoding": {`payment: {each: [{submit: {post: /pay, form: {amount: "${amount}"}}}]}`},
	"accepted":         {`payment: {each: [{submit: {post: /pay}, accepted: [202]}]}`, `payment: {confirmed: [200, 201], pending: [202], each: [{submit: {post: /pay}}]}`},
	"outcome known": {
		`payment: {confirmed: {http: [200], body.status: [PAID]}, pending: {body.status: [PENDING]}, each: [{submit: {post: /pay}}]}`,
		`settle: {within: 90s, quiet: 2s}`,
	},
	"usable own id in the reply": {`rows: {success: SELECT count(*) FROM payments WHERE amount = :amount}`},
	"answer to a duplicate":      {`payment: {duplicate: [400, 409, 500], each: [{submit: {post: /pay}}]}`},
	"success words":              {`rows: {success: "SELECT count(*) FROM payments WHERE reference = :key AND status IN ('paid', 'SUCCEEDED')"}`},
	"rows per payment":           {`rows: {success: "SELECT count(*) FROM payments WHERE reference = :key AND kind = 'applied'"}`},
	"money visible as": {
		`rows: {success: SELECT 1, debits: SELECT count(*) FROM ledger WHERE reference = :key}`, `rows: {success: SELECT 1, balance: SELECT 1000000 - balance FROM accounts WHERE id = 'payer'}`,
		`rows: {success: {get: "/payments/${key}", state: body.status, is: [PAID]}}`, `rows: {success: {run: [./count, "${key}"]}}`,
	},
	"database":          {`database: {engine: postgres}`, `database: {engine: mysql}`, `database: {engine: sqlite, file: data/shop.db}`},
	"database settings": {`{database: {engine: postgres}, processes: {api: {run: [./api], listen: auto, env: {H: "${db.host}", P: "${db.port}", U: "${db.user}", W: "${db.password}", N: "${db.name}", URL: "${db.url}"}}}}`},
	"config as a file":  {`processes: {api: {run: [./api], listen: auto, files: {.env: "PORT=${listen.port}\n"}}}`},
	"working directory": {`processes: {api: {run: [./api], listen: auto, cwd: services/api}}`},
	"schema":            {`database: {engine: postgres, schema: [{goose: migrations}, {run: [python3, manage.py, migrate]}, {sql: schema.sql}]}`},
	"listen port":       {`processes: {api: {run: [./api], listen: 9999}}`},
	"processes":         {`processes: {api: {run: [./api], listen: auto, takes: payments}, worker: {run: [./worker]}}`, `processes: {api: {image: shop}, w: {url: "http://127.0.0.1:8080"}}`},
	"ready":             {`processes: {api: {run: [./api], listen: auto, ready: tcp}}`, `processes: {api: {run: [./api], listen: auto, ready: {get: /health}}}`},
	"stop and restart":  {`{database: {engine: postgres}, processes: {api: {run: [./api], listen: auto, stop: 5s, before_restart: DELETE FROM seeds}}}`},
	"bank address": {
		`{banks: {psp: {dialect: native}}, processes: {api: {run: [./api], listen: auto, env: {PSP: "${psp.url}"}}}}`,
		`banks: {stripe: {dialect: stripe, names: [api.stripe.com], tls: true}}`, `{banks: {psp: {dialect: native, listen: 8081}}, processes: {api: {run: [./api], listen: auto, hosts: {processor: psp}}}}`,
	},
	"banks": {`banks: {first: {dialect: native}, second: {dialect: native}}`},
	"what the bank sees of us": {
		`{rows: {success: SELECT 1, alias: "SELECT 'ride-' || id FROM keys WHERE k = :key"}, banks: {b: {dialect: native}}}`,
		`banks: {b: {calls: [{on: POST /x, money: debit, belongs: {amount: body.amount}}]}}`, `{rows: {success: SELECT 1, alone: true}, banks: {b: {dialect: native}}}`,
	},
	"bank request": {
		`banks: {b: {calls: [{on: POST /json, body: json, money: debit, amount: body.amount}]}}`, `banks: {b: {calls: [{on: POST /form, body: form, money: debit, amount: {at: "body.amount[value]", as: decimal-text}}]}}`,
		`banks: {b: {calls: [{on: "POST /empty/{id}", body: none, reference: path.id}]}}`,
	},
	"key sent to the bank": {`banks: {b: {calls: [{on: POST /x, money: debit, dedupe: {by: header.Idempotency-Key}}]}}`, `banks: {b: {calls: [{on: POST /x, money: debit, dedupe: {by: body.id, status: 422}}]}}`},
	"which bank call is money": {
		`banks: {b: {calls: [{on: POST /auth, money: hold, reference: body.id}, {on: "POST /auth/{id}/capture", money: capture, reference: path.id}]}}`,
		`banks: {b: {calls: [{on: POST /created, opens: true, reference: body.id}, {on: "POST /created/{id}/pay", money: debit, known: true, reference: path.id}]}}`,
	},
	"webhook": {
		`banks: {b: {calls: [{on: POST /x, money: debit, callback: done}], callbacks: {done: {to: api, post: /hook, json: {}, sign: [{header: X-Token, value: fixed}]}}}}`,
		`banks: {b: {calls: [{on: POST /x, money: debit, callback: done}], callbacks: {done: {to: api, post: /hook, json: {a: 1}, sign: [{hash: sha512, over: "${reference}${secret}", into: json.signature_key}]}}}}`,
		`banks: {b: {calls: [{on: POST /x, money: debit, callback: done}], callbacks: {done: {to: api, post: /hook, json: {}, sign: [{hmac: sha256, over: "${now}.${raw}", header: X-Sign, value: "t=${now},v1=${hex}"}]}}}}`,
	},
	"queue": {
		`links: {queue: {engine: rabbitmq}}`, `links: {queue: {engine: kafka}, cache: {engine: redis, port: 6379}}`,
		`links: {shop: {serve: ./site}}`,
	},
	"random declines built in": {`payment: {declined: [402, 424], each: [{submit: {post: /pay}}]}`},
}

func TestWhatVariesCanBeSaid(t *testing.T) {
	_, err := described(t, "{}")
	require.NoError(t, err)
	for row, variants := range varies {
		t.Run(row, func(t *testing.T) {
			for _, keys := range variants {
				_, err := described(t, keys)
				assert.NoError(t, err, keys)
			}
		})
	}
}
