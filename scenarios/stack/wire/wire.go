// Package wire knows where the messages of a protocol begin and end, and what to call them.
//
// It reads only as much as naming a message and joining an answer to its request needs, never holds bytes of its own,
// and never allocates by a length that it was told but has not received. What it cannot read is an error at once, so
// that a proxy passes such a connection through untouched instead of waiting for the end of something that has none.
package wire

import (
	"errors"
	"fmt"
	"strings"

	"onedebit/scenarios/registry"
)

// MaxMessage is the largest message, in bytes, that a Conn delimits.
const MaxMessage = 1 << 20

// maxPending bounds the requests of one connection that wait for their answers.
const maxPending = 1024

var (
	// ErrTooLarge is returned for a message longer than MaxMessage, as soon as its length is known.
	ErrTooLarge = errors.New("message larger than 1 MiB")
	// ErrForeign is returned, wrapped, for bytes that are not of the protocol, or of a part of it that is not understood.
	ErrForeign = errors.New("not this protocol")
)

// Message is what can be told of one protocol message.
type Message struct {
	Label string // its kind: "POST /v1/debits", "SET", "Produce"; of an answer the protocol's own word for it, such as "200"
	Text  string // one readable line of at most a few hundred bytes, secrets masked
	For   string // of an answer: the label of the request that it answers; empty where there is none
	// Close says that only the end of the connection ends the message: it covers all that was given, and all that follows.
	Close bool
	// Aside marks what is no part of an exchange of request and answer: an interim answer, a push of the server.
	Aside bool
	// Instead is what the client gets in place of an answer: the refusal of the statement that it answers.
	Instead []byte
}

// Conn reads the two directions of one connection. Requests must be shown to it before their answers, and the two
// methods must not be called at the same time. After an error a Conn is of no further use.
type Conn interface {
	// Request finds the first complete message in what the client has sent and was not yet consumed. It returns
	// the message's length in bytes, or 0 where more bytes are needed.
	Request(buf []byte) (Message, int, error)
	// Answer does the same for what the server has sent.
	Answer(buf []byte) (Message, int, error)
}

// Refuser is a Conn of a database that can have a statement refused as if the server had done so.
type Refuser interface {
	Conn
	// CheckRefusal says what is wrong with an error code. The empty code is the one of a transaction that is to be
	// run again because of others at the same time.
	CheckRefusal(code string) error
	// Refusal returns what the server is to get in place of the request that Request has returned last, so that the
	// request is not carried out and the server is in the same state as if it had refused it. The answer to that
	// comes out of Answer, with Instead set. It must be called before Request is called again. The error says why
	// this request cannot be refused, which then is unchanged.
	Refusal(code string) (toServer []byte, err error)
}

// Protocol is one protocol that can be read.
type Protocol struct {
	Name  string // as written in a target file
	Title string // its name in prose
	New   func() Conn
	// Words are the first words of all labels that its requests can have; none where they cannot be listed.
	Words []string
}

// MarshalText is the protocol's name.
func (p *Protocol) MarshalText() ([]byte, error) { return []byte(p.Name), nil }

// UnmarshalText finds the protocol by its name. The error names those that there are.
func (p *Protocol) UnmarshalText(name []byte) error {
	found, ok := Named(string(name))
	if !ok {
		return fmt.Errorf("unknown protocol %q; valid are: %s", name, strings.Join(protocols.Names(), ", "))
	}
	*p = *found
	return nil
}

var protocols = registry.New("protocol", func(p *Protocol) string { return p.Name })

func register(p Protocol) *Protocol { return protocols.Add(p, p.Title != "" && p.New != nil) }

// All are the protocols, by name.
func All() []*Protocol { return protocols.All() }

// Named finds a protocol by its name.
func Named(name string) (*Protocol, bool) { return protocols.Named(name) }

// foreign says what was found instead of the protocol.
func foreign(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrForeign, fmt.Sprintf(format, args...))
}
