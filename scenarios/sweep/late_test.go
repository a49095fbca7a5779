package sweep

import "testing"

func TestLate(t *testing.T) {
	writes(t, Late, debited, Script{
		Arm:  []string{`fault: {delay: {link: bank, message: "debit", nth: 1, count: 1, part: answer, by: 20s}, as: first}`},
		Then: []string{"wait: 25s", "heal: first"},
	})
	writes(t, Late, paying, Script{
		Arm:  []string{`fault: {delay: {link: client, message: "pay", nth: 1, count: 1, part: request, by: 35s}, as: first}`},
		Then: []string{"wait: 40s", "heal: first"},
	})
}
