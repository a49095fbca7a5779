package stack

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// queueWait bounds the harness's own talks with a broker.
const queueWait = 10 * time.Second

// Queue is the harness's own way to the broker, beside the proxy.
type Queue interface {
	// Replay publishes again, so many times, every message of a topic that belongs to an order, and says how many it
	// published. It waits until there is one.
	Replay(ctx context.Context, topic, order string, times int) (int, error)
}

// upQueue gives the experiment a broker: an embedded one, or a topic of its own on the server given.
func (s *Stack) upQueue(ctx context.Context, place proxied, vars targets.Vars) error {
	asked := s.Target.Links[QueueLink]
	switch {
	case asked == nil:
		return nil
	case s.Servers.Queue != "":
		return s.joinQueue(ctx, place, vars)
	case asked.Engine == "rabbitmq":
		return fmt.Errorf("target %s needs RabbitMQ: --queue amqp://user:password@127.0.0.1:PORT/, or --runtime docker: %w", s.Target.Name, ErrNotUp)
	}
	ln, err := net.Listen("tcp", s.Loopback.Any())
	if err != nil {
		return fmt.Errorf("listening for the embedded Kafka: %w: %w", ErrNotUp, err)
	}
	at, err := place(QueueLink, wire.Kafka, ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		return err
	}
	addr, err := net.ResolveTCPAddr("tcp", at)
	var queue *memoryKafka
	if err == nil {
		queue, err = startKafka(ln, addr)
	}
	if err != nil {
		_ = ln.Close()
		return fmt.Errorf("starting the embedded Kafka: %w: %w", ErrNotUp, err)
	}
	s.Queue = queue
	s.place("queue", "kafka://"+ln.Addr().String())
	s.onClose(queue.close)
	address(vars, QueueLink, "kafka", at)
	return nil
}

// broker is one kind of broker that the harness can share with others.
type broker struct {
	protocol *wire.Protocol
	// join reaches a server, on which names that begin with the prefix are the experiment's own.
	join func(ctx context.Context, server *url.URL, prefix, topic string) (Queue, func() error, error)
	// remove removes what the service of an experiment has made there. The service is gone by then.
	remove func(lease) error
}

// brokers are the kinds of broker, by the scheme of their URL.
var brokers = map[string]broker{
	"amqp":  {protocol: wire.AMQP, join: joinRabbit, remove: removeQueues},
	"kafka": {protocol: wire.Kafka, join: joinKafka, remove: removeTopics},
}

// joinQueue takes a topic on the server given.
func (s *Stack) joinQueue(ctx context.Context, place proxied, vars targets.Vars) error {
	server, err := url.Parse(s.Servers.Queue)
	if err != nil {
		return fmt.Errorf("queue server: %w: %w", ErrNotUp, err)
	}
	kind, prefix := brokers[server.Scheme], s.Workdir.Unique("queue")+"."
	l := lease{Kind: leaseQueues, Server: s.Servers.Queue, Name: prefix, Exchanges: s.Target.Queue.Exchanges, Queues: s.Target.Queue.Queues}
	if err := s.Workdir.lease(l); err != nil {
		return err
	}
	queue, closed, err := kind.join(ctx, server, prefix, s.Target.Queue.Topic)
	if err != nil {
		return fmt.Errorf("reaching the queue server at %s: %w: %w", server.Host, ErrNotUp, err)
	}
	s.Queue = queue
	s.placeServer("queue, names "+prefix+"*", server)
	s.onClose(l.end)
	s.onClose(closed)
	at, err := place(QueueLink, kind.protocol, server.Host)
	if err != nil {
		return err
	}
	address(vars, QueueLink, server.Scheme, at)
	vars["queue.url"], vars["queue.prefix"], vars["queue.topic"] = through(server, at).String(), prefix, prefix+s.Target.Queue.Topic
	return nil
}
