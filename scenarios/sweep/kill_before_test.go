package sweep

import "testing"

func TestKillBefore(t *testing.T) {
	writes(t, KillBefore, debit, Script{
		Arm:  []string{`fault: {kill: {link: bank, message: "debit", nth: 1, count: 1, part: request, when: before}, as: first}`},
		Then: []string{"heal: first"},
	})
}
