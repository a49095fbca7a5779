package stack

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/moby/moby/client"
)

// ended says whether a container that was started does not run any more.
func (e *engine) ended(ctx context.Context, id string) bool {
	info, err := e.api.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	return err == nil && !info.Container.State.Running
}

// labelled are the filters for what carries labels.
func labelled(labels map[string]string) client.Filters {
	f := client.Filters{}
	for k, v := range labels {
		f.Add("label", k+"="+v)
	}
	return f
}

// sweep removes all containers and networks that carry labels.
func (e *engine) sweep(labels map[string]string) error {
	ctx, cancel := context.WithTimeout(context.Background(), removeWait)
	defer cancel()
	boxes, err := e.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: labelled(labels)})
	if err != nil {
		return fmt.Errorf("looking for containers of the run: %w", err)
	}
	var things []func() error
	for _, b := range boxes.Items {
		things = append(things, func() error { return e.remove(b.ID) })
	}
	err = together(things...)
	nets, listed := e.api.NetworkList(ctx, client.NetworkListOptions{Filters: labelled(labels)})
	if listed != nil {
		return errors.Join(err, fmt.Errorf("looking for networks of the run: %w", listed))
	}
	for _, n := range nets.Items {
		err = errors.Join(err, e.removeNetwork(ctx, n.ID, n.Name))
	}
	return err
}

// sweep removes what a dead run left on the engine.
func (l Left) sweep(ctx context.Context) error {
	e, err := dialEngine(ctx)
	if err != nil {
		return err
	}
	return errors.Join(e.sweep(map[string]string{workdirLabel: l.Path, hostLabel: l.host}), e.close())
}

// leftOnEngine adds what dead runs of this machine left on the engine to what they left elsewhere.
func leftOnEngine(ctx context.Context, list []Left) ([]Left, error) {
	e, err := dialEngine(ctx)
	if err != nil {
		return list, err
	}
	defer e.close()
	any := client.Filters{}.Add("label", runLabel)
	boxes, err := e.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: any})
	if err != nil {
		return list, fmt.Errorf("looking for containers of dead runs: %w", err)
	}
	nets, err := e.api.NetworkList(ctx, client.NetworkListOptions{Filters: any})
	if err != nil {
		return list, fmt.Errorf("looking for networks of dead runs: %w", err)
	}
	of := func(labels map[string]string) *Left {
		path := labels[workdirLabel]
		if !deadHere(labels[hostLabel], path) {
			return nil
		}
		for i := range list {
			if list[i].Path == path {
				list[i].host = labels[hostLabel]
				return &list[i]
			}
		}
		list = append(list, Left{Path: path, onEngine: true, host: labels[hostLabel]})
		return &list[len(list)-1]
	}
	for _, b := range boxes.Items {
		if l := of(b.Labels); l != nil {
			l.Containers++
		}
	}
	for _, n := range nets.Items {
		if l := of(n.Labels); l != nil {
			l.Networks++
		}
	}
	return list, nil
}

// deadHere says whether a run was on this machine and is dead. What was there before the machine was started again is.
func deadHere(host, path string) bool {
	boot, name, _ := strings.Cut(host, "/")
	ownBoot, ownName, _ := strings.Cut(thisHost(), "/")
	if name != ownName || filepath.Base(path) == path || !strings.HasPrefix(filepath.Base(path), workPrefix) {
		return false
	}
	return boot != ownBoot || abandoned(path)
}

// together does several things side by side, and returns when all are done.
func together(things ...func() error) error {
	errs := make([]error, len(things))
	var all sync.WaitGroup
	for i, thing := range things {
		all.Go(func() { errs[i] = thing() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// discard removes containers of an experiment that has ended. It does not wait: Close does.
func (d *dockerSite) discard(boxes []*box) {
	for _, b := range boxes {
		if b.id != "" {
			d.discarded.Go(func() {
				if err := d.engine.remove(b.id); err != nil {
					d.mu.Lock()
					d.trouble = append(d.trouble, err)
					d.mu.Unlock()
				}
			})
		}
	}
}
