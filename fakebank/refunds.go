package fakebank

// refundLocked gives money back. A number that comes again is answered as the first time and never refunds twice; the
// sum of the refunds of a debit is the service's business, unless the bank or the call is set to bound it.
func (b *Bank) refundLocked(c Call, r *ruling) (Outcome, *notice) {
	if old, known := b.refunds[c.RefundNo]; known {
		said := old.outcome(b.trades[old.tradeNo])
		if old.tradeNo != c.TradeNo || old.amount != c.Amount {
			return said.but(Mismatch, "refund number %s was used before for another debit or amount", c.RefundNo), nil
		}
		return said, nil
	}
	if len(b.refunds) >= b.numbers {
		return full, nil
	}
	t, known := b.trades[c.TradeNo]
	if !known {
		return refuse(NotFound, "no debit was ever asked for under trade number %s", c.TradeNo), nil
	}
	of := t.standing()
	if of == nil || of.status != Success {
		return t.outcome().but(NotDebited, "no money is held under trade number %s: query it", c.TradeNo), nil
	}
	f := &refund{number: c.RefundNo, tradeNo: c.TradeNo, amount: c.Amount, of: of, made: b.clock.Now(), notify: c.Notify,
		notificationID: b.newID(c.Notify.Prefix), memo: c.Memo}
	f.bound = b.settings.BoundRefunds || c.Bound
	if f.amount == 0 {
		f.amount = max(t.taken()-t.refunded, 0)
	}
	b.refunds[c.RefundNo] = f
	switch {
	case r.decline != "":
		r.heard = true
		b.refuseRefundLocked(f, r.decline)
	case r.accept:
		r.heard = true
		f.status = Processing
		b.recordLocked(f.line(kindAccept))
	default:
		b.giveBackLocked(t, f)
	}
	return f.outcome(t), b.noticeOfRefund(t, f)
}

// giveBackLocked moves the money of a refund, or finds that it must not.
func (b *Bank) giveBackLocked(t *trade, f *refund) {
	to := b.accountLocked(f.of.account)
	switch {
	case f.bound && f.amount > t.taken()-t.refunded || f.amount == 0:
		b.refuseRefundLocked(f, "EXCEEDS_DEBIT")
	case f.of.status != Success:
		b.refuseRefundLocked(f, NotDebited)
	case f.amount > maxTurnover-to.refunded || f.amount > maxTurnover-t.refunded:
		b.refuseRefundLocked(f, "LIMIT_EXCEEDED")
	default:
		f.status = Success
		t.refunded += f.amount
		to.refunded += f.amount
		b.recordLocked(f.line(kindRefund))
	}
}

func (b *Bank) refuseRefundLocked(f *refund, reason string) {
	f.status, f.reason = Failed, reason
	b.recordLocked(f.line(kindDecline))
}

// settleRefund finishes an accepted refund.
func (b *Bank) settleRefund(number, status, reason string) (refundView, []*notice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, known := b.refunds[number]
	if !known {
		return refundView{}, nil, notFound("no refund is known under refund number %q", number)
	}
	if f.status != Processing {
		return refundView{}, nil, conflict("refund %s is %s: nothing to settle", number, f.status)
	}
	t := b.trades[f.tradeNo]
	if status == Success {
		b.giveBackLocked(t, f)
	} else {
		b.refuseRefundLocked(f, reason)
	}
	said := refundView{f.number, f.tradeNo, f.status, f.amount, f.reason}
	if n := b.noticeOfRefund(t, f); n != nil {
		return said, []*notice{n}, nil
	}
	return said, nil, nil
}

func (f *refund) line(kind string) entry {
	return entry{Kind: kind, Op: OpRefund, TradeNo: f.tradeNo, RefundNo: f.number, BankID: f.of.bankID, Merchant: f.of.merchant,
		Account: f.of.account, Amount: f.amount, Currency: f.of.currency, Status: f.status, Detail: f.reason}
}
