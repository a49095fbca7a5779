package targets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestWhatAnswersMeanInShort(t *testing.T) {
	plain := Payment{Each: []PaymentStep{{Submit: &Request{Post: "/pay"}}}}
	accepts := Payment{Each: []PaymentStep{{Submit: &Request{Post: "/pay"}, Act: Act{Accepted: []int{201}}}}}
	words := plain
	words.Confirmed = Said{HTTP: []int{200}, At: map[string][]string{"body.status": {"PAID", "paid"}}}
	words.Declined = Said{At: map[string][]string{"body.status": {"NO"}}}
	codes := plain
	codes.Duplicate = Said{HTTP: []int{400, 500}}
	for _, c := range []struct {
		name    string
		payment Payment
		http    int
		body    string
		want    history.Outcome
	}{
		{"200 is paid", plain, 200, `{}`, history.Confirmed},
		{"201 is paid", plain, 201, `{}`, history.Confirmed},
		{"202 is under way", plain, 202, ``, history.Pending},
		{"402 is declined", plain, 402, ``, history.Declined},
		{"409 is had already", plain, 409, ``, history.Pending},
		{"422 is refused", plain, 422, ``, history.Refused},
		{"500 says nothing", plain, 500, ``, history.Unknown},
		{"408 says nothing", plain, 408, ``, history.Unknown},
		{"302 says nothing", plain, 302, ``, history.Unknown},
		{"what is accepted is not yet paid", accepts, 201, ``, history.Pending},
		{"the word that confirms", words, 200, `{"status": "paid"}`, history.Confirmed},
		{"another word does not", words, 200, `{"status": "new"}`, history.Pending},
		{"the word that declines", words, 200, `{"status": "NO"}`, history.Declined},
		{"a code that says so", codes, 500, ``, history.Pending},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := Answers{Means: c.payment.meanings()}
			var a history.Attempt
			answers.Read(answered(t, c.http, strings.NewReader(c.body)), nil, &a)
			assert.Equal(t, c.want, a.Outcome)
		})
	}
}
