package reference

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// maxInFlight bounds the requests that are being carried out at one time, those included whose client was answered 504.
const maxInFlight = 1024

// gateway stands before the client API as an API gateway does: it answers 504 after gateway_timeout, and the request
// that it passed on goes on to its end. The service behind it never learns that its client has gone.
func (s *Service) gateway(next http.Handler) http.Handler {
	slots := make(chan struct{}, maxInFlight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			Answer{HTTP: http.StatusBadRequest, Code: CodeBadRequest, Message: "the body did not arrive: " + err.Error()}.send(w)
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			Answer{HTTP: http.StatusServiceUnavailable, Code: CodeBusy, Message: "too many requests are under way; nothing was done, try again later"}.send(w)
			return
		}
		passed := r.Clone(context.WithoutCancel(r.Context()))
		passed.Body = io.NopCloser(bytes.NewReader(body))
		answer := &buffered{header: http.Header{}, status: http.StatusOK}
		done := make(chan struct{})
		s.work.Go(func() {
			defer close(done)
			defer func() { <-slots }()
			next.ServeHTTP(answer, passed)
		})
		patience := time.NewTimer(s.Config.GatewayTimeout.Std())
		defer patience.Stop()
		select {
		case <-done:
			answer.copyTo(w)
		case <-patience.C:
			Answer{HTTP: http.StatusGatewayTimeout, Code: CodeGateway, Message: "no answer in time; the request goes on, ask for the order", TraceID: r.Header.Get("X-Trace-Id")}.send(w)
		}
	})
}

// buffered keeps an answer until it is known whether anybody still waits for it. Answers of this service are short.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header               { return b.header }
func (b *buffered) WriteHeader(status int)            { b.status = status }
func (b *buffered) Write(content []byte) (int, error) { return b.body.Write(content) }

func (b *buffered) copyTo(w http.ResponseWriter) {
	for name, values := range b.header {
		w.Header()[name] = values
	}
	w.WriteHeader(b.status)
	_, _ = w.Write(b.body.Bytes())
}
