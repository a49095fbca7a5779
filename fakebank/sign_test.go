package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The vectors were made with: printf '%s' "$timestamp.$body" | openssl dgst -sha256 -hmac "$secret"
func TestSignVectors(t *testing.T) {
	for _, tc := range []struct{ secret, timestamp, body, want string }{
		{"secret", "1700000000", `{"trade_no":"T1"}`, "e482e6255b74ec520b5571e37a2948aece7087f1050aa73db850387aaf72b105"},
		{"secret", "1700000001", `{"trade_no":"T1"}`, "c49ed28ef03018d088a6680bdfcfa4df4138b94d215b45ee3fd20c71d712b2cd"},
		{"other", "1700000000", `{"trade_no":"T1"}`, "77b49896f75d988c58ed167bdfe57b2cd752f6b7878bc0268f5daaeb23996d7c"},
		{"secret", "1700000000", ``, "4bc5f74d868b97888288889c5d9d65df02526f94c1592a79fdf4fe8b26e311e5"},
	} {
		assert.Equal(t, tc.want, Sign(tc.secret, tc.timestamp, []byte(tc.body)))
	}
}
