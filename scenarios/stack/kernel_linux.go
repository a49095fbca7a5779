package stack

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"onedebit/scenarios/history"
)

// nft is the kernel's packet filter, spoken to by netlink: neither a program nor a library of the system is needed. Every
// rule has a table of its own, with two counters, so that it is taken away whole.
type nft struct{}

func newPacketFilter() (packetFilter, error) { return nft{}, nil }

// The names within the table of a rule.
const (
	nftSeen  = "seen"
	nftLost  = "lost"
	nftChain = "packets"
)

// rateUnit is the share of packets to which a rate is exact.
const rateUnit = 1_000_000

// reg is the register that all comparisons use.
const reg = 1

func (nft) arm(a kernelArm) error {
	conn, err := nftables.New()
	if err != nil {
		return kernelError("opening", err)
	}
	table := conn.CreateTable(&nftables.Table{Family: nftables.TableFamilyINet, Name: a.Name})
	for _, counter := range []string{nftSeen, nftLost} {
		conn.AddObject(&nftables.CounterObj{Table: table, Name: counter})
	}
	hook := nftables.ChainHookInput
	if a.Dir == history.Answer {
		hook = nftables.ChainHookOutput
	}
	chain := conn.AddChain(&nftables.Chain{
		Name: nftChain, Table: table, Type: nftables.ChainTypeFilter, Hooknum: hook, Priority: nftables.ChainPriorityFilter,
	})
	protocols := []byte{unix.IPPROTO_TCP, unix.IPPROTO_UDP}
	if a.Rule.Reject {
		protocols = protocols[:1] // only TCP has a RST
	}
	for _, protocol := range protocols {
		conn.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: nftRule(a, protocol)})
	}
	return kernelError("adding a rule to", conn.Flush())
}

// nftRule is: of this protocol, to this port (or from it); count; by chance or in turn; count; drop or reject.
func nftRule(a kernelArm, protocol byte) []expr.Any {
	offset := uint32(2) // of the destination port, in the headers of both protocols
	if a.Dir == history.Answer {
		offset = 0 // of the source port
	}
	out := []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: reg},
		&expr.Cmp{Op: expr.CmpOpEq, Register: reg, Data: []byte{protocol}},
		&expr.Payload{DestRegister: reg, Base: expr.PayloadBaseTransportHeader, Offset: offset, Len: 2},
		&expr.Cmp{Op: expr.CmpOpEq, Register: reg, Data: binaryutil.BigEndian.PutUint16(uint16(a.Port))},
		nftCount(nftSeen),
	}
	switch {
	case a.Rule.Burst.Of > 0:
		out = append(out, nftBelow(unix.NFT_NG_INCREMENTAL, a.Rule.Burst.Of, a.Rule.Burst.Lose)...)
	case a.Rule.Rate > 0 && a.Rule.Rate < 1:
		out = append(out, nftBelow(unix.NFT_NG_RANDOM, rateUnit, int(math.Round(a.Rule.Rate*rateUnit)))...)
	}
	out = append(out, nftCount(nftLost))
	if a.Rule.Reject {
		return append(out, &expr.Reject{Type: unix.NFT_REJECT_TCP_RST})
	}
	return append(out, &expr.Verdict{Kind: expr.VerdictDrop})
}

func nftCount(name string) expr.Any {
	return &expr.Objref{Type: int(nftables.ObjTypeCounter), Name: name}
}

// nftBelow goes on where the next number of a generator is below a limit. The generator gives numbers in the machine's byte
// order, and numbers are compared byte by byte.
func nftBelow(generator, modulus, limit int) []expr.Any {
	return []expr.Any{
		&expr.Numgen{Register: reg, Modulus: uint32(modulus), Type: uint32(generator)},
		&expr.Byteorder{SourceRegister: reg, DestRegister: reg, Op: expr.ByteorderHton, Len: 4, Size: 4},
		&expr.Cmp{Op: expr.CmpOpLt, Register: reg, Data: binaryutil.BigEndian.PutUint32(uint32(limit))},
	}
}

func (nft) counts(name string) (seen, lost int, err error) {
	conn, err := nftables.New()
	if err != nil {
		return 0, 0, kernelError("opening", err)
	}
	return nftCounts(conn, &nftables.Table{Family: nftables.TableFamilyINet, Name: name})
}

func nftCounts(conn *nftables.Conn, table *nftables.Table) (seen, lost int, err error) {
	objects, err := conn.GetObjects(table)
	for _, o := range objects {
		if c, ok := o.(*nftables.CounterObj); ok && c.Name == nftSeen {
			seen = int(c.Packets)
		} else if ok && c.Name == nftLost {
			lost = int(c.Packets)
		}
	}
	return seen, lost, kernelError("reading the counters of", err)
}

// remove takes the rule away before it reads the counters for the last time: until then a packet may still be lost.
func (nft) remove(name string) (seen, lost int, err error) {
	conn, err := nftables.New()
	if err != nil {
		return 0, 0, kernelError("opening", err)
	}
	table := &nftables.Table{Family: nftables.TableFamilyINet, Name: name}
	conn.FlushChain(&nftables.Chain{Name: nftChain, Table: table})
	if err := conn.Flush(); err != nil {
		return 0, 0, kernelError("taking a rule from", err)
	}
	seen, lost, err = nftCounts(conn, table)
	conn.DelTable(table)
	return seen, lost, errors.Join(err, kernelError("taking a table from", conn.Flush()))
}

// kernelError says what to do about the two reasons for which a packet filter cannot be used.
func kernelError(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s the kernel's packet filter: %w: it needs root and the capability NET_ADMIN", doing, err)
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.EPROTONOSUPPORT):
		return fmt.Errorf("%s the kernel's packet filter: %w: this kernel lacks a part of nftables (nft_numgen, nft_objref or nft_reject_inet)", doing, err)
	}
	return fmt.Errorf("%s the kernel's packet filter: %w", doing, err)
}
