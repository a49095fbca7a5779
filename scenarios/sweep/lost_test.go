package sweep

import "testing"

func TestLost(t *testing.T) {
	writes(t, Lost, debit, Script{
		Arm:  []string{`fault: {lost-request: {link: bank, message: "debit", nth: 1, count: 1, how: reset}, as: first}`},
		Then: []string{"heal: first"},
	})
	writes(t, Lost, debited, Script{
		Arm:  []string{`fault: {lost-answer: {link: bank, message: "debit", nth: 1, count: 1, how: reset}, as: first}`},
		Then: []string{"heal: first"},
	})
}
