package sweep

// Pause stops the service at a message for longer than leases last, and lets it go on as if nothing had been.
var Pause = register(Kind{
	Name:   "pause",
	Doc:    "the service stands still (SIGSTOP) when the message is on its way, past every lease, and then goes on",
	Weight: 80,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		still := name + "-stopped"
		return Script{
			Arm: []string{placed("hold", p, name, ", part: "+p.Dir)},
			Then: []string{
				"await: {fault: " + name + ", holding: 1}", "fault: {pause: {}, as: " + still + "}", "heal: " + name,
				"wait: 25s", "heal: " + still,
			},
		}, ""
	},
})
