package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

func (p *process) upCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Brings a stack up for playing by hand, until Ctrl-C",
		Long: `Brings a stack up for playing by hand: the reference service (or a mutant of it), the bank, the servers, and the proxies
between them. It prints where each can be reached and how to pay by hand, and the service's log on stderr. Ctrl-C ends it
and leaves nothing behind.`,
		Example: "  onedebit up\n  onedebit up --speed 1\n  onedebit up --runtime docker --db mysql\n  onedebit up --mutant check-then-insert",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			target, err := f.chosen(cmd)
			if err != nil {
				return err
			}
			rt, run, err := p.stack(&f, cmd, target)
			if err != nil {
				return err
			}
			return p.up(cmd.Context(), rt, run, stack.Spec{Target: target, Mutant: f.mutant, Speed: f.speed})
		},
	}
	f.addStack(cmd)
	f.addTarget(cmd)
	f.addMutant(cmd)
	return cmd
}

// up keeps a stack up until ctx ends.
func (p *process) up(ctx context.Context, rt *stack.Runtime, run stack.Run, spec stack.Spec) (err error) {
	p.sweepLeftovers(ctx, rt == stack.Docker)
	if run.Workdir, err = stack.NewWorkdir(p.Temp); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Workdir.Remove()) }()
	chance := rand.New(rand.NewPCG(uint64(p.Now().UnixNano()), 1))
	run.Loopback, spec.Rand = stack.NewLoopback(chance), chance
	kept := &keeper{plan: history.Plan{Version: history.Version, Speed: spec.Speed, Runtime: rt.Name, Target: spec.Target.Describe(spec.Mutant)}}
	spec.Recorder = history.NewTeller(p.Now, func(e history.Event) {
		kept.add(e)
		kept.learn(e)
		if e.Log != nil {
			fmt.Fprintln(p.Stderr, oneLine(e.Log.Text))
		}
	})
	site, err := rt.Open(ctx, run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, site.Close()) }()
	s, err := site.Up(ctx, spec)
	defer func() { err = errors.Join(err, s.Down()) }()
	if err != nil {
		return err
	}
	kept.stack.Store(s)
	trace, stop, err := kept.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()
	head := fmt.Sprintf("onedebit up · %s · %s · %g×", cmp.Or(spec.Mutant, spec.Target.Name), rt.Name, spec.Speed)
	if err := writeStack(p.Stdout, head, trace, s); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// writeStack says where the parts of a stack are, and how to pay by hand.
func writeStack(w io.Writer, head, trace string, s *stack.Stack) error {
	var b strings.Builder
	fmt.Fprintln(&b, head)
	for _, place := range s.Places() {
		fmt.Fprintf(&b, "  %-30s %s\n", place.What, place.URL)
	}
	fmt.Fprint(&b, "\nA first payment: take a token, pay with it, ask for it, and read the bank's ledger.\n\n")
	order := fmt.Sprintf("O-%06d", s.Rand.IntN(1_000_000))
	vars := targets.Vars{}
	for name, value := range s.Target.VarsOf("") {
		vars[name] = value
	}
	vars = vars.With(targets.Vars{
		"order": order, "account": "A-" + order, "channel": "WECHAT", "currency": "CNY", "amount": 500, "key": "$KEY", "trace": "by-hand",
	})
	payment, keyed := s.Target.Payment, false
	for _, r := range []*targets.Request{payment.Token, payment.Submit(), payment.Query} {
		if r == nil {
			continue
		}
		if r == payment.Submit() && !keyed {
			// No token of the target's brings a key: the shop chooses one.
			vars["key"] = "K-" + order
		}
		line, err := curl(r, s.Places()[0].URL, vars)
		if err != nil {
			return err
		}
		if path := r.Capture["key"]; path != "" {
			field := path[strings.LastIndex(path, ".")+1:]
			keyed = true
			line = fmt.Sprintf(`KEY=$(%s | sed 's/.*"%s":"\([^"]*\)".*/\1/')`, line, field)
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if control := s.BankControl(); control != "" {
		fmt.Fprintf(&b, "  curl -sS -H 'Authorization: Bearer %s' %s/control/ledger\n", s.Token(), control)
	}
	fmt.Fprintf(&b, "\nThe payment retold from every source:\n\n  onedebit trace %s --up %s\n\nCtrl-C ends it and leaves nothing behind.\n", order, trace)
	_, err := io.WriteString(w, b.String())
	return err
}

// curl is a request as it is typed in a shell. A variable of the shell in it stays one.
func curl(r *targets.Request, base string, vars targets.Vars) (string, error) {
	req, err := r.Build(context.Background(), base, vars)
	if err != nil {
		return "", err
	}
	words := []string{"curl", "-sS"}
	if req.Method != http.MethodGet {
		words = append(words, "-X", req.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		words = append(words, "-H", shellQuoted(name+": "+req.Header.Get(name)))
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return "", fmt.Errorf("body of a first request: %w", err)
		}
		words = append(words, "-d", shellQuoted(string(body)))
	}
	return strings.Join(append(words, req.URL.String()), " "), nil
}

// shellQuoted is a word for a shell that may hold a variable.
func shellQuoted(word string) string {
	if !strings.ContainsAny(word, "$'") {
		return "'" + word + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`").Replace(word) + `"`
}
