package reference

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const callbackPath = "/api/payment/callback"

// Names that the bank gives, within what every database keeps and compares alike.
var (
	noticeRule = regexp.MustCompile(`^[!-~]{1,128}$`)
	tradeRule  = regexp.MustCompile(`^[!-~]{1,64}$`)
)

// Notification is what the bank sends of its own accord.
type Notification struct {
	ID       string `json:"notification_id"`
	TradeNo  string `json:"trade_no"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"` // minor units
	Currency string `json:"currency"`
	Merchant string `json:"merchant"`
	RefundNo string `json:"refund_no"`
	Reason   string `json:"reason"`
}

// Word makes the word that a notification carries.
func (n Notification) Word(said Said) Word {
	return Word{Said: said, Source: FromCallback, TradeNo: n.TradeNo, RefundNo: n.RefundNo, MessageID: n.ID, Merchant: n.Merchant,
		Amount: n.Amount, Currency: n.Currency, Reason: clip(n.Reason, 128)}
}

// Results of a callback row that are not the name of a state.
const (
	ResultDuplicate = "duplicate"
	ResultParked    = "parked" // its number is not known here
	resultIgnored   = "ignored"
	resultRefused   = "refused" // contradicts what was asked for; its id is not kept
)

// callback takes a notification. Anything but a 2xx makes the bank send it again, so only a notification that is not
// the bank's and a database that does not answer are refused.
func (s *Service) callback(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		respond(w, http.StatusBadRequest, Answer{Code: CodeBadRequest, Message: "the body did not arrive, or is too large"})
		return
	}
	if err := s.Parts.Authentic(s.Config, r.Header, body); err != nil {
		s.refuseNotice(w, r, "forged", body, err)
		return
	}
	if err := s.Parts.Fresh(s.Config, r.Header, s.Now()); err != nil {
		s.refuseNotice(w, r, "stale", body, err)
		return
	}
	var n Notification
	if err := json.Unmarshal(body, &n); err != nil || !noticeRule.MatchString(n.ID) || !tradeRule.MatchString(n.TradeNo) || n.RefundNo != "" && !tradeRule.MatchString(n.RefundNo) {
		s.Log.Step("", "", "callback.receive", "REFUSED", "not a notification")
		respond(w, http.StatusBadRequest, Answer{Code: CodeBadRequest, Message: "a notification has notification_id and trade_no, of printable characters"})
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.Config.ServiceTimeout.Std())
	defer cancel()
	result, err := s.Parts.Callback(ctx, s, n)
	if err != nil {
		s.Log.Step("", "", "callback.receive", "ERROR", fmt.Sprintf("id=%s trade_no=%s: %v", n.ID, n.TradeNo, err))
		respond(w, http.StatusInternalServerError, Answer{Code: CodeBusy, Message: "not stored; send it again"})
		return
	}
	s.LogCallback(ctx, n, result)
	respond(w, http.StatusOK, map[string]string{"code": CodeOK})
}

// LogCallback writes the line of a notification under the order that it is about.
func (s *Service) LogCallback(ctx context.Context, n Notification, result string) {
	var order, trace string
	if trade, err := TradeByNo(ctx, s.Store, n.TradeNo); err == nil {
		order = trade.OrderID
		if p, err := PaymentByID(ctx, s.Store, trade.PaymentID); err == nil {
			trace = p.TraceID
		}
	}
	status := n.Status
	if result == ResultDuplicate {
		status = "SKIP_DUPLICATE"
	}
	s.Log.Step(order, trace, "callback.receive", status, fmt.Sprintf("id=%s trade_no=%s amount=%d result=%s", n.ID, n.TradeNo, n.Amount, result))
}

// authentic verifies that the bank has signed these very bytes and their time.
func authentic(cfg Config, h http.Header, body []byte) error {
	given, err := hex.DecodeString(h.Get("X-Bank-Signature"))
	if err != nil || !hmac.Equal(given, Sign(cfg.BankSecret, h.Get("X-Bank-Timestamp"), body)) {
		return errors.New("X-Bank-Signature is not that of the body")
	}
	return nil
}

// fresh verifies that a notification was sent a short while ago, by its signed time: one that was caught on the way is of
// no use later on.
func fresh(cfg Config, h http.Header, now time.Time) error {
	seconds, err := strconv.ParseInt(h.Get("X-Bank-Timestamp"), 10, 64)
	if err != nil {
		return errors.New("X-Bank-Timestamp is not a Unix time in seconds")
	}
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > cfg.CallbackFreshness.Std() {
		return fmt.Errorf("X-Bank-Timestamp is %s away from our clock, %s is allowed", age, cfg.CallbackFreshness)
	}
	return nil
}

// refuseNotice answers a notification that is not the bank's, or not of now, and records an alarm, one for each number
// that it names: whoever forges notifications must not fill the table.
func (s *Service) refuseNotice(w http.ResponseWriter, r *http.Request, kind string, body []byte, cause error) {
	s.Log.Step("", "", "callback.receive", "REFUSED", kind+": "+cause.Error())
	var n Notification
	_ = json.Unmarshal(body, &n) // whatever can be read of it
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.Config.ServiceTimeout.Std())
	defer cancel()
	alarm := Alarm{ID: kind + ":" + s.Now().UTC().Format(time.DateOnly), Kind: kind, CreatedAt: s.Millis(), Detail: fmt.Sprintf("a notification says %.16q for %.64q: %v", n.Status, n.TradeNo, cause)}
	if trade, err := TradeByNo(ctx, s.Store, n.TradeNo); err == nil {
		alarm.ID, alarm.Merchant, alarm.OrderID = kind+":"+trade.TradeNo, trade.Merchant, trade.OrderID
	}
	if err := s.Store.Tx(ctx, func(tx *Tx) error { return tx.InsertAlarm(ctx, alarm) }); err != nil && !errors.Is(err, ErrDuplicate) {
		s.Log.Step(alarm.OrderID, "", "alarm", "ERROR", err.Error())
	}
	respond(w, http.StatusUnauthorized, Answer{Code: CodeSignature, Message: cause.Error()})
}

// Sign returns the HMAC-SHA256 of a notification: timestamp, a dot, body.
func Sign(secret, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	_, _ = h.Write([]byte(timestamp + "."))
	_, _ = h.Write(body)
	return h.Sum(nil)
}

// settleCallback stores the notification and carries it out in one transaction. The notification id keeps out the same
// message, and the settlement by trade number keeps out the same fact under another id.
func settleCallback(ctx context.Context, s *Service, n Notification) (string, error) {
	w := n.Word(Said(n.Status))
	var result noticeResult
	seen := false
	err := s.Settling(ctx, func(tx *Tx) (err error) {
		if err = lockPaid(ctx, tx, n.TradeNo); err != nil {
			return err
		}
		if seen, err = s.Parts.Seen(ctx, s, tx, n); err != nil || seen {
			return err
		}
		if w.Said != SaidSuccess && w.Said != SaidFailed {
			result = noticeResult{text: resultIgnored} // a word that moves no money: stored, and nothing else
			return tx.CallbackResult(ctx, n.ID, result.text)
		}
		result, err = s.settleNotice(ctx, tx, w)
		if errors.Is(err, ErrAbsent) {
			result = noticeResult{text: ResultParked}
			err = s.Parts.Park(ctx, s, tx, n)
		}
		if err != nil {
			return err
		}
		return tx.noticeDone(ctx, n.ID, result.text)
	})
	if seen || errors.Is(err, errSeen) {
		return ResultDuplicate, nil
	}
	if err == nil && result.log != nil {
		result.log()
	}
	return result.text, err
}

// noticeResult is what a notification did, and what is to be logged of it after the commit.
type noticeResult struct {
	text string
	log  func()
}

// settleNotice carries out the word of a notification, about a debit or a refund, inside a transaction of the caller.
// A number that is not ours wraps ErrAbsent.
func (s *Service) settleNotice(ctx context.Context, tx *Tx, w Word) (noticeResult, error) {
	if w.RefundNo != "" {
		done, err := s.SettleRefundIn(ctx, tx, w)
		return noticeResult{did(done.Refused, "refund "+string(done.Refund.Status)), func() { s.LogRefundSettlement(w, done) }}, err
	}
	done, err := s.SettleIn(ctx, tx, w)
	return noticeResult{did(done.Refused, string(done.Payment.Status)), func() { s.LogSettlement(w, done) }}, err
}

func did(refused bool, what string) string {
	if refused {
		return resultRefused
	}
	return what
}

// errSeen undoes a transaction that has met its own notification again.
var errSeen = errors.New("this notification was seen before")

// seenBefore stores a notification and reports whether it was stored before. Where the unique row refuses it, the
// transaction is of no more use: errSeen.
func seenBefore(ctx context.Context, s *Service, tx *Tx, n Notification) (bool, error) {
	err := tx.InsertCallback(ctx, n, s.Millis())
	if errors.Is(err, ErrDuplicate) {
		return true, errSeen
	}
	return false, err
}

// lockPaid locks the payment that a trade number pays, if it is one of ours.
func lockPaid(ctx context.Context, tx *Tx, tradeNo string) error {
	trade, err := TradeByNo(ctx, tx, tradeNo)
	if err == nil {
		_, err = LockPayment(ctx, tx, trade.PaymentID)
	}
	if errors.Is(err, ErrAbsent) {
		return nil
	}
	return err
}

// InsertCallback stores a notification; one that is stored already wraps ErrDuplicate.
func (t *Tx) InsertCallback(ctx context.Context, n Notification, now int64) error {
	_, err := t.Exec(ctx, `INSERT INTO callback (notification_id, trade_no, refund_no, status, amount, received_at, result) VALUES (?, ?, ?, ?, ?, ?, '')`,
		n.ID, n.TradeNo, n.RefundNo, clip(n.Status, 16), n.Amount, now)
	return err
}

// noticeDone stores what a notification did. One that was refused leaves its alarm and not its id: the true one, which
// may come under the same id, must not be taken for a repetition.
func (t *Tx) noticeDone(ctx context.Context, id, result string) error {
	if result != resultRefused {
		return t.CallbackResult(ctx, id, result)
	}
	_, err := t.Exec(ctx, `DELETE FROM callback WHERE notification_id = ?`, id)
	return err
}

// CallbackResult stores what a notification did.
func (t *Tx) CallbackResult(ctx context.Context, id, result string) error {
	_, err := t.Exec(ctx, `UPDATE callback SET result = ? WHERE notification_id = ?`, result, id)
	return err
}
