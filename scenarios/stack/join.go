package stack

import (
	"regexp"
	"sync"

	"onedebit/scenarios/history"
)

// Joiner knows to which payment a word belongs: an order, an account, an idempotency key, a trade number. The bank has
// never heard of orders and the client has never heard of trade numbers; this is where the two meet.
type Joiner struct {
	mu      sync.RWMutex
	order   map[string]string
	amounts map[int64]string // the one payment that has an amount; "" where several have
	alone   string
}

func newJoiner() *Joiner { return &Joiner{order: map[string]string{}, amounts: map[int64]string{}} }

// LearnAmount says that a payment has an amount. Where no two have the same, it joins calls that name nothing else.
func (j *Joiner) LearnAmount(order string, amount int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if other, known := j.amounts[amount]; known && other != order {
		order = ""
	}
	j.amounts[amount] = order
}

// Alone says that all that joins no other payment belongs to this one, from now on; "" ends that.
func (j *Joiner) Alone(order string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.alone = order
}

// Learn says that words belong to an order. The first to say so is right: a key that is used again for another order
// stays with the one it was made for.
func (j *Joiner) Learn(order string, words ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range words {
		if w != "" && j.order[w] == "" {
			j.order[w] = order
		}
	}
}

// Order is the order that a word belongs to, or "".
func (j *Joiner) Order(word string) string {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.order[word]
}

var words = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_-]{2,}`)
var tradeNo = regexp.MustCompile(`"trade_no"\s*:\s*"([^"]+)"`)

// Message is the order that a message belongs to, by the first known word in it, or "".
func (j *Joiner) Message(raw []byte) string {
	j.mu.RLock()
	order := ""
	for _, w := range words.FindAll(raw, -1) {
		if order = j.order[string(w)]; order != "" {
			break
		}
	}
	j.mu.RUnlock()
	if order != "" {
		if m := tradeNo.FindSubmatch(raw); m != nil {
			j.Learn(order, string(m[1]))
		}
	}
	return order
}

// Entry fills in the order of a line of the ledger, and learns its numbers.
func (j *Joiner) Entry(e *history.LedgerEntry) {
	for _, word := range []string{e.Account, e.TradeNo, e.RefundNo} {
		if e.Order = j.Order(word); e.Order != "" {
			break
		}
	}
	if e.Order == "" {
		e.Order = j.guess(e)
	}
	if e.Order != "" {
		j.Learn(e.Order, e.TradeNo, e.RefundNo)
	}
}

// guess joins a line that names no payment by a word of ours anywhere in the call, then by the amount of a debit, then to the
// payment that is alone.
func (j *Joiner) guess(e *history.LedgerEntry) string {
	j.mu.RLock()
	defer j.mu.RUnlock()
	for _, text := range []string{e.Account, e.Detail} {
		for _, w := range words.FindAllString(text, -1) {
			if order := j.order[w]; order != "" {
				return order
			}
		}
	}
	if takes := e.Op == "debit" || e.Op == "hold"; takes && e.Amount > 0 && j.amounts[e.Amount] != "" {
		return j.amounts[e.Amount]
	}
	return j.alone
}
