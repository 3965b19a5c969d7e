package match

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"diptych/internal/pair"
)

// Version counts what is computed and how it is written down: results of another version are not
// comparable. It must change with the definition of a class, of a pair's identities or of anything
// that is derived, and with the formats below.
const Version = 1

// errEncoding is what Encode did not write for the graph at hand.
var errEncoding = errors.New("not a result of this comparison")

// Encode writes the classes down, without the calls:
//
//	A's, then B's: calls, classes, members u32; per class: base+1, members added u32,
//	sum of starts f64; ids added u32; per call: class, in as few bytes as it needs
//
// all little-endian. The rest follows from these.
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

// width returns how many bytes number one of n classes.
func width(n int) int {
	switch {
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// DecodeGraph reads what Encode wrote for the same pair and scope. Whatever it is given, it returns
// classes that are sound, or an error: sets of the pair's identities, each with what it adds to a
// smaller one, in pre-order, and each of some call.
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
	if int(c.from[n]) != members || !c.grow(identities) || !c.assign(of) {
		return nil, errEncoding
	}
	return c, nil
}

// grow makes End and Size of bases and members, and reports whether these are a forest in pre-order
// in which every class adds at least one identity, and none that it has.
func (c *Classes) grow(identities int) bool {
	n := len(c.Base)
	c.End, c.Size = make([]uint32, n), make([]uint32, n)
	has := make([]bool, identities)
	open := int32(none) // the innermost class that is not over
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

// assign reads the calls' classes, counts them, and reports whether every class has some.
func (c *Classes) assign(of []byte) bool {
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

// Encode writes the sums down: A's by class, then B's, each as weight f64, matches u64 and sum of
// starts f64, little-endian. The totals follow from these.
func (r *Result) Encode() []byte {
	le := binary.LittleEndian
	var b []byte
	for _, of := range r.Sides {
		for k := range of.Weight {
			b = le.AppendUint64(b, math.Float64bits(of.Weight[k]))
			b = le.AppendUint64(b, of.Matches[k])
			b = le.AppendUint64(b, math.Float64bits(of.Start[k]))
		}
	}
	return b
}

// DecodeResult reads what Encode wrote for the same graph and τ. It returns an error if that cannot
// be: figures that are no numbers, or more matches than there are calls.
func DecodeResult(b []byte, g *Graph, tau Tau) (*Result, error) {
	r := &Result{Tau: tau}
	in := &reader{b}
	for s, c := range g.Sides {
		n := len(c.Base)
		sums := in.take(n, 24)
		if sums == nil {
			return nil, errEncoding
		}
		most := uint64(g.Sides[1-s].Len())
		r.Sides[s] = newSums(n)
		for k := range n {
			weight, matches, start := f64(sums, 3*k), u64(sums, 3*k+1), f64(sums, 3*k+2)
			if !(weight >= 0 && weight <= float64(most)+1 && matches <= most &&
				start >= 0 && start <= math.MaxFloat64) {
				return nil, errEncoding
			}
			r.Sides[s].Weight[k], r.Sides[s].Matches[k], r.Sides[s].Start[k] = weight, matches, start
		}
	}
	if len(in.b) != 0 {
		return nil, errEncoding
	}
	r.total(g)
	return r, nil
}

// reader hands out the parts of an encoding.
type reader struct{ b []byte }

// take returns the next n elements of the given size, or nil if there are not as many left. No
// elements are not nil.
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
