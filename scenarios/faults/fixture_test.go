package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// asService is set for the test binary where it is started as the service under test.
const asService = "ONEDEBIT_TEST_AS_SERVICE"

// speed makes 100 s of real life 200 ms, so that a time which is not scaled outlasts the patience of a test.
const speed = 500

const serviceFile = `
target: tiny
processes: {tiny: {role: tiny, ready: {get: /readyz}, config: {listen: "${listen}"}}}
banks: {bank: {dialect: native}}
links: {cache: , queue: }
payment: {each: [{submit: {post: /pay}}]}
rows: {all: SELECT 1}
`

func TestMain(m *testing.M) {
	if os.Getenv(asService) != "" {
		os.Exit(serve(os.Getenv(stack.ConfigVar)))
	}
	code := m.Run()
	if shared.up != nil {
		shared.up.Down()
	}
	if shared.workdir != nil {
		if err := shared.workdir.Remove(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// serve is a service that can be asked whether it is there. It ends when its standard input does.
func serve(config string) int {
	var c struct {
		Config struct {
			Listen string `json:"listen"`
		} `json:"config"`
	}
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(http.ListenAndServe(c.Config.Listen, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	return 1
}

// shared is the one stack of all tests of this package: each heals what it has armed.
var shared struct {
	once    sync.Once
	up      *stack.Stack
	workdir *stack.Workdir
	err     error
}

var rigs atomic.Int64

// rig is what a test of a fault works with.
type rig struct {
	t     *testing.T
	stack *stack.Stack
	id    string // the test's own, for names, orders and accounts
	trade atomic.Int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	shared.once.Do(func() { shared.err = bringUp() })
	require.NoError(t, shared.err)
	return &rig{t: t, stack: shared.up, id: fmt.Sprintf("F%03d", rigs.Add(1))}
}

func bringUp() error {
	target, err := targets.Load("tiny.yaml", []byte(serviceFile))
	if err != nil {
		return err
	}
	if shared.workdir, err = stack.NewWorkdir(os.TempDir()); err != nil {
		return err
	}
	chance := rand.New(rand.NewPCG(1, uint64(os.Getpid())))
	site, err := stack.Embedded.Open(context.Background(), stack.Run{
		Self: []string{os.Args[0]}, Env: append(os.Environ(), asService+"=yes"), Workdir: shared.workdir, Loopback: stack.NewLoopback(chance),
	})
	if err != nil {
		return err
	}
	shared.up, err = site.Up(context.Background(), stack.Spec{
		Target: target, Speed: speed, Rand: chance, Recorder: history.NewRecorder(time.Now),
	})
	return err
}

// patient bounds a wait for what is sure to come.
func (r *rig) patient() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

// read decodes a fault as it stands in a scenario, for example "hold: {link: bank}".
func read(text string) (Fault, error) {
	f, err := decode.Parse("s.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	kind, ok := Named(f.Root.Content[0].Value)
	if !ok {
		return nil, f.Unknown(f.Root, "fault", f.Root.Content[0].Value, Names())
	}
	fault := kind.New()
	return fault, f.Decode(f.Root.Content[1], fault)
}

// sample is a fault as it is written, with its text for a reader.
type sample struct{ text, says string }

// reads holds that faults are read and described, and which links they need.
func reads(t *testing.T, links []string, samples ...sample) {
	t.Helper()
	for _, s := range samples {
		f, err := read(s.text)
		if assert.NoError(t, err, s.text) {
			assert.Equal(t, s.says, f.Text(), s.text)
			assert.Equal(t, links, f.Links(), s.text)
		}
	}
}

// refuses holds that mistakes are found, at their place.
func refuses(t *testing.T, samples ...sample) {
	t.Helper()
	for _, s := range samples {
		_, err := read(s.text)
		if assert.ErrorContains(t, err, s.says, s.text) {
			assert.Regexp(t, `^s\.yaml:\d+:\d+: `, err.Error())
		}
	}
}

func (r *rig) env() *Env {
	own := func(label string) (string, error) {
		if label != "A" {
			return "", errors.New("no payment " + label)
		}
		return r.id, nil
	}
	return &Env{Stack: r.stack, Name: r.id, Rand: rand.New(rand.NewPCG(1, 2)), Order: own}
}

// arm puts a fault in force, and heals it at the end of the test in any case.
func (r *rig) arm(text string) Armed {
	r.t.Helper()
	f, err := read(text)
	require.NoError(r.t, err)
	a, err := f.Arm(r.patient(), r.env())
	require.NoError(r.t, err)
	r.t.Cleanup(func() { assert.NoError(r.t, a.Heal(context.Background())) })
	return a
}

// felt holds how often a fault was felt, and how much it holds back.
func (r *rig) felt(a Armed, fired, holding int) {
	r.t.Helper()
	f, h, err := a.Felt(r.patient())
	require.NoError(r.t, err)
	assert.Equal(r.t, [2]int{fired, holding}, [2]int{f, h}, "fired, holding")
}

// await waits until a fault was felt so often and holds back so much.
func (r *rig) await(a Armed, fired, holding int) {
	r.t.Helper()
	ctx := r.patient()
	require.NoError(r.t, a.Await(ctx, fired, holding))
	require.NoError(r.t, ctx.Err(), "the fault was not felt")
}

// givesUpWaiting holds that a wait for what does not come ends with its context, without an error.
func (r *rig) givesUpWaiting(a Armed, fired, holding int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Millisecond)
	defer cancel()
	require.NoError(r.t, a.Await(ctx, fired, holding))
	require.Error(r.t, ctx.Err())
}

// heal heals twice, which is allowed, and holds that the count stays.
func (r *rig) heal(a Armed, fired int) {
	r.t.Helper()
	require.NoError(r.t, a.Heal(r.patient()))
	r.felt(a, fired, 0)
	require.NoError(r.t, a.Heal(r.patient()))
	r.felt(a, fired, 0)
}

// said is an answer of the bank, or why there is none.
type said struct {
	http          int
	Status, Trade string
	err           error
}

func (r *rig) call(ctx context.Context, link, method, path, body string) said {
	p, err := r.stack.Link(link)
	if err != nil {
		return said{err: err}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.Address()+path, strings.NewReader(body))
	if err != nil {
		return said{err: err}
	}
	req.GetBody = nil
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return said{err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return said{err: err}
	}
	out := said{http: resp.StatusCode}
	_ = json.Unmarshal(data, &out)
	return out
}

// debit asks the bank over its link to debit the test's account under a new trade number.
func (r *rig) debit() said { return r.debitWithin(r.patient()) }

func (r *rig) debitWithin(ctx context.Context) said {
	trade := r.id + "-" + strconv.FormatInt(r.trade.Add(1), 10)
	body := fmt.Sprintf(`{"merchant": "M", "trade_no": %q, "account": %q, "amount": 5, "currency": "CNY"}`, trade, r.id)
	out := r.call(ctx, stack.BankLink, http.MethodPost, "/v1/debits", body)
	out.Trade = trade
	return out
}

// debited holds that a debit goes through.
func (r *rig) debited() {
	r.t.Helper()
	d := r.debit()
	require.NoError(r.t, d.err)
	require.Equal(r.t, "SUCCESS", d.Status)
}

// begin begins a debit whose answer is waited for elsewhere.
func (r *rig) begin(ctx context.Context) <-chan said {
	out := make(chan said, 1)
	go func() { out <- r.debitWithin(ctx) }()
	return out
}

// query asks the bank, over its link, what has become of a trade number.
func (r *rig) query(trade string) said {
	return r.call(r.patient(), stack.BankLink, http.MethodGet, "/v1/debits/"+trade, "")
}

// alive asks the service whether it is there.
func (r *rig) alive(ctx context.Context) error {
	return r.call(ctx, stack.ClientLink, http.MethodGet, "/readyz", "").err
}

// processes are the changes in the life of the service, as the history has them.
func (r *rig) processes() []string {
	var out []string
	for _, e := range r.stack.Recorder.History().Events {
		if e.Process != nil {
			out = append(out, e.Process.What)
		}
	}
	return out
}

// redis sends one command to the cache over its link and returns the first line of the answer.
func (r *rig) redis(words ...string) string {
	r.t.Helper()
	p, err := r.stack.Link(stack.CacheLink)
	require.NoError(r.t, err)
	conn, err := net.Dial("tcp", p.Address())
	require.NoError(r.t, err)
	defer conn.Close()
	require.NoError(r.t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	_, err = conn.Write(b.Bytes())
	require.NoError(r.t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(r.t, err)
	return strings.TrimSpace(line)
}
