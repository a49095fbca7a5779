package stack

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafkaQueue is a Kafka broker, or what speaks its protocol.
type kafkaQueue struct {
	direct string // address beside any proxy
	prefix string // of names on a broker that is shared with others
}

// memoryKafka is the embedded broker.
type memoryKafka struct {
	kafkaQueue
	cluster *kfake.Cluster
}

// advertised is a listener that says it listens elsewhere. A Kafka broker tells its clients its own address; told the
// proxy's, it sends them through the proxy.
type advertised struct {
	net.Listener
	addr net.Addr
}

func (a advertised) Addr() net.Addr { return a.addr }

func startKafka(ln net.Listener, told net.Addr) (*memoryKafka, error) {
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.DefaultNumPartitions(1),
		kfake.AllowAutoTopicCreation(),
		kfake.GroupMinSessionTimeout(10*time.Millisecond),
		kfake.ListenFn(func(string, string) (net.Listener, error) { return advertised{ln, told}, nil }),
	)
	if err != nil {
		return nil, err
	}
	return &memoryKafka{kafkaQueue{direct: ln.Addr().String()}, cluster}, nil
}

func (q *memoryKafka) close() error {
	q.cluster.Close()
	return nil
}

// KafkaRole is the configuration of the role kafka: the broker of the embedded runtime in a process of its own.
type KafkaRole struct {
	Listen string `json:"listen"` // address
}

// ServeKafka is the role kafka. It ends with ctx, and with all that it held.
func ServeKafka(ctx context.Context, role KafkaRole) error {
	ln, err := net.Listen("tcp", role.Listen)
	if err != nil {
		return fmt.Errorf("listening for Kafka: %w", err)
	}
	broker, err := startKafka(ln, ln.Addr())
	if err != nil {
		_ = ln.Close()
		return fmt.Errorf("starting Kafka: %w", err)
	}
	<-ctx.Done()
	return broker.close()
}

// joinKafka reaches a broker.
func joinKafka(ctx context.Context, server *url.URL, prefix, _ string) (Queue, func() error, error) {
	return &kafkaQueue{direct: server.Host, prefix: prefix}, func() error { return nil }, kafkaReady(ctx, server.String())
}

// kafkaReady says whether a broker answers.
func kafkaReady(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	c, err := (&kafkaQueue{direct: u.Host}).client(kgo.RetryTimeout(time.Second))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Ping(ctx)
}

// removeTopics removes the topics of an experiment. What its consumers have noted goes with them.
func removeTopics(l lease) error {
	ctx, cancel := context.WithTimeout(context.Background(), queueWait)
	defer cancel()
	server, err := url.Parse(l.Server)
	if err != nil {
		return err
	}
	c, err := (&kafkaQueue{direct: server.Host}).client()
	if err != nil {
		return err
	}
	defer c.Close()
	known, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, c)
	if err != nil {
		return err
	}
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TimeoutMillis = int32(queueWait.Milliseconds())
	for _, t := range known.Topics {
		if t.Topic != nil && strings.HasPrefix(*t.Topic, l.Name) {
			request.TopicNames = append(request.TopicNames, *t.Topic)
			one := kmsg.NewDeleteTopicsRequestTopic()
			one.Topic = t.Topic
			request.Topics = append(request.Topics, one)
		}
	}
	if len(request.Topics) == 0 {
		return nil
	}
	response, err := request.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	for _, t := range response.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil && err != kerr.UnknownTopicOrPartition {
			return err
		}
	}
	return nil
}

// client reaches the broker directly, whatever address it advertises.
func (q *kafkaQueue) client(opts ...kgo.Opt) (*kgo.Client, error) {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, q.direct)
	}
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(q.direct), kgo.Dialer(dial))...)
	if err != nil {
		return nil, fmt.Errorf("reaching the queue: %w", err)
	}
	return c, nil
}

// Replay finds the messages by their key, which is the order.
func (q *kafkaQueue) Replay(ctx context.Context, topic, order string, times int) (int, error) {
	topic = q.prefix + topic
	ctx, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	c, err := q.client(kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(50*time.Millisecond))
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var found []*kgo.Record
	for len(found) == 0 {
		fetches := c.PollFetches(ctx)
		if ctx.Err() != nil {
			return 0, fmt.Errorf("replaying %s: no message of order %s on the topic within %s", topic, order, queueWait)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if string(r.Key) == order {
				found = append(found, &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value, Headers: r.Headers})
			}
		})
	}
	n := 0
	for range times {
		for _, r := range found {
			again := *r
			if err := c.ProduceSync(ctx, &again).FirstErr(); err != nil {
				return n, fmt.Errorf("replaying %s for order %s: %w", topic, order, err)
			}
			n++
		}
	}
	return n, nil
}
