package stack

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// bearer is what stands before a token in the header of a request.
const bearer = "Bearer "

// errNoToken is the error of a role whose control anybody could use.
var errNoToken = errors.New("the configuration has no token: whoever reaches the control could use it")

// guarded lets in only who has the token of the experiment: the service under test, and whatever else is on this machine or on
// the network of the containers, must not be able to change the truth about money.
func guarded(token string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), bearer)
		if ok && token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1 {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(controlError{"control is the harness's: the request needs the header Authorization: Bearer TOKEN with the token of the experiment"})
	})
}

// authorize gives a request the token.
func authorize(r *http.Request, token string) { r.Header.Set("Authorization", bearer+token) }
