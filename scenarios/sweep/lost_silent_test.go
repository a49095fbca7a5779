package sweep

import "testing"

func TestLostSilent(t *testing.T) {
	writes(t, LostSilent, debited, Script{
		Arm:  []string{`fault: {lost-answer: {link: bank, message: "debit", nth: 1, count: 1, how: silence}, as: first}`},
		Then: []string{"heal: first", "wait: 20s", "fault: {link-down: {link: bank}, as: first-broken, optional: true}", "heal: first-broken"},
	})
}
