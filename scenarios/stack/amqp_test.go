//go:build unix

package stack

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"os"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// startRabbit starts a RabbitMQ and returns its address. Its port mapper is one of its own, which ends with it.
func startRabbit(t *testing.T) string {
	t.Helper()
	server, mapper := program(t, "rabbitmq-server", "/usr/lib/rabbitmq/bin", "/opt/homebrew/sbin", "/usr/local/sbin"), program(t, "epmd")
	w := newThrowaway(t)
	port, mapperPort := freePort(t), freePort(t)
	w.env = append(w.env,
		"ERL_EPMD_PORT="+mapperPort, "ERL_EPMD_ADDRESS=127.0.0.1", "RABBITMQ_NODENAME=onedebit"+port+"@localhost", "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
		"RABBITMQ_NODE_PORT="+port, "RABBITMQ_DIST_PORT="+freePort(t), "RABBITMQ_MNESIA_BASE="+w.dir+"/mnesia", "RABBITMQ_LOG_BASE="+w.dir+"/log",
		"RABBITMQ_ENABLED_PLUGINS_FILE="+w.dir+"/plugins", "RABBITMQ_CONFIG_FILE="+w.dir+"/config", "RABBITMQ_CONF_ENV_FILE="+w.dir+"/env",
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 1:1 +sbwt none",
	)
	require.NoError(t, os.WriteFile(w.dir+"/plugins", []byte("[].\n"), 0o644))
	w.start(t, mapper, "-port", mapperPort, "-address", "127.0.0.1")
	await(t, "the port mapper of RabbitMQ", func() error {
		conn, err := net.Dial("tcp", "127.0.0.1:"+mapperPort)
		if err == nil {
			_ = conn.Close()
		}
		return err
	})
	w.start(t, server)
	address := "127.0.0.1:" + port
	awaitRabbit(t, address)
	return address
}

func awaitRabbit(t *testing.T, address string) {
	t.Helper()
	await(t, "RabbitMQ", func() error {
		conn, err := amqp.Dial("amqp://guest:guest@" + address + "/")
		if err == nil {
			err = conn.Close()
		}
		return err
	})
}

// rabbitLink is a channel through a proxy, with an exchange and a queue.
type rabbitLink struct {
	*testLink
	seen *sightings
	ch   *amqp.Channel
}

func linkRabbit(t *testing.T, address string) *rabbitLink {
	t.Helper()
	l := &rabbitLink{}
	l.testLink, l.seen = linkedHere(t, address, wire.AMQP)
	l.ch = l.channel(t)
	require.NoError(t, l.ch.ExchangeDeclare("events", "topic", true, false, false, false, nil))
	_, err := l.ch.QueueDeclare("events.coupon", true, false, false, false, nil)
	require.NoError(t, err)
	_, err = l.ch.QueuePurge("events.coupon", false)
	require.NoError(t, err)
	require.NoError(t, l.ch.QueueBind("events.coupon", "pay.*", "events", false, nil))
	return l
}

func (l *rabbitLink) channel(t *testing.T) *amqp.Channel {
	t.Helper()
	conn, err := amqp.Dial("amqp://guest:guest@" + l.Address() + "/")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	ch, err := conn.Channel()
	require.NoError(t, err)
	require.NoError(t, ch.Confirm(false))
	return ch
}

// publish publishes, and tells whether that was confirmed.
func (l *rabbitLink) publish(t *testing.T, body string) (bool, error) {
	t.Helper()
	ctx := patient(t)
	lost := l.ch.NotifyClose(make(chan *amqp.Error, 1))
	sent, err := l.ch.PublishWithDeferredConfirmWithContext(ctx, "events", "pay.success", false, false,
		amqp.Publishing{ContentType: "application/json", Body: []byte(body)})
	if err != nil {
		return false, err
	}
	select {
	case <-sent.Done():
		return sent.Acked(), nil
	case err := <-lost:
		if err == nil {
			err = amqp.ErrClosed
		}
		return false, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (l *rabbitLink) consume(t *testing.T, ch *amqp.Channel) amqp.Delivery {
	t.Helper()
	deliveries, err := ch.ConsumeWithContext(patient(t), "events.coupon", "", false, false, false, false, nil)
	require.NoError(t, err)
	return delivered(t, deliveries)
}

func delivered(t *testing.T, deliveries <-chan amqp.Delivery) amqp.Delivery {
	t.Helper()
	select {
	case d, ok := <-deliveries:
		require.True(t, ok, "the channel was closed")
		return d
	case <-time.After(patience):
		require.Fail(t, "nothing was delivered")
	}
	return amqp.Delivery{}
}

func TestRabbitLink(t *testing.T) {
	address := startRabbit(t)
	t.Run("is read", func(t *testing.T) { rabbitIsRead(t, linkRabbit(t, address)) })
	t.Run("confirmation lost", func(t *testing.T) { rabbitConfirmationLost(t, linkRabbit(t, address)) })
	t.Run("publication held", func(t *testing.T) { rabbitPublicationHeld(t, linkRabbit(t, address)) })
	t.Run("acknowledgement lost", func(t *testing.T) { rabbitAcknowledgementLost(t, linkRabbit(t, address)) })
}

func rabbitIsRead(t *testing.T, l *rabbitLink) {
	acked, err := l.publish(t, `{"order":"O-1","password":"x"}`)
	require.NoError(t, err)
	assert.True(t, acked)
	large := bytes.Repeat([]byte("x"), 300_000) // several frames
	acked, err = l.publish(t, string(large))
	require.NoError(t, err)
	assert.True(t, acked)
	d := l.consume(t, l.ch)
	require.NoError(t, d.Nack(false, true))
	require.NoError(t, l.ch.Qos(1, 0, false), "what is answered comes after what is not")

	var texts []string
	labels := map[string]bool{}
	for _, m := range l.seen.all() {
		labels[m.Dir+" "+m.Label] = true
		if m.Label == "basic.publish pay.success" {
			texts = append(texts, m.Text)
		}
	}
	require.Len(t, texts, 2)
	assert.Equal(t, `basic.publish exchange=events key=pay.success {"order":"O-1","password":"***"}`, texts[0])
	for _, label := range []string{
		"request protocol", "answer connection.start", "request connection.start-ok", "request confirm.select", "answer confirm.select-ok",
		"request queue.declare", "answer basic.ack", "answer basic.deliver", "request basic.nack",
	} {
		assert.True(t, labels[label], label)
	}
	assert.Zero(t, l.Unread())
}

func rabbitConfirmationLost(t *testing.T, l *rabbitLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Answer, Labels: []string{"basic.ack"}, Nth: 2, Count: 1}, Do: Lose{}})
	acked, err := l.publish(t, "first")
	require.NoError(t, err)
	assert.True(t, acked)
	acked, err = l.publish(t, "second")
	assert.False(t, acked)
	require.Error(t, err)
	assert.Equal(t, 1, a.Fired())
	ch := l.channel(t)
	deliveries, err := ch.ConsumeWithContext(patient(t), "events.coupon", "", true, false, false, false, nil)
	require.NoError(t, err)
	assert.Equal(t, "first", string(delivered(t, deliveries).Body))
	assert.Equal(t, "second", string(delivered(t, deliveries).Body), "the broker has it")
}

func rabbitPublicationHeld(t *testing.T, l *rabbitLink) {
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"basic.publish pay.*"}, Contains: "O-7"}, Do: Hold{}})
	sent, err := l.ch.PublishWithDeferredConfirmWithContext(patient(t), "events", "pay.success", false, false, amqp.Publishing{Body: []byte("O-7")})
	require.NoError(t, err)
	require.NoError(t, a.Wait(patient(t), 0, 1))
	assert.False(t, sent.Acked())
	a.Release()
	acked, err := sent.WaitContext(patient(t))
	require.NoError(t, err)
	assert.True(t, acked)
}

func rabbitAcknowledgementLost(t *testing.T, l *rabbitLink) {
	_, err := l.publish(t, "O-8")
	require.NoError(t, err)
	a := arm(t, l.testLink, Rule{Match: Match{Dir: history.Request, Labels: []string{"basic.ack"}, Nth: 1, Count: 1}, Do: Lose{}})
	d := l.consume(t, l.channel(t))
	assert.False(t, d.Redelivered)
	_ = d.Ack(false)
	require.NoError(t, a.Wait(patient(t), 1, 0))
	again := l.consume(t, l.channel(t))
	assert.Equal(t, "O-8", string(again.Body))
	assert.True(t, again.Redelivered)
	require.NoError(t, again.Ack(false))
}

// What the harness did not read while the broker was away is read when it is back, or is known to be missing.
func TestRabbitListenerComesBack(t *testing.T) {
	address := startRabbit(t)
	conn, err := amqp.Dial("amqp://guest:guest@" + address + "/")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	publishes := func(topic, order string) {
		ch, err := conn.Channel()
		require.NoError(t, err)
		require.NoError(t, ch.PublishWithContext(patient(t), topic, "", false, false, amqp.Publishing{MessageId: order, Body: []byte(order), DeliveryMode: amqp.Persistent}))
		require.NoError(t, ch.Close(), "the broker has it when it answers this")
	}
	l, _ := linkedHere(t, address, wire.AMQP)
	joined := func(prefix string) Queue {
		q, closed, err := joinRabbit(patient(t), &url.URL{Scheme: "amqp", User: url.UserPassword("guest", "guest"), Host: l.Address(), Path: "/"}, prefix, "pay")
		require.NoError(t, err)
		t.Cleanup(func() {
			assert.NoError(t, closed())
			server := "amqp://guest:guest@" + address + "/"
			assert.NoError(t, removeQueues(lease{Server: server, Name: prefix, Exchanges: []string{"pay"}}))
			left, err := conn.Channel()
			require.NoError(t, err)
			_, err = left.QueueDeclarePassive(prefix+rabbitOwn, true, false, false, false, nil)
			assert.Error(t, err, "the queue of the harness goes with the rest")
		})
		return q
	}
	away := func(q Queue) { // until the harness has seen it too
		l.Down()
		listener := q.(*rabbitQueue)
		await(t, "the connection to end", func() error {
			listener.mu.Lock()
			defer listener.mu.Unlock()
			if !listener.channel.IsClosed() {
				return errors.New("it is still there")
			}
			return nil
		})
	}
	t.Run("and reads what it missed", func(t *testing.T) {
		q := joined("a.")
		publishes("a.pay", "O-1")
		n, err := q.Replay(patient(t), "pay", "O-1", 1)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		away(q)
		publishes("a.pay", "O-2")
		require.NoError(t, l.Up())
		n, err = q.Replay(patient(t), "pay", "O-2", 3)
		require.NoError(t, err)
		assert.Equal(t, 3, n)
	})
	t.Run("and knows that something may be missing", func(t *testing.T) {
		q := joined("b.")
		publishes("b.pay", "O-1")
		_, err := q.Replay(patient(t), "pay", "O-1", 1)
		require.NoError(t, err)
		away(q)
		ch, err := conn.Channel()
		require.NoError(t, err)
		_, err = ch.QueueDelete("b."+rabbitOwn, false, false, false)
		require.NoError(t, err)
		require.NoError(t, l.Up())
		_, err = q.Replay(patient(t), "pay", "O-1", 1)
		assert.ErrorContains(t, err, "the broker came back without what it had held")
	})
}
