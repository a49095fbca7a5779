package fakebank

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxPending bounds the notifications under way at one time.
const maxPending = 100_000

// notice is one notification that has to reach the service.
type notice struct {
	Notification
	skew  time.Duration // added to the time of each try
	tries int
	line  entry // as the ledger names it
	debit *act  // the debit whose true outcome this is; nil for anything else
	// life ends when what the notice is about is forgotten. It outlives the request that made the notice.
	life context.Context
}

// delivery is how one notification ended.
type delivery struct {
	NotificationID string `json:"notification_id"`
	Status         int    `json:"status"` // of the last try; 0 where no answer came
	Error          string `json:"error,omitempty"`
	sent           time.Time
}

// sender makes one try and gives the HTTP status of the answer.
type sender func(context.Context, *notice) (status int, err error)

// newNotice makes a notification that says what the outcome says. The line is how the ledger names it.
func (b *Bank) newNotice(to Notify, id string, says Outcome, line entry) *notice {
	line.Kind, line.NotificationID = kindCallback, id
	return &notice{Notification: Notification{Notify: to, ID: id, Attempt: 1, Made: b.clock.Now(), Sign: signGood, Outcome: says},
		tries: b.config.CallbackTries, line: line}
}

// noticeOfDebit is what is owed for what became of a debit or hold, or nil. The bank's lock is held.
func (b *Bank) noticeOfDebit(t *trade, a *act) *notice {
	if !a.notify.wants(a.status) {
		return nil
	}
	says := t.outcome() // of this act, which is not always the one that the number stands for
	says.Status, says.Reason, says.BankID, says.Amount, says.Total = a.status, a.reason, a.bankID, a.amount, a.amount
	says.Merchant, says.Account, says.Currency, says.Made = a.merchant, a.account, a.currency, a.made
	n := b.newNotice(a.notify, a.notificationID, says, a.line(kindCallback))
	n.debit, n.life = a, b.notifying
	return n
}

// noticeOfRefund is what is owed for a refund, or nil. The bank's lock is held.
func (b *Bank) noticeOfRefund(t *trade, f *refund) *notice {
	if !f.notify.wants(f.status) {
		return nil
	}
	n := b.newNotice(f.notify, f.notificationID, f.outcome(t), f.line(kindCallback))
	n.life = b.notifying
	return n
}

// notifyLater lets a notification follow its answer, unless there is none or the bank does not notify on its own.
func (b *Bank) notifyLater(n *notice) {
	if n == nil {
		return
	}
	b.mu.Lock()
	auto, delay := b.settings.AutoCallbacks, b.settings.CallbackDelay
	b.mu.Unlock()
	if n.Delay != nil {
		delay = *n.Delay
	}
	if auto {
		b.notify(n, delay)
	}
}

// notify delivers a notification after a delay, in the background.
func (b *Bank) notify(n *notice, delay time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if b.pending >= maxPending {
		b.givenUp++
		b.recordLocked(entry{Kind: kindError, TradeNo: n.line.TradeNo, NotificationID: n.ID,
			Detail: fmt.Sprintf("not notified: %d notifications are under way", maxPending)})
		return
	}
	b.pending++
	b.work.Add(1)
	go func() {
		defer b.work.Done()
		defer b.settled()
		if b.sleep(n.life, delay) {
			b.deliver(n.life, n, b.post)
		}
	}()
}

func (b *Bank) settled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending--
}

// deliver tries until the notification is acknowledged, its tries are used up or the context ends. Each try is a line in
// the ledger. The first try goes out by the sender given, the others by a request of their own.
func (b *Bank) deliver(ctx context.Context, n *notice, first sender) delivery {
	d := delivery{NotificationID: n.ID, sent: b.clock.Now()}
	send := first
	for try := 1; ; try++ {
		if b.blocked(n) {
			d.Status, d.Error = 0, "blocked: this endpoint has refused too many notifications"
			b.recordTry(n, try, d, NotTaken)
			b.giveUp(n, 0)
			return d
		}
		status, err := send(ctx, n)
		d.Status, d.Error = status, ""
		if err != nil {
			d.Error = err.Error()
		}
		took := b.speaks.Took(n.Notification, status)
		b.recordTry(n, try, d, took)
		b.countRefusal(n, status, took)
		if took != NotTaken {
			return d
		}
		if try >= n.tries {
			if ctx.Err() == nil { // otherwise it was stopped, not refused
				b.giveUp(n, status)
			}
			return d
		}
		if !b.sleep(ctx, b.config.CallbackRetry<<(try-1)) {
			return d
		}
		send = b.post
		n.Attempt++
	}
}

func (b *Bank) recordTry(n *notice, try int, d delivery, took Acknowledgement) {
	line := n.line
	line.HTTP, line.Detail = d.Status, fmt.Sprintf("try %d of %d", try, n.tries)
	if n.Sign != signGood {
		line.Detail += ", signature " + n.Sign
	}
	if took == Turned {
		line.Detail += ", turned down"
	}
	if d.Error != "" {
		line.Detail += ": " + d.Error
	}
	b.record(line)
}

// blocked says that the bank sends nothing to an endpoint any more.
func (b *Bank) blocked(n *notice) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blockedLocked(n.URL)
}

func (b *Bank) blockedLocked(url string) bool {
	return b.settings.BlockAfter > 0 && b.refusals[url] >= b.settings.BlockAfter
}

// countRefusal counts the notifications in a row that an endpoint has answered, and not taken. One that has every right to
// be refused, since it is not properly signed, does not count.
func (b *Bank) countRefusal(n *notice, status int, took Acknowledgement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case took == Taken:
		delete(b.refusals, n.URL)
	case status != 0 && n.Sign == signGood && n.skew == 0:
		b.refusals[n.URL]++
	}
}

// giveUp ends a notification of the bank's own word that was never acknowledged. Where the service answered, and
// answered an error, a bank may undo the debit.
func (b *Bank) giveUp(n *notice, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n.life != nil {
		b.givenUp++
	}
	if n.debit == nil || status == 0 || !b.settings.ReverseOnRefusal {
		return
	}
	if t, known := b.trades[n.debit.tradeNo]; known {
		b.reverseLocked(t, n.debit)
	}
}

// sleep waits, and reports whether the whole time went by.
func (b *Bank) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	over, stop := b.clock.Timer(d)
	defer stop()
	select {
	case <-over:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// newClient makes a client that does no more than it is told: it follows no redirect, uses no proxy of the environment,
// and sends nothing twice.
func newClient(c Config) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: c.CallbackFresh, DisableCompression: true, MaxIdleConnsPerHost: 16},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request is a notification as an HTTP request, signed now.
func (b *Bank) request(ctx context.Context, n *notice) (*http.Request, error) {
	n.Now = b.clock.Now().Add(n.skew)
	m, err := b.speaks.Callback(n.Notification)
	if err != nil {
		return nil, fmt.Errorf("wording the callback to %s: %w", n.URL, err)
	}
	req, err := http.NewRequestWithContext(ctx, m.Method, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, fmt.Errorf("callback to %s: %w", m.URL, err)
	}
	req.GetBody = nil // without it the client cannot send the request a second time on its own
	req.Header.Set("Content-Type", "application/json")
	for name, values := range m.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
}

// post makes one try by an ordinary request.
func (b *Bank) post(ctx context.Context, n *notice) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, b.config.CallbackTimeout)
	defer cancel()
	req, err := b.request(ctx, n)
	if err != nil {
		return 0, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return 0, fmt.Errorf("no answer: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)) // the status acknowledges, whatever the body does
	return resp.StatusCode, nil
}
