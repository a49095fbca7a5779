package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/agext/levenshtein"
)

// toxicWait bounds how long a change of the toxics may take, whatever the caller's context allows.
const toxicWait = 10 * time.Second

// armedToxic is one of Toxiproxy's own toxics in force on a proxy of this process.
type armedToxic struct {
	name, typ, stream string

	proxy *Proxy
	from  int // messages that had passed when it was put in force

	mu      sync.Mutex
	removed bool
	to      int // messages that had passed when it was removed
}

// Toxic puts one of Toxiproxy's own toxics in force, as Link.Toxic says.
func (p *Proxy) Toxic(ctx context.Context, name, typ, stream string, attributes map[string]any) (ArmedToxic, error) {
	if stream == "" {
		stream = "downstream"
	}
	if err := checkToxic(name, typ, stream, attributes); err != nil {
		return nil, fmt.Errorf("adding toxic %q to link %s: %w", name, p.cfg.Name, err)
	}
	body, err := json.Marshal(map[string]any{
		"name": name, "type": typ, "stream": stream, "toxicity": 1, "attributes": attributes,
	})
	if err != nil {
		return nil, fmt.Errorf("adding toxic %q to link %s: %w", name, p.cfg.Name, err)
	}
	t := &armedToxic{name: name, typ: typ, stream: stream, proxy: p, from: p.tap.Passed(tapStreams[stream])}
	err = within(ctx, func() error {
		if typ == "reset_peer" {
			p.linger(0)
		}
		_, err := p.links.Toxics.AddToxicJson(bytes.NewReader(body))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("adding toxic %q to link %s: %w", name, p.cfg.Name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.toxics[name] = t
	return t, nil
}

func (t *armedToxic) Fired(context.Context) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.removed {
		return t.proxy.tap.Passed(tapStreams[t.stream]) - t.from, nil
	}
	return t.to - t.from, nil
}

func (t *armedToxic) Remove(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.removed {
		return nil
	}
	p := t.proxy
	err := within(ctx, func() error {
		err := p.links.Toxics.RemoveToxic(ctx, t.name)
		if t.typ == "reset_peer" {
			p.linger(-1) // Toxiproxy would leave it, and every later close would be a RST
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("removing toxic %q from link %s: %w", t.name, p.cfg.Name, err)
	}
	t.removed, t.to = true, p.tap.Passed(tapStreams[t.stream])
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.toxics, t.name)
	return nil
}

// linger sets how live connections are closed: 0 with a RST, -1 in the usual way.
func (p *Proxy) linger(seconds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		for _, end := range c.ends {
			_ = end.SetLinger(seconds)
		}
	}
}

// within runs what Toxiproxy may keep for ever: it waits for toxics that may wait for a peer.
func within(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, toxicWait)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("waiting for Toxiproxy to let go of the connections: %w", ctx.Err())
	}
}

// checkToxic finds what Toxiproxy would refuse without saying why, or would silently ignore.
func checkToxic(name, typ, stream string, attributes map[string]any) error {
	if name == "" {
		return fmt.Errorf("it needs a name")
	}
	if tapStreams[stream] == "" {
		names := slices.Sorted(maps.Keys(tapStreams))
		return fmt.Errorf("stream %q is none of %s%s", stream, strings.Join(names, ", "), nearest(stream, names))
	}
	types := ToxicTypes()
	if !slices.Contains(types, typ) {
		return fmt.Errorf("type %q is none of %s%s", typ, strings.Join(types, ", "), nearest(typ, types))
	}
	valid := ToxicAttributes(typ)
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		if !slices.Contains(valid, key) {
			return fmt.Errorf("attribute %q of %s is none of %s%s", key, typ, strings.Join(valid, ", "), nearest(key, valid))
		}
	}
	return nil
}

// ToxicTypes are the types of Toxiproxy's own toxics, in order.
func ToxicTypes() []string {
	return []string{"bandwidth", "latency", "limit_data", "reset_peer", "slicer", "slow_close", "timeout"}
}

// ToxicAttributes are the names of the attributes of a type of toxic, in order; none for a type that there is not.
func ToxicAttributes(typ string) []string {
	toxic := toxics.New(&toxics.ToxicWrapper{Type: typ})
	if toxic == nil || typ == tapToxicType {
		return nil
	}
	var out []string
	t := reflect.TypeOf(toxic).Elem()
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag != "" {
			out = append(out, tag)
		}
	}
	slices.Sort(out)
	return out
}

// nearest suggests the name that was meant, where one is near enough.
func nearest(name string, valid []string) string {
	best, at := "", 0.5
	for _, v := range valid {
		if s := levenshtein.Similarity(name, v, nil); s > at {
			best, at = v, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
