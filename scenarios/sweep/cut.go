package sweep

// Cut lets half of a message arrive.
var Cut = register(Kind{
	Name:   "cut",
	Doc:    "half of the message arrives, and its connection is reset",
	Weight: 70,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		return Script{Arm: []string{placed("cut", p, name, ", part: "+p.Dir)}, Then: []string{"heal: " + name}}, ""
	},
})
