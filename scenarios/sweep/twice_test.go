package sweep

import "testing"

func TestTwice(t *testing.T) {
	writes(t, Twice, paying, Script{Drive: "burst: {of: A, copies: 2, keys: same}"})
	writes(t, Twice, notified, Script{Then: []string{"callback: {of: A, copies: 2}"}, Late: true})
	writes(t, Twice, publish, Script{Late: true, Then: []string{
		"await: {of: A, row: [SUCCESS, PARTLY_REFUNDED, REFUNDED], published: true}",
		`fault: {queue-replay: {topic: "pay.success", of: A, times: 1}, as: first}`,
	}})
	leaves(t, Twice, debit)
	leaves(t, Twice, debited)
}
