package faults

import (
	"testing"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestReject(t *testing.T) {
	reads(t, []string{"bank"}, sample{"reject: {link: bank}", "every packet of a request on link bank is answered with a RST"})
	refuses(t,
		sample{"reject: {}", "link: say which link is rejected"},
		sample{"reject: {link: bank, direction: answer}", `unknown key "direction"`})
	needsKernel(t, "reject: {link: bank}")
	breaks(t, "reject: {link: bank}", 1, rule{"", 7001, history.Request, stack.KernelRule{Reject: true}})
}
