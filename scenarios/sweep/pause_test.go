package sweep

import "testing"

func TestPause(t *testing.T) {
	writes(t, Pause, notified, Script{
		Arm: []string{`fault: {hold: {link: callback, message: "callback", nth: 1, count: 1, part: request}, as: first}`},
		Then: []string{
			"await: {fault: first, holding: 1}", "fault: {pause: {}, as: first-stopped}", "heal: first", "wait: 25s", "heal: first-stopped",
		},
	})
}
