package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// asShop is set for the test binary where it is started as the service under test.
const asShop = "ONEDEBIT_TEST_AS_SHOP"

const shopFile = `
target: shop
vars: {merchant: M-1}
callers: {other: {merchant: M-2}}
processes:
  shop: {role: shop, ready: {get: /readyz}, clock: offset, config: {listen: "${listen}", bank: "${bank.url}", callback: "${callback.url}"}}
banks: {bank: {dialect: native}}
links: {callback: {messages: {callback: POST /callback}}, cache: , queue: }
payment:
  currency: CNY
  token: {post: /key, json: {order: "${order}", script: "${channel}"}, capture: {key: body.key}}
  each:
    - submit:
        post: /pay
        headers: {X-Key: "${key}", X-Trace: "${trace}", X-Merchant: "${merchant}"}
        json: {order: "${order}", script: "${channel}", amount: "${amount}", currency: "${currency}", account: "${account}"}
  query: {get: "/orders/${order}"}
  close: {post: "/orders/${order}"}
  appeal: {post: /appeal, json: {order: "${order}"}}
  doors:
    checkout:
      post: /pay
      headers: {X-Key: "${key}", X-Trace: "${trace}", X-Merchant: "${merchant}"}
      json: {order: "${order}", script: "${channel}", amount: "${amount}", currency: "${currency}", account: "${account}", door: checkout}
refund:
  submit: {post: /refund, json: {order: "${order}", refund: "${refund}", amount: "${amount}"}}
  query: {get: "/refund/${refund}"}
answers:
  code: body.code
  state: body.state
  means:
    - {http: [200], state: [SUCCESS], means: confirmed}
    - {http: [402], means: declined}
    - {http: [202, 409], means: pending}
    - {http: [200], code: [OK], means: pending}
    - {http: [400, 404, 503], means: refused}
  retry: [503]
rows: {all: SELECT 1}
`

// shop is a service that does what the payment's channel says: "pay=504,ok;key=503" answers the first submit of an order
// with 504 and the later ones in earnest, and every request for a key with 503. The last word of a list goes on for ever.
// A number is answered as it is; ok debits at the bank; hang never answers.
type shop struct {
	bank, callback string

	mu    sync.Mutex
	seen  map[string]int
	words map[string]string // script by order
}

// order is a request of a client.
type order struct {
	Order    string `json:"order"`
	Script   string `json:"script"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Account  string `json:"account"`
	TradeNo  string `json:"trade_no"`
}

func serveShop(config string) int {
	var c struct {
		Config struct{ Listen, Bank, Callback string }
	}
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s := &shop{bank: c.Config.Bank, callback: c.Config.Callback, seen: map[string]int{}, words: map[string]string{}}
	fmt.Println(http.ListenAndServe(c.Config.Listen, s))
	return 1
}

// word is what the script says for the next request of an operation, or ok.
func (s *shop) word(op string, o order) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Script != "" {
		s.words[o.Order] = o.Script
	}
	n := s.seen[op+o.Order]
	s.seen[op+o.Order]++
	for _, part := range strings.Split(s.words[o.Order], ";") {
		if name, list, _ := strings.Cut(part, "="); name == op {
			words := strings.Split(list, ",")
			return words[min(n, len(words)-1)]
		}
	}
	return "ok"
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var o order
	_ = json.NewDecoder(r.Body).Decode(&o)
	if o.TradeNo != "" {
		o.Order = strings.TrimPrefix(o.TradeNo, "B-")
	}
	op := strings.Split(strings.Trim(r.URL.Path, "/"), "/")[0]
	if op == "orders" {
		o.Order = strings.TrimPrefix(r.URL.Path, "/orders/")
	}
	switch word := s.word(op, o); word {
	case "ok":
		s.earnest(w, op, o)
	case "hang":
		<-r.Context().Done()
	default:
		status, _ := strconv.Atoi(word)
		if status == http.StatusFound {
			w.Header().Set("Location", "/readyz")
		}
		answer(w, status, map[string]any{"code": word})
	}
}

func (s *shop) earnest(w http.ResponseWriter, op string, o order) {
	switch op {
	case "key":
		s.mu.Lock()
		s.seen["keys"]++
		key := fmt.Sprintf("K-%s-%d", o.Order, s.seen["keys"])
		s.mu.Unlock()
		answer(w, http.StatusOK, map[string]any{"code": "OK", "key": key})
	case "refund":
		answer(w, http.StatusOK, map[string]any{"code": "OK", "state": "SUCCESS"})
	case "pay":
		status, state := s.debit(o)
		answer(w, status, map[string]any{"code": state, "state": state})
	default:
		answer(w, http.StatusOK, map[string]any{"code": "OK"})
	}
}

func (s *shop) debit(o order) (status int, state string) {
	body, _ := json.Marshal(map[string]any{
		"merchant": "M-1", "trade_no": "B-" + o.Order, "account": o.Account, "amount": o.Amount, "currency": o.Currency,
		"notify_url": s.callback + "/callback",
	})
	resp, err := http.Post(s.bank+"/v1/debits", "application/json", bytes.NewReader(body))
	if err != nil {
		return http.StatusGatewayTimeout, "UNKNOWN"
	}
	defer resp.Body.Close()
	var said struct{ Status string }
	_ = json.NewDecoder(resp.Body).Decode(&said)
	by := map[string]int{"SUCCESS": http.StatusOK, "FAILED": http.StatusPaymentRequired, "PROCESSING": http.StatusAccepted}
	if by[said.Status] == 0 {
		return http.StatusBadGateway, "UNKNOWN"
	}
	return by[said.Status], said.Status
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
