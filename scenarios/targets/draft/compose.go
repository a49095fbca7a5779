package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// composed is what of a compose file tells about a service.
type composed struct {
	Services map[string]struct {
		Image       string `yaml:"image"`
		Build       any    `yaml:"build"`
		Environment any    `yaml:"environment"`
	} `yaml:"services"`
}

// lookCompose takes the engines of the servers and the environment of what is built from here out of a compose file.
func lookCompose(s *Service, from *sources) {
	name, text := from.first("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
	var c composed
	if name == "" || yaml.Unmarshal([]byte(text), &c) != nil {
		return
	}
	for _, service := range slices.Sorted(maps.Keys(c.Services)) {
		part := c.Services[service]
		image := strings.ToLower(part.Image)
		switch {
		case strings.Contains(image, "postgres"):
			s.Engine = "postgres"
		case strings.Contains(image, "mysql"), strings.Contains(image, "mariadb"):
			s.Engine = "mysql"
		case strings.Contains(image, "redis"), strings.Contains(image, "valkey"):
			s.Cache = "redis"
		case strings.Contains(image, "rabbitmq"):
			s.Queue = "rabbitmq"
		case strings.Contains(image, "kafka"), strings.Contains(image, "redpanda"):
			s.Queue = "kafka"
		case part.Build != nil && len(s.Env) == 0:
			s.Env = settings(part.Environment)
		default:
			continue
		}
		s.found("%s has %s", name, strings.TrimSpace(service+" "+part.Image))
	}
}

// settings reads the two forms in which a compose file writes an environment.
func settings(environment any) (out []Setting) {
	switch e := environment.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(e)) {
			out = append(out, Setting{name, text(e[name])})
		}
	case []any:
		for _, item := range e {
			name, value, _ := strings.Cut(text(item), "=")
			out = append(out, Setting{name, value})
		}
	}
	return out
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
