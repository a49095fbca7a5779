package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/redis/go-redis/v9"
)

// Service is one instance of the payment service. Make it with New; its exported fields are for Parts to read.
type Service struct {
	Config Config
	Parts  Parts
	Store  *Store
	Cache  *redis.Client
	Queue  Queue
	Bank   Bank
	Log    *Logger
	Now    func() time.Time

	prepared atomic.Bool // the tables are there
	listener net.Listener
	server   *http.Server
	work     sync.WaitGroup // what goes on after its client was answered
}

// New puts a service together and listens, so that Addr is known; it serves when it is Run. A database file must be
// there; a database server, bank, cache and queue may be away. log receives one line a step, now is the clock of rows
// and log lines, clock_offset added. The caller must Run the service or Close it.
func New(ctx context.Context, cfg Config, parts Parts, log io.Writer, now func() time.Time) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	clock := now
	now = func() time.Time { return clock().Add(cfg.ClockOffset.Std()) }
	s := &Service{Config: cfg, Parts: parts, Log: NewLogger(log, now), Now: now, Bank: parts.Bank(cfg)}
	cache, err := redis.ParseURL(cfg.Cache)
	if err != nil {
		return nil, fmt.Errorf("config field cache: %w", err)
	}
	// A command is never sent again by itself: SET NX repeated after a lost answer would lose against its own first try.
	cache.PoolSize, cache.MaxRetries, cache.DisableIdentity, cache.Protocol = 64, -1, true, 2
	cache.DialTimeout, cache.ReadTimeout, cache.WriteTimeout, cache.PoolTimeout =
		cfg.CacheTimeout.Std(), cfg.CacheTimeout.Std(), cfg.CacheTimeout.Std(), cfg.CacheTimeout.Std()
	s.Cache = redis.NewClient(cache)
	if s.Queue, err = openQueue(cfg, func(err error) { s.Log.Step("", "", "queue", "ERROR", err.Error()) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.Store, err = openStore(cfg.Database, cfg.DatabaseTimeout.Std()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err = s.prepare(ctx); err != nil && !errors.Is(err, ErrAway) {
		return nil, errors.Join(err, s.Close())
	}
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen); err != nil {
		return nil, errors.Join(fmt.Errorf("listening on %s: %w; is another instance running there?", cfg.Listen, err), s.Close())
	}
	s.server = &http.Server{Handler: s.routes(), ReadHeaderTimeout: readWithin, ReadTimeout: readWithin, IdleTimeout: idleWithin}
	return s, nil
}

const (
	readWithin = 30 * time.Second // for one whole request to arrive
	idleWithin = 2 * time.Minute  // for the next request on a connection
)

// Addr returns the address that the service listens on, as host:port.
func (s *Service) Addr() string { return s.listener.Addr().String() }

// Millis returns the present time as it is stored in rows.
func (s *Service) Millis() int64 { return s.Now().UnixMilli() }

func (s *Service) allowed(merchant string) bool {
	return len(s.Config.Merchants) == 0 || slices.Contains(s.Config.Merchants, merchant)
}

func (s *Service) routes() http.Handler {
	// The client API has a router of its own behind the gateway: a router recycles what it knows of a request as soon
	// as the answer is out, and behind the gateway a request outlives its answer.
	client := chi.NewRouter()
	client.Post("/api/payment/precreate", s.precreate)
	client.Post("/api/payment/pay", s.pay)
	client.Get("/api/payment/orders/{order}", s.order)
	client.Post("/api/payment/orders/{order}/close", s.closing)
	client.Post("/api/checkout/pay", s.checkout)
	client.Post("/api/refunds", s.refund)
	client.Get("/api/refunds/{refund}", s.refundState)
	client.Post("/api/appeals", s.appeal)

	all := http.NewServeMux()
	all.Handle("/", s.gateway(client))
	all.HandleFunc("POST "+callbackPath, s.callback)
	all.HandleFunc("GET /readyz", s.ready)
	all.Handle("GET /metrics", metrics(s.Store))
	return all
}

// ready answers 200 when a payment can be taken: the queue is not needed for that.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	err := errors.Join(s.Store.Ping(r.Context()), s.Cache.Ping(r.Context()).Err())
	if err == nil && !s.prepared.Load() {
		err = errors.New("the tables are not there yet")
	}
	if err != nil {
		Answer{HTTP: http.StatusServiceUnavailable, Code: CodeBusy, Message: err.Error()}.send(w)
		return
	}
	Answer{HTTP: http.StatusOK, Code: CodeOK}.send(w)
}

// Run serves until ctx ends, then stops accepting, answers within gateway_timeout, lets what is under way come to its
// end within bank_timeout, each and a little, and closes everything. What does not end in time is finished by the reconciler of the next start.
func (s *Service) Run(ctx context.Context) error {
	loops, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	broken := make(chan error, 1)
	running.Go(func() {
		if err := s.awaitDatabase(loops); err != nil {
			broken <- err
			return
		}
		running.Go(func() { s.every(loops, "reconcile", s.Config.ReconcileEvery, s.reconcileRound) })
		running.Go(func() { s.queueWork(loops) })
	})
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(s.listener) }()
	s.Log.Step("", "", "service", "START", "instance="+s.Config.Instance+" listen="+s.Addr())

	var failure error
	select {
	case <-ctx.Done():
	case failure = <-broken:
	case err := <-served:
		failure = fmt.Errorf("serving on %s: %w", s.Addr(), err)
	}
	stop()
	failure = errors.Join(failure, s.finish(context.WithoutCancel(ctx), &running))
	s.Log.Step("", "", "service", "STOP", "instance="+s.Config.Instance)
	return errors.Join(failure, s.Close())
}

// databasePatience is for how many times database_timeout a start waits for a database server that is away.
const databasePatience = 24

// prepare makes the tables, once.
func (s *Service) prepare(ctx context.Context) error {
	if s.prepared.Load() {
		return nil
	}
	err := s.Store.Prepare(ctx, s.Parts.Schema())
	s.prepared.Store(err == nil)
	return err
}

// awaitDatabase makes the tables as soon as the database can be reached; until then every payment is refused and readyz
// says so. nil also where ctx ended first.
func (s *Service) awaitDatabase(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, databasePatience*s.Config.DatabaseTimeout.Std())
	defer cancel()
	for {
		err := s.prepare(patience)
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case !errors.Is(err, ErrAway) || patience.Err() != nil:
			return fmt.Errorf("starting: %w", err)
		}
		s.Log.Step("", "", "database", "ERROR", err.Error())
		pause(patience, s.Config.RelayEvery.Std())
	}
}

// finish lets clients have their answers, and then what is under way come to its end.
func (s *Service) finish(ctx context.Context, loops *sync.WaitGroup) error {
	answering, cancel := context.WithTimeout(ctx, s.Config.GatewayTimeout.Std()+endWithin)
	defer cancel()
	_ = s.server.Shutdown(answering) // a client that keeps its connection open is cut by Close
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.work.Wait()
		loops.Wait()
	}()
	patience := time.NewTimer(s.Config.BankTimeout.Std() + endWithin)
	defer patience.Stop()
	select {
	case <-finished:
		return nil
	case <-patience.C:
		return errors.New("stopping: some payments are still under way; the next start finishes them")
	}
}

const endWithin = 2 * time.Second // beyond the longest call to the bank

// Close closes what New opened; Run does so by itself.
func (s *Service) Close() error {
	var faults []error
	if s.server != nil {
		faults = append(faults, s.server.Close())
	}
	if s.listener != nil {
		_ = s.listener.Close() // closed already where the server ran
	}
	if s.Queue != nil {
		faults = append(faults, s.Queue.Close())
	}
	if s.Cache != nil {
		faults = append(faults, s.Cache.Close())
	}
	if s.Store != nil {
		faults = append(faults, s.Store.Close())
	}
	return errors.Join(faults...)
}

// every runs work at once and then in this rhythm; an error is logged, and the next round tries again.
func (s *Service) every(ctx context.Context, name string, rhythm Duration, work func(context.Context) error) {
	tick := time.NewTicker(rhythm.Std())
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			s.Log.Step("", "", name, "ERROR", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// queueWork makes the topic as soon as the queue can be reached, then relays and consumes. No payment waits for it.
func (s *Service) queueWork(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.Queue.Prepare(ctx)
		if err == nil {
			break
		}
		if ctx.Err() == nil {
			s.Log.Step("", "", "queue", "ERROR", err.Error())
			pause(ctx, s.Config.RelayEvery.Std())
		}
	}
	var running sync.WaitGroup
	running.Go(func() { s.every(ctx, "outbox.publish", s.Config.RelayEvery, s.relay) })
	for _, c := range consumers {
		running.Go(func() { s.consume(ctx, c) })
	}
	running.Wait()
}
