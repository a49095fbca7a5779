package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// diagnosis is how one runtime stands on this machine.
type diagnosis struct {
	Runtime string           `json:"runtime"`
	Usable  bool             `json:"usable"`
	Things  []stack.Examined `json:"things"`
}

func (p *process) doctorCommand() *cobra.Command {
	var runtimes, images []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Says whether this machine has what the runtimes need, and what to do where it has not",
		Long: `Says whether this machine has what the runtimes need, and what to do where it has not: folders, addresses, the Docker
engine, images, published ports, packet loss by the kernel.

Exit codes: 0 every runtime that was asked for can be used, 4 one cannot.`,
		Example: "  onedebit doctor\n  onedebit doctor --runtime docker --image postgres=mirror.example/postgres:17\n  onedebit doctor --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := given(cmd); err != nil {
				return err
			}
			list, err := p.diagnose(cmd.Context(), runtimes, images)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(p.Stdout, list)
			} else {
				err = writeDiagnoses(p.Stdout, list)
			}
			for _, d := range list {
				if !d.Usable && err == nil {
					err = exit(exitEnvironment)
				}
			}
			return err
		},
	}
	cmd.Flags().StringSliceVar(&runtimes, "runtime", runtimeNames(), "the runtimes to look at, by commas")
	cmd.Flags().StringSliceVar(&images, "image", nil, "an image in the place of the public one, KIND=NAME, by commas, as with onedebit run")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	complete(cmd, "runtime", runtimeNames())
	return cmd
}

// diagnose examines runtimes, with a working folder of its own so that whatever is made can be found and removed.
func (p *process) diagnose(ctx context.Context, names, images []string) ([]diagnosis, error) {
	var asked []*stack.Runtime
	for _, name := range names {
		rt, ok := stack.RuntimeNamed(name)
		if !ok {
			return nil, usage{errors.New(decode.UnknownName("runtime", name, runtimeNames()))}
		}
		asked = append(asked, rt)
	}
	chosen, err := stack.ParseImages(p.env(imagesVar), images)
	if err != nil {
		return nil, usage{err}
	}
	workdir, err := stack.NewWorkdir(p.Temp)
	if err != nil {
		return nil, err
	}
	run := stack.Run{
		Self: p.Self, Env: p.Env, Images: chosen, Workdir: workdir,
		Loopback: stack.NewLoopback(rand.New(rand.NewPCG(uint64(p.Now().UnixNano()), 1))),
	}
	var out []diagnosis
	for _, rt := range asked {
		d := diagnosis{Runtime: rt.Name, Usable: true, Things: rt.Examine(ctx, run)}
		for _, thing := range d.Things {
			d.Usable = d.Usable && thing.State != stack.Missing
		}
		out = append(out, d)
	}
	return out, errors.Join(workdir.Remove(), ctx.Err())
}

func writeJSON(w io.Writer, value any) error {
	lines := json.NewEncoder(w)
	lines.SetIndent("", "  ")
	return lines.Encode(value)
}

func writeDiagnoses(w io.Writer, list []diagnosis) error {
	var b strings.Builder
	marks := map[string]string{stack.Usable: "✓", stack.Limited: "–", stack.Missing: "✗"}
	for _, d := range list {
		verdict := "can be used"
		if !d.Usable {
			verdict = "cannot be used"
		}
		fmt.Fprintf(&b, "%s: %s\n", d.Runtime, verdict)
		for _, t := range d.Things {
			fmt.Fprintf(&b, "  %s %-20s %s\n", marks[t.State], t.What, indented(t.Found))
			if t.Do != "" {
				fmt.Fprintf(&b, "    %-20s → %s\n", "", indented(t.Do))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented is a text of several lines, each further one below the first.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", 25))
}
