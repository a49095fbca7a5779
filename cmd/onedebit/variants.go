package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// variantFlags are the flags that say how the bank behaves where scenarios leave it open.
type variantFlags struct{ modes, arrivals []string }

func modeNames() []string {
	return append(slices.Clone(targets.BankModes), scenarios.Own, scenarios.Every)
}

func arrivalNames() []string {
	return append(slices.Clone(scenarios.Arrivals), scenarios.Own, scenarios.Every)
}

func (f *variantFlags) add(cmd *cobra.Command) {
	const usual = "; with neither --bank nor --callbacks a target of your own gets each by itself, as far as it can differ there, and the bundled one none"
	cmd.Flags().StringSliceVar(&f.modes, "bank", nil, "what the bank does with a number that comes again, by commas: "+strings.Join(modeNames(), ", ")+" (own: as the scenario has it)"+usual)
	cmd.Flags().StringSliceVar(&f.arrivals, "callbacks", nil, "how the bank's callbacks come, by commas: "+strings.Join(arrivalNames(), ", "))
	complete(cmd, "bank", modeNames())
	complete(cmd, "callbacks", arrivalNames())
}

// vary puts the variants that are asked for in the place of the scenarios.
func (f *variantFlags) vary(o *scenarios.Options) error {
	for _, given := range []struct {
		flag, what    string
		values, valid []string
	}{{"bank", "mode of a bank", f.modes, modeNames()}, {"callbacks", "arrival of callbacks", f.arrivals, arrivalNames()}} {
		for _, value := range given.values {
			if !slices.Contains(given.valid, value) {
				return usage{fmt.Errorf("--%s: %s", given.flag, decode.UnknownName(given.what, value, given.valid))}
			}
		}
	}
	for _, mode := range f.modes {
		if slices.Contains(targets.BankModes, mode) && !o.Target.TakesMode(mode) {
			return usage{fmt.Errorf("--bank %s: no bank of target %s is run in this mode; where the provider can be like that, say banks: {NAME: {modes: [%s]}}", mode, o.Target.Name, mode)}
		}
	}
	if slices.ContainsFunc(f.arrivals, func(a string) bool { return slices.Contains(scenarios.Arrivals, a) }) && !o.Target.Notified() {
		return usage{errors.New("--callbacks: no bank of target " + o.Target.Name + " calls back; where the provider does, say banks: {NAME: {callbacks: …}}")}
	}
	o.Jobs = scenarios.Vary(o.Jobs, o.Target, f.modes, f.arrivals)
	return nil
}
