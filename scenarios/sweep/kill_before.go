package sweep

// KillBefore ends the service just before a message is handed on.
var KillBefore = register(Kind{
	Name:   "kill-before",
	Doc:    "the service is killed with kill -9 just before the message arrives, and started again",
	Weight: 30,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		return killed(p, name, "before")
	},
})
