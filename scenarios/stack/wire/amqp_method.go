package wire

import (
	"encoding/binary"
	"fmt"
)

// The classes and methods that are told apart.
const (
	amqpBasic   = 60
	amqpPublish = 40
	amqpReturn  = 50
	amqpDeliver = 60
	amqpGetOK   = 71
	amqpAck     = 80
	amqpReject  = 90
	amqpNack    = 120
)

// amqpClasses are the names of the classes.
var amqpClasses = map[uint16]string{
	10: "connection", 20: "channel", 40: "exchange", 50: "queue", amqpBasic: "basic", 85: "confirm", 90: "tx",
}

// amqpMethods are the names of the methods, by class and number.
var amqpMethods = map[uint16]map[uint16]string{
	10: {
		10: "start", 11: "start-ok", 20: "secure", 21: "secure-ok", 30: "tune", 31: "tune-ok", 40: "open", 41: "open-ok",
		50: "close", 51: "close-ok", 60: "blocked", 61: "unblocked", 70: "update-secret", 71: "update-secret-ok",
	},
	20: {10: "open", 11: "open-ok", 20: "flow", 21: "flow-ok", 40: "close", 41: "close-ok"},
	40: {
		10: "declare", 11: "declare-ok", 20: "delete", 21: "delete-ok", 30: "bind", 31: "bind-ok", 40: "unbind", 51: "unbind-ok",
	},
	50: {
		10: "declare", 11: "declare-ok", 20: "bind", 21: "bind-ok", 30: "purge", 31: "purge-ok", 40: "delete", 41: "delete-ok",
		50: "unbind", 51: "unbind-ok",
	},
	amqpBasic: {
		10: "qos", 11: "qos-ok", 20: "consume", 21: "consume-ok", 30: "cancel", 31: "cancel-ok", amqpPublish: "publish",
		amqpReturn: "return", amqpDeliver: "deliver", 70: "get", amqpGetOK: "get-ok", 72: "get-empty", amqpAck: "ack",
		amqpReject: "reject", 100: "recover-async", 110: "recover", 111: "recover-ok", amqpNack: "nack",
	},
	85: {10: "select", 11: "select-ok"},
	90: {10: "select", 11: "select-ok", 20: "commit", 21: "commit-ok", 30: "rollback", 31: "rollback-ok"},
}

// name names a message by its method, and says what is worth telling of its arguments.
func (s *amqpShown) name(class, id uint16, args []byte) {
	method := amqpMethods[class][id]
	if method == "" {
		method = fmt.Sprint(id)
	}
	s.label = amqpClasses[class] + "." + method
	s.text = s.label
	a := amqpArguments{rest: args}
	switch class {
	case amqpBasic:
		s.basic(id, &a)
	case 40, 50:
		a.skip(2)
		if name := a.short(); name != "" {
			s.text = join(s.text, clip(name, maxSQLName))
		}
	case 10, 20:
		if method == "close" {
			s.text = join(s.text, fmt.Sprintf("%d %s", a.number(2), clip(a.short(), maxText)))
		}
	}
}

// basic tells of the methods that carry messages. A publication is named by its routing key, or else by its exchange.
func (s *amqpShown) basic(id uint16, a *amqpArguments) {
	var exchange, key string
	var tag uint64
	switch id {
	case amqpPublish:
		a.skip(2)
		exchange, key = a.short(), a.short()
		name := key
		if name == "" {
			name = exchange
		}
		s.label = join(s.label, clip(name, maxSQLName))
	case amqpReturn:
		code, why := a.number(2), a.short()
		exchange, key = a.short(), a.short()
		s.text = join(s.text, fmt.Sprintf("%d %s", code, clip(why, maxSQLName)))
	case amqpDeliver:
		a.short() // consumer
		tag = a.number(8)
		a.skip(1) // delivered before
		exchange, key = a.short(), a.short()
	case amqpGetOK:
		tag = a.number(8)
		a.skip(1)
		exchange, key = a.short(), a.short()
	case amqpAck, amqpNack, amqpReject:
		tag = a.number(8)
		bits := a.number(1)
		s.text = join(s.text, fmt.Sprintf("tag=%d", tag))
		if id != amqpReject && bits&1 != 0 {
			s.text += " and all before"
		}
		return
	default:
		return
	}
	s.text = join(s.text, fmt.Sprintf("exchange=%s key=%s", clip(exchange, maxSQLName), clip(key, maxSQLName)))
	if tag > 0 {
		s.text = join(s.text, fmt.Sprintf("tag=%d", tag))
	}
}

// amqpArguments reads the arguments of a method, one after the other. Of those that are missing it makes nothing.
type amqpArguments struct {
	rest []byte
}

func (a *amqpArguments) skip(n int) { a.rest = a.rest[min(n, len(a.rest)):] }

func (a *amqpArguments) number(size int) uint64 {
	if len(a.rest) < size {
		a.rest = nil
		return 0
	}
	var eight [8]byte
	copy(eight[8-size:], a.rest)
	a.skip(size)
	return binary.BigEndian.Uint64(eight[:])
}

// short is a text of at most 255 bytes, with its length before it.
func (a *amqpArguments) short() string {
	n := int(a.number(1))
	if len(a.rest) < n {
		a.rest = nil
		return ""
	}
	text := string(a.rest[:n])
	a.skip(n)
	return text
}

// amqpLabels are the labels of all methods.
func amqpLabels() []string {
	out := []string{"protocol", "heartbeat"}
	for class, methods := range amqpMethods {
		for _, method := range methods {
			out = append(out, amqpClasses[class]+"."+method)
		}
	}
	return out
}
