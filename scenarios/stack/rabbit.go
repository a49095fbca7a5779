package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// keptMessages bounds how many messages are kept for being published again.
const keptMessages = 10_000

// rabbitAgain is how long is waited before a broker that went away is tried again.
const rabbitAgain = 100 * time.Millisecond

// rabbitOwn is the queue of the harness, behind the prefix. It outlives the connection and the broker's restart: what comes
// while the harness is not connected is read afterwards.
const rabbitOwn = "harness"

// rabbitQueue is the exchanges of one experiment on a RabbitMQ server that it shares with others. It listens to them all
// the time, since a broker forgets what has been consumed.
type rabbitQueue struct {
	server   string
	prefix   string
	topic    string // of the service, with the prefix
	listened chan struct{}
	ended    context.Context
	end      context.CancelFunc

	mu      sync.Mutex
	conn    *amqp.Connection
	channel *amqp.Channel
	kept    []amqp.Delivery
	missed  error         // set where the broker may have had messages that it has lost, unread
	more    chan struct{} // closed and replaced when a message comes
}

// joinRabbit reaches a server and begins to listen to the fanout exchange of the topic, which it makes.
func joinRabbit(ctx context.Context, server *url.URL, prefix, topic string) (Queue, func() error, error) {
	q := &rabbitQueue{server: server.String(), prefix: prefix, topic: prefix + topic, listened: make(chan struct{}), more: make(chan struct{})}
	q.ended, q.end = context.WithCancel(context.Background())
	deliveries, err := q.listen(false)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		q.end()
		q.hangUp() // it may have been connected in time, and ctx ended
		return nil, nil, err
	}
	go q.keep(deliveries)
	return q, q.close, nil
}

func dialRabbit(server string) (*amqp.Connection, error) {
	return amqp.DialConfig(server, amqp.Config{
		Heartbeat: queueWait, Dial: amqp.DefaultDial(queueWait), Properties: amqp.Table{"connection_name": "onedebit"},
	})
}

// listen connects and begins to read the harness's own queue, which it makes where it is not there. Where it was there
// before, the broker has lost it, and what was in it.
func (q *rabbitQueue) listen(before bool) (deliveries <-chan amqp.Delivery, err error) {
	conn, err := dialRabbit(q.server)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	if before {
		if err := q.lookFor(conn); err != nil {
			return nil, err
		}
	}
	channel, err := conn.Channel()
	if err == nil {
		err = channel.Confirm(false)
	}
	if err != nil {
		return nil, err
	}
	if err := channel.ExchangeDeclare(q.topic, amqp.ExchangeFanout, true, false, false, false, nil); err != nil {
		return nil, err
	}
	if _, err := channel.QueueDeclare(q.prefix+rabbitOwn, true, false, false, false, nil); err != nil {
		return nil, err
	}
	if err := channel.QueueBind(q.prefix+rabbitOwn, "", q.topic, false, nil); err != nil {
		return nil, err
	}
	if deliveries, err = channel.Consume(q.prefix+rabbitOwn, "", false, true, false, false, nil); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.conn, q.channel = conn, channel
	return deliveries, nil
}

// lookFor notes whether the harness's queue is not there any more.
func (q *rabbitQueue) lookFor(conn *amqp.Connection) error {
	channel, err := conn.Channel()
	if err != nil {
		return err
	}
	_, err = channel.QueueDeclarePassive(q.prefix+rabbitOwn, true, false, false, false, nil)
	var refused *amqp.Error
	if !errors.As(err, &refused) || refused.Code != amqp.NotFound {
		return errors.Join(err, channel.Close())
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.missed = errors.New("the broker came back without what it had held, and there may have been messages in it that nobody read")
	return nil
}

// keep reads the queue until the harness lets go of it, over as many connections as it takes.
func (q *rabbitQueue) keep(deliveries <-chan amqp.Delivery) {
	defer close(q.listened)
	for {
		if q.ended.Err() != nil {
			q.hangUp() // it was connected again while it was being closed
		}
		for d := range deliveries {
			q.note(d)
			_ = d.Ack(false) // where that is lost it comes again, and is known
		}
		for err := error(amqp.ErrClosed); err != nil; {
			select {
			case <-q.ended.Done():
				return
			case <-time.After(rabbitAgain):
			}
			deliveries, err = q.listen(true)
		}
	}
}

// note keeps a message, once where it is delivered again.
func (q *rabbitQueue) note(d amqp.Delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := d.Redelivered && slices.ContainsFunc(q.kept, func(k amqp.Delivery) bool {
		return k.MessageId == d.MessageId && k.Exchange == d.Exchange && bytes.Equal(k.Body, d.Body)
	})
	if !known && len(q.kept) < keptMessages {
		q.kept = append(q.kept, d)
	}
	close(q.more)
	q.more = make(chan struct{})
}

// Replay finds the messages by the order in their body.
func (q *rabbitQueue) Replay(ctx context.Context, topic, order string, times int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	found := q.of(topic, order)
	for len(found) == 0 {
		q.mu.Lock()
		more := q.more
		q.mu.Unlock()
		if found = q.of(topic, order); len(found) > 0 {
			break
		}
		select {
		case <-more:
		case <-ctx.Done():
			return 0, fmt.Errorf("replaying %s: no message of order %s on the exchange within %s", topic, order, queueWait)
		}
	}
	channel, err := q.whole(ctx)
	if err != nil {
		return 0, fmt.Errorf("replaying %s for order %s: %w", topic, order, err)
	}
	n := 0
	for range times {
		for _, d := range found {
			again := amqp.Publishing{
				ContentType: d.ContentType, DeliveryMode: d.DeliveryMode, MessageId: d.MessageId, Headers: d.Headers, Type: d.Type, Body: d.Body,
			}
			sent, err := channel.PublishWithDeferredConfirmWithContext(ctx, q.prefix+topic, d.RoutingKey, false, false, again)
			acked := false
			if err == nil {
				acked, err = sent.WaitContext(ctx)
			}
			if err == nil && !acked {
				err = errors.New("the broker did not take it on")
			}
			if err != nil {
				return n, fmt.Errorf("replaying %s for order %s: %w", topic, order, err)
			}
			n++
		}
	}
	return n, nil
}

func (q *rabbitQueue) of(topic, order string) (found []amqp.Delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range q.kept {
		if d.Exchange == q.prefix+topic && bytes.Contains(d.Body, []byte(order)) {
			found = append(found, d)
		}
	}
	return found
}

// whole is a channel to the broker, once it is there, where all that was ever published has been read.
func (q *rabbitQueue) whole(ctx context.Context) (*amqp.Channel, error) {
	tick := time.NewTicker(rabbitAgain)
	defer tick.Stop()
	for {
		q.mu.Lock()
		channel, missed := q.channel, q.missed
		q.mu.Unlock()
		switch {
		case missed != nil:
			return nil, missed
		case channel != nil && !channel.IsClosed():
			return channel, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.New("the broker does not answer any more")
		}
	}
}

func (q *rabbitQueue) hangUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.conn != nil {
		_ = q.conn.Close()
	}
}

// close ends the listening.
func (q *rabbitQueue) close() error {
	q.end()
	q.hangUp()
	<-q.listened
	return nil
}

// removeQueues removes what the service of an experiment has made on the server. The service is gone by then.
func removeQueues(l lease) error {
	conn, err := dialRabbit(l.Server)
	if err != nil {
		return err
	}
	defer conn.Close()
	channel, err := conn.Channel()
	if err != nil {
		return err
	}
	var errs []error
	for _, exchange := range l.Exchanges {
		errs = append(errs, channel.ExchangeDelete(l.Name+exchange, false, false))
	}
	for _, queue := range append(slices.Clone(l.Queues), rabbitOwn) {
		_, err := channel.QueueDelete(l.Name+queue, false, false, false)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
