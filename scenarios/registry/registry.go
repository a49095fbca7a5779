// Package registry keeps the kinds of one family by name. Each kind adds itself from its own file, so that there is no
// list beside the files.
package registry

import (
	"fmt"
	"maps"
	"slices"
)

// Of are the kinds of one family. They are added while packages are initialized, and only read afterwards.
type Of[T any] struct {
	family string
	name   func(*T) string
	byName map[string]*T
}

// New is an empty registry. The family is what one of them is called in messages.
func New[T any](family string, name func(*T) string) *Of[T] {
	return &Of[T]{family: family, name: name, byName: map[string]*T{}}
}

// Add makes a kind known. It panics on one that is not complete and on an empty or doubled name: a mistake in the
// program that no user can meet.
func (o *Of[T]) Add(kind T, complete bool) *T {
	name := o.name(&kind)
	if name == "" || !complete {
		panic(fmt.Sprintf("%s %q is not complete", o.family, name))
	}
	if o.byName[name] != nil {
		panic(fmt.Sprintf("%s %q is registered twice", o.family, name))
	}
	o.byName[name] = &kind
	return &kind
}

// All are the kinds, by name.
func (o *Of[T]) All() []*T {
	out := make([]*T, 0, len(o.byName))
	for _, name := range o.Names() {
		out = append(out, o.byName[name])
	}
	return out
}

// Names are the names of the kinds, in order.
func (o *Of[T]) Names() []string { return slices.Sorted(maps.Keys(o.byName)) }

// Named finds a kind by its name.
func (o *Of[T]) Named(name string) (*T, bool) {
	kind, ok := o.byName[name]
	return kind, ok
}
