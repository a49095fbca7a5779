package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// KeyStuck keeps a record of each key, IN_PROGRESS until there is a payment. The record of a process that died before it
// had one is in progress for ever.
var KeyStuck = register(Mutant{
	Name:     "key-stuck",
	Doc:      "the IN_PROGRESS record of a key whose process has died is never taken over",
	Scenario: "kill-after-claim",
	Check:    "settles",
	Says:     "the service has no row for it",
	Sources:  []string{"akira-io/laravel-sisp#302", "PAYONE-GmbH/magento-1#370"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return append(reference.Schema(), `CREATE TABLE IF NOT EXISTS key_record (
				merchant VARCHAR(64) NOT NULL, idem_key VARCHAR(128) NOT NULL, PRIMARY KEY(merchant, idem_key))`)
		}
		p.Admit = admitByRecord(p.Admit)
	},
})

func admitByRecord(admit admitPart) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		_, err := s.Store.Exec(ctx, `INSERT INTO key_record (merchant, idem_key) VALUES (?, ?)`, r.Merchant, r.Key)
		if errors.Is(err, reference.ErrDuplicate) {
			return stateOfKey(ctx, s, r)
		}
		if err != nil {
			return reference.Admission{}, err
		}
		a, err := admit(ctx, s, r)
		if err != nil || a.Answer != nil {
			_, undone := s.Store.Exec(ctx, `DELETE FROM key_record WHERE merchant = ? AND idem_key = ?`, r.Merchant, r.Key)
			err = errors.Join(err, undone)
		}
		return a, err
	}
}

// stateOfKey answers with the state of the payment that a key has made, which may not be stored yet.
func stateOfKey(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	a, err := repeatOfKey(ctx, s, r)
	if err == nil && a.Answer == nil {
		return underWay(r), nil
	}
	return a, err
}
