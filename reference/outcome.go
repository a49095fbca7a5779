package reference

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Said is what we take the bank to have said about one trade number.
type Said string

// What the bank can say.
const (
	SaidSuccess    Said = "SUCCESS"    // it holds the money
	SaidFailed     Said = "FAILED"     // it refused for good
	SaidProcessing Said = "PROCESSING" // it has taken the order on and has not moved money yet
	SaidClosed     Said = "CLOSED"     // nothing was debited under this number and nothing ever can be
	SaidNotFound   Said = "NOT_FOUND"  // it has not seen this number, so far
	SaidNothing    Said = "UNKNOWN"    // nothing can be concluded
)

// Sources of a Word.
const (
	FromAnswer   = "answer"
	FromCallback = "callback"
	FromQuery    = "query"
)

// Word is one statement of the bank about one trade number, or one refund of it, whichever way it came.
type Word struct {
	Said      Said
	Source    string // FromAnswer, FromCallback or FromQuery
	TradeNo   string
	RefundNo  string // set where it is about a refund of that trade number
	PaymentID string // set where the word answers our own call; empty means: whose number it is
	MessageID string // notification id of a callback, otherwise empty
	Merchant  string // as a notification names it; empty where it does not, or where the word came another way
	BankID    string
	Amount    int64
	Currency  string
	Reason    string
}

// outcome reads an answer of the bank. PROCESSING is not SUCCESS, and everything that is not clearly one of the bank's
// words, from a time-out to an unknown code, is SaidNothing.
func outcome(r Reply, err error) Said {
	switch {
	case errors.Is(err, ErrNotFound):
		return SaidNotFound
	case err != nil:
		return SaidNothing
	}
	switch said := Said(r.Status); said {
	case SaidSuccess, SaidFailed, SaidProcessing, SaidClosed:
		return said
	}
	return SaidNothing
}

// clip cuts a text from outside to what its column holds, in characters, and leaves out what a database refuses: a word
// of the bank must not be lost because it came with a long reason.
func clip(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if most == 0 {
			break
		}
		if r == 0 || r == utf8.RuneError {
			continue
		}
		_, _ = b.WriteRune(r)
		most--
	}
	return b.String()
}

// WordOf makes the word of an answer to our own call about a payment.
func (s *Service) WordOf(source string, p Payment, r Reply, err error) Word {
	w := Word{
		Said: s.Parts.Outcome(r, err), Source: source, TradeNo: p.TradeNo, PaymentID: p.ID,
		BankID: clip(r.BankID, 64), Amount: r.Amount, Currency: r.Currency, Reason: clip(r.Reason, 128),
	}
	if err != nil {
		w.Reason = "NO_ANSWER"
	}
	return w
}
