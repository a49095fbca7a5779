//go:build !linux

package stack

import "errors"

func newPacketFilter() (packetFilter, error) {
	return nil, errors.New("packets are broken by nftables, which only Linux has")
}
