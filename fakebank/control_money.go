package fakebank

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// settle finishes an accepted debit or refund.
func (b *Bank) settle(_ *http.Request, body []byte) (int, any, error) {
	var p struct {
		TradeNo  string `json:"trade_no"`
		RefundNo string `json:"refund_no"`
		Status   string `json:"status"`
		Reason   string `json:"reason"`
		Callback bool   `json:"callback"`
	}
	if err := decodeStrict(body, &p); err != nil {
		return 0, nil, err
	}
	outcomes := []string{Success, Failed}
	if !slices.Contains(outcomes, p.Status) {
		return 0, nil, fmt.Errorf("status %q: use SUCCESS or FAILED%s", p.Status, nearest(p.Status, outcomes))
	}
	if (p.TradeNo == "") == (p.RefundNo == "") {
		return 0, nil, errors.New("give either trade_no or refund_no")
	}
	var (
		said    any
		notices []*notice
		err     error
	)
	if p.RefundNo != "" {
		said, notices, err = b.settleRefund(p.RefundNo, p.Status, cmp.Or(p.Reason, "DECLINED"))
	} else {
		said, notices, err = b.settleDebit(p.TradeNo, p.Status, cmp.Or(p.Reason, "DECLINED"))
	}
	if err != nil {
		return 0, nil, err
	}
	for _, n := range notices {
		if p.Callback {
			b.notify(n, 0)
		}
	}
	return http.StatusOK, said, nil
}

func (b *Bank) settleDebit(number, status, reason string) (debitView, []*notice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, known := b.trades[number]
	if !known {
		return debitView{}, nil, notFound("no debit is known under trade number %q", number)
	}
	var notices []*notice
	finished := 0
	for _, a := range t.acts {
		if a.status != Processing {
			continue
		}
		finished++
		if status == Success {
			b.takeLocked(a)
		} else {
			b.declineLocked(a, reason)
		}
		if n := b.noticeOfDebit(t, a); n != nil {
			notices = append(notices, n)
		}
	}
	if finished == 0 {
		return debitView{}, nil, conflict("no debit under trade number %s is PROCESSING: nothing to settle", number)
	}
	o := t.outcome()
	return debitView{o.TradeNo, o.BankID, o.Status, o.Amount, o.Currency, o.Reason}, notices, nil
}

// reverse undoes what is debited under a trade number.
func (b *Bank) reverse(_ *http.Request, body []byte) (int, any, error) {
	var p struct {
		TradeNo string `json:"trade_no"`
	}
	if err := decodeStrict(body, &p); err != nil {
		return 0, nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, known := b.trades[p.TradeNo]
	if !known {
		return 0, nil, notFound("no debit is known under trade number %q", p.TradeNo)
	}
	undone := 0
	for _, a := range t.acts {
		if b.reverseLocked(t, a) {
			undone++
		}
	}
	if undone == 0 {
		return 0, nil, conflict("nothing stands to be reversed under trade number %s: query its status and refunds", p.TradeNo)
	}
	return http.StatusOK, map[string]any{"trade_no": p.TradeNo, "reversed": undone}, nil
}
