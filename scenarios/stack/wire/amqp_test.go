package wire

import (
	"encoding/binary"
	"strings"
	"testing"
)

// amqpWritten writes a frame.
func amqpWritten(kind byte, channel uint16, payload string) string {
	out := binary.BigEndian.AppendUint16([]byte{kind}, channel)
	out = binary.BigEndian.AppendUint32(out, uint32(len(payload)))
	return string(out) + payload + "\xce"
}

// method writes the frame of a method.
func method(channel, class, id uint16, args string) string {
	name := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, class), id)
	return amqpWritten(amqpMethodFrame, channel, string(name)+args)
}

// header writes the frame that says how long a body is.
func header(channel uint16, size uint64) string {
	return amqpWritten(amqpHeaderFrame, channel, "\x00\x3c\x00\x00"+string(binary.BigEndian.AppendUint64(nil, size))+"\x00\x00")
}

func part(channel uint16, body string) string { return amqpWritten(amqpBodyFrame, channel, body) }

// content writes a header and a body in one frame.
func content(channel uint16, body string) string {
	if body == "" {
		return header(channel, 0)
	}
	return header(channel, uint64(len(body))) + part(channel, body)
}

func short(s string) string { return string(rune(len(s))) + s }

func publish(channel uint16, exchange, key string) string {
	return method(channel, amqpBasic, amqpPublish, "\x00\x00"+short(exchange)+short(key)+"\x00")
}

const eight = "\x00\x00\x00\x00\x00\x00\x00\x08"

// amqpTalks checks conversations that go on from the client's first bytes.
func amqpTalks(t *testing.T, talks map[string]talked) {
	t.Helper()
	for name, c := range talks {
		t.Run(name, func(t *testing.T) {
			conversation(t, AMQP, append([]said{client(amqpHello)}, c.talk...), append([]string{"> protocol: protocol AMQP 0-9-1"}, c.want...), c.err)
		})
	}
}

func TestAMQP(t *testing.T) {
	beat := amqpWritten(amqpHeartbeat, 0, "")
	amqpTalks(t, map[string]talked{
		"publishing": {[]said{
			client(method(1, 85, 10, "\x00")), server(method(1, 85, 11, "")),
			client(publish(1, "events", "pay.success") + content(1, `{"order":"O-1","card_no":"4111"}`)), server(method(1, amqpBasic, amqpAck, eight+"\x01")),
			client(publish(1, "events", "") + content(1, "")), server(method(1, amqpBasic, amqpNack, eight+"\x02")),
		}, []string{
			"> confirm.select: confirm.select", "< confirm.select-ok confirm.select-ok: confirm.select-ok",
			`> basic.publish pay.success: basic.publish exchange=events key=pay.success {"order":"O-1","card_no":"***"}`,
			"< basic.ack basic.ack: basic.ack tag=8 and all before",
			"> basic.publish events: basic.publish exchange=events key=", "< basic.nack basic.nack: basic.nack tag=8",
		}, nil},
		"consuming": {[]said{
			client(method(1, amqpBasic, 20, "\x00\x00"+short("q")+short("c")+"\x00\x00\x00\x00\x00")), server(method(1, amqpBasic, 21, short("c"))),
			server(method(1, amqpBasic, amqpDeliver, short("c")+eight+"\x01"+short("events")+short("pay.success")) + header(1, 10) + part(1, "paid\n") + part(1, "  now")),
			client(method(1, amqpBasic, amqpReject, eight+"\x01")),
			client(method(1, amqpBasic, 70, "\x00\x00"+short("q")+"\x00")),
			server(method(1, amqpBasic, amqpGetOK, eight+"\x00"+short("")+short("q")+"\x00\x00\x00\x00") + content(1, "\x00\x01")),
			server(method(1, amqpBasic, amqpReturn, "\x01\x38"+short("NO_ROUTE")+short("events")+short("x")) + content(1, "the password is x")),
		}, []string{
			"> basic.consume: basic.consume", "< basic.consume-ok basic.consume-ok: basic.consume-ok",
			"< basic.deliver basic.deliver: basic.deliver exchange=events key=pay.success tag=8 paid now",
			"> basic.reject: basic.reject tag=8", "> basic.get: basic.get",
			"< basic.get-ok basic.get-ok: basic.get-ok exchange= key=q tag=8 2 bytes",
			"< basic.return basic.return: basic.return 312 NO_ROUTE exchange=events key=x 17 bytes",
		}, nil},
		"others between": {[]said{
			client(publish(1, "e", "one") + beat + header(1, 3) + publish(2, "e", "two") + method(3, amqpBasic, amqpAck, eight+"\x00") + part(1, "abc") + content(2, "x")),
			client(beat), server(beat),
		}, []string{
			"> basic.publish one: basic.publish exchange=e key=one abc", "> heartbeat: heartbeat", "< heartbeat heartbeat: heartbeat",
		}, nil},
		"names": {[]said{
			client(method(0, 10, 11, "\x00\x00\x00\x00"+short("PLAIN")+"\x00\x00\x00\x0c\x00guest\x00guest")), client(method(1, 50, 10, "\x00\x00"+short("events.coupon")+"\x00")),
			server(method(1, 20, 40, "\x01\x94"+short("NOT_FOUND")+"\x00\x00\x00\x00")), client(method(1, 60, 999, "")), client(method(1, amqpBasic, amqpAck, "")),
		}, []string{
			"> connection.start-ok: connection.start-ok", "> queue.declare: queue.declare events.coupon",
			"< channel.close channel.close: channel.close 404 NOT_FOUND", "> basic.999: basic.999", "> basic.ack: basic.ack tag=0",
		}, nil},
	})
}

func TestAMQPUnusual(t *testing.T) {
	beat := amqpWritten(amqpHeartbeat, 0, "")
	amqpTalks(t, map[string]talked{
		"half a content":        {[]said{client(publish(1, "e", "k") + header(1, 3))}, []string{"… incomplete"}, nil},
		"no end":                {[]said{client(beat[:7] + "\xcd")}, nil, ErrForeign},
		"unknown frame":         {[]said{client("\x05")}, nil, ErrForeign},
		"unknown class":         {[]said{client(method(1, 99, 10, ""))}, nil, ErrForeign},
		"a method of no name":   {[]said{client(amqpWritten(amqpMethodFrame, 1, "\x00"))}, nil, ErrForeign},
		"a header of nothing":   {[]said{client(header(1, 3))}, nil, ErrForeign},
		"a body of nothing":     {[]said{client(part(1, "x"))}, nil, ErrForeign},
		"a body before":         {[]said{client(publish(1, "e", "k") + part(1, "x"))}, nil, ErrForeign},
		"a body too long":       {[]said{client(publish(1, "e", "k") + header(1, 1) + part(1, "xy"))}, nil, ErrForeign},
		"a header twice":        {[]said{client(publish(1, "e", "k") + header(1, 1) + header(1, 1))}, nil, ErrForeign},
		"a method between":      {[]said{client(publish(1, "e", "k") + method(1, 85, 10, ""))}, nil, ErrForeign},
		"a large body":          {[]said{client(publish(1, "e", "k") + header(1, MaxMessage))}, nil, ErrTooLarge},
		"a large frame":         {[]said{client("\x03\x00\x01\x00\x10\x00\x00")}, nil, ErrTooLarge},
		"another version":       {[]said{server("AMQP\x00\x00\x09\x01")}, nil, ErrForeign},
		"a second header frame": {[]said{client(amqpHello)}, nil, ErrForeign},
	})
	conversation(t, AMQP, []said{client("AMQP\x00\x01\x00\x00")}, nil, ErrForeign)
	long := strings.Repeat("y", 300)
	conversation(t, AMQP, []said{server(method(1, amqpBasic, amqpDeliver, short("")+eight+"\x00"+short("")+short("k")) + content(1, long))},
		[]string{"< basic.deliver basic.deliver: basic.deliver exchange= key=k tag=8 " + long[:200] + "…"}, nil)
}

func FuzzAMQP(f *testing.F) {
	f.Add([]byte(publish(1, "e", "k")+header(1, 3)+publish(2, "e", "k")+part(1, "abc")+content(2, "x")), []byte(method(1, amqpBasic, amqpAck, eight+"\x01")), uint16(3), uint16(20))
	f.Add([]byte(amqpWritten(amqpHeartbeat, 0, "")), []byte(method(1, amqpBasic, amqpDeliver, short("c")+eight+"\x01"+short("e")+short("k"))+content(1, "x")), uint16(3), uint16(20))
	f.Fuzz(func(t *testing.T, requests, answers []byte, a, b uint16) {
		fuzz(t, AMQP, append([]byte(amqpHello), requests...), answers, a, b)
	})
}
