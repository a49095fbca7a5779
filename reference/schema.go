package reference

import "slices"

// Schema returns the statements that make the tables, each harmless when repeated.
//
// UNIQUE(merchant, order_id, attempt) is the guard against a double debit: attempt n+1 is inserted only while attempts
// 1 to n are all FAILED, so an order has at most one live row. It is stricter than a key of order, channel and amount,
// which would let one order be paid once through each channel. UNIQUE(merchant, idem_key) binds a key to one request.
//
// UNIQUE(merchant, refund_id) binds a refund id to one refund.
//
// membership, coupon and refund_notice have no unique index on what they are for: consumed_event is the defence, and an
// effect that came twice must be visible as two rows.
func Schema() []string {
	return slices.Concat(paymentSchema(), refundSchema(), callbackSchema(), eventSchema())
}

func paymentSchema() []string {
	return []string{
		PaymentTable("UNIQUE(merchant, order_id, attempt)", "UNIQUE(merchant, idem_key)"),
		`CREATE INDEX IF NOT EXISTS pay_transaction_due ON pay_transaction(status, updated_at)`,
		`CREATE INDEX IF NOT EXISTS pay_transaction_order ON pay_transaction(merchant, order_id)`,
		TradeTable("PRIMARY KEY(trade_no)"),
		`CREATE INDEX IF NOT EXISTS bank_trade_status ON bank_trade(status, created_at)`,
		`CREATE INDEX IF NOT EXISTS bank_trade_order ON bank_trade(merchant, order_id)`,
		`CREATE TABLE IF NOT EXISTS alarm (
			id VARCHAR(160) NOT NULL PRIMARY KEY, merchant VARCHAR(64) NOT NULL, order_id VARCHAR(64) NOT NULL,
			kind VARCHAR(32) NOT NULL, detail TEXT NOT NULL, created_at BIGINT NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS alarm_order ON alarm(merchant, order_id)`,
	}
}

func refundSchema() []string {
	return []string{
		RefundTable("UNIQUE(merchant, refund_id)", "UNIQUE(refund_no)"),
		`CREATE INDEX IF NOT EXISTS refund_due ON refund(status, updated_at)`,
		`CREATE INDEX IF NOT EXISTS refund_order ON refund(merchant, order_id)`,
		`CREATE TABLE IF NOT EXISTS surplus (
			trade_no VARCHAR(64) NOT NULL PRIMARY KEY, merchant VARCHAR(64) NOT NULL, order_id VARCHAR(64) NOT NULL,
			payment_id VARCHAR(64) NOT NULL, amount BIGINT NOT NULL, currency VARCHAR(3) NOT NULL, status VARCHAR(16) NOT NULL,
			refund_no VARCHAR(64) NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS surplus_order ON surplus(merchant, order_id)`,
	}
}

func callbackSchema() []string {
	return []string{
		CallbackTable("PRIMARY KEY(notification_id)"),
		`CREATE INDEX IF NOT EXISTS callback_trade ON callback(trade_no)`,
		`CREATE TABLE IF NOT EXISTS parked_callback (
			notification_id VARCHAR(128) NOT NULL PRIMARY KEY, trade_no VARCHAR(64) NOT NULL, refund_no VARCHAR(64) NOT NULL,
			status VARCHAR(16) NOT NULL, amount BIGINT NOT NULL, currency VARCHAR(16) NOT NULL, merchant VARCHAR(64) NOT NULL,
			reason VARCHAR(128) NOT NULL, state VARCHAR(16) NOT NULL, received_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS parked_callback_state ON parked_callback(state, updated_at)`,
	}
}

func eventSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS outbox_event (
			event_id VARCHAR(160) NOT NULL PRIMARY KEY, type VARCHAR(32) NOT NULL, merchant VARCHAR(64) NOT NULL,
			order_id VARCHAR(64) NOT NULL, ref VARCHAR(128) NOT NULL, topic VARCHAR(128) NOT NULL, payload TEXT NOT NULL,
			claimed_by VARCHAR(128) NOT NULL, claimed_until BIGINT NOT NULL, created_at BIGINT NOT NULL, sent_at BIGINT NULL)`,
		`CREATE INDEX IF NOT EXISTS outbox_event_unsent ON outbox_event(sent_at, created_at)`,
		`CREATE TABLE IF NOT EXISTS consumed_event (
			consumer VARCHAR(64) NOT NULL, event_id VARCHAR(160) NOT NULL, PRIMARY KEY(consumer, event_id))`,
		`CREATE TABLE IF NOT EXISTS membership (
			id VARCHAR(64) NOT NULL PRIMARY KEY, order_id VARCHAR(64) NOT NULL, merchant VARCHAR(64) NOT NULL, created_at BIGINT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS coupon (
			id VARCHAR(64) NOT NULL PRIMARY KEY, order_id VARCHAR(64) NOT NULL, merchant VARCHAR(64) NOT NULL, created_at BIGINT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS refund_notice (
			id VARCHAR(64) NOT NULL PRIMARY KEY, refund_id VARCHAR(128) NOT NULL, order_id VARCHAR(64) NOT NULL,
			merchant VARCHAR(64) NOT NULL, created_at BIGINT NOT NULL)`,
	}
}

// PaymentTable returns the statement that makes pay_transaction with these table constraints.
func PaymentTable(constraints ...string) string {
	return table(`CREATE TABLE IF NOT EXISTS pay_transaction (
			id VARCHAR(64) NOT NULL PRIMARY KEY, merchant VARCHAR(64) NOT NULL, order_id VARCHAR(64) NOT NULL,
			channel VARCHAR(16) NOT NULL, amount BIGINT NOT NULL, currency VARCHAR(3) NOT NULL, account VARCHAR(128) NOT NULL,
			status VARCHAR(16) NOT NULL, trade_no VARCHAR(64) NOT NULL, attempt INTEGER NOT NULL, idem_key VARCHAR(128) NOT NULL,
			fingerprint VARCHAR(128) NOT NULL, bank_id VARCHAR(64) NOT NULL, reason VARCHAR(128) NOT NULL, trace_id VARCHAR(128) NOT NULL,
			refunded BIGINT NOT NULL, expires_at BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL`, constraints)
}

// TradeTable returns the statement that makes bank_trade, every trade number ever sent, with these table constraints.
func TradeTable(constraints ...string) string {
	return table(`CREATE TABLE IF NOT EXISTS bank_trade (
			trade_no VARCHAR(64) NOT NULL, payment_id VARCHAR(64) NOT NULL, merchant VARCHAR(64) NOT NULL,
			order_id VARCHAR(64) NOT NULL, status VARCHAR(16) NOT NULL, created_at BIGINT NOT NULL`, constraints)
}

// RefundTable returns the statement that makes refund with these table constraints.
func RefundTable(constraints ...string) string {
	return table(`CREATE TABLE IF NOT EXISTS refund (
			id VARCHAR(64) NOT NULL PRIMARY KEY, merchant VARCHAR(64) NOT NULL, order_id VARCHAR(64) NOT NULL,
			refund_id VARCHAR(128) NOT NULL, payment_id VARCHAR(64) NOT NULL, trade_no VARCHAR(64) NOT NULL,
			refund_no VARCHAR(64) NOT NULL, kind VARCHAR(16) NOT NULL, amount BIGINT NOT NULL, currency VARCHAR(3) NOT NULL,
			status VARCHAR(16) NOT NULL, reason VARCHAR(128) NOT NULL, refusal VARCHAR(128) NOT NULL, fingerprint VARCHAR(128) NOT NULL,
			trace_id VARCHAR(128) NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL`, constraints)
}

// CallbackTable returns the statement that makes callback, every notification received, with these table constraints.
func CallbackTable(constraints ...string) string {
	return table(`CREATE TABLE IF NOT EXISTS callback (
			notification_id VARCHAR(128) NOT NULL, trade_no VARCHAR(64) NOT NULL, refund_no VARCHAR(64) NOT NULL,
			status VARCHAR(16) NOT NULL, amount BIGINT NOT NULL, received_at BIGINT NOT NULL, result VARCHAR(64) NOT NULL`, constraints)
}

func table(columns string, constraints []string) string {
	for _, c := range constraints {
		columns += ", " + c
	}
	return columns + ")"
}
