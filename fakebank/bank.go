// Package fakebank is a bank for tests of payment services: its ledger is the truth about money.
//
// It takes debits, queries, closes and refunds over HTTP, notifies the service of their outcome, and can be told,
// through a control API of its own, to behave as real providers do at their worst. It imports nothing of ours.
package fakebank

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// API is the bank as the service sees it, in the language that it speaks.
func (b *Bank) API() http.Handler { return b.speaks.Handler(b) }

// Bank is one bank with its accounts and its ledger. Its methods may be called from many goroutines.
type Bank struct {
	config  Config
	clock   Clock
	newID   func(prefix string) string
	client  *http.Client
	speaks  Language
	arms    *armory
	numbers int // trade numbers, and refund numbers, that can be remembered

	running context.Context // done when the bank closes
	stop    context.CancelFunc
	work    sync.WaitGroup // requests being handled and callbacks under way; added to only under mu while not closed

	mu       sync.Mutex // guards everything below: money is moved, and written down, under one lock
	closed   bool
	settings settings
	ledger   ledger
	accounts map[string]*account
	trades   map[string]*trade
	refunds  map[string]*refund
	last     Notify // the last that a debit came with, where forged callbacks go by default

	inFlight  int                // requests of the bank's API being handled
	pending   int                // notifications not yet acknowledged or given up
	refusals  map[string]int     // by endpoint: notifications in a row that were answered and not taken
	givenUp   int                // notifications that were never acknowledged
	notifying context.Context    // done when the bank closes or is reset
	forget    context.CancelFunc // ends the notifications under way
}

// New makes a bank. It fails only where the configuration is not valid. The caller serves API and Control wherever it
// likes, and has to Close the bank.
func New(config Config) (*Bank, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	b := &Bank{config: config, clock: config.Clock, newID: config.NewID, settings: config.settings(), numbers: maxNumbers}
	if b.clock == nil {
		b.clock = SystemClock()
	}
	if b.newID == nil {
		b.newID = randomIDs
	}
	if b.speaks = config.Language; b.speaks == nil {
		b.speaks = native{secret: config.Secret}
	}
	b.arms = newArmory(b.clock)
	b.client = newClient(config)
	b.running, b.stop = context.WithCancel(context.Background())
	b.ledger.limit = config.LedgerLimit
	b.emptyBooks()
	return b, nil
}

// Close stops the callbacks, lets go of everything held and waits until all requests are answered. Requests that come
// later are answered 503 and do nothing. It fails where the context ends first; it may be called again.
func (b *Bank) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.arms.close()
	b.stop()
	done := make(chan struct{})
	go func() {
		b.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		b.client.CloseIdleConnections()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing the bank while requests are under way: %w", context.Cause(ctx))
	}
}

// begin counts one piece of work that Close waits for. It says no once the bank is closed.
func (b *Bank) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.work.Add(1)
	return true
}

// record writes one line into the ledger, now.
func (b *Bank) record(e entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recordLocked(e)
}

func (b *Bank) recordLocked(e entry) {
	e.At, e.Bank = b.clock.Now(), b.config.Name
	b.ledger.add(e)
}

// reset forgets ledger, accounts, trade numbers, behaviours and notifications under way.
func (b *Bank) reset() {
	b.arms.reset()
	b.speaks.Forget()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	b.ledger.forget()
	b.emptyBooks()
}

func (b *Bank) emptyBooks() {
	b.accounts = map[string]*account{}
	b.trades = map[string]*trade{}
	b.refunds = map[string]*refund{}
	b.refusals = map[string]int{}
	b.last = Notify{}
	b.givenUp = 0
	b.notifying, b.forget = context.WithCancel(b.running)
}
