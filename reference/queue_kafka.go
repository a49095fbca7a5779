package reference

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka is a Kafka broker, or anything that speaks its protocol. Each consumer is a group of its own, <topic>.<consumer>; a
// message that can never be carried out is passed over.
var Kafka = brokers.register("kafka", broker{check: checkKafka, open: openKafka})

type kafkaQueue struct {
	cfg      Config
	report   func(error)
	producer *kgo.Client
}

func checkKafka(address string) error {
	if !isURL(address, "kafka") {
		return fmt.Errorf("%q is not of the form kafka://host:port", shown(address))
	}
	return nil
}

func openKafka(cfg Config, report func(error)) (Queue, error) {
	producer, err := kafkaClient(cfg, producerOptions(cfg)...)
	if err != nil {
		return nil, err
	}
	return &kafkaQueue{cfg: cfg, report: report, producer: producer}, nil
}

// kafkaClient returns a client that reaches every broker at the one address of the configuration, whatever address the
// brokers advertise, and that connects when it is first needed.
func kafkaClient(cfg Config, options ...kgo.Opt) (*kgo.Client, error) {
	address := strings.TrimSuffix(strings.TrimPrefix(cfg.Queue, "kafka://"), "/")
	dialer := &net.Dialer{Timeout: cfg.SessionTimeout.Std()}
	options = append([]kgo.Opt{
		kgo.SeedBrokers(address),
		kgo.Dialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		}),
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.RetryTimeout(cfg.SessionTimeout.Std()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 50 * time.Millisecond }),
	}, options...)
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("making a client of queue %s: %w", cfg.Queue, err)
	}
	return client, nil
}

// producerOptions give up the broker's own suppression of repeats, for which a record could not be given up in time:
// an event carries its id, and consumers know it.
func producerOptions(cfg Config) []kgo.Opt {
	return []kgo.Opt{
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(1),
		kgo.ProducerLinger(0), kgo.RecordDeliveryTimeout(confirmWithin(cfg)), // the client takes no less than a second
	}
}

// consumerOptions make a static member: an instance that comes back soon takes its place again without a rebalance.
// Offsets are committed only after the work.
func consumerOptions(cfg Config, group string) []kgo.Opt {
	session := cfg.SessionTimeout.Std()
	return []kgo.Opt{
		kgo.ConsumerGroup(group), kgo.InstanceID(group + "-" + cfg.Instance), kgo.ConsumeTopics(cfg.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(),
		kgo.SessionTimeout(session), kgo.HeartbeatInterval(session / 4), kgo.RebalanceTimeout(session),
	}
}

// Prepare makes the topic where it is missing.
func (q *kafkaQueue) Prepare(ctx context.Context) error {
	request := kmsg.NewPtrCreateTopicsRequest()
	request.TimeoutMillis = 5000
	wanted := kmsg.NewCreateTopicsRequestTopic()
	wanted.Topic, wanted.NumPartitions, wanted.ReplicationFactor = q.cfg.Topic, 1, -1
	request.Topics = append(request.Topics, wanted)
	response, err := request.RequestWith(ctx, q.producer)
	if err != nil {
		return fmt.Errorf("creating topic %s: %w", q.cfg.Topic, err)
	}
	for _, t := range response.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil && err != kerr.TopicAlreadyExists {
			return fmt.Errorf("creating topic %s: %w", q.cfg.Topic, err)
		}
	}
	return nil
}

// Publish implements Queue.
func (q *kafkaQueue) Publish(ctx context.Context, messages []Message) []error {
	records := make([]*kgo.Record, len(messages))
	for i, m := range messages {
		records[i] = &kgo.Record{Topic: m.Topic, Key: []byte(m.Key), Value: m.Body}
	}
	// The broker's answers come in the order in which partitions answer, so each is matched by its record.
	answered := make(map[*kgo.Record]error, len(records))
	for _, result := range q.producer.ProduceSync(ctx, records...) {
		answered[result.Record] = result.Err
	}
	outcomes := make([]error, len(records))
	for i, record := range records {
		err, ok := answered[record]
		if !ok {
			err = fmt.Errorf("publishing %s: no answer", messages[i].ID)
		}
		outcomes[i] = err
	}
	return outcomes
}

// Consume implements Queue. It ends only with ctx: the client connects again by itself.
func (q *kafkaQueue) Consume(ctx context.Context, consumer string, deliver func(context.Context, Delivery)) error {
	client, err := kafkaClient(q.cfg, consumerOptions(q.cfg, q.cfg.Topic+"."+consumer)...)
	if err != nil {
		return err
	}
	defer client.Close()
	for ctx.Err() == nil {
		fetched := client.PollRecords(ctx, relayBatch)
		records := fetched.Records()
		if faults := fetched.Errors(); len(faults) > 0 && ctx.Err() == nil {
			q.report(fmt.Errorf("consuming for %s: %w", consumer, faults[0].Err))
			if len(records) == 0 {
				pause(ctx, q.cfg.RelayEvery.Std())
			}
		}
		for _, record := range records {
			q.deliverOne(ctx, &kafkaDelivery{client: client, record: record}, deliver)
		}
	}
	return nil
}

// deliverOne hands a record over until the delivery is ended: there is no other order in a partition than the record's own.
func (q *kafkaQueue) deliverOne(ctx context.Context, d *kafkaDelivery, deliver func(context.Context, Delivery)) {
	for ctx.Err() == nil {
		d.again = false
		if deliver(ctx, d); !d.again {
			return
		}
		pause(ctx, q.cfg.RelayEvery.Std())
	}
}

// Close implements Queue.
func (q *kafkaQueue) Close() error {
	q.producer.Close()
	return nil
}

type kafkaDelivery struct {
	client *kgo.Client
	record *kgo.Record
	again  bool
}

func (d *kafkaDelivery) Body() []byte { return d.record.Value }

func (d *kafkaDelivery) Where() string {
	return fmt.Sprintf("partition=%d offset=%d", d.record.Partition, d.record.Offset)
}

func (d *kafkaDelivery) Ack(ctx context.Context) error {
	if err := d.client.CommitRecords(ctx, d.record); err != nil {
		return fmt.Errorf("committing offsets: %w", err)
	}
	return nil
}

func (d *kafkaDelivery) Again(context.Context) error {
	d.again = true
	return nil
}

func (d *kafkaDelivery) Reject(ctx context.Context) error { return d.Ack(ctx) }
