package stack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/targets"
)

func TestServersForATarget(t *testing.T) {
	own := func(edit func(*targets.Target)) *targets.Target {
		out := &targets.Target{Name: "shop", Processes: targets.Processes{{Name: "api", Run: []string{"./api"}, Listen: targets.Listen{Auto: true}}}}
		edit(out)
		return out
	}
	image := func(t *targets.Target) { t.Processes[0].Run, t.Processes[0].Image = nil, "shop" }
	engine := func(name string) func(*targets.Target) {
		return func(t *targets.Target) { t.Database = &targets.Database{Engine: name} }
	}
	for name, test := range map[string]struct {
		runtime *Runtime
		target  *targets.Target
		asked   Servers
		want    Servers
		wrong   string
	}{
		"nothing used":               {runtime: Embedded, target: own(func(*targets.Target) {})},
		"nothing used, in vain":      {runtime: Embedded, target: own(func(*targets.Target) {}), asked: Servers{Cache: "redis://127.0.0.1:1/0"}, wrong: "--cache: target shop names no such server"},
		"a file":                     {runtime: Embedded, target: own(engine("sqlite"))},
		"a file, in vain":            {runtime: Embedded, target: own(engine("sqlite")), asked: Servers{DB: "mysql://a:b@127.0.0.1:1/x"}, wrong: "keeps its payments in a file"},
		"no server":                  {runtime: Embedded, target: own(engine("postgres")), wrong: "target shop needs postgres: give a server with --db postgres://"},
		"another server":             {runtime: Embedded, target: own(engine("postgres")), asked: Servers{DB: "mysql://a:b@127.0.0.1:1/x"}, wrong: "needs postgres, not mysql"},
		"its server":                 {runtime: Embedded, target: own(engine("mysql")), asked: Servers{DB: "mysql://a:b@127.0.0.1:1/x"}, want: Servers{DB: "mysql://a:b@127.0.0.1:1/x"}},
		"an image on this machine":   {runtime: Embedded, target: own(image), wrong: "process api is an image; --runtime docker runs it"},
		"a command in containers":    {runtime: Docker, target: own(func(*targets.Target) {}), wrong: "process api is started by a command"},
		"a file in containers":       {runtime: Docker, target: own(func(t *targets.Target) { image(t); engine("sqlite")(t) }), wrong: "a file in its container"},
		"its server in containers":   {runtime: Docker, target: own(func(t *targets.Target) { image(t); engine("mysql")(t) }), want: Servers{DB: "mysql"}},
		"any server in containers":   {runtime: Docker, target: own(func(t *targets.Target) { image(t); engine("")(t) }), want: Servers{DB: "postgres"}},
		"its broker in containers":   {runtime: Docker, target: own(func(t *targets.Target) { image(t); t.Links = map[string]*targets.Link{"queue": {Engine: "kafka"}} }), want: Servers{Queue: "kafka"}},
		"a broker that is not there": {runtime: Embedded, target: own(func(t *targets.Target) { t.Links = map[string]*targets.Link{"queue": {Engine: "rabbitmq"}} }), wrong: "needs RabbitMQ"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.runtime.For(test.target, test.asked)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestRemoteOf(t *testing.T) {
	at := func(urls ...string) *targets.Target {
		out := &targets.Target{}
		for _, u := range urls {
			out.Processes = append(out.Processes, &targets.Process{URL: u})
		}
		return out
	}
	assert.Empty(t, RemoteOf(at("http://127.0.0.1:8080", "http://localhost/x", "")))
	assert.Equal(t, []string{"pay.example"}, RemoteOf(at("https://pay.example/v1", "http://pay.example")))
}
