// Command shop takes payments through Stripe's official client, whose address is fixed in its code. The key that Stripe knows a
// payment by is stored before Stripe is asked; with -fresh-keys the client makes up a new one for each call.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/stripe/stripe-go/v85"
	_ "modernc.org/sqlite"
)

type shop struct {
	db        *sql.DB
	stripe    *stripe.Client
	freshKeys bool
}

func main() {
	s := &shop{stripe: stripe.NewClient("sk_test_none")}
	flag.BoolVar(&s.freshKeys, "fresh-keys", false, "forget the key of a payment")
	flag.Parse()
	var err error
	if s.db, err = sql.Open("sqlite", "file:"+os.Getenv("DB")+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"); err != nil {
		log.Fatal(err)
	}
	s.db.SetMaxOpenConns(1)
	if _, err := s.db.Exec("CREATE TABLE IF NOT EXISTS payments (order_no TEXT PRIMARY KEY, amount INTEGER, status TEXT)"); err != nil {
		log.Fatal(err)
	}
	go s.reconcile()
	http.HandleFunc("POST /pay", s.pay)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func (s *shop) pay(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Order  string
		Amount int64
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	made, err := s.db.Exec("INSERT INTO payments VALUES (?, ?, 'PENDING') ON CONFLICT DO NOTHING", in.Order, in.Amount)
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if n, _ := made.RowsAffected(); n == 1 || s.freshKeys {
		s.finish(in.Order, in.Amount)
	}
	var amount int64
	var status string
	if err := s.db.QueryRow("SELECT amount, status FROM payments WHERE order_no = ?", in.Order).Scan(&amount, &status); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	code := map[string]int{"PAID": http.StatusOK, "PENDING": http.StatusAccepted, "FAILED": http.StatusPaymentRequired}[status]
	if amount != in.Amount {
		code = http.StatusUnprocessableEntity
	}
	w.WriteHeader(code)
}

// finish asks Stripe, which gives its first answer again under a key that it knows.
func (s *shop) finish(order string, amount int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	p := &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(amount), Currency: stripe.String("usd"), PaymentMethod: stripe.String("pm_card_visa"), Confirm: stripe.Bool(true),
		Metadata: map[string]string{"order": order},
	}
	if !s.freshKeys {
		p.SetIdempotencyKey("pay-" + order)
	}
	intent, err := s.stripe.V1PaymentIntents.Create(ctx, p)
	status := ""
	var refused *stripe.Error
	switch {
	case err == nil && intent.Status == stripe.PaymentIntentStatusSucceeded:
		status = "PAID"
	case errors.As(err, &refused) && refused.Type == stripe.ErrorTypeCard:
		status = "FAILED"
	default:
		log.Printf("payment %s is not known yet: %v", order, err)
		return
	}
	if _, err := s.db.Exec("UPDATE payments SET status = ? WHERE order_no = ? AND status = 'PENDING'", status, order); err != nil {
		log.Print(err)
	}
}

// reconcile finishes what was left.
func (s *shop) reconcile() {
	for range time.Tick(time.Second) {
		rows, err := s.db.Query("SELECT order_no, amount FROM payments WHERE status = 'PENDING'")
		if err != nil {
			continue
		}
		left := map[string]int64{}
		for rows.Next() {
			var order string
			var amount int64
			if rows.Scan(&order, &amount) == nil {
				left[order] = amount
			}
		}
		_ = rows.Close()
		for order, amount := range left {
			s.finish(order, amount)
		}
	}
}
