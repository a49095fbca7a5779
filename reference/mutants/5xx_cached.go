package mutants

import (
	"context"
	"encoding/json"
	"net/http"

	"onedebit/reference"
)

// FiveXXCached keeps the answer under the key and gives it to every repeat, as the textbook says. The textbook means
// answers, not errors.
var FiveXXCached = register(Mutant{
	Name:     "5xx-cached",
	Doc:      "a 503 for which nothing was done is kept under the key, and every repeat gets it again",
	Scenario: "claim-answer-lost",
	Check:    "settles",
	Says:     "nobody can pay with it",
	Sources:  []string{"LabsCrypt/remitlend#1329", "C-Address-Onboarding-Bridge/C-Address-Onboarding-Bridge-Backend#380"},
	Apply:    func(p *reference.Parts) { p.Admit = admitOrRepeat(p.Admit) },
})

func admitOrRepeat(admit admitPart) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		name := s.Key("answer:" + r.Merchant + ":" + r.Key)
		var kept reference.Answer
		if text, err := s.Cache.Get(ctx, name).Bytes(); err == nil && json.Unmarshal(text, &kept) == nil {
			kept.HTTP = http.StatusServiceUnavailable
			return reference.Admission{Answer: &kept}, nil
		}
		a, err := admit(ctx, s, r)
		if err == nil {
			return a, nil
		}
		s.Log.Step(r.OrderID, r.TraceID, "pay.submit", "BUSY", err.Error())
		answer := reference.Refusal(r, http.StatusServiceUnavailable, reference.CodeBusy, "system busy")
		text, err := json.Marshal(answer)
		if err != nil {
			return reference.Admission{}, err
		}
		return reference.Admission{Answer: &answer}, s.Cache.Set(ctx, name, text, s.Config.TokenTTL.Std()).Err()
	}
}
