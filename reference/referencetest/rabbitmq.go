package referencetest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

var rabbit = &server{name: "RabbitMQ", account: "rabbitmq", binaries: []string{"epmd", "/usr/lib/rabbitmq/bin/rabbitmq-server"}, begin: beginRabbit}

// beginRabbit starts a node with a name registry of its own, which would otherwise be shared and left behind.
func beginRabbit(s *server) error {
	var ports [3]int
	for i := range ports {
		var err error
		if ports[i], err = freePort(); err != nil {
			return err
		}
	}
	registry, node, dist := strconv.Itoa(ports[0]), strconv.Itoa(ports[1]), strconv.Itoa(ports[2])
	if err := s.run(nil, "epmd", "-port", registry, "-address", "127.0.0.1"); err != nil {
		return err
	}
	plugins := filepath.Join(s.dir, "enabled_plugins")
	if err := os.WriteFile(plugins, []byte("[].\n"), 0o644); err != nil {
		return err
	}
	err := s.run([]string{
		"ERL_EPMD_PORT=" + registry, "ERL_EPMD_ADDRESS=127.0.0.1",
		"RABBITMQ_NODENAME=reference" + node + "@localhost", "RABBITMQ_NODE_PORT=" + node, "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
		"RABBITMQ_DIST_PORT=" + dist, "RABBITMQ_MNESIA_BASE=" + s.dir, "RABBITMQ_LOG_BASE=" + s.dir,
		"RABBITMQ_ENABLED_PLUGINS_FILE=" + plugins, "RABBITMQ_CONF_ENV_FILE=" + filepath.Join(s.dir, "none"),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
	}, "/usr/lib/rabbitmq/bin/rabbitmq-server")
	if err != nil {
		return err
	}
	s.url = "amqp://guest:guest@127.0.0.1:" + node
	return s.answers(func() error { return greets("127.0.0.1:" + node) })
}

// greets waits for the broker's first frame, which it sends only when it takes connections.
func greets(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("AMQP\x00\x00\x09\x01")); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

var topics atomic.Int64

// RabbitMQ gives the service a broker with a topic of its own.
func RabbitMQ() Option {
	return func(r *Rig) {
		r.Config.Queue = rabbit.of(r.T)
		r.Config.Topic = fmt.Sprintf("pay.success.%d", topics.Add(1))
	}
}
