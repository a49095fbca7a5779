package stack

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"onedebit/fakebank"
)

// registryWait bounds the question whether an image could be pulled, which the engine passes on to a registry.
const registryWait = 3 * time.Second

// examineDocker looks at what the runtime docker needs: an engine, images, and that two containers of this very binary can
// be reached and may lose packets. Without an engine nothing else can be told.
func examineDocker(ctx context.Context, run Run) []Examined {
	const what = "engine"
	e, err := dialEngine(ctx)
	if err != nil {
		return []Examined{missing(what, err, "start Docker (systemctl start docker, or Docker Desktop), or let DOCKER_HOST say where it is; --runtime embedded needs none"), examineSettings(run.Env)}
	}
	defer func() { _ = e.close() }()
	version, err := e.api.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return []Examined{missing(what, err, "start the engine anew"), examineSettings(run.Env)}
	}
	out := []Examined{usable(what, "%s, API %s, %s/%s at %s", version.Version, e.api.ClientVersion(), version.Os, version.Arch, e.api.DaemonHost())}
	if info, err := e.api.Info(ctx, client.InfoOptions{}); err == nil {
		out = append(out, examineRoom("disk of the engine", info.Info.DockerRootDir))
	}
	out = append(out, examineSettings(run.Env))
	out = append(out, e.examineImages(ctx, run.Images)...)
	return append(out, e.examineContainers(ctx, run)...)
}

// examineSettings tells which settings from outside are in force.
func examineSettings(env []string) Examined {
	var set []string
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "TESTCONTAINERS_") || strings.HasPrefix(name, "DOCKER_") {
			set = append(set, v)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		if path := filepath.Join(home, ".testcontainers.properties"); exists(path) {
			set = append(set, path)
		}
	}
	slices.Sort(set)
	if len(set) == 0 {
		set = []string{"none of TESTCONTAINERS_* and DOCKER_* is set"}
	}
	return usable("settings", "%s", strings.Join(set, ", "))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// examineImages looks for the images of the servers, side by side.
func (e *engine) examineImages(ctx context.Context, images Images) []Examined {
	kinds := slices.Sorted(maps.Keys(serverKinds))
	out := make([]Examined, len(kinds))
	var asks []func() error
	for i, kind := range kinds {
		asks = append(asks, func() error {
			out[i] = e.examineImage(ctx, kind, images.of(kind, serverKinds[kind].image))
			return nil
		})
	}
	_ = together(asks...)
	return out
}

func (e *engine) examineImage(ctx context.Context, kind, image string) Examined {
	ctx, cancel := context.WithTimeout(ctx, registryWait)
	defer cancel()
	what := "image " + kind
	if image == ownServer {
		return usable(what, "this very binary stands in")
	}
	if _, err := e.api.ImageInspect(ctx, image); err == nil {
		return usable(what, "%s is there", image)
	}
	_, err := e.api.DistributionInspect(ctx, image, client.DistributionInspectOptions{})
	if err == nil {
		return usable(what, "%s is not there and will be pulled by the first run", image)
	}
	found := Examined{
		What: what, State: Missing, Found: fmt.Sprintf("%s is not there and cannot be pulled: %v", image, err),
		Do: fmt.Sprintf("--image %s=NAME or ONEDEBIT_IMAGES=%s=NAME names another, for example of a mirror", kind, kind),
	}
	usual, _ := dockerServers(Servers{})
	if !slices.Contains([]string{usual.DB, usual.Cache, usual.Queue}, kind) {
		found.State, found.Do = Limited, found.Do+"; it is needed only where a flag asks for "+kind
	}
	return found
}

// examineContainers brings a container of this very binary up, reaches it, and loses packets of its network.
func (e *engine) examineContainers(ctx context.Context, run Run) (out []Examined) {
	d := &dockerSite{run: run, engine: e, image: run.Images[ownKind]}
	if err := e.name(run.Workdir); err != nil {
		return []Examined{missing("temporary folder", err, "TMPDIR chooses another")}
	}
	var err error
	if d.image != "" {
		err = e.pull(ctx, ownKind, d.image)
	} else {
		d.image, err = e.haveOwnImage(ctx, run.Self[0])
	}
	if err != nil {
		return []Examined{missing("image "+ownKind, err, "build with CGO_ENABLED=0 for Linux, or name an image of this version: --image onedebit=NAME")}
	}
	out = append(out, usable("image "+ownKind, "%s is there", d.image))
	defer func() {
		if err := e.sweep(e.labels); err != nil {
			out = append(out, missing("removing", err, "onedebit clean tries again"))
		}
	}()
	if err := e.openNetwork(ctx); err != nil {
		return append(out, missing("network", err, "docker network prune frees addresses"))
	}
	id, found := d.examinePort(ctx)
	if out = append(out, found); found.State == Missing {
		return out
	}
	return append(out, d.examineKernel(ctx, id))
}

// examinePort starts a bank and asks it whether it is ready, through a port on this machine.
func (d *dockerSite) examinePort(ctx context.Context) (id string, found Examined) {
	const what = "published ports"
	const do = "let containers publish ports on this machine's loopback: rootless engines and those of other machines may not"
	address, err := d.run.Loopback.Fixed()
	if err != nil {
		return "", missing(what, err, "end what listens there")
	}
	role := BankRole{API: fmt.Sprintf(":%d", bankPort), Control: fmt.Sprintf(":%d", controlPort), Token: cryptorand.Text(), Bank: fakebank.Defaults()}
	role.Bank.Secret = "doctor"
	b := &box{
		journal: journal{tell: func(string) {}}, event: func(string, int, error) {}, engine: d.engine, name: "bank",
		config: func() (string, error) { return told("", role) }, address: address, ready: "http://" + address + "/readyz",
		part: part{
			name: "doctor", image: d.image, user: nobody, cmd: append(slices.Clone(d.run.Self[1:]), "bank"), stdin: true, own: true,
			ports: map[int]string{controlPort: address},
		},
	}
	began := time.Now()
	if err := errors.Join(b.make(ctx), b.Start(ctx)); err != nil {
		return b.id, missing(what, errors.Join(err, errors.New(strings.Join(b.LastWords(5), "\n"))), do)
	}
	return b.id, usable(what, "a container answered at %s after %d ms", address, time.Since(began).Milliseconds())
}

// examineKernel loses packets in the network of a container.
func (d *dockerSite) examineKernel(ctx context.Context, beside string) Examined {
	said := &lastBytes{}
	_, _, err := d.engine.kernel(ctx, said, d.kernelPart("doctor-"+KernelRole, beside), nil)
	if err != nil {
		found := missing("packet loss", errors.Join(err, said.err()), "the engine must allow the capability NET_ADMIN, and its kernel needs nftables (nf_tables, nft_numgen, nft_reject_inet); scenarios without packet-loss, black-hole and reject need neither")
		found.State = Limited
		return found
	}
	return usable("packet loss", "NET_ADMIN is allowed, and nftables loses, counts and rejects")
}
