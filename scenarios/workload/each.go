package workload

import (
	"context"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Each carries steps out for several payments, one payment after the other.
var Each = register(Kind{
	Name:    "each",
	Doc:     "carries its steps out for each of the payments: a step within that could say of: and does not means that payment",
	Example: "each: {payments: [A, B, C], steps: [{pay: {}}, {refund: {amount: 1}}]}",
	New:     func() Action { return &each{} },
})

// each holds the steps as they are carried out: once for each payment.
type each struct {
	Payments []string `yaml:"payments"` // labels
	Steps    []Step   `yaml:"steps"`
}

// about is which payment a step is about.
type about struct {
	Of string `yaml:"of"` // which payment; A where not given
}

func (a *about) subject() *string { return &a.Of }

// DecodeNode reads the steps anew for each payment.
func (s *each) DecodeNode(f *decode.File, n *yaml.Node) error {
	type form each
	var text form
	if err := f.Decode(n, &text); err != nil {
		return err
	}
	if len(text.Payments) == 0 || len(text.Steps) == 0 {
		return f.Errorf(n, "each needs payments and steps, for example {payments: [A, B], steps: [{pay: {}}]}")
	}
	for i, label := range text.Payments {
		if label == "" || slices.Contains(text.Payments[:i], label) {
			return f.Errorf(n, "payments: %q stands there twice, or is no name", label)
		}
		var own form
		if err := f.Decode(n, &own); err != nil {
			return err
		}
		Walk(own.Steps, func(step Step) {
			if a, ok := step.Action.(interface{ subject() *string }); ok && *a.subject() == "" {
				*a.subject() = label
			}
		})
		s.Steps = append(s.Steps, own.Steps...)
	}
	s.Payments = text.Payments
	return nil
}

func (s *each) Children() []Step { return s.Steps }

func (s *each) Do(ctx context.Context, e *Env) error { return e.Run(ctx, s.Steps) }
