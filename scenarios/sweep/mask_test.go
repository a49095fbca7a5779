package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMask(t *testing.T) {
	m := mask{"O-7VQ8EF": true}
	for text, want := range map[string]string{
		"SET idem:M-1:pay:8ddd6aab-fa51-4073-b828-867d6715bb46": "SET idem:M-1:pay:*",
		"Produce c2a0f03a18be39660b94c13797683d5c":              "Produce *",
		"GET /api/payment/orders/O-7VQ8EF":                      "GET /api/payment/orders/*",
		`POST /v1/debits {"amount":38504}`:                      "POST /v1/debits",
		"UPDATE pay_transaction":                                "UPDATE pay_transaction",
		"answer to debit":                                       "answer to debit",
	} {
		assert.Equal(t, want, m.label(text), text)
	}
	assert.Equal(t, `GET /orders/*/lines\?all`, m.pattern("GET /orders/O-7VQ8EF/lines?all"))
	assert.Equal(t, "OffsetCommit pay.success.*", alike("OffsetCommit pay.success.coupon", "OffsetCommit pay.success.membership"))
	assert.Equal(t, "one", alike("one two", "one two three"))
}
