package dialects_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"onedebit/fakebank"
)

// stripeRig is Stripe's official client before a bank that speaks its dialect.
type stripeRig struct {
	*rig
	*stripe.Client
	ctx context.Context
}

func startStripe(t *testing.T, retries int64, change ...func(*fakebank.Config)) *stripeRig {
	t.Helper()
	r := speak(t, builtin(t, "stripe"), change...)
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: &r.api, MaxNetworkRetries: &retries, HTTPClient: r.client, EnableTelemetry: stripe.Bool(false),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	backend.(*stripe.BackendImplementation).SetNetworkRetriesSleep(false)
	client := stripe.NewClient("sk_test_none", stripe.WithBackends(&stripe.Backends{API: backend}))
	return &stripeRig{r, client, t.Context()}
}

// intent is a payment intent of 12.50 dollars, with changes.
func intent(changes ...func(*stripe.PaymentIntentCreateParams)) *stripe.PaymentIntentCreateParams {
	p := &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(1250), Currency: stripe.String("usd"),
		PaymentMethod: stripe.String("pm_card_visa"), Metadata: map[string]string{"order": "O-1"}}
	for _, c := range changes {
		c(p)
	}
	return p
}

func confirmed(p *stripe.PaymentIntentCreateParams) { p.Confirm = stripe.Bool(true) }
func manual(p *stripe.PaymentIntentCreateParams)    { p.CaptureMethod = stripe.String("manual") }
func keyed(key string) func(*stripe.PaymentIntentCreateParams) {
	return func(p *stripe.PaymentIntentCreateParams) { p.SetIdempotencyKey(key) }
}

func (r *stripeRig) create(changes ...func(*stripe.PaymentIntentCreateParams)) *stripe.PaymentIntent {
	r.t.Helper()
	p, err := r.V1PaymentIntents.Create(r.ctx, intent(changes...))
	require.NoError(r.t, err)
	return p
}

// refusal is Stripe's error of a call that must not succeed.
func refusal(t *testing.T, err error) *stripe.Error {
	t.Helper()
	var e *stripe.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestStripeConfirmedAtOnce(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create(confirmed)
	assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
	assert.EqualValues(t, 1250, p.AmountReceived)
	assert.Equal(t, stripe.CurrencyUSD, p.Currency)
	assert.Equal(t, map[string]string{"order": "O-1"}, p.Metadata)
	assert.NotEmpty(t, p.ClientSecret)
	assert.NotEmpty(t, p.LastResponse.RequestID)
	assert.Equal(t, []int64{1250}, r.debits())
	assert.Equal(t, p.ID, r.ledger("debit")[0].TradeNo)
	assert.Equal(t, "USD", r.ledger("debit")[0].Currency)

	c, err := r.V1Charges.Retrieve(r.ctx, p.LatestCharge.ID, nil)
	require.NoError(t, err)
	assert.True(t, c.Paid && c.Captured)
	assert.Equal(t, p.ID, c.PaymentIntent.ID)
	assert.EqualValues(t, 1250, c.AmountCaptured)
}

func TestStripeCreatedThenConfirmed(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create()
	assert.Equal(t, stripe.PaymentIntentStatusRequiresConfirmation, p.Status)
	assert.Zero(t, p.AmountReceived)
	assert.Empty(t, r.debits())
	p, err := r.V1PaymentIntents.Confirm(r.ctx, p.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
	assert.Equal(t, "pm_card_visa", p.PaymentMethod.ID)
	again, err := r.V1PaymentIntents.Confirm(r.ctx, p.ID, nil)
	assert.Equal(t, stripe.ErrorCodePaymentIntentUnexpectedState, refusal(t, err).Code, "%v", again)
	assert.Equal(t, stripe.PaymentIntentStatusSucceeded, refusal(t, err).PaymentIntent.Status)
	got, err := r.V1PaymentIntents.Retrieve(r.ctx, p.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, p.Status, got.Status)
	assert.Equal(t, p.Created, got.Created)
	assert.Equal(t, []int64{1250}, r.debits())
}

func TestStripeWithoutAPaymentMethod(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create(func(p *stripe.PaymentIntentCreateParams) { p.PaymentMethod = nil })
	assert.Equal(t, stripe.PaymentIntentStatusRequiresPaymentMethod, p.Status)
	got, err := r.V1PaymentIntents.Retrieve(r.ctx, p.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, stripe.PaymentIntentStatusRequiresPaymentMethod, got.Status)
	got, err = r.V1PaymentIntents.Confirm(r.ctx, p.ID, &stripe.PaymentIntentConfirmParams{PaymentMethod: stripe.String("pm_later")})
	require.NoError(t, err)
	assert.Equal(t, "pm_later", got.PaymentMethod.ID)
}

func TestStripeManualCapture(t *testing.T) {
	r := startStripe(t, 0)
	for _, tc := range []struct {
		name  string
		start func() *stripe.PaymentIntent
	}{
		{"authorised at once", func() *stripe.PaymentIntent { return r.create(confirmed, manual) }},
		{"authorised later", func() *stripe.PaymentIntent {
			p, err := r.V1PaymentIntents.Confirm(r.ctx, r.create(manual).ID, nil)
			require.NoError(t, err)
			return p
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := len(r.debits())
			p := tc.start()
			require.Equal(t, stripe.PaymentIntentStatusRequiresCapture, p.Status)
			assert.Len(t, r.debits(), before, "what is held is not taken")
			_, err := r.V1PaymentIntents.Capture(r.ctx, p.ID, &stripe.PaymentIntentCaptureParams{AmountToCapture: stripe.Int64(9999)})
			assert.Equal(t, stripe.ErrorCodeAmountTooLarge, refusal(t, err).Code)
			p, err = r.V1PaymentIntents.Capture(r.ctx, p.ID, &stripe.PaymentIntentCaptureParams{AmountToCapture: stripe.Int64(1000)})
			require.NoError(t, err)
			assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
			assert.EqualValues(t, 1000, p.AmountReceived)
			_, err = r.V1PaymentIntents.Capture(r.ctx, p.ID, nil)
			assert.Equal(t, stripe.ErrorCodePaymentIntentUnexpectedState, refusal(t, err).Code)
			assert.Len(t, r.debits(), before+1)
		})
	}
}

func TestStripeCancel(t *testing.T) {
	r := startStripe(t, 0)
	for _, p := range []*stripe.PaymentIntent{r.create(), r.create(confirmed, manual)} {
		got, err := r.V1PaymentIntents.Cancel(r.ctx, p.ID, nil)
		require.NoError(t, err)
		assert.Equal(t, stripe.PaymentIntentStatusCanceled, got.Status)
		_, err = r.V1PaymentIntents.Confirm(r.ctx, p.ID, nil)
		assert.Equal(t, stripe.ErrorCodePaymentIntentUnexpectedState, refusal(t, err).Code)
	}
	paid := r.create(confirmed)
	_, err := r.V1PaymentIntents.Cancel(r.ctx, paid.ID, nil)
	assert.Equal(t, stripe.ErrorCodePaymentIntentUnexpectedState, refusal(t, err).Code)
	assert.Equal(t, []int64{1250}, r.debits())
}

func TestStripeRefunds(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create(confirmed)
	part, err := r.V1Refunds.Create(r.ctx, &stripe.RefundCreateParams{PaymentIntent: &p.ID, Amount: stripe.Int64(250)})
	require.NoError(t, err)
	assert.Equal(t, stripe.RefundStatusSucceeded, part.Status)
	assert.Equal(t, p.LatestCharge.ID, part.Charge.ID)
	rest, err := r.V1Refunds.Create(r.ctx, &stripe.RefundCreateParams{Charge: &p.LatestCharge.ID})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, rest.Amount, "without an amount all that is left is given back")
	for _, amount := range []*int64{nil, stripe.Int64(1)} {
		_, err = r.V1Refunds.Create(r.ctx, &stripe.RefundCreateParams{PaymentIntent: &p.ID, Amount: amount})
		assert.Equal(t, stripe.ErrorCodeChargeAlreadyRefunded, refusal(t, err).Code)
	}
	got, err := r.V1Refunds.Retrieve(r.ctx, part.ID, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 250, got.Amount)
	assert.Len(t, r.ledger("refund"), 2)
}

func TestStripeErrors(t *testing.T) {
	r := startStripe(t, 0)
	_, err := r.V1PaymentIntents.Confirm(r.ctx, "pi_none", nil)
	assert.Equal(t, 404, refusal(t, err).HTTPStatusCode)
	assert.Equal(t, stripe.ErrorCodeResourceMissing, refusal(t, err).Code)
	_, err = r.V1PaymentIntents.Create(r.ctx, intent(confirmed, func(p *stripe.PaymentIntentCreateParams) { p.Amount = nil }))
	assert.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	assert.Equal(t, stripe.ErrorTypeInvalidRequest, refusal(t, err).Type)
	_, err = r.V1Customers.Create(r.ctx, nil)
	assert.Equal(t, 404, refusal(t, err).HTTPStatusCode)
	assert.Empty(t, r.debits())
}

func TestStripeDeclines(t *testing.T) {
	r := startStripe(t, 0)
	r.arm(object{"kind": "decline", "count": 1})
	p := r.create()
	_, err := r.V1PaymentIntents.Confirm(r.ctx, p.ID, nil)
	e := refusal(t, err)
	assert.Equal(t, 402, e.HTTPStatusCode)
	assert.Equal(t, stripe.ErrorTypeCard, e.Type)
	assert.Equal(t, stripe.ErrorCodeCardDeclined, e.Code)
	assert.Equal(t, stripe.DeclineCode("generic_decline"), e.DeclineCode)
	assert.Equal(t, stripe.PaymentIntentStatusRequiresPaymentMethod, e.PaymentIntent.Status)
	got, err := r.V1PaymentIntents.Retrieve(r.ctx, p.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, stripe.PaymentIntentStatusRequiresPaymentMethod, got.Status)
	assert.Equal(t, stripe.ErrorCodeCardDeclined, got.LastPaymentError.Code)
	got, err = r.V1PaymentIntents.Confirm(r.ctx, p.ID, nil)
	require.NoError(t, err, "a declined intent may be tried again")
	assert.Equal(t, stripe.PaymentIntentStatusSucceeded, got.Status)
	assert.Nil(t, got.LastPaymentError)

	poor := startStripe(t, 0, func(c *fakebank.Config) { c.OpeningBalance = 10 })
	_, err = poor.V1PaymentIntents.Create(poor.ctx, intent(confirmed))
	assert.Equal(t, stripe.DeclineCode("insufficient_funds"), refusal(t, err).DeclineCode)
}

func TestStripeKeys(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create(confirmed, keyed("k1"))
	assert.Empty(t, p.LastResponse.Header.Get("Idempotent-Replayed"))
	again := r.create(confirmed, keyed("k1"))
	assert.Equal(t, p.ID, again.ID)
	assert.Equal(t, "true", again.LastResponse.Header.Get("Idempotent-Replayed"))
	assert.Equal(t, string(p.LastResponse.RawJSON), string(again.LastResponse.RawJSON))

	_, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k1"), func(p *stripe.PaymentIntentCreateParams) { p.Amount = stripe.Int64(1) }))
	assert.Equal(t, stripe.ErrorTypeIdempotency, refusal(t, err).Type)
	assert.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	other := &stripe.RefundCreateParams{PaymentIntent: &p.ID}
	other.SetIdempotencyKey("k1")
	_, err = r.V1Refunds.Create(r.ctx, other)
	assert.Equal(t, stripe.ErrorTypeIdempotency, refusal(t, err).Type, "a key is one of the whole API")

	r.arm(object{"kind": "decline", "count": 1})
	for range 2 { // a decline is an answer like others
		_, err = r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k2")))
		assert.Equal(t, 402, refusal(t, err).HTTPStatusCode)
	}
	_, err = r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k3"), func(p *stripe.PaymentIntentCreateParams) { p.Amount = nil }))
	require.Error(t, err)
	r.create(confirmed, keyed("k3")) // what was not understood has not used its key
	assert.Len(t, r.debits(), 2)
	assert.Len(t, r.ledger("decline"), 1)
}

// The answer is lost, the client's own retry comes with the same key: one debit, and the client has the first answer.
func TestStripeClientRetriesALostAnswer(t *testing.T) {
	for _, how := range []string{"rst", "fin"} {
		r := startStripe(t, 2)
		id := r.arm(object{"kind": "drop", "how": how, "count": 1})
		p := r.create(confirmed)
		r.await(id, 1, 0)
		assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
		assert.Equal(t, "true", p.LastResponse.Header.Get("Idempotent-Replayed"))
		assert.Equal(t, []int64{1250}, r.debits())
		assert.Len(t, r.ledger("request"), 2)
		assert.Equal(t, r.ledger("debit")[0].TradeNo, p.ID)
	}
}

// A 5xx behind which the money was taken is stored too, and answered again. One that tells the truth is not.
func TestStripeStoresServerErrors(t *testing.T) {
	for _, tc := range []struct {
		kind  string
		again int
	}{{"fail", 500}, {"refuse-before", 200}} {
		r := startStripe(t, 0)
		r.arm(object{"kind": tc.kind, "status": 500, "count": 1})
		_, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
		assert.Equal(t, 500, refusal(t, err).HTTPStatusCode)
		assert.Equal(t, stripe.ErrorTypeAPI, refusal(t, err).Type)
		p, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
		if tc.again == 200 {
			require.NoError(t, err)
			assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
		} else {
			assert.Equal(t, tc.again, refusal(t, err).HTTPStatusCode)
		}
		assert.Equal(t, []int64{1250}, r.debits())
	}
}

func TestStripeKeyInUse(t *testing.T) {
	r := startStripe(t, 0)
	id := r.arm(object{"kind": "hold", "count": 1})
	first := make(chan *stripe.PaymentIntent, 1)
	go func() {
		p, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
		assert.NoError(t, err)
		first <- p
	}()
	r.await(id, 1, 1)
	_, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
	assert.Equal(t, 409, refusal(t, err).HTTPStatusCode)
	assert.Equal(t, stripe.ErrorCodeIdempotencyKeyInUse, refusal(t, err).Code)
	r.rule("POST", "behaviours/"+id+"/release", nil)
	p := <-first
	require.NotNil(t, p)
	assert.Equal(t, p.ID, r.create(confirmed, keyed("k")).ID)
	assert.Equal(t, []int64{1250}, r.debits())
}

func TestStripeModes(t *testing.T) {
	for mode, want := range map[string]struct{ status, debits int }{
		fakebank.Dedupe: {200, 1}, fakebank.Refuse: {400, 1}, fakebank.Naive: {200, 2},
	} {
		r := startStripe(t, 0, func(c *fakebank.Config) { c.Mode = mode })
		r.create(confirmed, keyed("k"))
		p, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
		if want.status == 200 {
			require.NoError(t, err, mode)
			assert.Equal(t, stripe.PaymentIntentStatusSucceeded, p.Status)
		} else {
			assert.Equal(t, want.status, refusal(t, err).HTTPStatusCode, mode)
		}
		assert.Len(t, r.debits(), want.debits, mode)
	}
}

// event reads a notification as Stripe's client does, and the payment intent in it.
func event(t *testing.T, got heard) (stripe.Event, stripe.PaymentIntent) {
	t.Helper()
	e, err := webhook.ConstructEvent(got.body, got.header.Get("Stripe-Signature"), secret)
	require.NoError(t, err, "%s", got.body)
	var p stripe.PaymentIntent
	require.NoError(t, json.Unmarshal(e.Data.Raw, &p))
	return e, p
}

func TestStripeEvents(t *testing.T) {
	r := startStripe(t, 0)
	p := r.create(confirmed, keyed("k"))
	e, of := event(t, r.hook.next(t))
	r.hook.replies <- 500
	assert.Equal(t, stripe.EventTypePaymentIntentSucceeded, e.Type)
	assert.Equal(t, p.ID, of.ID)
	assert.Equal(t, map[string]string{"order": "O-1"}, of.Metadata)
	assert.Equal(t, "k", e.Request.IdempotencyKey)

	r.arm(object{"kind": "decline", "count": 1})
	_, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed))
	require.Error(t, err)
	e, of = event(t, r.hook.next(t))
	assert.Equal(t, stripe.EventTypePaymentIntentPaymentFailed, e.Type)
	assert.Equal(t, stripe.ErrorCodeCardDeclined, of.LastPaymentError.Code)
	again, _ := event(t, r.hook.next(t))
	assert.Equal(t, e.ID, again.ID, "what was answered 500 is sent again")

	held := r.create(confirmed, manual)
	e, of = event(t, r.hook.next(t))
	assert.Equal(t, stripe.EventTypePaymentIntentAmountCapturableUpdated, e.Type)
	assert.Equal(t, held.ID, of.ID)

	_, err = r.V1Refunds.Create(r.ctx, &stripe.RefundCreateParams{PaymentIntent: &p.ID, Amount: stripe.Int64(250)})
	require.NoError(t, err)
	e, err = webhook.ConstructEvent(func() ([]byte, string, string) {
		got := r.hook.next(t)
		return got.body, got.header.Get("Stripe-Signature"), secret
	}())
	require.NoError(t, err)
	assert.Equal(t, stripe.EventTypeChargeRefunded, e.Type)
	var c stripe.Charge
	require.NoError(t, json.Unmarshal(e.Data.Raw, &c))
	assert.EqualValues(t, 250, c.AmountRefunded)
	assert.Equal(t, p.LatestCharge.ID, c.ID)
}

func TestStripeAcceptedThenSettled(t *testing.T) {
	r := startStripe(t, 0)
	r.arm(object{"kind": "accept", "count": 1})
	p := r.create(confirmed)
	assert.Equal(t, stripe.PaymentIntentStatusProcessing, p.Status)
	assert.Empty(t, r.debits())
	r.rule("POST", "settle", object{"trade_no": p.ID, "status": "SUCCESS", "callback": true})
	e, of := event(t, r.hook.next(t))
	assert.Equal(t, stripe.EventTypePaymentIntentSucceeded, e.Type)
	assert.Equal(t, stripe.PaymentIntentStatusSucceeded, of.Status)
	assert.Equal(t, []int64{1250}, r.debits())
}

func TestStripeForgedEvents(t *testing.T) {
	r := startStripe(t, 0, func(c *fakebank.Config) { c.AutoCallbacks = false })
	p := r.create(confirmed)
	for _, tc := range []struct {
		fire object
		want error
	}{
		{object{"sign": "good"}, nil},
		{object{"sign": "bad"}, webhook.ErrNoValidSignature},
		{object{"sign": "none"}, webhook.ErrNotSigned},
		{object{"skew": int64(-3600e9)}, webhook.ErrTooOld},
		{object{"status": "FAILED", "notification_ids": []string{"evt_mine"}}, nil},
	} {
		fire := object{"trade_no": p.ID, "status": "SUCCESS", "once": true}
		for k, v := range tc.fire {
			fire[k] = v
		}
		r.rule("POST", "callbacks", fire)
		got := r.hook.next(t)
		e, err := webhook.ConstructEvent(got.body, got.header.Get("Stripe-Signature"), secret)
		assert.True(t, errors.Is(err, tc.want), "%v: %v", tc.fire, err)
		if ids, given := tc.fire["notification_ids"]; given {
			assert.Equal(t, ids, []string{e.ID})
			assert.Equal(t, stripe.EventTypePaymentIntentPaymentFailed, e.Type)
		}
	}
	assert.Equal(t, http.StatusOK, r.send("GET", r.api+"/readyz", "").status)
}

// Fifty requests at once under one key: one is carried out, the others are told so or that it is under way.
func TestStripeFiftyAtOnceUnderOneKey(t *testing.T) {
	r := startStripe(t, 0)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, err := r.V1PaymentIntents.Create(r.ctx, intent(confirmed, keyed("k")))
			if err != nil {
				var e *stripe.Error
				assert.ErrorAs(t, err, &e)
				assert.Equal(t, stripe.ErrorCodeIdempotencyKeyInUse, e.Code)
			}
		})
	}
	all.Wait()
	assert.Equal(t, []int64{1250}, r.debits())
	trades := map[string]bool{}
	for _, e := range r.ledger("request") {
		trades[e.TradeNo] = true
	}
	assert.Len(t, trades, 1, "every request is about the same intent")
}
