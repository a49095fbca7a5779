package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// KeyGlobal looks a key up without asking whose it is. Another merchant that sends the same one is shown a payment that is
// not its own.
var KeyGlobal = register(Mutant{
	Name:     "key-global",
	Doc:      "a key is looked up without the merchant that it belongs to",
	Scenario: "key-of-another-merchant",
	Check:    "key-conflict-refused",
	Says:     "was told to merchant",
	Sources:  []string{"nensii21/devlink#773", "josipmusa/idempotency4j#9"},
	Apply:    func(p *reference.Parts) { p.Admit = admitByAnyonesKey(p.Admit) },
})

func admitByAnyonesKey(admit admitPart) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		var first reference.Payment
		err := s.Store.Get(ctx, &first, `SELECT * FROM pay_transaction WHERE idem_key = ?`, r.Key)
		if errors.Is(err, reference.ErrAbsent) {
			return admit(ctx, s, r)
		}
		if err != nil {
			return reference.Admission{}, err
		}
		return reference.Admission{Answer: s.Existing(r, first, true)}, nil
	}
}
