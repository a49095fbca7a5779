package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/reference"
	"onedebit/reference/mutants"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// role is what this binary can be besides the command line: started with a configuration as JSON in one environment
// variable, ended by the end of its standard input, which happens however its parent ends.
type role func(ctx context.Context, p *process, c stack.RoleConfig) error

var roles = map[string]role{
	"bank":              whileParent(serveBank),
	stack.HostsRoleName: serveHosts,
	"kafka":             whileParent(serveKafka),
	"proxy":             whileParent(serveProxy),
	"reference":         whileParent(serveReference),
	stack.KernelRole:    serveNetfault,
}

// whileParent is a role that is told nothing by its standard input but its end.
func whileParent(r role) role {
	return func(ctx context.Context, p *process, c stack.RoleConfig) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, p.Stdin)
			cancel()
		}()
		return r(ctx, p, c)
	}
}

// serveNetfault breaks packets as its standard input says (see stack.ServeKernel). It has no configuration.
func serveNetfault(ctx context.Context, p *process, _ stack.RoleConfig) error {
	return stack.ServeKernel(ctx, p.Stdin, p.Stdout)
}

func (p *process) serveCommand() *cobra.Command {
	names := make([]string, 0, len(roles))
	for name := range roles {
		names = append(names, name)
	}
	slices.Sort(names)
	return &cobra.Command{
		Use:    "serve ROLE",
		Short:  "Runs one part of a stack (" + strings.Join(names, ", ") + "); used by the other commands",
		Long:   "Runs one part of a stack: " + strings.Join(names, ", ") + ". Its configuration is JSON in " + stack.ConfigVar + "; it ends when its standard input ends.",
		Hidden: true,
		Args:   oneArg("ROLE", names...),
		RunE: func(cmd *cobra.Command, args []string) error {
			serve, ok := roles[args[0]]
			if !ok {
				return usage{errors.New(decode.UnknownName("role", args[0], names))}
			}
			var config stack.RoleConfig
			if p.env(stack.ConfigVar) == "" && args[0] == "reference" {
				return usage{fmt.Errorf("reading the configuration of role reference from %s: it is empty; give %s", stack.ConfigVar, leastReference)}
			}
			if err := json.Unmarshal([]byte(p.env(stack.ConfigVar)), &config); err != nil {
				return usage{fmt.Errorf("reading the configuration of role %s from %s: %w", args[0], stack.ConfigVar, err)}
			}
			return serve(cmd.Context(), p, config)
		},
	}
}

// leastReference is what the reference service cannot do without.
const leastReference = `{"config": {"database": "sqlite:///PATH.db", "cache": "redis://HOST:PORT/0", "queue": "kafka://HOST:PORT", ` +
	`"bank": "http://HOST:PORT", "bank_secret": "SECRET", "public_url": "http://HOST:PORT"}}, or more of what reference/README.md lists`

func serveReference(ctx context.Context, p *process, c stack.RoleConfig) error {
	config := reference.Defaults()
	if err := configure("the reference service", c, &config); err != nil {
		return err
	}
	parts := reference.Correct()
	if c.Mutant != "" {
		m, err := mutant(c.Mutant)
		if err != nil {
			return err
		}
		m.Apply(&parts)
	}
	service, err := reference.New(ctx, config, parts, p.Stdout, p.Now)
	if err != nil {
		return err
	}
	return service.Run(ctx)
}

// serveBank is the fake bank of one experiment.
func serveBank(ctx context.Context, _ *process, c stack.RoleConfig) error {
	var config stack.BankRole
	if err := configure("the bank", c, &config); err != nil {
		return err
	}
	return stack.ServeBank(ctx, config)
}

// serveKafka is a Kafka broker for where no image of one can be had.
func serveKafka(ctx context.Context, _ *process, c stack.RoleConfig) error {
	var config stack.KafkaRole
	if err := configure("the Kafka broker", c, &config); err != nil {
		return err
	}
	return stack.ServeKafka(ctx, config)
}

// serveProxy holds the proxies of one experiment for a harness elsewhere.
func serveProxy(ctx context.Context, _ *process, c stack.RoleConfig) error {
	var config stack.ProxyRole
	if err := configure("the proxies", c, &config); err != nil {
		return err
	}
	return stack.ServeProxies(ctx, config)
}

// serveHosts becomes a command that has a hosts file of its own. Its standard input is the command's.
func serveHosts(_ context.Context, p *process, c stack.RoleConfig) error {
	var config stack.HostsRole
	if err := configure("a command with a hosts file of its own", c, &config); err != nil {
		return err
	}
	return stack.ServeHosts(config, p.Env)
}

// configure reads the configuration of a role, in which every key must be known.
func configure(role string, c stack.RoleConfig, into any) error {
	strict := json.NewDecoder(bytes.NewReader(c.Config))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return usage{fmt.Errorf("configuration of %s: %w", role, err)}
	}
	return nil
}

// mutant finds a mutant by its name.
func mutant(name string) (mutants.Mutant, error) {
	if m, ok := mutants.Named(name); ok {
		return m, nil
	}
	return mutants.Mutant{}, usage{errors.New(decode.UnknownName("mutant", name, mutantNames()))}
}

func mutantNames() (out []string) {
	for _, m := range mutants.All() {
		out = append(out, m.Name)
	}
	return out
}
