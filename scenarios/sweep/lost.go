package sweep

// Lost loses a message, and its connection is reset: the caller knows at once that something went wrong, and not what.
var Lost = register(Kind{
	Name:   "lost",
	Doc:    "the message never arrives, and its connection is reset",
	Weight: 10,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		return lost(p, name, "reset")
	},
})
