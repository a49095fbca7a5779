package targets

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func answered(t *testing.T, status int, body io.Reader) *Reply {
	t.Helper()
	r, err := ReadReply(&http.Response{StatusCode: status, Body: io.NopCloser(body)})
	require.NoError(t, err)
	return r
}

func TestWhatAnswersOfTheReferenceMean(t *testing.T) {
	huge := `{"code": "SUCCESS", "status": "SUCCESS", "fill": "` + strings.Repeat("x", maxAnswer) + `"}`
	for _, c := range []struct {
		name    string
		http    int
		body    string
		outcome history.Outcome
		again   bool
		code    string
		state   string
		id      string
	}{
		{"paid", 200, `{"code":"SUCCESS","status":"SUCCESS","payment_id":"P1"}`, history.Confirmed, false, "SUCCESS", "SUCCESS", "P1"},
		{"declined", 402, `{"code":"DECLINED","status":"FAILED","payment_id":"P1"}`, history.Declined, false, "DECLINED", "FAILED", "P1"},
		{"a query that tells FAILED", 200, `{"code":"DECLINED","status":"FAILED"}`, history.Declined, false, "DECLINED", "FAILED", ""},
		{"under way", 202, `{"code":"PROCESSING","status":"PROCESSING"}`, history.Pending, false, "PROCESSING", "PROCESSING", ""},
		{"not known to the service itself", 202, `{"code":"PROCESSING","status":"UNKNOWN"}`, history.Pending, false, "PROCESSING", "UNKNOWN", ""},
		{"a key", 200, `{"code":"OK","token":"K"}`, history.Pending, false, "OK", "", ""},
		{"already submitted", 409, `{"code":"REPEAT_SUBMIT","status":"PROCESSING"}`, history.Pending, false, "REPEAT_SUBMIT", "PROCESSING", ""},
		{"already submitted and failed", 409, `{"code":"REPEAT_SUBMIT","status":"FAILED"}`, history.Declined, false, "REPEAT_SUBMIT", "FAILED", ""},
		{"another conflict", 409, `{"code":"ELSE"}`, history.Unknown, true, "ELSE", "", ""},
		{"key conflict", 422, `{"code":"KEY_CONFLICT"}`, history.Refused, false, "KEY_CONFLICT", "", ""},
		{"bad request", 400, `{"code":"BAD_REQUEST"}`, history.Refused, false, "BAD_REQUEST", "", ""},
		{"not found", 404, `{"code":"NOT_FOUND"}`, history.Refused, false, "NOT_FOUND", "", ""},
		{"busy is tried again", 503, `{"code":"SYSTEM_BUSY"}`, history.Refused, true, "SYSTEM_BUSY", "", ""},
		{"gateway gives up", 504, `{"code":"GATEWAY_TIMEOUT"}`, history.Unknown, true, "GATEWAY_TIMEOUT", "", ""},
		{"gateway gives up, whatever the state", 504, `{"status":"FAILED"}`, history.Unknown, true, "", "FAILED", ""},
		{"html of a proxy", 500, `<html>Internal Server Error</html>`, history.Unknown, true, "", "", ""},
		{"html with 200", 200, `<html>Welcome to the hotel</html>`, history.Unknown, true, "", "", ""},
		{"nothing", 200, ``, history.Unknown, true, "", "", ""},
		{"a list", 200, `["SUCCESS"]`, history.Unknown, true, "", "", ""},
		{"null", 200, `null`, history.Unknown, true, "", "", ""},
		{"cut off", 200, `{"code":"SUCCESS","status":"SUCC`, history.Unknown, true, "", "", ""},
		{"more than one answer", 200, `{"status":"SUCCESS"}{"status":"FAILED"}`, history.Unknown, true, "", "", ""},
		{"states within something else", 200, `{"status":{"of":"SUCCESS"}}`, history.Unknown, true, "", "map[of:SUCCESS]", ""},
		{"moved", 302, ``, history.Unknown, true, "", "", ""},
		{"huge", 200, huge, history.Unknown, true, "", "", ""},
		{"a long number stays as it is", 200, `{"status":"SUCCESS","payment_id":12345678901234567890}`, history.Confirmed, false, "", "SUCCESS", "12345678901234567890"},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := bundledReference(t)
			reply := answered(t, c.http, strings.NewReader(c.body))
			assert.LessOrEqual(t, len(reply.Raw), maxAnswer)
			var a history.Attempt
			target.Answers.Read(reply, target.Rows.States, &a)
			assert.Equal(t, history.Attempt{HTTP: c.http, Code: c.code, State: c.state, PaymentID: c.id, Outcome: c.outcome}, a)
			assert.Equal(t, c.again, target.Answers.Again(&a))
		})
	}
}

func TestStatesAreNormalised(t *testing.T) {
	answers := Answers{State: "body.pay.state", Means: []Meaning{{State: []string{"paid"}, Means: history.Confirmed}}}
	var a history.Attempt
	answers.Read(answered(t, 200, strings.NewReader(`{"pay": {"state": "paid"}}`)), map[string]string{"paid": "SUCCESS"}, &a)
	assert.Equal(t, "SUCCESS", a.State, "rules are written in the service's words, histories in ours")
	assert.Equal(t, history.Confirmed, a.Outcome)
}

// endless is a body that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestAnswersAreBounded(t *testing.T) {
	body := &endless{}
	r, err := ReadReply(&http.Response{StatusCode: 200, Body: body})
	require.NoError(t, err)
	assert.Len(t, r.Raw, maxAnswer)
	assert.LessOrEqual(t, body.read, 2*maxAnswer)

	broken := io.NopCloser(io.MultiReader(strings.NewReader(`{"status":`), iotest.ErrReader(errors.New("reset"))))
	_, err = ReadReply(&http.Response{StatusCode: 200, Body: broken})
	require.ErrorContains(t, err, "reading the answer 200: reset")
}

func TestPaths(t *testing.T) {
	r := answered(t, 200, strings.NewReader(`{"a": {"b": 7, "n": null}, "f": false, "t": "x"}`))
	for path, want := range map[string]string{
		"body.a.b": "7", "body.a.n": "", "body.f": "false", "body.t": "x", "body.t.u": "", "body.none": "", "": "", "header.t": "", "body.": "",
	} {
		assert.Equal(t, want, r.At(path), path)
	}
}
