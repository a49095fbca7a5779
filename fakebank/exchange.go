package fakebank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Serve is the way of one request: read, written down, ruled on by the behaviours, carried out, answered.
func (b *Bank) Serve(w http.ResponseWriter, r *http.Request, read func(*http.Request, []byte) Request) {
	if !b.enter() {
		writeJSON(w, http.StatusServiceUnavailable, shutDown)
		return
	}
	defer b.leave()
	body, err := b.readBody(w, r)
	var tooLong *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLong) {
		panic(http.ErrAbortHandler) // it never arrived in full, so the bank knows nothing of it
	}
	x := &exchange{bank: b, w: w, r: r, request: read(r, body)}
	if tooLong != nil {
		x.request.Err = fmt.Errorf("the body is longer than %d bytes", tooLong.Limit)
	}
	c := &x.request.Call
	c.Account = b.accountOf(*c)
	line := c.line(kindRequest)
	line.Detail = c.Detail
	b.record(line)
	if x.request.Err != nil {
		x.give(x.request.Refuse(Outcome{Code: BadRequest, Message: x.request.Err.Error()}))
		return
	}
	x.run()
}

// readBody reads a whole body of bounded length. It gives up when the bank closes, so that a caller who sends no more
// cannot keep it open.
func (b *Bank) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	past := time.Unix(1, 0)
	stop := context.AfterFunc(b.running, func() { _ = http.NewResponseController(w).SetReadDeadline(past) })
	defer stop()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// enter and leave count the requests in flight; Close waits for them.
func (b *Bank) enter() bool {
	if !b.begin() {
		return false
	}
	b.mu.Lock()
	b.inFlight++
	b.mu.Unlock()
	return true
}

func (b *Bank) leave() {
	b.mu.Lock()
	b.inFlight--
	b.mu.Unlock()
	b.work.Done()
}

func (c Call) line(kind string) entry {
	return entry{Kind: kind, Op: c.Op, TradeNo: c.TradeNo, RefundNo: c.RefundNo, Merchant: c.Merchant, Account: c.Account,
		Amount: c.Amount, Currency: c.Currency}
}

// exchange is one request on its way to its answer.
type exchange struct {
	bank    *Bank
	w       http.ResponseWriter
	r       *http.Request
	request Request
	armed   *armed  // the behaviour that decides, or nil
	owed    *notice // the callback that follows the answer, or nil
}

// run lets the behaviour that matches first decide, and carries the call out.
func (x *exchange) run() {
	x.armed = x.bank.arms.match(x.request.Call)
	if x.armed == nil {
		x.give(x.act(&ruling{}))
		return
	}
	effect := x.armed.effect
	if effect.instead != nil {
		x.armed.fire()
		x.give(effect.instead(x))
		return
	}
	var bent ruling
	if effect.rule != nil {
		effect.rule(&bent)
	}
	said := x.act(&bent)
	if bent.heard {
		x.armed.fire()
	}
	if effect.answer != nil {
		effect.answer(x, said)
		return
	}
	x.give(said)
}

// act carries the call out under a ruling.
func (x *exchange) act(r *ruling) Answer {
	return x.request.Act(func(c Call) Outcome {
		out, owed := x.bank.act(c, r)
		if owed != nil {
			x.owed = owed
		}
		return out
	})
}

// give writes the answer into the ledger, then onto the wire, and lets the callback that is owed for it follow.
func (x *exchange) give(a Answer) {
	x.answered(a, a.HTTP, a.Detail)
	if a.Done != nil {
		a.Done(a, true)
	}
	WriteAnswer(x.w, a)
	x.bank.notifyLater(x.owed)
}

// withhold records that the answer is never given, and lets the callback that is owed for it follow all the same.
func (x *exchange) withhold(a Answer, why string) {
	x.answered(a, 0, "withheld: "+why)
	if a.Done != nil {
		a.Done(a, false)
	}
	x.bank.notifyLater(x.owed)
}

func (x *exchange) answered(a Answer, status int, detail string) {
	line := x.request.Call.line(kindAnswer)
	line.Status, line.HTTP, line.Detail = cmp.Or(a.Outcome.Code, a.Outcome.Status), status, detail
	line.TradeNo, line.RefundNo = cmp.Or(line.TradeNo, a.Outcome.TradeNo), cmp.Or(line.RefundNo, a.Outcome.RefundNo)
	line.Account = cmp.Or(line.Account, a.Outcome.Account)
	if a.Outcome.Code == NotClosed {
		line.Status = a.Outcome.Status
	}
	if line.RefundNo == "" && a.Outcome.Code == "" {
		line.BankID = a.Outcome.BankID
	}
	x.bank.record(line)
}

// hang closes the connection without an answer: with RST, or with FIN.
func (x *exchange) hang(reset bool) {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil { // HTTP/2 has no connection to take over; the server then resets the stream
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok && reset {
		_ = tcp.SetLinger(0) // makes the close below an RST; it fails only on a connection that is gone already
	}
	_ = conn.Close()
}

var _ interface{ SetLinger(int) error } = (*net.TCPConn)(nil)

// WriteAnswer sends a whole answer at once, so that what is timed from the answer is timed from its being on the wire.
func WriteAnswer(w http.ResponseWriter, a Answer) {
	head := w.Header()
	head.Set("Content-Type", "application/json")
	for name, values := range a.Header {
		head[http.CanonicalHeaderKey(name)] = values
	}
	head.Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.HTTP)
	_, _ = w.Write(a.Body) // a caller who is gone is no trouble of the bank's
	_ = http.NewResponseController(w).Flush()
}
