package wire

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// asked writes a request as clients do.
func asked(req kmsg.Request, version int16, correlation int32) []byte {
	req.SetVersion(version)
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("reference")).AppendRequest(nil, req, correlation)
}

// answered writes an answer of some bytes.
func answered(correlation uint32, size int) []byte {
	out := make([]byte, kafkaSize+4+size)
	binary.BigEndian.PutUint32(out, uint32(4+size))
	binary.BigEndian.PutUint32(out[4:], correlation)
	return out
}

func produce(topics ...string) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	for _, name := range topics {
		t := kmsg.NewProduceRequestTopic()
		t.Topic = name
		t.TopicID = [16]byte{0xab, 15: 0x01}
		p := kmsg.NewProduceRequestTopicPartition()
		p.Records = []byte("records")
		t.Partitions = append(t.Partitions, p)
		req.Topics = append(req.Topics, t)
	}
	return req
}

func TestKafkaRequests(t *testing.T) {
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Group = "membership"
	var in []byte
	in = append(in, asked(kmsg.NewPtrApiVersionsRequest(), 3, 0)...)
	in = append(in, asked(produce("payments", "refunds"), 3, 1)...)
	in = append(in, asked(produce("payments"), 9, 2)...)
	in = append(in, asked(produce("payments"), 13, 3)...)
	in = append(in, asked(commit, 8, 4)...)
	in = append(in, asked(kmsg.NewPtrFetchRequest(), 11, 5)...)
	got, rest, err := everySplit(t, func() func([]byte) (Message, int, error) { return Kafka.New().Request }, append(in, 0, 0, 1))
	require.NoError(t, err)
	assert.Equal(t, 3, rest)
	var texts []string
	for _, m := range got {
		texts = append(texts, m.text)
	}
	assert.Equal(t, []string{
		"ApiVersions", "Produce payments,refunds", "Produce payments", "Produce ab000000000000000000000000000001",
		"OffsetCommit membership", "Fetch",
	}, texts)
}

func TestKafkaAnswersAreJoinedByCorrelation(t *testing.T) {
	asking := func() Conn {
		c := Kafka.New()
		in := append(asked(produce("p"), 9, 7), asked(kmsg.NewPtrFetchRequest(), 11, 8)...)
		got, _, err := read(c.Request, append(in, asked(kmsg.NewPtrMetadataRequest(), 9, 9)...))
		require.NoError(t, err)
		require.Len(t, got, 3)
		return c
	}
	for name, c := range map[string]struct {
		in   []byte
		fors []string
		err  error
	}{
		"in order":                  {append(answered(7, 3), append(answered(8, 0), answered(9, 100)...)...), []string{"Produce", "Fetch", "Metadata"}, nil},
		"some asked for no answer":  {append(answered(8, 3), answered(9, 3)...), []string{"Fetch", "Metadata"}, nil},
		"nobody asked":              {answered(70, 3), nil, ErrForeign},
		"answered twice":            {append(answered(7, 3), answered(7, 3)...), []string{"Produce"}, ErrForeign},
		"a frame of too few bytes":  {[]byte{0, 0, 0, 3, 1, 2, 3}, nil, ErrForeign},
		"a frame of negative bytes": {[]byte{0xff, 0, 0, 3, 1, 2, 3}, nil, ErrForeign},
		"a large frame":             {[]byte{0, 0x10, 0, 0}, nil, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := everySplit(t, func() func([]byte) (Message, int, error) { return asking().Answer }, c.in)
			require.ErrorIs(t, err, c.err)
			var fors []string
			for _, m := range got {
				fors = append(fors, m.to)
			}
			assert.Equal(t, c.fors, fors)
		})
	}
}

func TestKafkaReadsNoMoreThanItUnderstands(t *testing.T) {
	newer := asked(produce("payments"), 9, 1)
	newer[7] = 99 // version
	got, _, err := read(Kafka.New().Request, newer)
	require.NoError(t, err)
	assert.Equal(t, "Produce", got[0].text, "a version to come keeps its name and loses its topic")

	broken := asked(produce("payments"), 9, 1)
	broken = broken[:len(broken)-4]
	binary.BigEndian.PutUint32(broken, uint32(len(broken)-kafkaSize))
	got, _, err = read(Kafka.New().Request, broken)
	require.NoError(t, err)
	assert.Equal(t, "Produce", got[0].text)

	_, _, err = read(Kafka.New().Request, []byte{0, 0, 0, 8, 0x7f, 0, 0, 0, 0, 0, 0, 1})
	require.ErrorIs(t, err, ErrForeign, "an api key that does not exist")
}

func TestKafkaForgetsRequestsThatAskForNoAnswer(t *testing.T) {
	c := Kafka.New().(*kafkaConn)
	for i := range int32(maxPending + 10) {
		_, n, err := c.Request(asked(produce("p"), 9, i))
		require.NoError(t, err)
		require.NotZero(t, n)
	}
	assert.Len(t, c.pending, maxPending)
	m, _, err := c.Answer(answered(maxPending+9, 0))
	require.NoError(t, err)
	assert.Equal(t, "Produce", m.For)
	assert.Empty(t, c.pending)
}

func FuzzKafka(f *testing.F) {
	f.Add(append(asked(kmsg.NewPtrApiVersionsRequest(), 3, 0), asked(produce("payments"), 9, 1)...), append(answered(0, 9), answered(1, 3)...), uint16(3), uint16(20))
	f.Add(asked(produce("a", "b"), 13, 1), answered(1, 0), uint16(5), uint16(1))
	f.Add(asked(kmsg.NewPtrOffsetCommitRequest(), 9, 5), answered(5, 1), uint16(5), uint16(1))
	f.Fuzz(func(t *testing.T, requests, answers []byte, a, b uint16) { fuzz(t, Kafka, requests, answers, a, b) })
}
