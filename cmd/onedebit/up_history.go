package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// historyPath is where a stack that is up tells what happened, as a history.
const historyPath = "/history"

// What a stack that is up remembers: so many events and rows of readings. Of more the oldest are forgotten.
const (
	mostKept = 100_000
	upTick   = 250 * time.Millisecond
)

// keeper remembers what happens in a stack that is up, for as long as somebody plays with it.
type keeper struct {
	plan  history.Plan
	stack atomic.Pointer[stack.Stack] // nil until it is up

	mu        sync.Mutex
	events    []history.Event
	weight    int
	forgotten bool
	last      history.Reading
}

func weightOf(e *history.Event) int {
	if e.Reading == nil {
		return 1
	}
	return 1 + len(e.Reading.Rows) + len(e.Reading.Trades) + len(e.Reading.Effects) + len(e.Reading.Events)
}

// add remembers one event.
func (k *keeper) add(e history.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
	k.weight += weightOf(&e)
	if k.weight <= mostKept {
		return
	}
	k.forgotten = true
	for k.weight > mostKept/2 && len(k.events) > 1 {
		k.weight -= weightOf(&k.events[0])
		k.events = k.events[1:]
	}
}

// learn lets what passes on the links be joined to the orders that the service knows.
func (k *keeper) learn(e history.Event) {
	s := k.stack.Load()
	if s == nil {
		return
	}
	if e.Log != nil && e.Log.Order != "" {
		s.Joiner.Learn(e.Log.Order, e.Log.Order)
	}
	if e.Reading != nil {
		for _, row := range e.Reading.Rows {
			s.Joiner.Learn(row.Order, row.Order, row.TradeNo)
		}
	}
}

// look reads books and ledger, and remembers what is new.
func (k *keeper) look(ctx context.Context) (history.Reading, error) {
	s := k.stack.Load()
	r, err := s.Rows.Read(ctx)
	if err == nil {
		k.mu.Lock()
		changed := !reflect.DeepEqual(r, k.last)
		k.last = r
		k.mu.Unlock()
		if changed {
			event := history.Event{Reading: &r}
			k.learn(event)
			s.Recorder.Add(event)
		}
	}
	_, err2 := s.ReadLedger(ctx)
	return r, errors.Join(err, err2)
}

// watch looks until ctx ends. What cannot be read is read the next time.
func (k *keeper) watch(ctx context.Context) {
	tick := time.NewTicker(upTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = k.look(ctx)
		}
	}
}

// history is what is remembered, with a last look.
func (k *keeper) history(ctx context.Context) *history.History {
	r, err := k.look(ctx)
	at := k.stack.Load().Recorder.Since()
	k.mu.Lock()
	events := append([]history.Event{{Plan: &k.plan}}, k.events...)
	if k.forgotten {
		events = append(events, history.Event{At: k.events[0].At, Gap: &history.Gap{What: "messages", Why: "what happened earlier is forgotten"}})
	}
	k.mu.Unlock()
	if err != nil {
		return history.New(append(events, history.Event{At: at, Gap: &history.Gap{What: "rows", Why: err.Error()}}))
	}
	r.Final = true
	return history.New(append(events, history.Event{At: at, Reading: &r}))
}

// serve tells the history on a loopback address until stop is called, and keeps looking.
func (k *keeper) serve(ctx context.Context) (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listening for onedebit trace: %w: %w", stack.ErrNotUp, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+historyPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/jsonl")
		_ = k.history(r.Context()).Write(w)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: traceWait}
	var both sync.WaitGroup
	both.Go(func() { _ = server.Serve(l) })
	both.Go(func() { k.watch(ctx) })
	return "http://" + l.Addr().String(), func() {
		cancel()
		_ = server.Close()
		both.Wait()
	}, nil
}
