package stack

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"onedebit/scenarios/history"
)

// KernelRule says what the kernel does with the packets of one direction of a link. One of Rate, Burst and Reject is set.
type KernelRule struct {
	Rate   float64 `json:"rate,omitempty"`   // each packet is lost with this chance; 1 is a black hole
	Burst  Burst   `json:"burst,omitzero"`   // packets are lost in a row, by counting
	Reject bool    `json:"reject,omitempty"` // every packet is answered with a RST; only of requests
}

// Asked is the share of packets that the rule is to lose, from 0 to 1.
func (r KernelRule) Asked() float64 {
	switch {
	case r.Reject:
		return 1
	case r.Burst.Of > 0:
		return float64(r.Burst.Lose) / float64(r.Burst.Of)
	}
	return r.Rate
}

func (r KernelRule) check(dir string) error {
	asked := 0
	for _, set := range []bool{r.Rate != 0, r.Burst != Burst{}, r.Reject} {
		if set {
			asked++
		}
	}
	switch {
	case dir != history.Request && dir != history.Answer:
		return fmt.Errorf("direction %q is neither %q nor %q", dir, history.Request, history.Answer)
	case asked != 1:
		return errors.New("a rule for packets needs one of rate, burst and reject")
	case !(r.Rate >= 0 && r.Rate <= 1):
		return fmt.Errorf("a loss rate of %v: it must be between 0 and 1", r.Rate)
	case r.Burst.Validate() != nil:
		return r.Burst.Validate()
	case r.Reject && dir != history.Request:
		return errors.New("only requests can be rejected: a RST for an answer would go to the proxy, and the client would never hear of it")
	}
	return nil
}

// Kernel breaks the packets of links where they arrive at the proxies and leave them, in the kernel. It speaks to a
// process in the network namespace of the proxies (see ServeKernel). Its methods may be used by many goroutines.
//
// What is lost is a packet and not a message: a connection being made, an acknowledgement, a retransmission. The times
// that TCP takes to mend it are the kernel's own and are not divided by the speed of the experiment, and the chance is the
// kernel's own too: no seed reaches it.
type Kernel struct {
	ports map[string]int // where the proxy of each link listens
	rules atomic.Int64   // names given out

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	asked   int
	waiting map[int]chan kernelReply // by the number of the call
	ended   bool
}

// kernelCall is one line to the process that holds the packet filter.
type kernelCall struct {
	ID     int        `json:"id"`
	Arm    *kernelArm `json:"arm,omitempty"`
	Counts string     `json:"counts,omitempty"` // name of a rule
	Remove string     `json:"remove,omitempty"` // name of a rule
	Check  bool       `json:"check,omitempty"`
}

type kernelArm struct {
	Name string     `json:"name"`
	Port int        `json:"port"`
	Dir  string     `json:"dir"`
	Rule KernelRule `json:"rule"`
}

// kernelReply is one line back. Seen and Lost count packets since the rule was armed.
type kernelReply struct {
	ID    int    `json:"id"`
	Seen  int    `json:"seen,omitempty"`
	Lost  int    `json:"lost,omitempty"`
	Error string `json:"error,omitempty"`
}

// DialKernel speaks to ServeKernel through its standard input and output. The ports say where the proxy of each link
// listens in that network namespace. It fails where the kernel there lacks what is needed.
func DialKernel(ctx context.Context, in io.Writer, out io.Reader, ports map[string]int) (*Kernel, error) {
	k := &Kernel{ports: ports, out: in, waiting: map[int]chan kernelReply{}}
	go k.read(out)
	if _, err := k.call(ctx, kernelCall{Check: true}); err != nil {
		return nil, fmt.Errorf("the packet filter of the proxies' network: %w: %w", ErrNotUp, err)
	}
	return k, nil
}

// read hands replies to those who wait for them, until the process's output ends.
func (k *Kernel) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r kernelReply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			break
		}
		k.mu.Lock()
		if waiting := k.waiting[r.ID]; waiting != nil {
			waiting <- r
			delete(k.waiting, r.ID)
		}
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	for _, waiting := range k.waiting {
		close(waiting)
	}
	clear(k.waiting)
}

// call sends one line and waits for its reply.
func (k *Kernel) call(ctx context.Context, c kernelCall) (kernelReply, error) {
	gone := errors.New("the process that holds the packet filter has ended")
	reply := make(chan kernelReply, 1)
	k.mu.Lock()
	k.asked++
	c.ID = k.asked
	ended := k.ended
	if !ended {
		k.waiting[c.ID] = reply
	}
	k.mu.Unlock()
	if ended {
		return kernelReply{}, gone
	}
	if err := k.send(c); err != nil {
		return kernelReply{}, fmt.Errorf("asking the packet filter: %w", err)
	}
	select {
	case r, ok := <-reply:
		switch {
		case !ok:
			return r, gone
		case r.Error != "":
			return r, errors.New(r.Error)
		}
		return r, nil
	case <-ctx.Done():
		return kernelReply{}, ctx.Err()
	}
}

func (k *Kernel) send(c kernelCall) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	_, err = k.out.Write(append(line, '\n'))
	return err
}

// Arm puts a rule in force for one direction of a link.
func (k *Kernel) Arm(ctx context.Context, link, dir string, rule KernelRule) (*KernelArmed, error) {
	port, ok := k.ports[link]
	if !ok {
		return nil, fmt.Errorf("the kernel breaks no packets of link %q: its proxy is not in that network", link)
	}
	if err := rule.check(dir); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("onedebit_%d", k.rules.Add(1))
	if _, err := k.call(ctx, kernelCall{Arm: &kernelArm{Name: name, Port: port, Dir: dir, Rule: rule}}); err != nil {
		return nil, fmt.Errorf("breaking the packets of link %s: %w", link, err)
	}
	return &KernelArmed{kernel: k, name: name}, nil
}

// KernelArmed is a rule of the kernel in force. Its methods may be used by many goroutines.
type KernelArmed struct {
	kernel *Kernel
	name   string

	mu   sync.Mutex
	done bool
	last kernelReply
}

// Counts are how many packets the rule has seen and how many of them it has lost (or rejected). They stay when it is
// removed.
func (a *KernelArmed) Counts(ctx context.Context) (seen, lost int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		r, err := a.kernel.call(ctx, kernelCall{Counts: a.name})
		if err != nil {
			return 0, 0, fmt.Errorf("counting lost packets: %w", err)
		}
		a.last = r
	}
	return a.last.Seen, a.last.Lost, nil
}

// Remove ends the rule. It can be called twice.
func (a *KernelArmed) Remove(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return nil
	}
	r, err := a.kernel.call(ctx, kernelCall{Remove: a.name})
	if err != nil {
		return fmt.Errorf("healing packet loss: %w", err)
	}
	a.last, a.done = r, true
	return nil
}

// packetFilter is what ServeKernel needs of a kernel. Rules are known by their names.
type packetFilter interface {
	arm(kernelArm) error
	counts(name string) (seen, lost int, err error)
	remove(name string) (seen, lost int, err error)
}

// KernelRole is the name of the role that is ServeKernel. It has no configuration, and its standard input and output are
// for DialKernel.
const KernelRole = "netfault"

// ServeKernel is the role that breaks packets in its own network namespace, as its input says, line by line: it shares
// the network of the proxies and needs the right to administer it. It ends when its input or the context does, and leaves
// no rule behind.
func ServeKernel(ctx context.Context, in io.Reader, out io.Writer) error {
	filter, err := newPacketFilter()
	if err != nil {
		return err
	}
	return serveKernel(ctx, in, out, filter)
}

func serveKernel(ctx context.Context, in io.Reader, out io.Writer, filter packetFilter) (err error) {
	armed := map[string]bool{}
	defer func() {
		for name := range armed {
			_, _, gone := filter.remove(name)
			err = errors.Join(err, gone)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	calls := make(chan []byte)
	go func() {
		defer close(calls)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			select {
			case calls <- bytes.Clone(lines.Bytes()):
			case <-ctx.Done():
				return
			}
		}
	}()
	answers := json.NewEncoder(out)
	for {
		select {
		case call, ok := <-calls:
			if !ok {
				return nil
			}
			if err := answers.Encode(kernelAnswer(call, filter, armed)); err != nil {
				return fmt.Errorf("answering: %w", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// mostKernelRules bounds what is in force at a time.
const mostKernelRules = 64

func kernelAnswer(line []byte, filter packetFilter, armed map[string]bool) (r kernelReply) {
	var c kernelCall
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	err := strict.Decode(&c)
	r.ID = c.ID
	switch {
	case err != nil:
	case c.Check:
		err = checkKernel(filter)
	case c.Arm != nil && (armed[c.Arm.Name] || len(armed) >= mostKernelRules):
		err = fmt.Errorf("rule %q: it is in force already, or %d others are", c.Arm.Name, mostKernelRules)
	case c.Arm != nil:
		if err = c.Arm.check(); err == nil {
			err = filter.arm(*c.Arm)
		}
		if err == nil {
			armed[c.Arm.Name] = true
		}
	case armed[c.Counts]:
		r.Seen, r.Lost, err = filter.counts(c.Counts)
	case armed[c.Remove]:
		r.Seen, r.Lost, err = filter.remove(c.Remove)
		if err == nil {
			delete(armed, c.Remove)
		}
	default:
		err = fmt.Errorf("no rule %q is in force", c.Counts+c.Remove)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (a kernelArm) check() error {
	if a.Name == "" || a.Port < 1 || a.Port > 65535 {
		return fmt.Errorf("rule %q of port %d: a name and a port from 1 to 65535 are needed", a.Name, a.Port)
	}
	return a.Rule.check(a.Dir)
}

// checkKernel tries every kind of rule on a port that nobody uses, so that what a kernel lacks is said before an
// experiment begins and not in its middle.
func checkKernel(filter packetFilter) error {
	for _, rule := range []KernelRule{{Rate: 0.5}, {Burst: Burst{Lose: 1, Of: 2}}, {Reject: true}} {
		trial := kernelArm{Name: "onedebit_check", Port: 1, Dir: history.Request, Rule: rule}
		if err := filter.arm(trial); err != nil {
			return err
		}
		if _, _, err := filter.remove(trial.Name); err != nil {
			return err
		}
	}
	return nil
}
