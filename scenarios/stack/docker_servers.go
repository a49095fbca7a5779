package stack

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
)

// serverWait bounds how long a server may take from its start to its first answer, in wall time.
const serverWait = 90 * time.Second

// serverTick is how often a server that is coming up is asked.
const serverTick = 50 * time.Millisecond

// serverKind is one kind of server that the runtime docker brings up. Its settings are those of the public images.
type serverKind struct {
	link  string // on which the service reaches it
	image string // public name; --image and ONEDEBIT_IMAGES name another
	port  int
	env   map[string]string
	cmd   []string
	lasts []string // further arguments of one that keeps its data when it is restarted
	data  string   // folder of its data, kept in memory where it need not outlive a restart
	url   string   // with %s for host and port
	ready func(ctx context.Context, server string) error
	role  string // of this very binary, which stands in where the image is ownServer; "" for none
}

// ownServer is the name of an image that stands for this very binary.
const ownServer = "self"

// password is that of servers which listen on this machine's loopback only, and live as long as a run.
const password = "onedebit"

var serverKinds = map[string]serverKind{
	"postgres": {
		link: DBLink, image: "postgres:17", port: 5432, data: "/var/lib/postgresql/data",
		env: map[string]string{"POSTGRES_USER": "onedebit", "POSTGRES_PASSWORD": password, "POSTGRES_DB": "postgres"},
		cmd: []string{"postgres", "-c", "fsync=off", "-c", "max_connections=500"},
		url: "postgres://onedebit:" + password + "@%s/postgres", ready: sqlReady,
	},
	"mysql": {
		link: DBLink, image: "mariadb:11", port: 3306, data: "/var/lib/mysql",
		env: map[string]string{"MARIADB_ROOT_PASSWORD": password, "MYSQL_ROOT_PASSWORD": password},
		cmd: []string{"--innodb-flush-log-at-trx-commit=2", "--max-connections=500"},
		url: "mysql://root:" + password + "@%s/mysql", ready: sqlReady,
	},
	"redis": {
		link: CacheLink, image: "redis:7", port: 6379, data: "/data",
		cmd:   []string{"redis-server", "--save", ""},
		lasts: []string{"--appendonly", "yes"},
		url:   "redis://%s/0",
		ready: func(_ context.Context, server string) error {
			c, err := joinCache(server, "")
			if err == nil {
				err = c.client.Close()
			}
			return err
		},
	},
	"kafka": {
		link: QueueLink, image: "apache/kafka:4.0.0", port: 9092, env: kafkaEnv, url: "kafka://%s", ready: kafkaReady, role: "kafka",
	},
	"rabbitmq": {
		link: QueueLink, image: "rabbitmq:4", port: 5672, data: "/var/lib/rabbitmq",
		env: map[string]string{"RABBITMQ_DEFAULT_USER": "onedebit", "RABBITMQ_DEFAULT_PASS": password},
		url: "amqp://onedebit:" + password + "@%s/",
		ready: func(_ context.Context, server string) error {
			c, err := dialRabbit(server)
			if err == nil {
				err = c.Close()
			}
			return err
		},
	},
}

// kafkaEnv is a broker with one node, which keeps sessions as short as those of services that are speeded up. It tells
// clients an address that they do not use: the service and the harness always go where they were sent.
var kafkaEnv = map[string]string{
	"KAFKA_NODE_ID": "1", "KAFKA_PROCESS_ROLES": "broker,controller", "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
	"KAFKA_LISTENERS": "PLAINTEXT://:9092,CONTROLLER://localhost:9093", "KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://localhost:9092",
	"KAFKA_CONTROLLER_LISTENER_NAMES":      "CONTROLLER",
	"KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
	"KAFKA_NUM_PARTITIONS":                 "1", "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS": "1", "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
	"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1", "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
	"KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0", "KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS": "10",
}

// kindsOn are the kinds of server that can stand at the end of a link, in order.
func kindsOn(link string) (out []string) {
	for name, k := range serverKinds {
		if k.link == link {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func sqlReady(ctx context.Context, server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	kind := databases[u.Scheme]
	db, err := sql.Open(kind.driver, kind.dsn(u))
	if err != nil {
		return err
	}
	defer db.Close()
	return db.PingContext(ctx)
}

// server is a server in a container.
type server struct {
	kind    serverKind
	name    string // on the network
	address string // of this machine
	direct  string // URL beside any proxy
	part    part
	id      string
	stdin   io.Closer // of a role of this binary, which ends with it
}

// inner is the server's address on the network.
func (s *server) inner() string { return fmt.Sprintf("%s:%d", s.name, s.kind.port) }

// upServer brings a server up and waits until it answers. It is to be removed also where there is an error. One that lasts
// has its data also when it was restarted.
func (d *dockerSite) upServer(ctx context.Context, kindName, name string, lasting bool) (*server, error) {
	kind := serverKinds[kindName]
	address, err := d.run.Loopback.Fixed()
	if err != nil {
		return nil, errors.Join(ErrNotUp, err)
	}
	s := &server{kind: kind, name: name, address: address, direct: fmt.Sprintf(kind.url, address)}
	s.part = part{
		name: name, image: d.run.Images.of(kindName, kind.image), cmd: kind.cmd, env: kind.env, ports: map[int]string{kind.port: address}, tmpfs: kind.data,
	}
	if s.part.image == ownServer {
		config, err := told("", KafkaRole{Listen: fmt.Sprintf(":%d", kind.port)})
		if err != nil {
			return s, err
		}
		s.part.image, s.part.user, s.part.stdin, s.part.own = d.image, nobody, true, true
		s.part.cmd, s.part.env = append(slices.Clone(d.run.Self[1:]), kind.role), map[string]string{ConfigVar: config}
	}
	if lasting {
		s.part.tmpfs, s.part.cmd = "", slices.Concat(kind.cmd, kind.lasts)
	}
	return s, d.begin(ctx, s)
}

// begin makes a server's container where there is none, starts it, and waits until it answers.
func (d *dockerSite) begin(ctx context.Context, s *server) (err error) {
	if s.id == "" {
		if s.id, err = d.engine.create(ctx, s.part); err != nil {
			return err
		}
	}
	if s.part.stdin {
		held, err := d.engine.api.ContainerAttach(context.WithoutCancel(ctx), s.id, client.ContainerAttachOptions{Stream: true, Stdin: true})
		if err != nil {
			return fmt.Errorf("holding the standard input of %s: %w: %w", s.name, ErrNotUp, err)
		}
		s.stdin = held.Conn
	}
	if err := d.engine.start(ctx, s.id, s.name); err != nil {
		return err
	}
	return d.awaitServer(ctx, s)
}

// restart kills a server and starts it again; to lose what it had, another takes its place.
func (d *dockerSite) restart(ctx context.Context, s *server, lose bool) error {
	if err := d.engine.signal(s.id, "KILL"); err != nil {
		return err
	}
	if err := d.engine.exit(s.id); err != nil && !strings.HasPrefix(err.Error(), "signal") {
		return err
	}
	if lose {
		if err := d.engine.remove(s.id); err != nil {
			return err
		}
		s.id = ""
	}
	return d.begin(ctx, s)
}

// awaitServer waits until a server answers.
func (d *dockerSite) awaitServer(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	tick := time.NewTicker(serverTick)
	defer tick.Stop()
	for {
		err := s.kind.ready(ctx, s.direct)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
			if d.engine.ended(ctx, s.id) {
				return fmt.Errorf("server %s ended before it was ready: %w; its last words:\n%s", s.name, ErrNotUp, d.engine.last(s.id))
			}
		case <-ctx.Done():
			return fmt.Errorf("server %s did not become ready: %w: %w; its last words:\n%s", s.name, ErrNotUp, err, d.engine.last(s.id))
		}
	}
}

// shared are the servers that the experiments of a run share. They are brought up when the first asks for them.
type shared struct {
	once sync.Once
	list []*server
	err  error
}

// servers are the shared servers, up. The first to ask brings them up, side by side; the others wait.
func (d *dockerSite) servers(ctx context.Context) ([]*server, error) {
	d.shared.once.Do(func() {
		asked := d.run.Servers
		list := make([]*server, 3)
		up := func(i int, kind string) func() error {
			return func() (err error) {
				if kind != "" {
					list[i], err = d.upServer(ctx, kind, kind, false)
				}
				return err
			}
		}
		d.shared.err = together(up(0, asked.DB), up(1, asked.Cache), up(2, asked.Queue))
		d.shared.list = list
	})
	return d.shared.list, d.shared.err
}

// dockerServers completes what was asked for.
func dockerServers(s Servers) (Servers, error) {
	var errs []error
	for _, k := range []struct {
		flag, link, usual string
		asked             *string
	}{{"db", DBLink, "postgres", &s.DB}, {"cache", CacheLink, "redis", &s.Cache}, {"queue", QueueLink, "rabbitmq", &s.Queue}} {
		valid := kindsOn(k.link)
		switch {
		case *k.asked == "":
			*k.asked = k.usual
		case strings.Contains(*k.asked, "://"):
			errs = append(errs, fmt.Errorf("--%s: the runtime docker brings its own server up: name its kind (%s), or leave out --runtime docker", k.flag, strings.Join(valid, ", ")))
		case !slices.Contains(valid, *k.asked):
			errs = append(errs, fmt.Errorf("--%s: the runtime docker has no %q; it has %s", k.flag, *k.asked, strings.Join(valid, ", ")))
		}
	}
	return s, errors.Join(errs...)
}
