package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func httpRequests() func([]byte) (Message, int, error) { return HTTP.New().Request }

// httpAnswers reads answers to requests that were sent before.
func httpAnswers(requests string) func() func([]byte) (Message, int, error) {
	return func() func([]byte) (Message, int, error) {
		c := HTTP.New()
		if _, rest, err := read(c.Request, []byte(requests)); err != nil || rest > 0 {
			panic(fmt.Sprintf("requests of the test: %d bytes left, %v", rest, err))
		}
		return c.Answer
	}
}

func TestHTTPRequests(t *testing.T) {
	type want struct {
		labels []string
		texts  []string
		rest   int
		err    error
	}
	for name, c := range map[string]struct {
		in string
		want
	}{
		"length": {"POST /v1/debits?sign=x HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
			want{labels: []string{"POST /v1/debits"}, texts: []string{"POST /v1/debits {}"}}},
		"pipelined": {"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.0\r\n\r\nGET /c", want{labels: []string{"GET /a", "GET /b"}, rest: 6}},
		"chunked": {"PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nTrailer: t\r\n\r\nGET ",
			want{labels: []string{"PUT /x"}, texts: []string{`PUT /x {"a":1}`}, rest: 4}},
		"chunked wins over length": {"PUT /x HTTP/1.1\r\nContent-Length: 999\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			want{labels: []string{"PUT /x"}}},
		"absolute target":     {"GET http://bank:80/v1/q?x HTTP/1.1\r\n\r\n", want{labels: []string{"GET /v1/q"}}},
		"empty lines before":  {"\r\n\r\nGET / HTTP/1.1\r\n\r\n", want{labels: []string{"GET /"}}},
		"bare line feeds":     {"GET / HTTP/1.1\nHost: x\n\n", want{labels: []string{"GET /"}}},
		"incomplete body":     {"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab", want{rest: 40}},
		"same length twice":   {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", want{labels: []string{"POST /"}}},
		"other length twice":  {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", want{err: ErrForeign}},
		"negative length":     {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", want{err: ErrForeign}},
		"HTTP/2 preface":      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", want{err: ErrForeign}},
		"no version":          {"GET /\r\n\r\n", want{err: ErrForeign}},
		"lower case":          {"hello", want{err: ErrForeign}},
		"no header name":      {"GET / HTTP/1.1\r\n: x\r\n\r\n", want{err: ErrForeign}},
		"unknown coding":      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", want{err: ErrForeign}},
		"chunk too long":      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", want{err: ErrForeign}},
		"no chunk size":       {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", want{err: ErrForeign}},
		"large by length":     {"PUT / HTTP/1.1\r\nContent-Length: 1048576\r\n\r\n", want{err: ErrTooLarge}},
		"absurd length":       {"PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", want{err: ErrForeign}},
		"large by chunks":     {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", want{err: ErrTooLarge}},
		"good, then bad":      {"GET / HTTP/1.1\r\n\r\n\x16\x03", want{labels: []string{"GET /"}, err: ErrForeign}},
		"endless header":      {"GET / HTTP/1.1\r\nA: " + strings.Repeat("x", maxHead), want{err: ErrForeign}},
		"endless method":      {strings.Repeat("G", 40), want{err: ErrForeign}},
		"secret in the query": {"GET /q?password=1 HTTP/1.1\r\nAuthorization: x\r\n\r\n", want{labels: []string{"GET /q"}, texts: []string{"GET /q"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, rest, err := everySplit(t, httpRequests, []byte(c.in))
			require.ErrorIs(t, err, c.err)
			var labels, texts []string
			for _, m := range got {
				labels, texts = append(labels, m.label), append(texts, m.text)
			}
			assert.Equal(t, c.labels, labels)
			if c.texts != nil {
				assert.Equal(t, c.texts, texts)
			}
			if c.err == nil {
				assert.Equal(t, c.rest, rest)
			}
		})
	}
}

func TestHTTPAnswers(t *testing.T) {
	const get, head = "GET /a HTTP/1.1\r\n\r\n", "HEAD /h HTTP/1.1\r\n\r\n"
	for name, c := range map[string]struct {
		requests, in string
		fors         []string // "label for", in order
		rest         int
		err          error
	}{
		"length":               {get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP", []string{"200 GET /a"}, 4, nil},
		"in order":             {get + head + get, "HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 204 N\r\n\r\n", []string{"404 GET /a", "200 HEAD /h", "204 GET /a"}, 0, nil},
		"not modified":         {get, "HTTP/1.1 304 N\r\nContent-Length: 9\r\n\r\n", []string{"304 GET /a"}, 0, nil},
		"interim answers":      {get, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", []string{"100 ", "103 ", "200 GET /a"}, 0, nil},
		"chunked":              {get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []string{"200 GET /a"}, 0, nil},
		"until the end":        {get, "HTTP/1.1 200 OK\r\n\r\n{\"a\":1}", []string{"200 GET /a"}, 0, nil},
		"until the end, gzip":  {get, "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx", []string{"200 GET /a"}, 0, nil},
		"to nothing asked":     {"", "HTTP/1.1 408 T\r\nContent-Length: 0\r\n\r\n", []string{"408 "}, 0, nil},
		"upgraded":             {get, "HTTP/1.1 101 S\r\n\r\n\x81\x01x", []string{"101 GET /a"}, 0, ErrForeign},
		"tunnel":               {"CONNECT b:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n\x16\x03", []string{"200 CONNECT b:1"}, 0, ErrForeign},
		"other server":         {get, "SSH-2.0-x\r\n", nil, 0, ErrForeign},
		"other version":        {get, "HTTP/2.0 200 OK\r\n\r\n", nil, 0, ErrForeign},
		"status of two digits": {get, "HTTP/1.1 20\r\n\r\n", nil, 0, ErrForeign},
		"large":                {get, "HTTP/1.1 200 OK\r\nContent-Length: 1048600\r\n\r\n", nil, 0, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got, rest, err := everySplit(t, httpAnswers(c.requests), []byte(c.in))
			require.ErrorIs(t, err, c.err)
			var fors []string
			for _, m := range got {
				fors = append(fors, m.label+" "+m.to)
			}
			assert.Equal(t, c.fors, fors)
			if c.err == nil {
				assert.Equal(t, c.rest, rest)
			}
		})
	}
}

func TestHTTPAnswerSaysWhatItIs(t *testing.T) {
	next := httpAnswers("GET /a HTTP/1.1\r\n\r\n")()
	m, n, err := next([]byte("HTTP/1.1 102 P\r\n\r\n"))
	require.NoError(t, err)
	assert.Equal(t, Message{Label: "102", Text: "102 Processing", Aside: true}, m)
	assert.Equal(t, 18, n)
	m, _, err = next([]byte("HTTP/1.1 409 whatever\r\n\r\n{\"status\":\"SUCCESS\"}"))
	require.NoError(t, err)
	assert.Equal(t, Message{Label: "409", Text: `409 Conflict {"status":"SUCCESS"}`, For: "GET /a", Close: true}, m)
}

func TestHTTPPipelineIsBounded(t *testing.T) {
	got, _, err := read(HTTP.New().Request, []byte(strings.Repeat("GET / HTTP/1.1\r\n\r\n", maxPending+1)))
	require.ErrorIs(t, err, ErrForeign)
	assert.Len(t, got, maxPending)
}

func FuzzHTTP(f *testing.F) {
	f.Add([]byte("POST /v1/debits HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), uint16(7), uint16(30))
	f.Add([]byte("PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\n1\na\n0\n\nHEAD / HTTP/1.0\n\n"), []byte("HTTP/1.1 100 C\r\n\r\nHTTP/1.0 200\n\nabc"), uint16(1), uint16(2))
	f.Add([]byte("CONNECT x HTTP/1.1\r\n\r\n"), []byte("HTTP/1.1 101 S\r\n\r\n"), uint16(3), uint16(3))
	f.Fuzz(func(t *testing.T, requests, answers []byte, a, b uint16) { fuzz(t, HTTP, requests, answers, a, b) })
}

// fuzz checks what every parser must hold for any bytes: no panic, no message longer than what there is, and the same
// messages however the bytes are cut.
func fuzz(t *testing.T, p *Protocol, requests, answers []byte, a, b uint16) {
	whole, cut := p.New(), p.New()
	for _, dir := range []struct {
		name         string
		whole, split func([]byte) (Message, int, error)
		data         []byte
	}{{"requests", whole.Request, cut.Request, requests}, {"answers", whole.Answer, cut.Answer, answers}} {
		want, rest, err := read(dir.whole, dir.data)
		first := int(a) % (len(dir.data) + 1)
		second := int(b) % (len(dir.data) - first + 1)
		got, gotRest, gotErr := read(dir.split, dir.data, first, second)
		require.Equal(t, want, got, dir.name)
		require.Equal(t, err == nil, gotErr == nil, "%s: %v and %v", dir.name, err, gotErr)
		if err != nil {
			return
		}
		require.Equal(t, rest, gotRest, dir.name)
		for _, m := range got {
			require.Less(t, len(m.text), 1000, dir.name)
		}
	}
}
