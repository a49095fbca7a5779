package sweep

import "testing"

func TestCut(t *testing.T) {
	writes(t, Cut, debit, Script{
		Arm:  []string{`fault: {cut: {link: bank, message: "debit", nth: 1, count: 1, part: request}, as: first}`},
		Then: []string{"heal: first"},
	})
}
