package stack

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/decode"
)

// Images are names of images by what they are for, in the place of the public ones.
type Images map[string]string

// of is the image for something.
func (m Images) of(what, public string) string {
	if name := m[what]; name != "" {
		return name
	}
	return public
}

// ownKind is the kind of image that runs this very binary.
const ownKind = "onedebit"

// ImageKinds are what there are images for, in order.
func ImageKinds() []string {
	out := []string{ownKind}
	for name := range serverKinds {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// ParseImages reads KIND=NAME, by commas in a text and one by one in a list; the list has the last word. The name self is
// this very binary in the place of a server that it can stand in for.
func ParseImages(text string, list []string) (Images, error) {
	out := Images{}
	for _, item := range append(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), list...) {
		kind, name, ok := strings.Cut(item, "=")
		switch {
		case !ok || name == "":
			return nil, fmt.Errorf("image %q: write KIND=NAME, for example postgres=postgres:17", item)
		case !slices.Contains(ImageKinds(), kind):
			return nil, fmt.Errorf("image %q: %s", item, decode.UnknownName("kind of image", kind, ImageKinds()))
		case name == ownServer && serverKinds[kind].role == "":
			return nil, fmt.Errorf("image %q: this binary can stand in only for kafka", item)
		}
		out[kind] = name
	}
	return out, nil
}
