package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// registry keeps one kind of neighbour by the scheme of its URL. Each entry is one file that registers itself in its
// own declaration.
type registry[K any] map[string]K

// register keeps a kind; an empty scheme, or the scheme of another, is a mistake in this package.
func (r registry[K]) register(scheme string, kind K) K {
	if scheme == "" {
		panic("reference: a kind without a scheme")
	}
	if _, taken := r[scheme]; taken {
		panic("reference: two kinds have the scheme " + scheme)
	}
	r[scheme] = kind
	return kind
}

// schemes returns a sorted copy of the schemes that are known.
func (r registry[K]) schemes() []string { return slices.Sorted(maps.Keys(r)) }

// of finds the kind that a URL asks for. Its error names the schemes that there are, and not the URL, which may hold a
// password.
func (r registry[K]) of(address string) (K, error) {
	scheme, _, isURL := strings.Cut(address, "://")
	if kind, ok := r[scheme]; ok && isURL {
		return kind, nil
	}
	if !isURL {
		scheme = "" // what stands there may be anything
	}
	var none K
	return none, fmt.Errorf("%.20q is no scheme that is known here, give one of %s", scheme, strings.Join(r.schemes(), "://, ")+"://")
}
