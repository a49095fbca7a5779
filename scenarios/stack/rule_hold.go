package stack

// Hold holds a message until it is released. What follows it in the same direction of the same connection waits behind
// it. A request that is held goes on when it is released even where its client has given up meanwhile, as a packet that
// was late would.
type Hold struct{}

var _ = action[Hold]("hold")

func (Hold) start(a *armedRule) (func(*parcel), error) {
	return func(p *parcel) {
		a.hold(p)
		a.fired++
	}, nil
}
