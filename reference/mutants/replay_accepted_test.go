package mutants_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestReplayAccepted(t *testing.T) {
	contrast(t, "replay-accepted", 200, 401, func(r *rig) int { return notifySigned(r, time.Now().Add(-time.Hour), referencetest.Secret) })
}

// notifySigned sends a notification of success that was signed at a time with a key.
func notifySigned(r *rig, at time.Time, secret string) int {
	r.PayNew("O")
	body, err := json.Marshal(reference.Notification{ID: "N1", TradeNo: r.Rows("O")[0].TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"})
	require.NoError(r.T, err)
	return r.NotifyRaw(body, at, secret)
}
