package sweep

// KillAfter ends the service just after a message was handed on.
var KillAfter = register(Kind{
	Name:   "kill-after",
	Doc:    "the service is killed with kill -9 just after the message has arrived, and started again",
	Weight: 40,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		return killed(p, name, "after")
	},
})
