package wire

import (
	"errors"
	"fmt"
	"strconv"
)

// myAgain is the number of the error of a transaction that is to be run again.
const myAgain = 1213

// The numbers that errors of servers have. A SQLSTATE that was meant for PostgreSQL is none of them.
const (
	minMyCode = 1000
	maxMyCode = 14999
)

// myReasons are the server's own words, and its SQLSTATEs, for the errors that are asked for most.
var myReasons = map[uint16][2]string{
	myAgain: {"40001", "Deadlock found when trying to get lock; try restarting transaction"},
	1205:    {"HY000", "Lock wait timeout exceeded; try restarting transaction"},
	1062:    {"23000", "Duplicate entry for key"},
	1180:    {"HY000", "Got error during COMMIT"},
	1290:    {"HY000", "The server is running with the --read-only option so it cannot execute this statement"},
	1021:    {"HY000", "Disk full; waiting for someone to free some space"},
	1614:    {"XA102", "XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected"},
	3024:    {"HY000", "Query execution was interrupted, maximum statement execution time exceeded"},
	3101:    {"40000", "Plugin instructed the server to rollback the current transaction."},
}

// myEnding are the errors with which the server has rolled back the whole transaction, not only the statement.
var myEnding = map[uint16]bool{myAgain: true, 1180: true, 1614: true, 3101: true}

// CheckRefusal implements Refuser: the code is the number of an error.
func (c *myConn) CheckRefusal(code string) error {
	_, err := myCode(code)
	return err
}

func myCode(code string) (uint16, error) {
	if code == "" {
		return myAgain, nil
	}
	n, err := strconv.ParseUint(code, 10, 16)
	if err != nil || n < minMyCode || n > maxMyCode {
		return 0, fmt.Errorf("%q is no number of an error of MySQL, such as 1213 or 1205", code)
	}
	return uint16(n), nil
}

// Refusal implements Refuser. Where the error ends the transaction, and in place of a COMMIT, the server gets a
// ROLLBACK; in all other cases it gets a ping and the transaction goes on, as it does at a server that has refused one
// statement.
func (c *myConn) Refusal(code string) ([]byte, error) {
	r := c.last
	if r == nil || r.refused != 0 {
		return nil, errors.New("it is no command that is answered")
	}
	n, err := myCode(code)
	if err != nil {
		return nil, err
	}
	const ping = 0x0e
	back := myEnding[n] || r.command != myPrepare && r.said.commit
	r.refused, r.command = n, ping // either is answered by a single packet
	if !back {
		return myWritten(0, []byte{ping}), nil
	}
	body := []byte{myQuery}
	if c.agreed&myAttributes != 0 {
		body = append(body, 0, 1)
	}
	return myWritten(0, append(body, "ROLLBACK"...)), nil
}

// myRefused is the error that the client gets.
func myRefused(code uint16) []byte {
	state := "HY000"
	if known, ok := myReasons[code]; ok {
		state = known[0]
	}
	return myWritten(1, append([]byte{myErr, byte(code), byte(code >> 8)}, "#"+state+myReason(code)...))
}

// myReason is the text of an error.
func myReason(code uint16) string {
	if known, ok := myReasons[code]; ok {
		return known[1]
	}
	return "The statement was refused"
}

// myWritten is a packet.
func myWritten(number byte, body []byte) []byte {
	n := len(body)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), number}, body...)
}
