package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"onedebit/scenarios/decode"
)

//go:embed catalog
var catalog embed.FS

// Catalog is the built-in scenarios, by family and name. Family and name are those of folder and file.
func Catalog() ([]*Scenario, error) {
	var out []*Scenario
	err := fs.WalkDir(catalog, "catalog", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".yaml" {
			return err
		}
		data, err := catalog.ReadFile(p)
		if err != nil {
			return err
		}
		s, err := Load(p, data)
		if err != nil {
			return err
		}
		if want := strings.TrimSuffix(path.Base(p), ".yaml"); s.Name != want {
			return fmt.Errorf("%s: the scenario is named %q; file and name must agree", p, s.Name)
		}
		s.Family = path.Base(path.Dir(p))
		out = append(out, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	slices.SortFunc(out, func(a, b *Scenario) int {
		if c := strings.Compare(a.Family, b.Family); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// ErrNoScenario says that a name is no scenario of the catalogue and no file.
var ErrNoScenario = errors.New("no such scenario")

// Find gives the scenarios for what a user names: names of the catalogue, whole families, or files. Nothing named means
// the whole catalogue. What is named twice is taken once; two scenarios of one name are an error.
func Find(names []string) ([]*Scenario, error) {
	all, err := Catalog()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var out []*Scenario
	for _, name := range names {
		found, err := find(all, name)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			i := slices.IndexFunc(out, func(o *Scenario) bool { return o.Name == s.Name })
			if i < 0 {
				out = append(out, s)
			} else if out[i].Source != s.Source {
				return nil, fmt.Errorf("%s: another scenario that is to run is named %q too; give this one a name of its own", name, s.Name)
			}
		}
	}
	return out, nil
}

func find(all []*Scenario, name string) ([]*Scenario, error) {
	var family []*Scenario
	var valid []string
	for _, s := range all {
		if s.Name == name || s.Family+"/"+s.Name == name {
			return []*Scenario{s}, nil
		}
		if s.Family == strings.TrimSuffix(name, "/") {
			family = append(family, s)
		}
		valid = append(valid, s.Name)
		if !slices.Contains(valid, s.Family) {
			valid = append(valid, s.Family)
		}
	}
	if len(family) > 0 {
		return family, nil
	}
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
		s, err := ReadFile(name)
		if err != nil {
			return nil, err
		}
		s.File = name
		return []*Scenario{s}, nil
	}
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
		return nil, fmt.Errorf("%w: %s: the name of a scenario's file ends in .yaml or .yml", ErrNoScenario, name)
	}
	return nil, fmt.Errorf("%w: %s", ErrNoScenario, decode.UnknownName("scenario or family", name, valid))
}
