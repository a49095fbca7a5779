package wire

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// my writes a packet.
func my(number byte, body string) string { return string(myWritten(number, []byte(body))) }

// packets writes packets with their numbers, from 1.
func packets(bodies ...string) string {
	var out string
	for i, body := range bodies {
		out += my(byte(i+1), body)
	}
	return out
}

func le16(v uint16) string { return string(binary.LittleEndian.AppendUint16(nil, v)) }
func le32(v uint32) string { return string(binary.LittleEndian.AppendUint32(nil, v)) }

// greeting is what a server says first.
func greeting(can, mariadb uint32) string {
	return my(0, "\x0a8.4.0\x00"+le32(7)+"12345678\x00"+le16(uint16(can))+"\x2d\x02\x00"+le16(uint16(can>>16))+"\x15\x00\x00\x00\x00\x00\x00"+
		le32(mariadb)+"123456789012\x00caching_sha2_password\x00")
}

// login is the client's answer to a greeting.
func login(can, mariadb uint32) string {
	return my(1, le32(can)+"\x00\x00\x00\x01\x2d"+"0000000000000000000"+le32(mariadb)+"payer\x00\x14secretsecretsecret12pay\x00caching_sha2_password\x00")
}

const (
	myPlain  = myProtocol41 | myNotMariaDB
	myNewer  = myPlain | myDeprecateEOF
	okPacket = "\x00\x01\x00\x02\x00\x00\x00"
	okMore   = "\x00\x01\x00\x0a\x00\x00\x00"
	eof      = "\xfe\x00\x00\x02\x00"
	okEnd    = "\xfe\x00\x00\x02\x00\x00\x00"
	column   = "\x03def\x00\x01t\x01t\x01a\x01a\x0c\x3f\x00\x0b\x00\x00\x00\x03\x00\x00\x00\x00\x00"
	deadlock = "\xff\xbd\x04#40001Deadlock found when trying to get lock; try restarting transaction"
)

// myOpened is a login that is done in one step.
func myOpened(can, mariadb uint32) []said {
	return []said{server(greeting(can, mariadb)), client(login(can, mariadb)), server(my(2, okPacket))}
}

var myOpenedLines = []string{"< greeting greeting: greeting", "> login: login user=payer", "< login ok: login ok"}

func do(command byte, body string) said { return client(my(0, string(rune(command))+body)) }

// myTalked is a conversation between peers of some capabilities, and what it comes to.
type myTalked struct {
	can, mariadb uint32
	talk         []said
	want         []string
	err          error
}

// myTalks checks conversations that go on from a login.
func myTalks(t *testing.T, talks map[string]myTalked) {
	t.Helper()
	for name, c := range talks {
		t.Run(name, func(t *testing.T) {
			conversation(t, MySQL, append(myOpened(c.can, c.mariadb), c.talk...), append(myOpenedLines[:3:3], c.want...), c.err)
		})
	}
}

func TestMySQL(t *testing.T) {
	const update = "UPDATE pay_transaction SET a=?"
	prepared := func(id uint32, columns, params uint16) string {
		return "\x00" + le32(id) + le16(columns) + le16(params) + "\x00\x00\x00"
	}
	run := func(id uint32) said { return do(myExecute, le32(id)+"\x00\x01\x00\x00\x00") }
	prepareLines := []string{"> PREPARE UPDATE pay_transaction: " + update, "< PREPARE UPDATE pay_transaction ok: PREPARE UPDATE pay_transaction ok"}
	updateLines := []string{"> UPDATE pay_transaction: " + update, "< UPDATE pay_transaction ok: UPDATE pay_transaction ok, 1 changed"}
	myTalks(t, map[string]myTalked{
		"statements": {myPlain, 0, []said{
			do(myQuery, "START TRANSACTION"), server(packets("\x00\x00\x00\x03\x00\x00\x00")),
			do(myQuery, update), server(packets(deadlock)), do(0x0e, ""), server(packets(okPacket)),
			do(0x02, "pay"), server(packets(okPacket)), do(0x09, ""), server(packets("Uptime: 1")), do(myQuit, ""),
		}, []string{
			"> BEGIN: START TRANSACTION", "< BEGIN ok: BEGIN ok", "> UPDATE pay_transaction: " + update,
			"< UPDATE pay_transaction 1213: UPDATE pay_transaction error 1213 Deadlock found when trying to get lock; try restarting transaction",
			"> PING: PING", "< PING ok: PING ok", "> INIT_DB: INIT_DB", "< INIT_DB ok: INIT_DB ok",
			"> STATISTICS: STATISTICS", "< STATISTICS ok: STATISTICS ok", "> * QUIT: QUIT",
		}, nil},
		"rows, with EOF": {myPlain, 0, []said{do(myQuery, "SELECT a FROM t"), server(packets("\x01", column, eof, "\x011", "\xfb", "\xfe\x02\x00\x00\x00\x00\x00\x00\x00xx", eof))},
			[]string{"> SELECT t: SELECT a FROM t", "< SELECT t ok: SELECT t 3 rows"}, nil},
		"rows, without EOF": {myNewer, 0, []said{do(myQuery, "SELECT a FROM t"), server(packets("\x01", column, "\x011", okEnd))},
			[]string{"> SELECT t: SELECT a FROM t", "< SELECT t ok: SELECT t 1 rows"}, nil},
		"rows, then an error": {myNewer, 0, []said{do(myQuery, "SELECT a FROM t"), server(packets("\x01", column, "\x011", deadlock))},
			[]string{"> SELECT t: SELECT a FROM t", "< SELECT t 1213: SELECT t error 1213 Deadlock found when trying to get lock; try restarting transaction"}, nil},
		"several results": {myPlain, 0, []said{do(myQuery, "UPDATE t SET a=1; SELECT 1"),
			server(packets(okMore, "\x01", column, eof, "\x011", "\xfe\x00\x00\x0a\x00", okPacket))},
			[]string{"> UPDATE t: UPDATE t SET a=1; SELECT 1", "< UPDATE t ok: UPDATE t 1 rows"}, nil},
		"progress of MariaDB": {myPlain &^ myNotMariaDB, 0, []said{do(myQuery, "ALTER TABLE t ADD b INT"), server(packets("\xff\xff\xff\x01\x01\x02\x00\x00\x00", okPacket))},
			[]string{"> ALTER t: ALTER TABLE t ADD b INT", "< ALTER t ok: ALTER t ok, 1 changed"}, nil},
		"prepared, with EOF": {myPlain, 0, []said{
			do(myPrepare, update), server(packets(prepared(5, 0, 1), column, eof)), run(5), server(packets(okPacket)),
			do(myLongData, le32(5)+"\x00\x00x"), do(0x1a, le32(5)), server(packets(okPacket)), do(myClose, le32(5)), run(5), server(packets(deadlock)),
		}, append(append(prepareLines[:2:2], updateLines...), "> * LONG_DATA: LONG_DATA", "> RESET: RESET", "< RESET ok: RESET ok", "> * CLOSE: CLOSE",
			"> EXECUTE: EXECUTE", "< EXECUTE 1213: EXECUTE error 1213 Deadlock found when trying to get lock; try restarting transaction"), nil},
		"prepared, without EOF": {myNewer, 0, []said{
			do(myPrepare, update), server(packets(prepared(5, 1, 2), column, column, column)), run(5), server(packets(okPacket)), run(6), server(packets("\x01", column, "\x00\x00\x01", okEnd)),
		}, append(append(prepareLines[:2:2], updateLines...), "> EXECUTE: EXECUTE", "< EXECUTE ok: EXECUTE 1 rows"), nil},
		"prepared, nothing defined": {myPlain, 0, []said{do(myPrepare, update), server(packets(prepared(5, 0, 0))), do(myPrepare, update), server(packets(deadlock))},
			append(prepareLines[:2:2], prepareLines[0], "< PREPARE UPDATE pay_transaction 1213: PREPARE UPDATE pay_transaction error 1213 Deadlock found when trying to get lock; try restarting transaction"), nil},
		"MariaDB, the one prepared last": {myPlain, 0, []said{do(myPrepare, update), server(packets(prepared(5, 0, 0))), run(myLastPrepared), server(packets(okPacket))},
			append(prepareLines[:2:2], updateLines...), nil},
		"MariaDB, definitions left out": {myNewer &^ myNotMariaDB, myCachedMeta, []said{
			do(myQuery, "SELECT 1"), server(packets("\x01\x01", column, "\x011", okEnd)), do(myQuery, "SELECT 1"), server(packets("\x01\x00", "\x011", okEnd)),
		}, []string{"> SELECT: SELECT 1", "< SELECT ok: SELECT 1 rows", "> SELECT: SELECT 1", "< SELECT ok: SELECT 1 rows"}, nil},
		"a cursor": {myPlain, 0, []said{
			do(myPrepare, update), server(packets(prepared(5, 0, 0))), run(5), server(packets("\x01", column, "\xfe\x00\x00\x42\x00")),
			do(myFetch, le32(5)+"\x01\x00\x00\x00"), server(packets("\x00\x00\x01", eof)),
		}, append(prepareLines[:2:2], updateLines[0], "< UPDATE pay_transaction ok: UPDATE pay_transaction 0 rows", "> FETCH: FETCH", "< FETCH ok: FETCH ok"), nil},
		"attributes": {myPlain | myAttributes, 0, []said{do(myQuery, "\x00\x01COMMIT"), server(packets(okPacket)), do(myQuery, "\x01\x01x")},
			[]string{"> COMMIT: COMMIT", "< COMMIT ok: COMMIT ok, 1 changed"}, ErrForeign},
		"another user": {myPlain, 0, []said{do(myChangeUser, "x\x00"), server(my(1, "\xfemysql_native_password\x00123\x00")), client(my(2, "secret")), server(my(3, okPacket)), do(0x0e, ""), server(packets(okPacket))},
			[]string{"> CHANGE_USER: CHANGE_USER", "< CHANGE_USER ok: CHANGE_USER ok", "> auth: auth", "< auth ok: auth ok", "> PING: PING", "< PING ok: PING ok"}, nil},
	})
}

func TestMySQLUnusual(t *testing.T) {
	myTalks(t, map[string]myTalked{
		"told to go":      {myPlain, 0, []said{server(my(0, deadlock))}, []string{"< * 1213: error 1213 Deadlock found when trying to get lock; try restarting transaction"}, nil},
		"LOAD DATA LOCAL": {myPlain, 0, []said{do(myQuery, "LOAD DATA"), server(packets("\xfbfile"))}, []string{"> LOAD: LOAD DATA"}, ErrForeign},
		"replication":     {myPlain, 0, []said{do(0x12, "")}, nil, ErrForeign},
		"wrong number":    {myPlain, 0, []said{client(my(3, "\x0e"))}, nil, ErrForeign},
		"wrong answer":    {myPlain, 0, []said{do(0x0e, ""), server(my(4, okPacket))}, []string{"> PING: PING"}, ErrForeign},
		"nobody asked":    {myPlain, 0, []said{server(packets(okPacket))}, nil, ErrForeign},
		"an empty one":    {myPlain, 0, []said{client(my(0, ""))}, nil, ErrForeign},
		"too large":       {myPlain, 0, []said{client("\xff\xff\xff\x00\x03")}, nil, ErrTooLarge},
		"no EOF":          {myPlain, 0, []said{do(myQuery, "SELECT 1"), server(packets("\x01", column, "\x011"))}, []string{"> SELECT: SELECT 1"}, ErrForeign},
	})
}

func TestMySQLBeginnings(t *testing.T) {
	hello, in := server(greeting(myPlain|myTLS, 0)), client(login(myPlain, 0))
	lines := func(more ...string) []string {
		return append([]string{"< greeting greeting: greeting", "> login: login user=payer"}, more...)
	}
	for name, c := range map[string]struct {
		talk []said
		want []string
		err  error
	}{
		"known password": {[]said{hello, in, server(my(2, "\x01\x03") + my(3, okPacket)), do(0x0e, "")},
			lines("< login ok: login ok", "> PING: PING"), nil},
		"whole exchange": {[]said{hello, in, server(my(2, "\x01\x04")), client(my(3, "\x02")), server(my(4, "\x01key")), client(my(5, "secret")), server(my(6, okPacket)), do(0x0e, "")},
			lines("< login ok: login ok", "> auth: auth", "< auth ok: auth ok", "> auth: auth", "< auth ok: auth ok", "> PING: PING"), nil},
		"another way": {[]said{hello, in, server(my(2, "\xfemysql_native_password\x0012345678901234567890\x00")), client(my(3, "")), server(my(4, deadlock))},
			lines("< login ok: login ok", "> auth: auth", "< auth 1213: auth error 1213 Deadlock found when trying to get lock; try restarting transaction"), nil},
		"TLS": {[]said{hello, client(my(1, login(myPlain|myTLS, 0)[4:36])), client("\x16\x03\x01")},
			[]string{"< greeting greeting: greeting", "> SSLRequest: SSLRequest"}, ErrForeign},
		"TLS, from the server": {[]said{hello, client(my(1, login(myPlain|myTLS, 0)[4:36])), server("\x16\x03\x01")},
			[]string{"< greeting greeting: greeting", "> SSLRequest: SSLRequest"}, ErrForeign},
		"no room":      {[]said{server(my(0, "\xff\x10\x04Too many connections"))}, []string{"< * 1040: error 1040 Too many connections"}, nil},
		"compression":  {[]said{server(greeting(myPlain|myCompress, 0)), client(login(myPlain|myCompress, 0))}, lines()[:1], ErrForeign},
		"old login":    {[]said{hello, client(my(1, "\x05\x00\x00\x00\x00payer\x00"))}, lines()[:1], ErrForeign},
		"client first": {[]said{client(my(0, "\x0e"))}, nil, ErrForeign},
		"version 9":    {[]said{server(my(0, "\x09old"))}, nil, ErrForeign},
		"cut greeting": {[]said{server(my(0, "\x0a8.0\x00123"))}, nil, ErrForeign},
	} {
		t.Run(name, func(t *testing.T) { conversation(t, MySQL, c.talk, c.want, c.err) })
	}
}

func TestMySQLRefusals(t *testing.T) {
	ping, rollback := my(0, "\x0e"), my(0, "\x03ROLLBACK")
	timeout := "\xff\xb5\x04#HY000Lock wait timeout exceeded; try restarting transaction"
	for name, c := range map[string]struct {
		request                  said
		code, toServer, toClient string
	}{
		"the usual":        {do(myQuery, "UPDATE t SET a=1"), "", rollback, deadlock},
		"only a statement": {do(myQuery, "UPDATE t SET a=1"), "1205", ping, timeout},
		"commit":           {do(myQuery, "COMMIT"), "1205", rollback, timeout},
		"prepared":         {do(myPrepare, "COMMIT"), "1205", ping, timeout},
		"unknown":          {do(myQuery, "UPDATE t SET a=1"), "4444", ping, "\xff\x5c\x11#HY000The statement was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			toServer, toClient, m := refusing(t, MySQL, append(myOpened(myPlain, 0), c.request), c.code, packets(okPacket))
			assert.Equal(t, c.toServer, toServer)
			assert.Equal(t, my(1, c.toClient), toClient)
			assert.NotEqual(t, "ok", m.Label)
		})
	}
	toServer, _, _ := refusing(t, MySQL, append(myOpened(myPlain|myAttributes, 0), do(myQuery, "\x00\x01COMMIT")), "", packets(okPacket))
	assert.Equal(t, my(0, "\x03\x00\x01ROLLBACK"), toServer)
}

func TestMySQLRefusesNoMoreThanCommands(t *testing.T) {
	for _, request := range []said{do(myQuit, ""), do(myClose, le32(1)), do(myChangeUser, "x\x00"), client("")} {
		c := MySQL.New()
		_, err := heard(t, c, append(myOpened(myPlain, 0), request), func(n int) int { return n })
		require.NoError(t, err)
		_, err = c.(Refuser).Refusal("1213")
		require.Error(t, err, "%q", request.data)
	}
	for code, ok := range map[string]bool{"": true, "1213": true, "1205": true, "40001": false, "65535": false, "40P01": false, "0": false, "-1": false, "70000": false} {
		assert.Equal(t, ok, MySQL.New().(Refuser).CheckRefusal(code) == nil, code)
	}
}

func FuzzMySQL(f *testing.F) {
	f.Add([]byte(my(0, "\x03SELECT 1")+my(0, "\x16UPDATE t SET a=?")+my(0, "\x17\x05\x00\x00\x00")), []byte(packets("\x01", column, eof, "\x011", eof)+packets("\x00\x05\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00", column, eof)+packets(okPacket)), uint16(3), uint16(9))
	f.Add([]byte(my(0, "\x0e")+my(0, "\x1c")), []byte(packets(okPacket)+packets("\x00\x01", okEnd)), uint16(3), uint16(9))
	f.Add([]byte(login(myPlain, 0)), []byte(my(2, "\x01\x03")+my(3, okPacket)), uint16(30), uint16(9))
	f.Fuzz(func(t *testing.T, requests, answers []byte, a, b uint16) {
		for _, can := range []uint32{myPlain, myNewer, myNewer &^ myNotMariaDB} {
			fuzz(t, opened(MySQL, myOpened(can, myCachedMeta)), requests, answers, a, b)
		}
		fuzz(t, opened(MySQL, myOpened(myPlain, 0)[:1]), requests, answers, a, b)
		fuzz(t, MySQL, nil, answers, a, b)
	})
}
