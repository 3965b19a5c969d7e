// Package pair puts two traces under one function identity and pairs their threads.
// Every analysis compares the identity ids of a Pair, never names; a Pair is immutable, and
// re-pairing threads makes a new one. It knows nothing of files, analyses or views.
//
// Where a trace has several processes, these pair first, by name; several of one name, such as a
// browser's renderers, pair by what their threads call (see homes). Then threads pair:
//
//   - If one thread on each side has a name (Thread.CommonName), the two are a pair, whatever they
//     call and whatever process they belong to.
//   - Threads of one name in a pair of processes pair among themselves by what they call and how
//     often. The pairs are those whose likenesses have the greatest sum (see pairFew). Threads that
//     are about as alike pair in order of creation. Of thousands that each call something else,
//     those that stand at the same place pair first (see pairMany).
//   - If one side has more threads of a kind, the surplus stays alone. It does not pair with other
//     work of that name. Threads whose work does not occur on the other side pair with the most
//     similar thread that is left, if they have anything in common.
//   - Threads without calls pair in order among themselves.
//
// Then threads whose name does not occur in the process across, or whose process has no partner,
// pair in the same way over all processes. Those whose name is only a number, unless numbers mean
// the same on both sides, pair as threads of one name do, within pairs of processes. The other
// threads, such as those whose name occurs on one side only, pair by similarity (see
// pairStrangers): within pairs of processes first, then over all of them. At last the surplus of a
// name pairs with threads across that do nearly the same under a name of their side only (see
// pairRenamed): a program that names its threads is compared with one that did not.
package pair

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"diptych/internal/trace"
)

// Pair is two traces made comparable. Either may be nil: a Pair of one trace holds its identities.
type Pair struct {
	A, B  *trace.Trace
	Rules Rules

	IDA, IDB []uint32 // identity by function of A and of B
	Names    []string // by identity

	Threads []ThreadPair // by A's thread, those without one last by B's
	ByHand  []ThreadPair // what Repair was asked for, in order
	Busy    [2][]int64   // by side and thread: trace.Thread.Busy

	of          [2][]int32 // by side and thread: index into Threads
	bySamples   bool
	sampleTypes []string
}

// ThreadPair is two threads that are compared, as indices into their traces' threads; −1 stands
// for none.
type ThreadPair struct{ A, B int }

// On returns the thread on the given side, or −1.
func (t ThreadPair) On(s Side) int {
	if s == A {
		return t.A
	}
	return t.B
}

// WithCalls returns the pairs of threads of which at least one has calls: what can be compared.
// Threads of a tracer's own, and others that only have moments, are in none of them.
func (p *Pair) WithCalls() []ThreadPair {
	var list []ThreadPair
	for _, t := range p.Threads {
		if t.A >= 0 && p.A.Threads[t.A].Len() > 0 || t.B >= 0 && p.B.Threads[t.B].Len() > 0 {
			list = append(list, t)
		}
	}
	return list
}

// New pairs a and b under the given rules.
func New(a, b *trace.Trace, rules Rules) *Pair {
	p := &Pair{A: a, B: b, Rules: rules}
	ids := map[string]uint32{}
	p.IDA, p.IDB = p.identify(a, ids), p.identify(b, ids)
	p.sampleTypes = sampleTypesOf(a, b)
	p.setPartners(p.pairThreads())
	for s := range p.Busy {
		p.Busy[s] = busy(p.Trace(Side(s)))
	}
	p.bySamples = p.Profile() || mostlySampled(a) || mostlySampled(b)
	return p
}

func busy(t *trace.Trace) (ns []int64) {
	if t != nil {
		for _, th := range t.Threads {
			ns = append(ns, th.Busy())
		}
	}
	return ns
}

// identify gives equal identity strings equal ids, in order of first appearance.
func (p *Pair) identify(t *trace.Trace, ids map[string]uint32) []uint32 {
	if t == nil {
		return nil
	}
	out := make([]uint32, len(t.Functions))
	file := programOf(t)
	own, first := p.Rules.Identity(file), p.Rules.Identity(cmp.Or(programOf(p.A), file))
	for i := range t.Functions {
		name := p.Rules.Identity(t.Functions[i].Name)
		if name == own && path.Base(t.Functions[i].Module) == file {
			name = first // code without symbols, of a program whose file may have another name in A
		}
		id, ok := ids[name]
		if !ok {
			id = uint32(len(p.Names))
			ids[name] = id
			p.Names = append(p.Names, name)
		}
		out[i] = id
	}
	return out
}

// programOf returns the name of the only program that a trace is of, or "".
func programOf(t *trace.Trace) string {
	if t == nil || len(t.Processes) != 1 {
		return ""
	}
	return t.Processes[0].Name
}

// Trace returns the trace on the given side, or nil.
func (p *Pair) Trace(s Side) *trace.Trace {
	if s == A {
		return p.A
	}
	return p.B
}

// Unit returns what both traces are measured in.
func (p *Pair) Unit() trace.Unit {
	for _, t := range []*trace.Trace{p.A, p.B} {
		if t != nil {
			return t.Unit
		}
	}
	return trace.Nanoseconds
}

// Profile reports whether a side is a profile: its axis adds up samples, so that nothing on it
// comes earlier or later than anything else.
func (p *Pair) Profile() bool {
	return p.A != nil && p.A.Kind == trace.Profile || p.B != nil && p.B.Kind == trace.Profile
}

// CallNoun names what the calls of both sides are (trace.Kind.CallNoun).
func (p *Pair) CallNoun() string {
	if p.Profile() {
		return trace.Profile.CallNoun()
	}
	return trace.Timeline.CallNoun()
}

// CallCounts returns how often the functions of a side were called, by identity, as the recorder of
// a profile counted it; nil if it did not.
func (p *Pair) CallCounts(side Side) []int64 {
	counts := p.Trace(side).CallCounts
	if len(counts) == 0 {
		return nil
	}
	n := make([]int64, len(p.Names))
	for _, c := range counts {
		n[p.IDs(side)[c.Callee]] += c.Calls
	}
	return n
}

// BySamples reports whether the calls of a side are sums or runs of samples, so that their number
// says nothing about how often a function was called: it is a profile, or more of its calls are in
// threads that were sampled than in others.
func (p *Pair) BySamples() bool { return p.bySamples }

func mostlySampled(t *trace.Trace) bool {
	more := 0
	if t != nil {
		for _, th := range t.Threads {
			if th.Sampled {
				more += th.Len()
			} else {
				more -= th.Len()
			}
		}
	}
	return more > 0
}

// IDs returns the identities by function of the given side.
func (p *Pair) IDs(s Side) []uint32 {
	if s == A {
		return p.IDA
	}
	return p.IDB
}

// Of returns the index into Threads of the pair that a side's thread is in.
func (p *Pair) Of(s Side, thread int) int { return int(p.of[s][thread]) }

// Partner returns the other side's thread that a side's thread is paired with, or −1.
func (p *Pair) Partner(s Side, thread int) int { return p.Threads[p.Of(s, thread)].On(s.Other()) }

// Repair returns a Pair in which a and b are paired and all else is as before; their former
// partners stay alone. With −1 for one of them the other is left alone.
func (p *Pair) Repair(a, b int) *Pair {
	q := *p
	q.ByHand = append(slices.Clip(p.ByHand), ThreadPair{a, b})
	partner := make([]int32, p.threads(A))
	for i := range partner {
		partner[i] = int32(p.Partner(A, i))
		if b >= 0 && int(partner[i]) == b {
			partner[i] = none
		}
	}
	if a >= 0 {
		partner[a] = int32(b)
	}
	q.setPartners(partner)
	return &q
}

// setPartners lists the thread pairs, given B's thread by A's.
func (p *Pair) setPartners(partner []int32) {
	p.Threads = make([]ThreadPair, 0, max(p.threads(A), p.threads(B)))
	p.of = [2][]int32{make([]int32, p.threads(A)), slices.Repeat([]int32{none}, p.threads(B))}
	for a, b := range partner {
		p.of[A][a] = int32(len(p.Threads))
		if b >= 0 {
			p.of[B][b] = int32(len(p.Threads))
		}
		p.Threads = append(p.Threads, ThreadPair{a, int(b)})
	}
	for b, k := range p.of[B] {
		if k == none {
			p.of[B][b] = int32(len(p.Threads))
			p.Threads = append(p.Threads, ThreadPair{none, b})
		}
	}
}

func (p *Pair) threads(s Side) int {
	if t := p.Trace(s); t != nil {
		return len(t.Threads)
	}
	return 0
}

// Side is one of the two traces of a comparison.
type Side uint8

const (
	A Side = iota
	B
)

func (s Side) String() string { return [...]string{"A", "B"}[s&1] }

// Other returns the side across.
func (s Side) Other() Side { return s ^ 1 }

// Comparable returns nil if two traces can be compared, else an error that says why not: amounts of
// different units, such as the bytes of a heap profile and the time of a timeline, have no
// difference. Either trace may be nil.
func Comparable(a, b *trace.Trace) error {
	if a == nil || b == nil || a.Unit == b.Unit {
		return nil
	}
	return fmt.Errorf("trace A is measured in %s and trace B in %s, so they cannot be compared", a.Unit, b.Unit)
}
