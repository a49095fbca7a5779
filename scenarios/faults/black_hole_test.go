package faults

import (
	"testing"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestBlackHole(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"black-hole: {link: bank}", "every packet on link bank is lost, both ways"},
		sample{"black-hole: {link: bank, direction: answer}", "every packet on link bank is lost, answers only"})
	refuses(t,
		sample{"black-hole: {}", "link: say which link ends in nothing"},
		sample{"black-hole: {link: bank, direction: anser}", `direction: unknown direction "anser"; did you mean "answer"?`},
		sample{"black-hole: {link: bank, rate: 30%}", `unknown key "rate"`})
	needsKernel(t, "black-hole: {link: bank}")
	all := stack.KernelRule{Rate: 1}
	breaks(t, "black-hole: {link: bank}", 1, rule{"", 7001, history.Request, all}, rule{"", 7001, history.Answer, all})
	breaks(t, "black-hole: {link: cache, direction: answer}", 1, rule{"", 7002, history.Answer, all})
}
