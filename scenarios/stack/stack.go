// Package stack brings up the parts of one experiment (service, bank, cache, queue, and a Toxiproxy proxy on every link
// between them), breaks them on request, and takes them down again. It is the only place that knows Toxiproxy.
package stack

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// The links. Each is one network path and always goes through a proxy.
const (
	ClientLink   = "client"   // client → service
	BankLink     = "bank"     // service → bank
	CallbackLink = "callback" // bank → service
	DBLink       = "db"       // service → database, where that is a server
	CacheLink    = "cache"    // service → cache
	QueueLink    = "queue"    // service → queue
)

// Spec says what to bring up.
type Spec struct {
	Target    *targets.Target
	Mutant    string
	Speed     float64
	Bank      BankSetup
	Instances int        // of the service, on one database; 1 where it is 0
	Needs     []string   // links and abilities that are asked of the runtime
	Whole     bool       // messages that belong to no payment are recorded on every link
	Rand      *rand.Rand // identifiers that the bank makes up
	Recorder  *history.Recorder
}

// BankSetup is how the bank of an experiment behaves throughout.
type BankSetup struct {
	Mode      string `yaml:"mode"`      // what a repeated trade number gets: dedupe, refuse or naive
	Callbacks *bool  `yaml:"callbacks"` // whether the bank notifies on its own; it does unless told not to
	Reverses  bool   `yaml:"reverses"`  // a debit whose notification was answered with an error to the end is undone
}

// Validate checks the mode's name.
func (b *BankSetup) Validate() error {
	if b.Mode == "" || slices.Contains([]string{"dedupe", "refuse", "naive"}, b.Mode) {
		return nil
	}
	return fmt.Errorf("mode: %q is none of dedupe, refuse, naive", b.Mode)
}

// Stack is the parts of one experiment, up and running.
type Stack struct {
	Run
	Spec
	Bank     *Bank
	Services []Service // the instances of the process that takes payments
	Cache    Cache
	Queue    Queue
	Rows     *targets.Reader
	Joiner   *Joiner
	// Kernel breaks packets of the links; nil where the runtime has not the ability Packets. Most experiments never ask for
	// it: it is brought up when it is asked for.
	Kernel func(context.Context) (*Kernel, error)

	mu       sync.Mutex
	links    map[string]Link
	places   []Place
	closers  []func() error
	restarts map[string]func(ctx context.Context, lose bool) error // of servers of its own, by link
	lastRead map[*bankAPI]int                                      // line of a bank's ledger up to which it is in the history
	waits    bool                                                  // lines that belong to no payment are not recorded yet
	unjoined []unjoined
	ahead    time.Duration     // the clock of the service
	clients  []string          // where clients send payments: the client link, and behind it each instance of several
	trades   map[string]string // trade number under which an order last reached the bank

	processes []*running          // in the order in which they were started
	listens   map[string][]string // where the instances of a process listen, beside any proxy
	banks     []*placedBank
	token     string                                                             // of the control of banks and proxies; no seed reaches it
	authority *authority                                                         // nil where no link speaks TLS
	command   func(ctx context.Context, words []string, vars targets.Vars) error // runs a command of the schema, as the first process is run

	rowsDriver, rowsDSN string // the service's database, beside the proxy; "" where there is none
	writeDSN            string // the same, to be written to
}

// newStack is one that nothing is in yet.
func newStack(run Run, spec Spec) *Stack {
	s := &Stack{
		Run: run, Spec: spec, Joiner: newJoiner(), Bank: &Bank{}, links: map[string]Link{}, trades: map[string]string{},
		lastRead: map[*bankAPI]int{}, token: cryptorand.Text(), listens: map[string][]string{}, waits: spec.Target.TakesPayments().Role == "",
	}
	s.command = s.runCommand
	return s
}

// Link is a link by its name; an error names the links there are.
func (s *Stack) Link(name string) (Link, error) {
	if l := s.links[name]; l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("this stack has no link %q; it has %s", name, strings.Join(s.Links(), ", "))
}

// Links are the names of the links that there are, in order.
func (s *Stack) Links() []string {
	out := make([]string, 0, len(s.links))
	for name := range s.links {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Scale turns a real-life duration into one of this experiment.
func (s *Stack) Scale(d time.Duration) time.Duration { return scale(d, s.Speed) }

func scale(d time.Duration, speed float64) time.Duration { return time.Duration(float64(d) / speed) }

// Wait lets a real-life duration pass, and with it the clock of the cache.
func (s *Stack) Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(s.Scale(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	}
	if s.Cache != nil {
		s.Cache.CatchUp()
	}
	return nil
}

// ReadLedger puts what the bank has written since the last time into the history.
func (s *Stack) ReadLedger(ctx context.Context) (lines int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joinWaiting()
	for _, bank := range s.Bank.each {
		for more := true; more; {
			page, err := bank.Ledger(ctx, s.lastRead[bank])
			if err != nil {
				return lines, err
			}
			for i := range page.Entries {
				s.record(bank, page.Entries[i])
			}
			s.lastRead[bank], lines, more = page.Last, lines+len(page.Entries), page.More
			if page.Truncated {
				return lines, errors.New("the bank's ledger is full: lines are missing")
			}
		}
	}
	return lines, nil
}

// unjoined is a line of a bank's ledger that belongs to no payment yet.
type unjoined struct {
	bank *bankAPI
	line LedgerLine
}

// joinWaiting records the lines that have become known, and where waiting is over all of them.
func (s *Stack) joinWaiting() {
	waiting := s.unjoined
	s.unjoined = nil
	for _, u := range waiting {
		s.record(u.bank, u.line)
	}
}

// ReadLedgerToEnd is ReadLedger for the last time: what belongs to no payment by now never will.
func (s *Stack) ReadLedgerToEnd(ctx context.Context) error {
	_, err := s.ReadLedger(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = false
	s.joinWaiting()
	return err
}

// record puts a line into the history. One that belongs to no payment yet waits: by what name a bank knows a payment of a
// service of one's own may become known later.
func (s *Stack) record(bank *bankAPI, l LedgerLine) {
	e := l.LedgerEntry
	s.Joiner.Entry(&e)
	if e.Order == "" && s.waits {
		s.unjoined = append(s.unjoined, unjoined{bank, l})
		return
	}
	e.TradeNo, e.RefundNo = s.Bank.numbered(bank, e.TradeNo), s.Bank.numbered(bank, e.RefundNo)
	if e.Order != "" && e.Kind == history.LedgerRequest && e.Op == "debit" {
		s.trades[e.Order] = e.TradeNo // a late answer or notification about an earlier number changes nothing
	}
	s.Recorder.AddAt(l.Time.Sub(s.Recorder.Start()), history.Event{Ledger: &e})
}

// TradeOf is the trade number under which an order last reached the bank, by what ReadLedger has read; "" for none.
func (s *Stack) TradeOf(order string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trades[order]
}

// journal is the log of a service, which goes into the history.
func (s *Stack) journal(name string) journal {
	return journal{tell: func(text string) {
		line := s.Target.Log.Parse(name, text)
		s.Recorder.Add(history.Event{Log: &line})
	}}
}

// happened records what became of a service.
func (s *Stack) happened(name, what string, pid int, err error) {
	p := &history.Process{Name: name, What: what, PID: pid}
	if err != nil {
		p.Error = err.Error()
	}
	s.Recorder.Add(history.Event{Process: p})
}

// seen records one message of a link, and when it was there. Connections of a further bank are counted on from another
// number: all of them are of link bank.
func (s *Stack) seen(link string) func(m Seen, at time.Duration) {
	number, further := 0, false
	for i, bank := range s.banks {
		if bank.link == link && i > 0 {
			number, further = i*connsOfBank, true
		}
	}
	if further {
		link = BankLink
	}
	names := newNamer(s.Target.Messages(link))
	return func(m Seen, at time.Duration) {
		m.Conn += number
		order := s.Joiner.Message(m.Raw)
		if order == "" && m.Fault == "" && !s.Whole && (link == CacheLink || link == QueueLink) {
			return // heart-beats and polls: nothing that belongs to a payment
		}
		s.Recorder.AddAt(at, history.Event{Message: &history.Message{
			Link: link, Conn: m.Conn, Dir: m.Dir, Name: names.name(m.Label), Text: m.Text,
			Order: order, Size: m.Size, Fate: m.Fate, Fault: m.Fault,
		}})
	}
}

// connsOfBank is more than the connections that a bank can have in an experiment.
const connsOfBank = 1_000_000

func (s *Stack) onClose(f func() error) { s.closers = append(s.closers, f) }

// Down takes everything down, in reverse order. It can be called at any time, and twice. The error is what may have been
// left behind.
func (s *Stack) Down() error {
	s.mu.Lock()
	closers := s.closers
	s.closers = nil
	s.mu.Unlock()
	var errs []error
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
