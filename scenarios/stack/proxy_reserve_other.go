//go:build !unix

package stack

// reservation keeps an address for a proxy that is down, on systems that can.
type reservation struct{}

func reserve(address string) (*reservation, string) { return nil, address }

func (*reservation) give() {}
