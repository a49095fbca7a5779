package sweep

import "testing"

func TestKillAfter(t *testing.T) {
	writes(t, KillAfter, debited, Script{
		Arm:  []string{`fault: {kill: {link: bank, message: "debit", nth: 1, count: 1, part: answer, when: after}, as: first}`},
		Then: []string{"heal: first"},
	})
}
