package fakebank

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Headers of a callback.
const (
	headerTimestamp = "X-Bank-Timestamp"
	headerSignature = "X-Bank-Signature"
)

// Sign is the signature of a callback: hex HMAC-SHA256 under the secret over the timestamp (decimal unix seconds), a dot
// and the body.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Ways to sign a callback.
const (
	signGood = "good"
	signBad  = "bad"  // well-formed, under a key that is not the bank's
	signNone = "none" // neither timestamp nor signature
)

var signings = []string{signGood, signBad, signNone}
