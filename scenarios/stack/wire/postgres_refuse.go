package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// pgAgain is the code of a transaction that is to be run again.
const pgAgain = "40001"

// pgReasons are the server's own words for the errors that are asked for most.
var pgReasons = map[string]string{
	pgAgain: "could not serialize access due to concurrent update",
	"40P01": "deadlock detected",
	"55P03": "canceling statement due to lock timeout",
	"57014": "canceling statement due to statement timeout",
	"53100": "could not extend file: No space left on device",
	"25006": "cannot execute statement in a read-only transaction",
}

// CheckRefusal implements Refuser: the code is a SQLSTATE of an error.
func (c *pgConn) CheckRefusal(code string) error {
	if code == "" {
		return nil
	}
	ok := len(code) == 5
	for _, r := range code {
		ok = ok && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z')
	}
	if !ok || strings.HasPrefix(code, "00") || strings.HasPrefix(code, "01") || strings.HasPrefix(code, "02") {
		return fmt.Errorf("%q is no SQLSTATE of an error: it has five digits or capitals, such as 40001 or 40P01", code)
	}
	return nil
}

// Refusal implements Refuser. The server gets a statement that it cannot parse, so that the transaction fails at the
// server too; in place of a COMMIT it gets a ROLLBACK before that.
func (c *pgConn) Refusal(code string) ([]byte, error) {
	r := c.last
	if r == nil || r.kind != pgQuery && r.kind != pgFlush {
		return nil, errors.New("it is no statement")
	}
	if len(r.steps) == 1 && r.steps[0] == 'S' {
		return nil, errors.New("it has nothing but a Sync")
	}
	if code == "" {
		code = pgAgain
	}
	const never = "this statement is refused"
	r.refused = code
	if r.steps[0] == 'Q' {
		if r.commit {
			return pgMessage('Q', "ROLLBACK\x00"), nil
		}
		return pgMessage('Q', never+"\x00"), nil
	}
	var out []byte
	if r.commit {
		out = append(out, pgMessage('P', "\x00ROLLBACK\x00\x00\x00")...)
		out = append(out, pgMessage('B', "\x00\x00\x00\x00\x00\x00\x00\x00")...)
		out = append(out, pgMessage('E', "\x00\x00\x00\x00\x00")...)
	}
	out = append(out, pgMessage('P', "\x00"+never+"\x00\x00\x00")...)
	out = append(out, pgMessage(r.steps[len(r.steps)-1], "")...)
	r.steps = []byte{'P', r.steps[len(r.steps)-1]}
	if r.commit {
		r.steps = []byte{'P', 'B', 'E', 'P', r.steps[1]}
	}
	return out, nil
}

// pgRefused is what the client gets in place of the server's answer to what was sent instead of its statement: the
// error, and the state of the transaction as the server has it.
func pgRefused(r *pgRequest, answer []byte) []byte {
	out := pgMessage('E', "SERROR\x00VERROR\x00C"+r.refused+"\x00M"+pgReason(r.refused)+"\x00\x00")
	for pos := 0; ; {
		kind, _, end, err := pgFrame(answer, pos, pgServer)
		if err != nil || end == 0 {
			return out
		}
		if kind == 'Z' {
			out = append(out, answer[pos:end]...)
		}
		pos = end
	}
}

// pgReason is the text of an error.
func pgReason(code string) string {
	if text := pgReasons[code]; text != "" {
		return text
	}
	return "the statement was refused"
}

func pgMessage(kind byte, body string) []byte {
	out := append(make([]byte, 0, pgHead+len(body)), kind)
	out = binary.BigEndian.AppendUint32(out, uint32(4+len(body)))
	return append(out, body...)
}
