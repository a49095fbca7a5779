package dialects

import (
	"sync"

	"onedebit/fakebank"
)

// Bounds of what is remembered of keys. A key is never forgotten: a forgotten one could be debited again.
const (
	maxKeys   = 1_000_000
	maxStored = 512 << 20 // bytes of answers
)

// keys are the requests that came before, by what makes them known again.
type keys struct {
	mu    sync.Mutex
	known map[string]*firstTime
	bytes int
	named map[string]map[string]string // ids that the bank makes for the requests under a key
}

// firstTime is the first request under a key. It is guarded by the lock of keys.
type firstTime struct {
	print  [32]byte
	done   bool
	answer fakebank.Answer
}

// id is the id of that name for requests under a key: a repeat is about the same payment as the first, also before either
// is carried out.
func (k *keys) id(key, name string, fresh func() string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	named := k.named[key]
	if named == nil {
		if len(k.named) >= maxKeys {
			return fresh() // it is not carried out: there is no room for the key either
		}
		named = map[string]string{}
		k.named[key] = named
	}
	if named[name] == "" {
		named[name] = fresh()
	}
	return named[name]
}

// meeting is what a request finds under its key.
type meeting int

const (
	first   meeting = iota // nobody was here before
	again                  // answered before
	running                // the first is not answered yet
	other                  // the first asked for something else
	noRoom
)

// meet looks a key up, and takes it where it is free.
func (k *keys) meet(key string, print [32]byte) (meeting, *firstTime) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, known := k.known[key]
	switch {
	case !known && (len(k.known) >= maxKeys || k.bytes >= maxStored):
		return noRoom, nil
	case !known:
		f = &firstTime{print: print}
		k.known[key] = f
		k.bytes += len(key)
		return first, f
	case f.print != print:
		return other, f
	case !f.done:
		return running, f
	}
	return again, f
}

// answered remembers what the first request was told, or would have been told.
func (k *keys) answered(f *firstTime, a fakebank.Answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a.Done = nil
	f.answer, f.done = a, true
	k.bytes += len(a.Body)
}

func (k *keys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known, k.bytes, k.named = map[string]*firstTime{}, 0, map[string]map[string]string{}
}
