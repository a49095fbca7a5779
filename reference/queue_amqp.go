package reference

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// AMQP is RabbitMQ. A topic is a durable fanout exchange of its name with one durable queue for each consumer,
// <topic>.<consumer>; a message that can never be carried out goes to the queue <topic>.dead.
var AMQP = brokers.register("amqp", broker{check: checkAMQP, open: openAMQP})

// prefetched bounds the messages that one consumer holds unacknowledged.
const prefetched = 16

type amqpQueue struct {
	cfg Config

	mu       sync.Mutex // one publication at a time, so that confirmations and returns are its own
	producer *amqpLine
}

func checkAMQP(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User.Username() == "" || u.RawQuery != "" {
		return errors.New("is not of the form amqp://user:password@host:5672/vhost")
	}
	if _, err = amqp.ParseURI(address); err != nil {
		return fmt.Errorf("is not of the form amqp://user:password@host:5672/vhost: %w", err)
	}
	return nil
}

func openAMQP(cfg Config, _ func(error)) (Queue, error) { return &amqpQueue{cfg: cfg}, nil }

// amqpLine is one connection with one channel.
type amqpLine struct {
	*amqp.Channel
	connection *amqp.Connection
	wire       net.Conn
	returned   chan amqp.Return
}

// cut ends a line without a word, since the broker may not answer any more.
func (l *amqpLine) cut() {
	_ = l.wire.Close()
	_ = l.connection.Close() // finds the wire closed and stops what runs for it
}

// timedConn bounds each write; amqp bounds reads by its heartbeat.
type timedConn struct {
	net.Conn
	within time.Duration
}

func (c *timedConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.within)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// dial opens a line on which everything that the topic needs is there.
func (q *amqpQueue) dial(ctx context.Context) (*amqpLine, error) {
	within := confirmWithin(q.cfg)
	line := &amqpLine{}
	var err error
	line.connection, err = amqp.DialConfig(q.cfg.Queue, amqp.Config{
		Heartbeat:  within,
		Properties: amqp.Table{"connection_name": "reference " + q.cfg.Instance},
		Dial: func(network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{Timeout: within}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			line.wire = &timedConn{Conn: conn, within: within}
			return line.wire, conn.SetDeadline(time.Now().Add(within)) // for the handshake; amqp lifts it
		},
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to queue %s: %w", shown(q.cfg.Queue), err)
	}
	// A broker that stops answering in the middle is left by its heartbeat; a caller that goes is not kept waiting.
	stop := context.AfterFunc(ctx, func() { _ = line.wire.Close() })
	defer stop()
	if line.Channel, err = line.connection.Channel(); err == nil {
		err = declare(line.Channel, q.cfg.Topic)
	}
	if err != nil {
		line.cut()
		return nil, fmt.Errorf("making the queues of %s: %w", q.cfg.Topic, err)
	}
	return line, nil
}

// declare makes exchanges and queues where they are missing.
func declare(ch *amqp.Channel, topic string) error {
	dead := topic + ".dead"
	for _, exchange := range []string{topic, dead} {
		if err := ch.ExchangeDeclare(exchange, amqp.ExchangeFanout, true, false, false, false, nil); err != nil {
			return fmt.Errorf("declaring exchange %s: %w", exchange, err)
		}
	}
	bind := func(queue, exchange string, args amqp.Table) error {
		if _, err := ch.QueueDeclare(queue, true, false, false, false, args); err != nil {
			return fmt.Errorf("declaring queue %s: %w", queue, err)
		}
		if err := ch.QueueBind(queue, "", exchange, false, nil); err != nil {
			return fmt.Errorf("binding queue %s: %w", queue, err)
		}
		return nil
	}
	if err := bind(dead, dead, nil); err != nil {
		return err
	}
	for _, c := range consumers {
		if err := bind(topic+"."+c.Name, topic, amqp.Table{"x-dead-letter-exchange": dead}); err != nil {
			return err
		}
	}
	return nil
}

// Prepare implements Queue.
func (q *amqpQueue) Prepare(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, err := q.line(ctx)
	return err
}

// line returns the line of the producer; the caller holds mu.
func (q *amqpQueue) line(ctx context.Context) (*amqpLine, error) {
	if q.producer != nil && !q.producer.connection.IsClosed() && !q.producer.IsClosed() {
		return q.producer, nil
	}
	q.drop()
	line, err := q.dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := line.Confirm(false); err != nil {
		line.cut()
		return nil, fmt.Errorf("asking queue %s for confirmations: %w", shown(q.cfg.Queue), err)
	}
	line.returned = line.NotifyReturn(make(chan amqp.Return, relayBatch))
	q.producer = line
	return line, nil
}

func (q *amqpQueue) drop() {
	if q.producer != nil {
		q.producer.cut()
		q.producer = nil
	}
}

// Publish implements Queue. A message that reached no queue is not sent, although the broker confirms it.
func (q *amqpQueue) Publish(ctx context.Context, messages []Message) []error {
	q.mu.Lock()
	defer q.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, confirmWithin(q.cfg))
	defer cancel()
	outcomes := make([]error, len(messages))
	line, err := q.line(ctx)
	if err != nil {
		for i := range outcomes {
			outcomes[i] = err
		}
		return outcomes
	}
	waiting := make([]*amqp.DeferredConfirmation, len(messages))
	for i, m := range messages {
		waiting[i], outcomes[i] = line.PublishWithDeferredConfirmWithContext(ctx, m.Topic, m.Key, true, false, amqp.Publishing{
			ContentType: "application/json", DeliveryMode: amqp.Persistent, MessageId: m.ID, Body: m.Body,
		})
	}
	for i, confirmation := range waiting {
		if outcomes[i] == nil {
			outcomes[i] = confirmed(ctx, confirmation)
		}
	}
	homeless(line.returned, messages, outcomes)
	if errors.Join(outcomes...) != nil {
		// What is still unanswered must not be taken for an answer to what comes next, and a new line makes the queues again.
		q.drop()
	}
	return outcomes
}

func confirmed(ctx context.Context, confirmation *amqp.DeferredConfirmation) error {
	switch kept, err := confirmation.WaitContext(ctx); {
	case err != nil:
		return fmt.Errorf("waiting for the broker's confirmation: %w", err)
	case !kept:
		return errors.New("the broker has not taken the message, or the connection was lost before it said so")
	}
	return nil
}

// homeless marks the messages that came back; the broker returns a message before it confirms it.
func homeless(returned <-chan amqp.Return, messages []Message, outcomes []error) {
	for {
		select {
		case r, open := <-returned:
			if !open {
				return
			}
			for i, m := range messages {
				if m.ID == r.MessageId {
					outcomes[i] = fmt.Errorf("no queue takes this message: %s", r.ReplyText)
				}
			}
		default:
			return
		}
	}
}

// Consume implements Queue.
func (q *amqpQueue) Consume(ctx context.Context, consumer string, deliver func(context.Context, Delivery)) error {
	line, err := q.dial(ctx)
	if err != nil {
		return err
	}
	defer line.cut()
	if err := line.Qos(prefetched, 0, false); err != nil {
		return fmt.Errorf("bounding what %s is sent: %w", consumer, err)
	}
	name := q.cfg.Topic + "." + consumer
	messages, err := line.Channel.Consume(name, "", false, false, false, false, nil)
	if err != nil {
		return fmt.Errorf("consuming from queue %s: %w", name, err)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case m, open := <-messages:
			if !open {
				return fmt.Errorf("consuming from queue %s: the connection was lost", name)
			}
			deliver(ctx, &amqpDelivery{message: m, wait: q.cfg.RelayEvery.Std()})
		}
	}
}

// Close implements Queue.
func (q *amqpQueue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop()
	return nil
}

type amqpDelivery struct {
	message amqp.Delivery
	wait    time.Duration
}

func (d *amqpDelivery) Body() []byte { return d.message.Body }

func (d *amqpDelivery) Where() string {
	return fmt.Sprintf("message=%s redelivered=%t", clip(d.message.MessageId, 160), d.message.Redelivered)
}

func (d *amqpDelivery) Ack(context.Context) error { return ended(d.message.Ack(false)) }

// Again gives the message back after a while, so that trouble that lasts is not asked about without a pause.
func (d *amqpDelivery) Again(ctx context.Context) error {
	if !pause(ctx, d.wait) {
		return nil // the end of the connection gives it back
	}
	return ended(d.message.Nack(false, true))
}

func (d *amqpDelivery) Reject(context.Context) error { return ended(d.message.Nack(false, false)) }

func ended(err error) error {
	if err != nil {
		return fmt.Errorf("ending a delivery: %w", err)
	}
	return nil
}
