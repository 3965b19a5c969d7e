package match

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"diptych/internal/pair"
)

// Version is part of the key of stored results, so that none of another version is used. Raise it
// with every change of what is computed (classes, a pair's identities, sums) and of the formats
// below.
const Version = 5

// errEncoding says that the bytes are not what Encode writes for this graph.
var errEncoding = errors.New("not a result of this comparison")

// Encode returns the classes as bytes, without the calls. For A, then for B, little-endian:
//
//	calls, classes, members    u32 each
//	for each class             base+1 u32, number of members added u32, sum of starts f64
//	for each member added      identity u32
//	for each call              class, in 1, 2 or 4 bytes (see width)
//
// Everything else follows from these.
func (g *Graph) Encode() []byte {
	var b []byte
	for _, c := range g.Sides {
		b = c.encode(b)
	}
	return b
}

func (c *Classes) encode(b []byte) []byte {
	le, n := binary.LittleEndian, len(c.Base)
	b = le.AppendUint32(b, uint32(c.Len()))
	b = le.AppendUint32(b, uint32(n))
	b = le.AppendUint32(b, uint32(len(c.added)))
	for k, base := range c.Base {
		b = le.AppendUint32(b, uint32(base+1))
		b = le.AppendUint32(b, c.from[k+1]-c.from[k])
		b = le.AppendUint64(b, math.Float64bits(c.Start[k]))
	}
	for _, id := range c.added {
		b = le.AppendUint32(b, id)
	}
	switch width(n) {
	case 1:
		for i := range c.Len() {
			b = append(b, byte(c.Class(i)))
		}
	case 2:
		for i := range c.Len() {
			b = le.AppendUint16(b, uint16(c.Class(i)))
		}
	default:
		for i := range c.Len() {
			b = le.AppendUint32(b, c.Class(i))
		}
	}
	return b
}

// width returns how many bytes the number of one of n classes takes.
func width(n int) int {
	switch {
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// DecodeGraph reads what Encode wrote for the same pair and scope. Of any other bytes it makes an
// error, or classes that are sound: sets of the pair's identities, in pre-order of a forest, and
// each the Γ of at least one call.
func DecodeGraph(b []byte, p *pair.Pair, scope Scope) (*Graph, error) {
	g := &Graph{Pair: p, Scope: scope}
	r := &reader{b}
	for s := range g.Sides {
		c, err := decodeClasses(r, scope.calls(p, pair.Side(s)), len(p.Names))
		if err != nil {
			return nil, fmt.Errorf("classes of %s: %w", pair.Side(s), err)
		}
		g.Sides[s] = c
	}
	if len(r.b) != 0 {
		return nil, errEncoding
	}
	return g, nil
}

func decodeClasses(r *reader, calls Calls, identities int) (*Classes, error) {
	c := &Classes{Calls: calls}
	head := r.take(3, 4)
	if head == nil {
		return nil, errEncoding
	}
	n, members := int(u32(head, 1)), int(u32(head, 2))
	classes, added, of := r.take(n, 16), r.take(members, 4), r.take(calls.Len(), width(n))
	if int(u32(head, 0)) != calls.Len() || classes == nil || added == nil || of == nil {
		return nil, errEncoding
	}
	c.Base, c.Start, c.from = make([]int32, n), make([]float64, n), make([]uint32, n+1)
	for k := range n {
		c.Base[k] = int32(u32(classes, 4*k)) - 1
		c.from[k+1] = c.from[k] + min(u32(classes, 4*k+1), uint32(members)+1-c.from[k])
		c.Start[k] = f64(classes, 2*k+1)
		if c.from[k+1] > uint32(members) || !(c.Start[k] >= 0 && c.Start[k] <= math.MaxFloat64) {
			return nil, errEncoding
		}
	}
	c.added = make([]uint32, members)
	for k := range c.added {
		c.added[k] = u32(added, k)
	}
	if int(c.from[n]) != members || !c.deriveForest(identities) || !c.decodeLabels(of) {
		return nil, errEncoding
	}
	return c, nil
}

// deriveForest computes End and Size from bases and members. It reports whether the classes are a
// forest in pre-order in which each adds at least one identity to its base, and none twice.
func (c *Classes) deriveForest(identities int) bool {
	n := len(c.Base)
	c.End, c.Size = make([]uint32, n), make([]uint32, n)
	has := make([]bool, identities)
	open := int32(none) // the innermost class whose subtree goes on
	leave := func(k int) {
		c.End[open] = uint32(k)
		for _, id := range c.added[c.from[open]:c.from[open+1]] {
			has[id] = false
		}
		open = c.Base[open]
	}
	for k, base := range c.Base {
		for open != base && open != none {
			leave(k)
		}
		if open != base || c.from[k] == c.from[k+1] {
			return false
		}
		if open != none {
			c.Size[k] = c.Size[open]
		}
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			if int(id) >= identities || has[id] {
				return false
			}
			has[id] = true
			c.Size[k]++
		}
		open = int32(k)
	}
	for open != none {
		leave(n)
	}
	return true
}

// decodeLabels reads the classes of the calls and counts the calls of each class. It reports
// whether every class has at least one.
func (c *Classes) decodeLabels(of []byte) bool {
	n := len(c.Base)
	c.of, c.Count = newLabels(c.Len(), n), make([]uint64, n)
	w := width(n)
	for i := range c.Len() {
		var k uint32
		switch w {
		case 1:
			k = uint32(of[i])
		case 2:
			k = uint32(binary.LittleEndian.Uint16(of[2*i:]))
		default:
			k = u32(of, i)
		}
		if int(k) >= n {
			return false
		}
		c.of.set(i, k)
		c.Count[k]++
	}
	for _, count := range c.Count {
		if count == 0 {
			return false
		}
	}
	return true
}

// Encode returns the totals as bytes.
func (r *Result) Encode() []byte { return r.Totals.append(nil) }

// append appends the totals, little-endian: pairs u64, saturated u64, similarity sum f64, and the
// matched calls of both sides u64.
func (t *Totals) append(b []byte) []byte {
	le, saturated := binary.LittleEndian, uint64(0)
	if t.Saturated {
		saturated = 1
	}
	b = le.AppendUint64(le.AppendUint64(b, t.Pairs), saturated)
	b = le.AppendUint64(b, math.Float64bits(t.SimilaritySum))
	return le.AppendUint64(le.AppendUint64(b, t.MatchedCalls[0]), t.MatchedCalls[1])
}

// decode reads totals and reports whether they are possible.
func (t *Totals) decode(in *reader) bool {
	b := in.take(5, 8)
	if b == nil || u64(b, 1) > 1 {
		return false
	}
	*t = Totals{u64(b, 0), u64(b, 1) == 1, f64(b, 2), [2]uint64{u64(b, 3), u64(b, 4)}}
	return finite(t.SimilaritySum) && t.SimilaritySum >= 0
}

// DecodeResult reads what Encode wrote for the same graph and τ. It returns an error if the figures
// are impossible: not a number, or more matched calls than there are.
func DecodeResult(b []byte, g *Graph, tau Tau) (*Result, error) {
	r, in := &Result{Tau: tau}, &reader{b}
	if !r.decode(in) || len(in.b) != 0 {
		return nil, errEncoding
	}
	for s, n := range r.MatchedCalls {
		if n > uint64(g.Sides[s].Len()) {
			return nil, errEncoding
		}
	}
	return r, nil
}

// reader hands out the parts of an encoding.
type reader struct{ b []byte }

// take returns the next n elements of the given size, or nil if fewer are left. For n = 0 the
// result is empty, not nil.
func (r *reader) take(n, size int) []byte {
	if n > len(r.b)/size {
		return nil
	}
	out := r.b[: n*size : n*size]
	r.b = r.b[n*size:]
	if out == nil {
		out = []byte{}
	}
	return out
}

// The k-th number of 4 or 8 bytes in b.
func u32(b []byte, k int) uint32  { return binary.LittleEndian.Uint32(b[4*k:]) }
func u64(b []byte, k int) uint64  { return binary.LittleEndian.Uint64(b[8*k:]) }
func f64(b []byte, k int) float64 { return math.Float64frombits(u64(b, k)) }

// Encode returns the rungs as bytes, from τ = 0 up, little-endian: the bars of A, then of B
// (weight, matches, shift, distance f64 each), and the totals. The intervals follow from the
// classes.
func (l *Ladder) Encode() []byte {
	le := binary.LittleEndian
	var b []byte
	float := func(f float64) { b = le.AppendUint64(b, math.Float64bits(f)) }
	for i := range l.rungs {
		r := &l.rungs[i]
		for _, bars := range r.Bars {
			for _, bar := range bars {
				float(bar.Weight)
				float(bar.Matches)
				float(bar.Shift)
				float(bar.Distance)
			}
		}
		b = r.Totals.append(b)
	}
	return b
}

// DecodeLadder reads what Encode wrote for the same graph and numbers of bars. It returns an error
// if bars are missing, if there are too many, or if a figure is not a number.
func DecodeLadder(ctx context.Context, b []byte, g *Graph, bars [2]int) (*Ladder, error) {
	l := &Ladder{}
	in := &reader{b}
	for i := range l.rungs {
		if !l.rungs[i].decode(in, bars) {
			return nil, errEncoding
		}
	}
	if len(in.b) != 0 {
		return nil, errEncoding
	}
	return l, l.makeIntervals(ctx, g, bars)
}

// decode reads one rung and reports whether its figures are possible.
func (r *Rung) decode(in *reader, bars [2]int) bool {
	for s := range bars {
		n := max(1, bars[s])
		figures := in.take(n, 32)
		if figures == nil {
			return false
		}
		r.Bars[s] = make([]Bar, n)
		for k := range r.Bars[s] {
			b := Bar{f64(figures, 4*k), f64(figures, 4*k+1), f64(figures, 4*k+2), f64(figures, 4*k+3)}
			if !finite(b.Weight, b.Matches, b.Shift, b.Distance) ||
				min(b.Weight, b.Matches, b.Distance) < 0 {
				return false
			}
			r.Bars[s][k] = b
		}
	}
	return r.Totals.decode(in)
}

func finite(figures ...float64) bool {
	for _, f := range figures {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
