package stack

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"

	"onedebit/scenarios/history"
)

// tapToxicType is the name under which the tap is known to Toxiproxy.
const tapToxicType = "onedebit_tap"

// tapToxic puts the tap into a chain of toxics, one in each direction. Toxiproxy makes it from JSON, so that it can only
// carry the number under which its proxy is found.
type tapToxic struct {
	ID  string `json:"id"`
	Dir string `json:"dir"`
}

// NewState is called when a connection begins, while the proxy that starts it holds the connection ready.
func (t *tapToxic) NewState() any {
	if p := tapped.find(t.ID); p != nil {
		return &flow{conn: p.starting, dir: t.Dir}
	}
	return nil
}

// Pipe carries the messages of one direction of one connection.
func (t *tapToxic) Pipe(stub *toxics.ToxicStub) {
	if f, ok := stub.State.(*flow); ok && f.conn != nil {
		f.run(stub)
		return
	}
	new(toxics.NoopToxic).Pipe(stub)
}

// tapRegistry finds the proxies of this process by number.
type tapRegistry struct {
	once    sync.Once
	next    atomic.Int64
	proxies sync.Map
}

var tapped tapRegistry

// add makes a proxy known and returns its number.
func (r *tapRegistry) add(p *Proxy) string {
	r.once.Do(func() {
		// Toxiproxy's toxics write to a logger that belongs to the whole process and nobody else uses.
		zerolog.SetGlobalLevel(zerolog.Disabled)
		toxics.Register(tapToxicType, new(tapToxic))
	})
	id := strconv.FormatInt(r.next.Add(1), 10)
	r.proxies.Store(id, p)
	return id
}

func (r *tapRegistry) find(id string) *Proxy {
	p, _ := r.proxies.Load(id)
	found, _ := p.(*Proxy)
	return found
}

func (r *tapRegistry) remove(id string) { r.proxies.Delete(id) }

// tapStreams are the directions by Toxiproxy's names for them.
var tapStreams = map[string]string{"upstream": history.Request, "downstream": history.Answer}
