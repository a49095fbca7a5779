package fakebank

// holdLocked sets the money of an act aside, or finds that it cannot.
func (b *Bank) holdLocked(a *act) {
	account := b.accountLocked(a.account)
	if reason := account.canDebit(a.amount); reason != "" {
		b.declineLocked(a, reason)
		return
	}
	account.held += a.amount
	a.status = Held
	b.recordLocked(a.line(kindHold))
}

// releaseLocked lets money go that was set aside.
func (b *Bank) releaseLocked(a *act) {
	b.accountLocked(a.account).held -= a.amount
	a.status, a.reason = Failed, "RELEASED"
	b.recordLocked(a.line(kindRelease))
}

// captureLocked takes money that was set aside, or a part of it; the rest is let go. It happens once.
func (b *Bank) captureLocked(c Call, r *ruling) (Outcome, *notice) {
	t, known := b.trades[c.TradeNo]
	if !known {
		return refuse(NotFound, "no hold was ever asked for under trade number %s", c.TradeNo), nil
	}
	a := t.standing()
	if t.closed || a == nil || a.status != Held {
		return t.outcome().but(NotHeld, "no money is set aside under trade number %s: query it", c.TradeNo), nil
	}
	if c.Amount > a.amount {
		return t.outcome().but(Mismatch, "%d is set aside under trade number %s, less than the %d asked for", a.amount, c.TradeNo, c.Amount), nil
	}
	if c.Notify.URL != "" {
		a.notify, a.notificationID = c.Notify, b.newID(c.Notify.Prefix)
	}
	if c.Memo != nil {
		t.memo = c.Memo
	}
	b.accountLocked(a.account).held -= a.amount
	if c.Amount > 0 {
		a.amount = c.Amount
	}
	if r.decline != "" {
		r.heard = true
		b.declineLocked(a, r.decline)
	} else {
		b.takeLocked(a)
	}
	return t.outcome(), b.noticeOfDebit(t, a)
}
