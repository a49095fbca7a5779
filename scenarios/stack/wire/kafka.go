package wire

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka reads the protocol of Kafka: frames with a length, answers joined by their correlation number.
var Kafka = register(Protocol{Name: "kafka", Title: "Kafka", New: func() Conn { return &kafkaConn{} }, Words: kafkaLabels()})

// kafkaConn remembers which requests wait for their answers. Answers come in the order of the requests, but a request
// may ask for none, so that an answer also ends the waiting of all requests before its own.
type kafkaConn struct {
	pending []kafkaRequest
}

type kafkaRequest struct {
	correlation uint32
	label       string
}

// Bytes of the parts of a frame that are always there.
const (
	kafkaSize   = 4
	kafkaHeader = 8 // api key, version, correlation
)

func (c *kafkaConn) Request(buf []byte) (Message, int, error) {
	frame, end, err := kafkaFrame(buf, kafkaHeader)
	if err != nil || len(buf) < kafkaSize+kafkaHeader {
		return Message{}, 0, err
	}
	key, version := int16(binary.BigEndian.Uint16(buf[4:])), int16(binary.BigEndian.Uint16(buf[6:]))
	req := kmsg.RequestForKey(key)
	if req == nil || version < 0 {
		return Message{}, 0, foreign("api key %d version %d", key, version)
	}
	if end == 0 {
		return Message{}, 0, nil
	}
	label := kmsg.NameForKey(key)
	if len(c.pending) == maxPending {
		c.pending = c.pending[1:] // requests that ask for no answer
	}
	c.pending = append(c.pending, kafkaRequest{binary.BigEndian.Uint32(frame[4:]), label})
	return Message{Label: label, Text: join(label, kafkaText(req, version, frame[kafkaHeader:]))}, end, nil
}

func (c *kafkaConn) Answer(buf []byte) (Message, int, error) {
	frame, end, err := kafkaFrame(buf, 4)
	if err != nil || end == 0 {
		return Message{}, 0, err
	}
	correlation := binary.BigEndian.Uint32(frame)
	for i, req := range c.pending {
		if req.correlation == correlation {
			c.pending = c.pending[i+1:]
			return Message{Label: "answer", Text: "answer to " + req.label, For: req.label}, end, nil
		}
	}
	return Message{}, 0, foreign("an answer to nothing that was asked")
}

// kafkaFrame is the content of the first frame, and the place after it, which is 0 where it is not complete.
func kafkaFrame(buf []byte, least int) (frame []byte, end int, err error) {
	if len(buf) < kafkaSize {
		return nil, 0, nil
	}
	size := int32(binary.BigEndian.Uint32(buf))
	switch {
	case size < int32(least):
		return nil, 0, foreign("a frame of %d bytes", size)
	case size > MaxMessage-kafkaSize:
		return nil, 0, ErrTooLarge
	case len(buf)-kafkaSize < int(size):
		return nil, 0, nil
	}
	end = kafkaSize + int(size)
	return buf[kafkaSize:end], end, nil
}

// kafkaText names the topics or the group of the requests that change something; of others the label says enough.
func kafkaText(req kmsg.Request, version int16, rest []byte) string {
	switch req.(type) {
	case *kmsg.ProduceRequest, *kmsg.OffsetCommitRequest:
	default:
		return ""
	}
	if version > req.MaxVersion() {
		return ""
	}
	req.SetVersion(version)
	body, ok := kafkaBody(rest, req.IsFlexible())
	if !ok || req.ReadFrom(body) != nil {
		return ""
	}
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		var topics []string
		for _, t := range r.Topics {
			name := t.Topic
			if name == "" {
				name = hex.EncodeToString(t.TopicID[:])
			}
			topics = append(topics, name)
		}
		return clip(strings.Join(topics, ","), maxText)
	case *kmsg.OffsetCommitRequest:
		return clip(r.Group, maxText)
	}
	return ""
}

// kafkaBody skips the client's name, and the tags of a newer header.
func kafkaBody(rest []byte, flexible bool) ([]byte, bool) {
	if len(rest) < 2 {
		return nil, false
	}
	if n := int16(binary.BigEndian.Uint16(rest)); n > 0 {
		if len(rest) < 2+int(n) {
			return nil, false
		}
		rest = rest[n:]
	}
	rest = rest[2:]
	if !flexible {
		return rest, true
	}
	tags, ok := uvarint(&rest)
	for ; ok && tags > 0; tags-- {
		if _, ok = uvarint(&rest); !ok {
			return nil, false
		}
		size, sized := uvarint(&rest)
		if !sized || size > uint64(len(rest)) {
			return nil, false
		}
		rest = rest[size:]
	}
	return rest, ok
}

func uvarint(b *[]byte) (uint64, bool) {
	v, n := binary.Uvarint(*b)
	if n <= 0 {
		return 0, false
	}
	*b = (*b)[n:]
	return v, true
}

// kafkaLabels are the names of all requests.
func kafkaLabels() (out []string) {
	for key := range int16(kmsg.MaxKey + 1) {
		out = append(out, kmsg.NameForKey(key))
	}
	return out
}
