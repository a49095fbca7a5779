package sweep

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
	"onedebit/scenarios/history"
)

// tape is a recording that is made up, one event after another.
type tape struct{ events []history.Event }

func (r *tape) add(e history.Event) {
	e.At = time.Duration(len(r.events)+1) * time.Millisecond
	r.events = append(r.events, e)
}

func (r *tape) mark(name string) {
	r.add(history.Event{Fault: &history.Fault{Name: name, Kind: "delay", State: history.Armed, Optional: true}})
}

func (r *tape) message(link, dir, name, text, order string, conn int) {
	r.add(history.Event{Message: &history.Message{Link: link, Dir: dir, Name: name, Text: text, Order: order, Conn: conn, Fate: history.Passed}})
}

// payment is what one payment looks like on the links; the consumers come in this order.
func (r *tape) payment(label, order string, consumers ...string) {
	r.add(history.Event{Payment: &history.Payment{Order: order, Label: label, Account: "A-" + order}})
	r.message("client", "request", "pay", "POST /pay "+order, order, 1)
	r.message("cache", "request", "claim", "SET idem:"+order, order, 1)
	r.message("cache", "answer", "claim", "OK", "", 1)
	r.message("bank", "request", "debit", "POST /v1/debits {}", order, 1)
	r.message("queue", "request", "Heartbeat", "Heartbeat", "", 1)
	r.message("bank", "answer", "debit", "200", order, 1)
	r.message("client", "answer", "pay", "200", order, 1)
	for i, c := range consumers {
		r.message("queue", "request", "OffsetCommit", "OffsetCommit "+c, "", 2+i)
	}
}

func made(consumers ...string) *tape {
	r := &tape{}
	r.message("queue", "request", "consume", "Fetch", "", 2) // waits all the time
	r.mark(markIdle)
	r.message("queue", "request", "Heartbeat", "Heartbeat", "", 1)
	r.mark(markFirst)
	r.payment("A", "O-AAAAAA", consumers...)
	r.message("queue", "answer", "consume", "Fetch", "", 2)
	r.mark(markNext)
	slices.Reverse(consumers)
	r.payment("B", "O-BBBBBB", consumers...)
	r.message("cache", "request", "lock", "SET lock", "O-BBBBBB", 1)
	r.mark(markEnd)
	return r
}

func TestReadFindsThePointsOfAPayment(t *testing.T) {
	want := []string{
		"client→service request 1: POST /pay *", "service→client answer 1: answer to pay",
		"service→cache request 1: SET idem:*", "cache→service answer 1: answer to claim",
		"service→bank request 1: POST /v1/debits", "bank→service answer 1: answer to debit",
		"service→queue request 1: OffsetCommit *", "service→queue request 2: OffsetCommit *",
	}
	for _, consumers := range [][]string{{"coupon", "membership"}, {"membership", "coupon"}} {
		r, err := Read(history.New(made(consumers...).events), flow(t, "pay"), reference(t))
		require.NoError(t, err)
		var got, left []string
		for _, p := range r.Points {
			got = append(got, p.String())
		}
		assert.Equal(t, want, got)
		for _, l := range r.Left {
			left = append(left, l.Link+" "+l.Label)
		}
		assert.Equal(t, []string{
			"cache request SET lock", "queue answer answer to consume", "queue request Heartbeat",
		}, left)
		assert.Equal(t, []int{0, 2, 3, 4, 5, 1, 6, 7}, r.Sequence)
	}
}

func TestReadRefusesWhatIsNoCleanRecording(t *testing.T) {
	_, err := Read(history.New(made().events[:5]), flow(t, "pay"), reference(t))
	require.ErrorContains(t, err, "did not come to its end")

	r := made("coupon")
	unsure := history.Attempt{Order: "O-AAAAAA", Op: history.OpPay, Outcome: history.Unknown, Sent: 6 * time.Millisecond}
	r.add(history.Event{Attempt: &unsure})
	_, err = Read(history.New(r.events), flow(t, "pay"), reference(t))
	require.ErrorContains(t, err, "1 requests of the client were not answered")
}

func TestRecordingsAreScenarios(t *testing.T) {
	for _, name := range FlowNames() {
		s, err := scenarios.Load("recording.yaml", []byte(flow(t, name).recording()))
		require.NoError(t, err, name)
		require.NoError(t, s.Fits(reference(t)), name)
	}
	_, err := FlowNamed("pya", "", reference(t))
	require.ErrorContains(t, err, `unknown flow "pya"`)
}

func TestNamesThatNoTargetHas(t *testing.T) {
	names := reference(t).Messages("queue")
	assert.Equal(t, "publish", called("publish", names))
	assert.Equal(t, "[h]eartbeat", called("heartbeat", names), "a word alone would be taken for a name of the target")
	assert.Equal(t, "basic.ack", called("basic.ack", names))
	assert.True(t, Point{Name: "[h]eartbeat"}.is("heartbeat"))
}
