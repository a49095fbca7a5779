package stack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// Loopback hands out addresses of this machine to the parts of one run.
//
// A service that is killed and started again must come back on its old port, and between the two nobody else may take it.
// The kernel gives ports of 127.0.0.1 to anybody's outgoing connections, so the run takes an address of its own out of
// 127.0.0.0/8 where the system has them (Linux), and fixed ports below the ephemeral range.
type Loopback struct {
	host string
	next atomic.Int32
	ours atomic.Int32 // ports on every address that were given out
	own  atomic.Int32 // addresses that were given out
	from [3]int       // address at which the own ones begin, and the port for those on every address
}

// The fixed ports lie below Linux's and macOS's ephemeral ranges.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// NewLoopback chooses an address for a run.
func NewLoopback(rng *rand.Rand) *Loopback {
	l := &Loopback{host: "127.0.0.1"}
	l.next.Store(firstPort)
	l.from = [3]int{16 + rng.IntN(200), rng.IntN(256), firstPort + rng.IntN(lastPort-firstPort)}
	own := fmt.Sprintf("127.%d.%d.%d", 16+rng.IntN(200), rng.IntN(256), 1+rng.IntN(254))
	if ln, err := net.Listen("tcp", own+":0"); err == nil {
		_ = ln.Close()
		l.host = own
		return l
	}
	l.next.Store(int32(firstPort + rng.IntN(lastPort-firstPort)))
	return l
}

// Any is an address for a part that keeps its listener open: the kernel chooses the port.
func (l *Loopback) Any() string { return l.host + ":0" }

// Fixed is an address that stays free while nobody listens on it. It is not used twice in one run before the range
// has been gone through.
func (l *Loopback) Fixed() (string, error) {
	for range lastPort - firstPort {
		port := firstPort + int(l.next.Add(1)-firstPort)%(lastPort-firstPort)
		addr := net.JoinHostPort(l.host, strconv.Itoa(port))
		if ln, err := net.Listen("tcp", addr); err == nil {
			_ = ln.Close()
			return addr, nil
		}
	}
	return "", fmt.Errorf("no free port on %s between %d and %d: end what listens there", l.host, firstPort, lastPort)
}

// FixedEverywhere is an address on 127.0.0.1 whose port is free on every other address of this machine too: a service may
// take no more than a port, and listen wherever it likes. Where runs begin is left to chance, so that two of them do not meet.
func (l *Loopback) FixedEverywhere() (string, error) {
	for range lastPort - firstPort {
		port := firstPort + (l.from[2]-firstPort+int(l.ours.Add(1)))%(lastPort-firstPort)
		if free(port) == nil {
			return net.JoinHostPort(localhost, strconv.Itoa(port)), nil
		}
	}
	return "", fmt.Errorf("no port between %d and %d is free on every address: end what listens there", firstPort, lastPort)
}

// mostOwn bounds how many addresses are tried for one part.
const mostOwn = 1000

// Own is an address of the part's own with a port that somebody insists on. Where this machine has one loopback address it
// is that one, and one part can have it at a time.
func (l *Loopback) Own(port int) (string, error) {
	var last error
	for range mostOwn {
		host := l.host
		if host != localhost {
			n := int(l.own.Add(1))
			host = fmt.Sprintf("127.%d.%d.%d", l.from[0], (l.from[1]+n/254)%256, 1+n%254)
		}
		at := net.JoinHostPort(host, strconv.Itoa(port))
		ln, err := net.Listen("tcp", at)
		if err == nil {
			_ = ln.Close()
			return at, nil
		}
		if last = err; host == localhost || errors.Is(err, os.ErrPermission) {
			break
		}
	}
	return "", fmt.Errorf("no loopback address has port %d free: %w%s", port, last, advice(fmt.Sprintf(":%d", port)))
}

// advice is what to do where a port cannot be listened on for want of the right to; else "".
func advice(listen string) string {
	_, port, _ := net.SplitHostPort(listen)
	if n, err := strconv.Atoi(port); err != nil || n == 0 || n >= 1024 {
		return ""
	}
	return "; ports below 1024 need root, or sysctl net.ipv4.ip_unprivileged_port_start=" + port + "; in containers (--runtime docker) they are free"
}
