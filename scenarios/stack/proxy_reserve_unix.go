//go:build unix

package stack

import (
	"net"
	"strconv"
	"sync"
	"syscall"
)

// reservation keeps an address for a proxy that is down: a socket is bound to it but does not listen, so that
// connections are refused and nobody else, who would ask the kernel for any free port, gets it.
type reservation struct {
	once sync.Once
	fd   int
}

// reserve reserves an IPv4 address and returns it with its port. Where that is not possible there is no reservation,
// and the address is as it was given.
func reserve(address string) (*reservation, string) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil || tcp.IP.To4() == nil {
		return nil, address
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd) // a child must not keep the address
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, address
	}
	r := &reservation{fd: fd}
	bind := syscall.SockaddrInet4{Port: tcp.Port}
	copy(bind.Addr[:], tcp.IP.To4())
	// Two sockets share an address where both allow it and only one listens; a listener of package net allows it.
	if syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) != nil || syscall.Bind(fd, &bind) != nil {
		r.give()
		return nil, address
	}
	name, err := syscall.Getsockname(fd)
	got, ok := name.(*syscall.SockaddrInet4)
	if err != nil || !ok {
		r.give()
		return nil, address
	}
	return r, net.JoinHostPort(tcp.IP.String(), strconv.Itoa(got.Port))
}

// give gives the address back. It can be called twice, and on nil.
func (r *reservation) give() {
	if r != nil {
		r.once.Do(func() { _ = syscall.Close(r.fd) })
	}
}
