package stack

import (
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"
)

// end is one end of a connection of a link.
type end interface {
	net.Conn
	SetLinger(seconds int) error
}

// tlsEnd is the end at which a client speaks TLS. Behind it the link is in plain text, so that its messages can be told.
type tlsEnd struct {
	*tls.Conn
	tcp   *net.TCPConn
	reset atomic.Bool
}

// SetLinger with 0 makes Close send a RST, as it does for TCP.
func (e *tlsEnd) SetLinger(seconds int) error {
	e.reset.Store(seconds == 0)
	return e.tcp.SetLinger(seconds)
}

// Close says goodbye in TLS's own way, unless the connection is to be reset.
func (e *tlsEnd) Close() error {
	if e.reset.Load() {
		return e.tcp.Close()
	}
	return e.Conn.Close()
}

// tlsConfig is what a proxy answers handshakes with; nil where its clients do not speak TLS. HTTP/2 is not offered: what
// a proxy tells are the messages of HTTP/1.1.
func (c *Certificate) tlsConfig() (*tls.Config, error) {
	if c == nil {
		return nil, nil
	}
	pair, err := tls.X509KeyPair([]byte(c.Cert), []byte(c.Key))
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}, nil
}

// clientEnd is the end at which a client has connected.
func clientEnd(tcp *net.TCPConn, config *tls.Config) end {
	if config == nil {
		return tcp
	}
	return &tlsEnd{Conn: tls.Server(tcp, config), tcp: tcp}
}
