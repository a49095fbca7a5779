package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// The kinds of lease.
const (
	leaseDatabase = "database"
	leaseKeys     = "keys"
	leaseQueues   = "queues"
)

// lease is what an experiment has made for itself on a server that others use too. It is written down before it is made, so
// that it can be given back also when the run is killed.
type lease struct {
	Kind      string   `json:"kind"`
	Server    string   `json:"server"` // URL, with its password
	Name      string   `json:"name"`   // or the beginning of it
	Exchanges []string `json:"exchanges,omitempty"`
	Queues    []string `json:"queues,omitempty"`
}

// leaseFile is where leases are written down, a line each, in the working folder, which nobody else may read.
const leaseFile = "leases"

// lease writes a lease down. Where the servers are the run's own they go as a whole, and there is nothing to give back.
func (w *Workdir) lease(l lease) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ownServers {
		return nil
	}
	line, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("writing down what is made on a server: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(w.Path, leaseFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("writing down what is made on a server: %w: %w", ErrNotUp, err)
	}
	return nil
}

// leases reads what was written down. A line that was cut off was not acted upon.
func leases(dir string) (out []lease) {
	f, err := os.Open(filepath.Join(dir, leaseFile))
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l lease
		if json.Unmarshal(lines.Bytes(), &l) == nil {
			out = append(out, l)
		}
	}
	return out
}

// end gives it back. It can be called twice, and where it was never made.
func (l lease) end() error {
	server, err := url.Parse(l.Server)
	if err != nil {
		return fmt.Errorf("giving %s %s back: the server's URL cannot be read", l.Kind, l.Name)
	}
	switch l.Kind {
	case leaseDatabase:
		kind := databases[server.Scheme]
		err = execute(context.Background(), kind, server, fmt.Sprintf(kind.drop, l.Name))
	case leaseKeys:
		var cache *serverCache
		if cache, err = joinCache(l.Server, l.Name); err == nil {
			err = cache.close()
		}
	case leaseQueues:
		err = brokers[server.Scheme].remove(l)
	}
	if err != nil {
		return fmt.Errorf("removing %s %s on %s: %w", l.Kind, l.Name, server.Redacted(), err)
	}
	return nil
}
