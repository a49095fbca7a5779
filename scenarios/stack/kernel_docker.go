package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// administrator is the user that may use the right to administer a network: a capability that is added to a container is
// root's alone.
const administrator = "0:0"

// kernelBox is the kernel of the proxies' network, reached through a container that stands beside theirs: an image of this
// very binary with the right to administer that network, and no port. It is brought up when it is first asked for.
type kernelBox struct {
	stack *dockerStack
	proxy string // container of the proxies

	mu     sync.Mutex
	kernel *Kernel
	id     string
	said   *lastBytes
}

// offerKernel lets faults ask for the kernel of the proxies' network.
func (s *dockerStack) offerKernel(proxy string) {
	k := &kernelBox{stack: s, proxy: proxy, said: &lastBytes{}}
	s.onClose(func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		s.site.discard([]*box{{id: k.id}})
		return nil
	})
	s.Kernel = k.up
}

func (k *kernelBox) up(ctx context.Context) (*Kernel, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kernel != nil || k.id != "" {
		return k.kernel, k.trouble(nil)
	}
	s := k.stack
	ports := map[string]int{}
	for i, link := range s.proxy.Links {
		ports[link.Name] = firstLinkPort + i
	}
	var err error
	k.kernel, k.id, err = s.site.engine.kernel(ctx, k.said, s.site.kernelPart(s.at(KernelRole), k.proxy), ports)
	return k.kernel, k.trouble(err)
}

// trouble is what kept the kernel from being reached. It is not tried twice.
func (k *kernelBox) trouble(err error) error {
	if k.kernel != nil && err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("breaking packets in containers (onedebit doctor says what that needs): %w", ErrNotUp), err, k.said.err())
}

// kernelPart is a container that breaks packets in the network of another.
func (d *dockerSite) kernelPart(name, beside string) part {
	return part{
		name: name, image: d.image, user: administrator, cmd: append(slices.Clone(d.run.Self[1:]), KernelRole),
		env: map[string]string{ConfigVar: "{}"}, stdin: true, own: true, net: beside,
	}
}

// kernel starts a container that breaks packets, and speaks to it. The container is to be removed also where there is an
// error.
func (e *engine) kernel(ctx context.Context, said io.Writer, p part, ports map[string]int) (k *Kernel, id string, err error) {
	if id, err = e.create(ctx, p); err != nil {
		return nil, id, err
	}
	streams, err := e.api.ContainerAttach(context.WithoutCancel(ctx), id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, id, fmt.Errorf("listening to %s: %w: %w", p.name, ErrNotUp, err)
	}
	if err := e.start(ctx, id, p.name); err != nil {
		streams.Close()
		return nil, id, err
	}
	out, w := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(w, said, streams.Reader)
		w.CloseWithError(err)
		streams.Close()
	}()
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	k, err = DialKernel(ctx, streams.Conn, out, ports)
	return k, id, err
}

// lastBytes keeps the last of what is written to it.
type lastBytes struct {
	mu   sync.Mutex
	text []byte
}

const keptBytes = 4 << 10

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-keptBytes):]
	return len(p), nil
}

// err is what was written, or nothing.
func (l *lastBytes) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := strings.TrimSpace(string(l.text)); text != "" {
		return errors.New(text)
	}
	return nil
}
