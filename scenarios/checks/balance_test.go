package checks

import "testing"

// wallet is the history of a service that keeps the money itself and shows what is gone.
func wallet() *build {
	b := h()
	b.target.Balance, b.target.NoLedger = true, true
	return b.read()
}

// gone sets what the last reading shows as gone.
func gone(b *build, amount int64) *build {
	b.events[len(b.events)-1].Reading.Balance = amount
	return b
}

// kept is a payment that the service has taken from the account that it keeps.
func (b *build) kept(order string, amount int64) *build {
	return b.pay(order, amount).row(order, "SUCCESS")
}

func TestBalances(t *testing.T) {
	judgeTable(t, LedgerAgrees, []sample{
		{name: "as much as is paid", h: gone(wallet().kept("A", 500).kept("B", 700).rest(), 1200), want: Pass},
		{name: "taken twice", h: gone(wallet().kept("A", 500).rest(), 1000), want: Fail,
			says: []string{"phantom money: ¥5.00; ¥10.00 is gone from the account, and what is paid comes to ¥5.00"}},
		{name: "paid, and nothing gone", h: wallet().kept("A", 500).rest(), want: Fail,
			says: []string{"phantom money: ¥5.00; ¥0.00 is gone from the account, and what is paid comes to ¥5.00"}},
		{name: "what was gone before does not count", h: gone(gone(wallet(), 300).kept("A", 500).rest(), 800), want: Pass},
		{name: "what is under way may be gone", h: gone(wallet().pay("A", 500).row("A", "PENDING").rest(), 500), want: Pass},
		{name: "or not", h: wallet().pay("A", 500).row("A", "PENDING").rest(), want: Pass},
		{name: "never read at rest", h: wallet().kept("A", 500), want: Inconclusive, reason: "not read at rest"},
	})
}
