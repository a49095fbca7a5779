package reference

import (
	"context"
	"fmt"
	"time"
)

// Message is one event on its way to the broker.
type Message struct {
	ID    string // of the event
	Topic string
	Key   string // what is told in order where the broker keeps any; the order's id
	Body  []byte
}

// Queue is the broker. It connects when it is first needed, and again after it was away.
type Queue interface {
	// Prepare makes what the topic needs; it is harmless when repeated.
	Prepare(ctx context.Context) error

	// Publish hands messages over, at most a hundred, and returns for each, in the same order, nil only where the
	// broker has confirmed that it keeps it. After anything else it may have it all the same.
	Publish(ctx context.Context, messages []Message) []error

	// Consume hands every message of the topic to deliver for one consumer, one after another, until ctx ends or the
	// connection is lost. What was not acknowledged comes again.
	Consume(ctx context.Context, consumer string, deliver func(context.Context, Delivery)) error

	// Close ends all connections.
	Close() error
}

// Delivery is one message in the hands of one consumer. One of Ack, Again and Reject ends it; a message whose delivery
// was not ended comes again, to this consumer or to the next.
type Delivery interface {
	Body() []byte
	// Where tells a person which message this is.
	Where() string
	// Ack tells the broker that the work is done.
	Ack(ctx context.Context) error
	// Again has the message delivered again, not before relay_every has passed.
	Again(ctx context.Context) error
	// Reject puts a message aside that can never be carried out.
	Reject(ctx context.Context) error
}

// broker is one kind of Queue.
type broker struct {
	// check tells what is wrong with a URL; its error never shows a password.
	check func(address string) error
	// open returns a Queue that has not connected yet. Trouble that it gets over by itself goes to report.
	open func(cfg Config, report func(error)) (Queue, error)
}

// brokers are the kinds that are known, by URL scheme.
var brokers = registry[broker]{}

// openQueue returns the broker of the configuration.
func openQueue(cfg Config, report func(error)) (Queue, error) {
	b, err := brokers.of(cfg.Queue)
	if err != nil {
		return nil, fmt.Errorf("opening the queue: %w", err)
	}
	return b.open(cfg, report)
}

// consume works off the topic for one consumer until ctx ends, with longer and longer pauses while the broker is away.
func (s *Service) consume(ctx context.Context, c Consumer) {
	wait := s.Config.RelayEvery.Std()
	for ctx.Err() == nil {
		begun := s.Now()
		err := s.Queue.Consume(ctx, c.Name, func(ctx context.Context, d Delivery) {
			if err := s.Parts.Deliver(ctx, s, c, d); err != nil && ctx.Err() == nil {
				s.Log.Step("", "", "consume."+c.Name, "ERROR", d.Where()+": "+err.Error())
			}
		})
		if err == nil || ctx.Err() != nil {
			return
		}
		s.Log.Step("", "", "consume."+c.Name, "ERROR", err.Error())
		if s.Now().Sub(begun) > s.Config.SessionTimeout.Std() {
			wait = s.Config.RelayEvery.Std() // it was there for a while
		}
		pause(ctx, wait)
		wait = min(2*wait, max(s.Config.RelayEvery.Std(), s.Config.SessionTimeout.Std()))
	}
}

// confirmWithin bounds how long one publication waits for the broker.
func confirmWithin(cfg Config) time.Duration { return max(time.Second, cfg.SessionTimeout.Std()) }
