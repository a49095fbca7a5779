package mutants

import (
	"context"
	"net/http"

	"onedebit/reference"
)

// ValidateFirst checks the limit of an account before it looks whether it knows the request. The repeat of a payment that
// has used the limit up is declined.
var ValidateFirst = register(Mutant{
	Name:     "validate-first",
	Doc:      "the limit of an account is checked before the request is looked up, so the repeat of a payment counts against it",
	Scenario: "odd-cents",
	Check:    "same-answer",
	Says:     "two contradictory final answers",
	Sources:  []string{"https://technewstoday.info/why-an-idempotency-key-isnt-an-idempotency-guarantee/", "https://threadreaderapp.com/thread/1502947315279187979.html"},
	Apply: func(p *reference.Parts) {
		admit := p.Admit
		p.Admit = func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
			var spent int64
			err := s.Store.Get(ctx, &spent, `SELECT COALESCE(SUM(amount), 0) FROM pay_transaction WHERE account = ? AND status = 'SUCCESS'`, r.Account)
			if err != nil {
				return reference.Admission{}, err
			}
			if r.Amount > s.Config.MaxAmount-spent {
				a := reference.Refusal(r, http.StatusPaymentRequired, reference.CodeDeclined, "the limit of the account is used up")
				a.Status = reference.Failed
				return reference.Admission{Answer: &a}, nil
			}
			return admit(ctx, s, r)
		}
	},
})
