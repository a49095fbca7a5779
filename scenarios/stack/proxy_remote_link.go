package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// remoteLink is a Link whose proxy is elsewhere.
type remoteLink struct {
	proxies *RemoteProxies
	name    string
	address string
}

func (l *remoteLink) path(rest string) string {
	return "/control/links/" + url.PathEscape(l.name) + "/" + rest
}

func (l *remoteLink) Address() string { return l.address }

func (l *remoteLink) Arm(ctx context.Context, rule Rule) (Armed, error) {
	a := &remoteArmed{link: l, fault: rule.Fault}
	if do, ok := rule.Do.(Do); ok {
		rule.Do = remoteDo{Before: l.proxies.name(do.Before), After: l.proxies.name(do.After)}
	}
	var made controlMade
	if err := l.proxies.call(ctx, http.MethodPost, l.path("rules"), rule, &made); err != nil {
		return nil, err
	}
	a.path = l.path("rules/" + made.ID)
	return a, nil
}

func (l *remoteLink) Toxic(ctx context.Context, name, typ, stream string, attributes map[string]any) (ArmedToxic, error) {
	var made controlMade
	in := controlToxic{Name: name, Type: typ, Stream: stream, Attributes: attributes}
	if err := l.proxies.call(ctx, http.MethodPost, l.path("toxics"), in, &made); err != nil {
		return nil, err
	}
	return &remoteToxic{proxies: l.proxies, path: l.path("toxics/" + made.ID)}, nil
}

func (l *remoteLink) Up(ctx context.Context) error {
	return l.proxies.call(ctx, http.MethodPost, l.path("up"), nil, nil)
}

func (l *remoteLink) Down(ctx context.Context) error {
	return l.proxies.call(ctx, http.MethodPost, l.path("down"), nil, nil)
}

// remoteArmed is a rule in force at a proxy elsewhere.
type remoteArmed struct {
	link  *remoteLink
	fault string
	path  string
}

func (a *remoteArmed) Counts(ctx context.Context) (fired, holding int, err error) {
	var out controlCounts
	err = a.link.proxies.call(ctx, http.MethodGet, a.path, nil, &out)
	return out.Fired, out.Holding, err
}

func (a *remoteArmed) Wait(ctx context.Context, fired, holding int) error {
	for ctx.Err() == nil {
		var out controlCounts
		path := fmt.Sprintf("%s/wait?fired=%d&holding=%d&timeout_ns=%d", a.path, fired, holding, remoteSlice)
		err := a.link.proxies.call(ctx, http.MethodGet, path, nil, &out)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			return err
		case out.Fired >= fired && out.Holding >= holding:
			return nil
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), remoteLast)
	defer cancel()
	f, h, err := a.Counts(last)
	if err == nil && f >= fired && h >= holding {
		return nil
	}
	return errors.Join(waitedFor(a.fault, a.link.name, f, h, ctx.Err()), err)
}

func (a *remoteArmed) Release(ctx context.Context) error {
	return a.link.proxies.call(ctx, http.MethodPost, a.path+"/release", nil, nil)
}

func (a *remoteArmed) Remove(ctx context.Context) error {
	return a.link.proxies.call(ctx, http.MethodDelete, a.path, nil, nil)
}

// remoteToxic is a toxic in force at a proxy elsewhere.
type remoteToxic struct {
	proxies *RemoteProxies
	path    string
}

func (t *remoteToxic) Fired(ctx context.Context) (int, error) {
	var out controlCounts
	err := t.proxies.call(ctx, http.MethodGet, t.path, nil, &out)
	return out.Fired, err
}

func (t *remoteToxic) Remove(ctx context.Context) error {
	return t.proxies.call(ctx, http.MethodDelete, t.path, nil, nil)
}
