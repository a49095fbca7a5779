package fakebank

import (
	"net/http"
	"time"
)

func (b *Bank) armBehaviour(_ *http.Request, body []byte) (int, any, error) {
	c, kind, effect, err := readBehaviour(body)
	if err != nil {
		return 0, nil, err
	}
	id, err := b.arms.arm(c, kind, effect)
	if err != nil {
		return 0, nil, conflict("%s", err)
	}
	return http.StatusCreated, map[string]string{"id": id}, nil
}

func (b *Bank) countersOf(id string) (int, any, error) {
	c, _, ok := b.arms.look(id)
	if !ok {
		return 0, nil, notFound("no behaviour %q was armed here", id)
	}
	return http.StatusOK, c, nil
}

func (b *Bank) showBehaviour(r *http.Request, _ []byte) (int, any, error) {
	return b.countersOf(r.PathValue("id"))
}

func (b *Bank) releaseBehaviour(r *http.Request, _ []byte) (int, any, error) {
	b.arms.release(r.PathValue("id"))
	return b.countersOf(r.PathValue("id"))
}

func (b *Bank) removeBehaviour(r *http.Request, _ []byte) (int, any, error) {
	b.arms.remove(r.PathValue("id"))
	return b.countersOf(r.PathValue("id"))
}

// waitBehaviour answers as soon as the counters are as high as asked for, or the time is over, or the bank closes.
func (b *Bank) waitBehaviour(r *http.Request, _ []byte) (int, any, error) {
	q, err := numbers(r.URL.Query(), "fired", "holding", "timeout_ns")
	if err != nil {
		return 0, nil, err
	}
	timeout := 30 * time.Second
	if ns, ok := q["timeout_ns"]; ok {
		timeout = min(time.Duration(ns), maxLongPoll)
	}
	over, stop := b.clock.Timer(timeout)
	defer stop()
	for {
		c, changed, ok := b.arms.look(r.PathValue("id"))
		if !ok {
			return b.countersOf(r.PathValue("id"))
		}
		if int64(c.Fired) >= q["fired"] && int64(c.Holding) >= q["holding"] {
			return http.StatusOK, c, nil
		}
		select {
		case <-changed:
		case <-over:
			return http.StatusOK, c, nil
		case <-r.Context().Done():
			return http.StatusOK, c, nil
		case <-b.running.Done():
			return http.StatusOK, c, nil
		}
	}
}
