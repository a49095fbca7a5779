package stack

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// cacheLink starts a Redis and a client that reaches it through a proxy.
func cacheLink(t *testing.T, linked linker) (*testLink, *sightings, *miniredis.Miniredis, *redis.Client) {
	t.Helper()
	server := miniredis.RunT(t)
	p, seen := linked(t, server.Addr(), wire.RESP)
	client := redis.NewClient(&redis.Options{Addr: p.Address(), MaxRetries: -1, PoolSize: 1})
	t.Cleanup(func() { _ = client.Close() })
	return p, seen, server, client
}

func TestTapReadsPipelinedRedis(t *testing.T) { onBoth(t, testTapReadsPipelinedRedis) }

func testTapReadsPipelinedRedis(t *testing.T, linked linker) {
	p, seen, _, client := cacheLink(t, linked)
	ctx := patient(t)
	require.NoError(t, client.Set(ctx, "idem:m:pay:K1", "secret value", 0).Err())
	pipe := client.TxPipeline()
	pipe.Incr(ctx, "n")
	pipe.Get(ctx, "idem:m:pay:K1")
	pipe.Del(ctx, "lock:O-1")
	_, err := pipe.Exec(ctx)
	require.NoError(t, err)

	var requests, answers []string
	for _, m := range seen.all() {
		assert.NotContains(t, m.Text, "secret")
		if m.Label == "HELLO" || m.Label == "CLIENT" {
			continue // the client makes itself known, on as many connections as it likes
		}
		if m.Dir == history.Request {
			requests = append(requests, m.Text)
		} else {
			answers = append(answers, m.Label)
		}
	}
	assert.Equal(t, []string{"SET idem:m:pay:K1", "MULTI", "INCR n", "GET idem:m:pay:K1", "DEL lock:O-1", "EXEC"}, requests)
	assert.Equal(t, []string{"SET", "MULTI", "INCR", "GET", "DEL", "EXEC"}, answers)
	assert.Zero(t, p.Unread())
}

func TestAnswerOfOneRedisCommandIsLost(t *testing.T) { onBoth(t, testAnswerOfOneRedisCommandIsLost) }

func testAnswerOfOneRedisCommandIsLost(t *testing.T, linked linker) {
	p, _, server, client := cacheLink(t, linked)
	ctx := patient(t)
	require.NoError(t, client.Ping(ctx).Err())
	a := arm(t, p, Rule{Fault: "lost", Match: Match{Dir: history.Answer, Labels: []string{"SET"}, Nth: 2, Count: 1}, Do: Lose{}})
	require.NoError(t, client.Set(ctx, "a", "1", 0).Err())
	require.NoError(t, client.Get(ctx, "a").Err())
	require.Error(t, client.Set(ctx, "b", "2", 0).Err())
	assert.Equal(t, 1, a.Fired())
	assert.True(t, server.Exists("b"), "the server has done it")
	require.NoError(t, client.Set(ctx, "c", "3", 0).Err())
}

func TestHeldCommandHoldsThePipelineBehindIt(t *testing.T) {
	onBoth(t, testHeldCommandHoldsThePipelineBehindIt)
}

func testHeldCommandHoldsThePipelineBehindIt(t *testing.T, linked linker) {
	p, _, server, client := cacheLink(t, linked)
	ctx := patient(t)
	a := arm(t, p, Rule{Match: Match{Dir: history.Request, Labels: []string{"SET"}, Contains: "second"}, Do: Hold{}})
	done := make(chan error, 1)
	go func() {
		pipe := client.Pipeline()
		pipe.Set(ctx, "first", "1", 0)
		pipe.Set(ctx, "second", "2", 0)
		pipe.Set(ctx, "third", "3", 0)
		_, err := pipe.Exec(ctx)
		done <- err
	}()
	require.NoError(t, a.Wait(ctx, 0, 1))
	require.Eventually(t, func() bool { return server.Exists("first") }, patience, time.Millisecond)
	assert.False(t, server.Exists("second") || server.Exists("third"))
	a.Release()
	require.NoError(t, came(t, done))
	assert.True(t, server.Exists("third"))
}

func TestTapReadsKafka(t *testing.T) { onBoth(t, testTapReadsKafka) }

func testTapReadsKafka(t *testing.T, linked linker) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "payments"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	p, seen := linked(t, cluster.ListenAddrs()[0], wire.Kafka)
	client, err := kgo.NewClient(
		kgo.SeedBrokers(p.Address()), kgo.ConsumeTopics("payments"), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.Dialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, p.Address())
		}),
	)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	ctx := patient(t)
	a := arm(t, p, Rule{Fault: "lost", Match: Match{Dir: history.Answer, Labels: []string{"Produce"}, Nth: 1, Count: 1}, Do: Lose{}})
	record := &kgo.Record{Topic: "payments", Key: []byte("O-1"), Value: []byte("paid")}
	require.NoError(t, client.ProduceSync(ctx, record).FirstErr(), "the client sends it again by itself")
	assert.Equal(t, 1, a.Fired())
	fetches := client.PollFetches(ctx)
	require.NoError(t, fetches.Err())
	assert.Equal(t, 1, fetches.NumRecords(), "the broker knows it from its sequence number")

	produced := 0
	labels := map[string]bool{}
	for _, m := range seen.all() {
		labels[m.Dir+" "+m.Label] = true
		if m.Dir == history.Request && m.Label == "Produce" {
			produced++
			assert.Contains(t, string(m.Raw), "O-1", "what is not compressed can be joined to its order")
		}
	}
	assert.Equal(t, 2, produced)
	for _, label := range []string{"request ApiVersions", "answer ApiVersions", "request Metadata", "answer Metadata", "answer Produce", "answer Fetch"} {
		assert.True(t, labels[label], label)
	}
	assert.Zero(t, p.Unread())
}
