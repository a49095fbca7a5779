package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// ServerRestart kills a server that the service relies on and starts it again. The experiment has that server to itself.
var ServerRestart = register(Kind{
	Name:    "server-restart",
	Doc:     "the server of a link (db, cache, queue) is killed with kill -9 and started again; with lose it comes back empty",
	Example: "server-restart: {server: cache, lose: true}",
	New:     func() Fault { return &serverRestart{} },
})

type serverRestart struct {
	Server string `yaml:"server"`
	Lose   bool   `yaml:"lose"`
}

func (f *serverRestart) Validate() error {
	valid := stack.RestartableServers()
	switch {
	case f.Server == "":
		return errors.New("server: say which server is restarted")
	case !slices.Contains(valid, f.Server):
		return fmt.Errorf("server: %s", decode.UnknownName("server", f.Server, valid))
	case f.Lose && f.Server != stack.CacheLink:
		return errors.New("lose: only a cache may lose what it had; no service is right without its database, or a broker that keeps what it has confirmed")
	}
	return nil
}

func (f *serverRestart) Links() []string     { return []string{f.Server} }
func (f *serverRestart) Abilities() []string { return []string{stack.RestartAbility(f.Server)} }

func (f *serverRestart) Text() string {
	if f.Lose {
		return fmt.Sprintf("the server of link %s is killed and comes back empty", f.Server)
	}
	return fmt.Sprintf("the server of link %s is killed and started again", f.Server)
}

func (f *serverRestart) Arm(ctx context.Context, env *Env) (Armed, error) {
	return instant{1}, env.Stack.Restart(ctx, f.Server, f.Lose)
}
