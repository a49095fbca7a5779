package mutants_test

import (
	"net/http"
	"net/url"
	"testing"

	"onedebit/reference/referencetest"
)

func TestLockTwoNames(t *testing.T) {
	contrast(t, "lock-two-names", 2, 1, func(r *rig) int {
		release := make(chan struct{})
		form := url.Values{"order_id": {"O"}, "channel": {"WECHAT"}, "amount": {"500"}, "currency": {"CNY"}, "account": {"A-O"}, "token": {r.Token("O")}}
		first := begin(r, pay("O", r.Token("O")), release)
		r.Do(http.MethodPost, "/api/checkout/pay", []byte(form.Encode()),
			http.Header{"X-Merchant-Id": {referencetest.Merchant}, "Content-Type": {"application/x-www-form-urlencoded"}})
		close(release)
		referencetest.Next(r.T, first)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
