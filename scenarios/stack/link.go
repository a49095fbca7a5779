package stack

import (
	"context"

	"onedebit/scenarios/stack/wire"
)

// Link is one network path and the proxy on it, wherever that runs: in this process or elsewhere. Its methods may be used
// by many goroutines. An error names the link.
type Link interface {
	// Address is where clients of the link connect, as the harness sees it. It stays the same while the link is down.
	Address() string
	// Arm puts a rule in force, on messages that arrive from now on, until it is removed. The error says what is wrong
	// with the rule.
	//
	// Where several rules match a message, the one armed first that has not run out decides; the positions of the others
	// go on as well.
	Arm(ctx context.Context, r Rule) (Armed, error)
	// Toxic puts one of Toxiproxy's own toxics in force, on live connections and on those to come. Type and attributes
	// have Toxiproxy's names (latency: latency and jitter in milliseconds, bandwidth: rate in KB/s …); stream is
	// "upstream", "downstream" or empty, which is downstream. The error names the nearest valid name.
	//
	// reset_peer really resets, live connections too.
	Toxic(ctx context.Context, name, typ, stream string, attributes map[string]any) (ArmedToxic, error)
	// Up listens again at the same address. It does nothing where the link is up.
	Up(ctx context.Context) error
	// Down refuses new connections and closes those that there are. It does nothing where the link is down.
	Down(ctx context.Context) error
}

// Armed is a rule in force. Its methods may be used by many goroutines.
type Armed interface {
	// Counts are how often the rule has really taken effect on a message, and how many messages it is holding back at
	// this moment.
	Counts(ctx context.Context) (fired, holding int, err error)
	// Wait returns when the counts are at least these, or with an error when ctx ends.
	Wait(ctx context.Context, fired, holding int) error
	// Release lets go all messages that are held now. A Hold goes on to hold those that arrive later; a Barrier stays
	// open.
	Release(ctx context.Context) error
	// Remove heals: what is held or delayed goes on, and later messages pass. What was lost stays lost, and a connection
	// that was silenced stays silent. It can be called twice, and the counts can be asked for afterwards.
	Remove(ctx context.Context) error
}

// ArmedToxic is one of Toxiproxy's own toxics in force. Its methods may be used by many goroutines.
type ArmedToxic interface {
	// Fired is the number of messages that crossed the link in the toxic's direction while it was in force.
	Fired(ctx context.Context) (int, error)
	// Remove removes the toxic; what it had held back goes on. It can be called twice.
	Remove(ctx context.Context) error
}

// speaks are the protocols of the links of which the labels can be listed.
var speaks = map[string][]*wire.Protocol{
	ClientLink: {wire.HTTP}, BankLink: {wire.HTTP}, CallbackLink: {wire.HTTP},
	DBLink: {wire.Postgres, wire.MySQL}, QueueLink: {wire.AMQP, wire.Kafka},
}

// Words are the first words of all labels that requests on a link can have; none where they cannot be listed.
func Words(link string) (out []string) {
	for _, p := range speaks[link] {
		out = append(out, p.Words...)
	}
	return out
}
