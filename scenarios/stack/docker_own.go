package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/moby/client"

	"onedebit/scenarios/targets"
)

// caInContainer is where a service in a container finds the certificate authority that it is to trust.
const caInContainer = "/onedebit-ca.pem"

// portOf is the port on which a process listens in its container.
func portOf(p *targets.Process) int {
	if p.Listen.Port > 0 {
		return p.Listen.Port
	}
	return servicePort
}

// imageBox is the container of an instance of somebody's own service, still to be made. It is made when the proxies run: names
// fixed in its code lead to their address.
func (s *dockerStack) imageBox(p *targets.Process, n int, vars targets.Vars) (*box, error) {
	address := ""
	b := &box{engine: s.site.engine, name: instanceName(p.Name, n), config: func() (string, error) { return "", nil }}
	made, err := s.imagePart(p, n, vars)
	if err != nil {
		return nil, err
	}
	if p.Reachable() {
		if address, err = s.Loopback.Fixed(); err != nil {
			return nil, errors.Join(ErrNotUp, err)
		}
		made.ports = map[int]string{portOf(p): address}
		b.address, b.ready = address, heldScheme+"://"+address
		if p.Ready.Get != "" {
			b.ready = "http://" + address + p.Ready.Get
		}
	}
	b.part = made
	b.before = func(ctx context.Context) error { return s.completePart(ctx, p, &b.part) }
	if p.BeforeRestart != "" {
		b.again = func(ctx context.Context) error { return s.SQL(ctx, p.BeforeRestart) }
	}
	return b, nil
}

// imagePart is what can be said of the container of a process before anything runs.
func (s *dockerStack) imagePart(p *targets.Process, n int, vars targets.Vars) (out part, err error) {
	own := vars.With(targets.Vars{
		"instance": strconv.Itoa(n), "listen": fmt.Sprintf("0.0.0.0:%d", portOf(p)), "listen.host": "0.0.0.0", "listen.port": portOf(p),
	})
	out = part{name: s.at(instanceName(p.Name, n)), image: p.Image, env: map[string]string{}, files: map[string]string{}, stdin: true}
	place := "processes." + p.Name
	for i, word := range p.Run {
		filled, err := own.Expand(word)
		if err != nil {
			return out, fmt.Errorf("%s.run, word %d: %w: %w", place, i+1, ErrNotUp, err)
		}
		out.cmd = append(out.cmd, filled)
	}
	if s.authority != nil {
		out.files[caInContainer] = string(s.authority.PEM)
		for _, name := range trustVars {
			out.env[name] = caInContainer
		}
	}
	for name, text := range p.Env {
		if out.env[name], err = own.Expand(text); err != nil {
			return out, fmt.Errorf("%s.env.%s: %w: %w", place, name, ErrNotUp, err)
		}
	}
	for name, text := range p.Files {
		if out.files[name], err = own.Expand(text); err != nil {
			return out, fmt.Errorf("%s.files.%s: %w: %w", place, name, ErrNotUp, err)
		}
	}
	return out, nil
}

// completePart says what is known only when the image is there and the proxies run: where its files go, and where names lead.
func (s *dockerStack) completePart(ctx context.Context, p *targets.Process, out *part) error {
	api := s.site.engine.api
	if err := s.site.engine.pull(ctx, ownKind, p.Image); err != nil {
		return fmt.Errorf("process %s: %w", p.Name, err)
	}
	image, err := api.ImageInspect(ctx, p.Image)
	if err != nil {
		return fmt.Errorf("asking for image %s: %w: %w", p.Image, ErrNotUp, err)
	}
	folder := "/"
	if image.Config != nil && image.Config.WorkingDir != "" {
		folder = image.Config.WorkingDir
	}
	files := map[string]string{}
	for name, text := range out.files {
		if !path.IsAbs(name) {
			name = path.Join(folder, name)
		}
		files[name] = text
	}
	out.files, out.hosts = files, nil
	names := hostNames(s.Target, p)
	if len(names) == 0 {
		return nil
	}
	info, err := api.ContainerInspect(ctx, s.proxies.id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("asking where the proxies are: %w: %w", ErrNotUp, err)
	}
	for _, network := range info.Container.NetworkSettings.Networks {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			out.hosts = append(out.hosts, name+":"+network.IPAddress.String())
		}
	}
	return nil
}

// runInContainer runs a command of the schema in a container of the first process's image.
func (s *dockerStack) runInContainer(ctx context.Context, words []string, vars targets.Vars) error {
	first := s.Target.Processes[0]
	made, err := s.imagePart(first, 1, vars)
	if err != nil {
		return err
	}
	made.name, made.stdin, made.cmd = s.at("schema"), false, nil
	for _, word := range words {
		filled, err := vars.Expand(word)
		if err != nil {
			return err
		}
		made.cmd = append(made.cmd, filled)
	}
	e := s.site.engine
	if err := s.completePart(ctx, first, &made); err != nil {
		return err
	}
	id, err := e.create(ctx, made)
	defer func() { _ = e.remove(id) }()
	if err != nil {
		return err
	}
	if err := e.start(ctx, id, made.name); err != nil {
		return err
	}
	wait := e.api.ContainerWait(ctx, id, client.ContainerWaitOptions{})
	select {
	case r := <-wait.Result:
		if r.StatusCode == 0 {
			return nil
		}
		return fmt.Errorf("%s: exit status %d; it said:\n%s", strings.Join(words, " "), r.StatusCode, e.last(id))
	case err := <-wait.Error:
		return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
	}
}
