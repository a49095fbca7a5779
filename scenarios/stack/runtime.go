package stack

import (
	"context"

	"onedebit/scenarios/registry"
	"onedebit/scenarios/targets"
)

// Runtime knows how to bring the parts of an experiment up and how to reach them.
type Runtime struct {
	Name    string
	Doc     string
	Servers func(Servers) (Servers, error) // fills in what was not asked for, or says what is wrong with what was
	Links   func(Servers) []string         // the links it has; a scenario that needs another is skipped there
	// Abilities are those of Abilities that it has; a scenario that needs another is skipped there.
	Abilities func(Servers) []string
	Open      func(context.Context, Run) (Site, error)
	Examine   func(context.Context, Run) []Examined // what it needs of the machine, in the order in which one thing needs another

	unfit func(*targets.Target) string // what of a target of somebody's own it cannot do, or ""
}

// Run is what the experiments of one run share.
type Run struct {
	Servers  Servers
	Images   Images   // of containers, where they are not the public ones
	Self     []string // command that runs a role of this very binary; the role's name is added
	Env      []string // environment for processes of the target
	Workdir  *Workdir
	Loopback *Loopback
}

// Site is where the experiments of one run take place.
type Site interface {
	// Up brings the parts of one experiment up. The stack is there to be taken down also where there is an error.
	Up(context.Context, Spec) (*Stack, error)
	// Close takes down what the experiments have shared. The error is what may have been left behind.
	Close() error
}

// Abilities are what a scenario may need of a runtime beyond links, each with what it is.
var Abilities = map[string]string{
	Instances: "a second process of the service beside the first",
	Clock:     "services that can be started in another time",
	Packets:   "a kernel of the proxies' own that loses packets",

	RestartCache: "a cache of the experiment's own that can be restarted",
	RestartDB:    "a database server of the experiment's own that can be restarted",
	RestartQueue: "a broker of the experiment's own that can be restarted and keeps what it has",
}

// The abilities by name.
const (
	Instances = "instances"
	Clock     = targets.Clock // which the target must have too
	Packets   = "kernel"      // Stack.Kernel

	RestartCache = "restart-" + CacheLink
	RestartDB    = "restart-" + DBLink
	RestartQueue = "restart-" + QueueLink
)

var runtimes = registry.New("runtime", func(r *Runtime) string { return r.Name })

func register(r Runtime) *Runtime {
	return runtimes.Add(r, r.Doc != "" && r.Servers != nil && r.Links != nil && r.Abilities != nil && r.Open != nil && r.Examine != nil)
}

// Runtimes are the runtimes, by name.
func Runtimes() []*Runtime { return runtimes.All() }

// RuntimeNamed finds a runtime by its name.
func RuntimeNamed(name string) (*Runtime, bool) { return runtimes.Named(name) }
