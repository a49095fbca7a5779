package stack

import (
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServersValidate(t *testing.T) {
	good := Servers{DB: "postgres://u:p@127.0.0.1:5432/postgres", Cache: "redis://127.0.0.1:6379/0", Queue: "amqp://u:p@127.0.0.1:5672/"}
	require.NoError(t, Servers{}.Validate())
	require.NoError(t, good.Validate())
	require.NoError(t, Servers{DB: "mysql://u@localhost:3306/mysql"}.Validate())
	for says, s := range map[string]Servers{
		`--db: unknown kind of server "postgress"; did you mean "postgres"?`: {DB: "postgress://127.0.0.1:5432/x"},
		`--cache: unknown kind of server "memcached"`:                        {Cache: "memcached://127.0.0.1:1"},
		`--queue: unknown kind of server "nats"`:                             {Queue: "nats://127.0.0.1:4222"},
		"needs host and port":                                                {DB: "postgres://127.0.0.1/x"},
		"--db: not the URL of a server, such as postgres://":                 {DB: "postgres://127.0.0.1:port/x"},
		"--db: not the URL of a server, such as postgres://user":             {DB: "foo"},
		"--cache: not the URL of a server, such as redis://":                 {Cache: "127.0.0.1:6379"},
	} {
		require.ErrorContains(t, s.Validate(), says)
	}
	assert.NotContains(t, Servers{DB: "postgres://u:secret@127.0.0.1/x"}.Validate().Error(), "secret")
}

func TestServersThatAreNotHere(t *testing.T) {
	assert.Empty(t, Servers{DB: "postgres://127.3.4.5:1/x", Cache: "redis://localhost:1", Queue: "amqp://[::1]:1/"}.Remote())
	assert.Empty(t, Servers{DB: "foo", Cache: "127.0.0.1:1"}.Remote(), "what is no URL is nowhere")
	assert.Equal(t, []string{"db.example", "10.0.0.7"}, Servers{DB: "mysql://db.example:1/x", Queue: "amqp://10.0.0.7:1/"}.Remote())
}

func TestDataSourceNames(t *testing.T) {
	u, err := url.Parse("mysql://user:p%40ss@127.0.0.1:3306/books")
	require.NoError(t, err)
	assert.Contains(t, mysqlDSN(u), "user:p@ss@tcp(127.0.0.1:3306)/books")
	assert.Equal(t, "mysql://user:p%40ss@127.9.9.9:77/books", through(u, "127.9.9.9:77").String())
	assert.Equal(t, "127.0.0.1:3306", u.Host, "the server's own is not changed")
}

func TestLinksOfTheEmbeddedRuntime(t *testing.T) {
	assert.NotContains(t, embeddedLinks(Servers{}), DBLink, "a file has no link")
	assert.Contains(t, embeddedLinks(Servers{DB: "postgres://"}), DBLink)
}

func TestServersThatCannotBeReached(t *testing.T) {
	require.NoError(t, Servers{}.Reach(t.Context()))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	up := ln.Addr().String()
	require.NoError(t, Servers{DB: "postgres://u:secret@" + up + "/x", Cache: "redis://" + up}.Reach(t.Context()))
	err = Servers{DB: "postgres://u:secret@" + up + "/x", Queue: "amqp://u:secret@127.0.0.1:1/"}.Reach(t.Context())
	require.ErrorIs(t, err, ErrNotUp)
	assert.ErrorContains(t, err, "the queue server at amqp://u:xxxxx@127.0.0.1:1/ cannot be reached")
	assert.NotContains(t, err.Error(), "database")
}
