package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"
)

// engineWait bounds one question to the engine; makeWait what may have to pull an image.
const (
	engineWait = 4 * time.Second
	removeWait = 30 * time.Second
	// removeAgain is how long a removal that another one is in the way of is left alone.
	removeAgain = 50 * time.Millisecond
	makeWait    = 5 * time.Minute
)

// engine is a Docker engine on this machine.
type engine struct {
	api    *client.Client
	maker  *testcontainers.DockerProvider
	labels map[string]string // on everything that is made
	net    string            // the network of the run
	prefix string            // of the names of containers
}

// quietTestcontainers settles what testcontainers reads from its surroundings. Removing what a dead run has left is our own
// task, by labels: its reaper is an image that many a network cannot pull. Whoever sets the variable gets the reaper.
var quietTestcontainers = sync.OnceFunc(func() {
	tclog.SetDefault(tclog.NewNoopLogger())
	if os.Getenv("TESTCONTAINERS_RYUK_DISABLED") == "" {
		_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	}
})

// dialEngine reaches the engine. The error says what to do where there is none.
func dialEngine(ctx context.Context) (*engine, error) {
	quietTestcontainers()
	ctx, cancel := context.WithTimeout(ctx, engineWait)
	defer cancel()
	// Testcontainers would go on to another engine where the one that is asked for does not answer.
	api, err := client.New(client.FromEnv)
	if err == nil && os.Getenv(client.EnvOverrideHost) == "" {
		_ = api.Close()
		var found *testcontainers.DockerClient
		if found, err = testcontainers.NewDockerClientWithOpts(ctx); err == nil {
			api = found.Client
		}
	}
	if err == nil {
		_, err = api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true})
	}
	if err != nil {
		return nil, fmt.Errorf("no Docker engine answers: start one, or let DOCKER_HOST say where it is; --runtime embedded needs none: %w: %w", ErrNotUp, err)
	}
	e := &engine{api: api}
	if u, err := url.Parse(e.api.DaemonHost()); err == nil && u.Hostname() != "" && u.Scheme != "unix" && u.Scheme != "npipe" {
		if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
			return nil, fmt.Errorf("the Docker engine at %s is on another machine, whose loopback cannot be reached from here: use one on this machine: %w",
				e.api.DaemonHost(), ErrNotUp)
		}
	}
	e.maker, err = testcontainers.NewDockerProvider(testcontainers.WithLogger(tclog.NewNoopLogger()))
	if err != nil {
		return nil, fmt.Errorf("asking the Docker engine at %s: %w: %w", e.api.DaemonHost(), ErrNotUp, err)
	}
	return e, nil
}

// openNetwork makes the network of a run.
func (e *engine) openNetwork(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, makeWait)
	defer cancel()
	n, err := tcnetwork.New(ctx, tcnetwork.WithLabels(e.labels))
	if err != nil {
		return fmt.Errorf("making a network on the Docker engine (docker network prune frees addresses): %w: %w", ErrNotUp, err)
	}
	e.net = n.Name
	return nil
}

// part is a container to be made.
type part struct {
	name  string // on the network, unique in the run
	image string
	user  string
	cmd   []string
	env   map[string]string
	ports map[int]string    // port of the container → address of this machine
	tmpfs string            // folder that is kept in memory; "" for none
	stdin bool              // its standard input ends with the harness
	own   bool              // runs this very binary, which needs no rights
	files map[string]string // by place in the container: what is written there before it starts
	hosts []string          // NAME:ADDRESS, beside the names of the network; with any, no other name is looked up elsewhere
	net   string            // id of the container in whose network it is, with the right to administer it; "" for the network of the run
}

// pull makes sure that an image is there.
func (e *engine) pull(ctx context.Context, kind, image string) error {
	ctx, cancel := context.WithTimeout(ctx, makeWait)
	defer cancel()
	if image == ownServer {
		return nil
	}
	if _, err := e.api.ImageInspect(ctx, image); err == nil {
		return nil
	}
	out, err := e.api.ImagePull(ctx, image, client.ImagePullOptions{})
	if err == nil {
		err = heard(out)
	}
	if err != nil {
		return fmt.Errorf("image %s is not on the engine and cannot be pulled; --image %s=NAME or ONEDEBIT_IMAGES names another: %w: %w", image, kind, ErrNotUp, err)
	}
	return nil
}

// create makes a container.
func (e *engine) create(ctx context.Context, p part) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, makeWait)
	defer cancel()
	req := testcontainers.ContainerRequest{
		Name: e.prefix + p.name, Image: p.image, Cmd: p.cmd, Env: p.env, Labels: map[string]string{},
		ConfigModifier: func(c *container.Config) {
			c.OpenStdin, c.StdinOnce, c.User = p.stdin, p.stdin, p.user
		},
	}
	for k, v := range e.labels {
		req.Labels[k] = v
	}
	if p.net == "" {
		req.Networks, req.NetworkAliases = []string{e.net}, map[string][]string{e.net: {p.name}}
	}
	if p.tmpfs != "" {
		req.Tmpfs = map[string]string{p.tmpfs: "rw"}
	}
	for _, place := range slices.Sorted(maps.Keys(p.files)) {
		req.Files = append(req.Files, testcontainers.ContainerFile{Reader: strings.NewReader(p.files[place]), ContainerFilePath: place, FileMode: 0o644})
	}
	bindings := network.PortMap{}
	for port, address := range p.ports {
		name := strconv.Itoa(port) + "/tcp"
		host, err := netip.ParseAddrPort(address)
		if err != nil {
			return "", fmt.Errorf("publishing port %s of %s: %w", name, p.name, err)
		}
		req.ExposedPorts = append(req.ExposedPorts, name)
		bindings[network.MustParsePort(name)] = []network.PortBinding{{HostIP: host.Addr(), HostPort: strconv.Itoa(int(host.Port()))}}
	}
	req.HostConfigModifier = func(h *container.HostConfig) {
		h.PortBindings = bindings
		if len(p.hosts) > 0 {
			h.ExtraHosts, h.DNS = p.hosts, []netip.Addr{netip.MustParseAddr(nowhere)}
		}
		if p.own {
			h.CapDrop, h.SecurityOpt, h.ReadonlyRootfs = []string{"ALL"}, []string{"no-new-privileges"}, true
		}
		if p.net != "" {
			h.NetworkMode, h.CapAdd = container.NetworkMode("container:"+p.net), []string{"NET_ADMIN"}
		}
	}
	made, err := e.maker.CreateContainer(ctx, req)
	if made != nil {
		id = made.GetContainerID()
	}
	if err != nil {
		return id, fmt.Errorf("making container %s from image %s: %w: %w", p.name, p.image, ErrNotUp, err)
	}
	return id, nil
}

// start starts a container that was made.
func (e *engine) start(ctx context.Context, id, name string) error {
	if _, err := e.api.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("starting container %s: %w: %w", name, ErrNotUp, err)
	}
	return nil
}

// remove removes a container with all that it has. One that is gone is no error.
func (e *engine) remove(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), removeWait)
	defer cancel()
	if id == "" {
		return nil
	}
	return untilGone(ctx, func() error {
		_, err := e.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil {
			return nil
		}
		return fmt.Errorf("removing container %.12s: %w", id, err)
	})
}

// removeNetwork removes a network. One that is gone is no error. A container that dies while it is being started may
// leave its end of the network behind: it is cut off.
func (e *engine) removeNetwork(ctx context.Context, id, name string) error {
	return untilGone(ctx, func() error {
		_, err := e.api.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
		if err == nil {
			return nil
		}
		if held, ierr := e.api.NetworkInspect(ctx, id, client.NetworkInspectOptions{}); ierr == nil {
			for box := range held.Network.Containers {
				_, _ = e.api.NetworkDisconnect(ctx, id, client.NetworkDisconnectOptions{Container: box, Force: true})
			}
		}
		return fmt.Errorf("removing network %s: %w", name, err)
	})
}

// gone says whether an error is that something is not there.
func gone(err error) bool {
	return strings.Contains(err.Error(), "No such") || strings.Contains(err.Error(), "not found")
}

// untilGone asks for a removal until what is to be removed is not there. What the engine refuses is asked again for a while,
// since much of it passes: another caller's removal is under way, a network's last container has just gone, a container ends
// by itself between the engine's look at it and its kill. What depends on the removal must not come too early either.
func untilGone(ctx context.Context, remove func() error) error {
	ctx, cancel := context.WithTimeout(ctx, removeWait)
	defer cancel()
	for {
		err := remove()
		switch {
		case err == nil, gone(err):
			return nil
		case !strings.Contains(err.Error(), "response from daemon"):
			return err // the engine cannot be asked at all
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(removeAgain):
		}
	}
}

// last are the last lines that a container has said, for an error.
func (e *engine) last(id string) string {
	ctx, cancel := context.WithTimeout(context.Background(), engineWait)
	defer cancel()
	out, err := e.api.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "12"})
	if err != nil {
		return ""
	}
	defer out.Close()
	j := journal{tell: func(string) {}}
	j.read(demultiplexed(out))
	return strings.Join(j.LastWords(12), "\n")
}

// Close lets go of the engine.
func (e *engine) close() error { return errors.Join(e.maker.Close(), e.api.Close()) }
