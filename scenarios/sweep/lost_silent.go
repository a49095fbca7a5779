package sweep

// LostSilent loses a message without a word: the caller knows nothing until it has waited long enough. At last the
// connection breaks, as one does to a peer that is gone; some callers would wait longer than any test.
var LostSilent = register(Kind{
	Name:   "lost-silent",
	Doc:    "the message never arrives, nothing more comes on its connection for 20 s, and then it breaks",
	Weight: 20,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		s, why := lost(p, name, "silence")
		broken := name + "-broken"
		s.Then = append(s.Then, "wait: 20s", "fault: {link-down: {link: "+p.Link+"}, as: "+broken+", optional: true}", "heal: "+broken)
		return s, why
	},
})
