package workload

// Thing is what a step begins, or what must have begun before it.
type Thing struct {
	What string // Payment, Keyed, or the refunds of a payment
	Name string // its label
	// From says with which step a thing of the kind begins, for somebody who has none.
	From string
}

// Payment is the kind of thing that expectations are held of.
const Payment = "payment"

// Beginner is an action with which things begin.
type Beginner interface{ Begins() []Thing }

// Rester is an action that rests on things which began with an earlier step.
type Rester interface{ RestsOn() []Thing }

func aPayment(label string) Thing {
	return Thing{Payment, labelled(label), "a payment begins with its first pay step"}
}

// aKey is a payment that has had an idempotency key.
func aKey(label string) Thing {
	return Thing{"payment with an idempotency key", labelled(label), "it has one from its first pay step that makes one"}
}

func aRefund(payment, label string) Thing {
	return Thing{"refund of payment " + labelled(payment), label, "a refund begins with its first refund step"}
}
