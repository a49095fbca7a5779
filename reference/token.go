package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Key is the name of something in the cache, with the prefix of this service.
func (s *Service) Key(name string) string { return s.Config.CachePrefix + name }

// TokenKey is where the cache holds a key that was issued; its value is the order.
func TokenKey(merchant, key string) string { return "token:" + merchant + ":" + key }

// ClaimKey is where the cache holds that a key is in use. Keys belong to one merchant and to one operation.
func ClaimKey(merchant, key string) string { return "idem:" + merchant + ":pay:" + key }

// claimOf is the value of a claim: what was asked for, and by which attempt, so that nobody releases another's claim.
func claimOf(p Payment) string { return p.Fingerprint + "." + p.ID }

func claimed(value string) (fingerprint string) {
	return value[:max(0, strings.LastIndexByte(value, '.'))]
}

// releaseScript deletes a claim only while it is still the caller's own.
var releaseScript = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Claim takes the key of a request in the cache for the row that is about to be stored. It returns an answer where the
// key cannot be taken, and an error where the cache does not answer: without it nothing is done.
func (s *Service) Claim(ctx context.Context, r PayRequest, p Payment) (*Answer, error) {
	won, err := s.Cache.SetNX(ctx, s.Key(ClaimKey(r.Merchant, r.Key)), claimOf(p), s.Config.TokenTTL.Std()).Result()
	if err != nil {
		s.Release(ctx, p) // it may have been taken although the answer was lost
		return nil, fmt.Errorf("claiming a key in the cache: %w", err)
	}
	if !won {
		return s.lost(ctx, r, p.Fingerprint)
	}
	answer, err := s.Issued(ctx, r)
	if err != nil || answer != nil {
		s.Release(ctx, p)
	}
	return answer, err
}

// Issued answers nil where the key of the request was issued by precreate for this order, otherwise KEY_UNKNOWN.
func (s *Service) Issued(ctx context.Context, r PayRequest) (*Answer, error) {
	order, err := s.Cache.Get(ctx, s.Key(TokenKey(r.Merchant, r.Key))).Result()
	switch {
	case errors.Is(err, redis.Nil) || err == nil && order != r.OrderID:
		a := Refusal(r, http.StatusBadRequest, CodeKeyUnknown, "the key was not issued for this order, or has expired; call precreate")
		return &a, nil
	case err != nil:
		return nil, fmt.Errorf("looking up a key in the cache: %w", err)
	}
	return nil, nil
}

// lost answers a request whose key is in use. A claim of a process that died before it stored its row is taken over
// after service_timeout; should that process be alive after all, the unique row still lets only one through.
func (s *Service) lost(ctx context.Context, r PayRequest, fingerprint string) (*Answer, error) {
	holder, err := s.Cache.Get(ctx, s.Key(ClaimKey(r.Merchant, r.Key))).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("reading a claim in the cache: %w", err)
	}
	if err == nil && claimed(holder) != fingerprint {
		return Conflict(r, true), nil
	}
	_, answer, err := known(ctx, s, r)
	if err != nil || answer != nil {
		return answer, err
	}
	left, err := s.Cache.PTTL(ctx, s.Key(ClaimKey(r.Merchant, r.Key))).Result()
	if err != nil {
		return nil, fmt.Errorf("reading the age of a claim in the cache: %w", err)
	}
	if s.Config.TokenTTL.Std()-left > s.Config.ServiceTimeout.Std() {
		return s.Issued(ctx, r)
	}
	a := Refusal(r, http.StatusConflict, CodeRepeat, "this request is already being carried out; ask for the order")
	a.Status = Pending
	return &a, nil
}

// Release gives the key of a payment back where nothing can have been debited for it. It is a courtesy, since the claim
// ends by itself, and takes no longer than a client waits.
func (s *Service) Release(ctx context.Context, p Payment) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Config.CacheTimeout.Std())
	defer cancel()
	if err := releaseScript.Run(ctx, s.Cache, []string{s.Key(ClaimKey(p.Merchant, p.Key))}, claimOf(p)).Err(); err != nil {
		s.Log.Step(p.OrderID, p.TraceID, "token.release", "ERROR", err.Error())
	}
}
