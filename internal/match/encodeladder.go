package match

import (
	"context"
	"encoding/binary"
	"math"
)

// Encode writes the rungs down, from τ = 0 up: A's, then B's bars (weight, matches, shift, distance
// f64 each), pairs u64, saturated u64, similarity sum f64 and matched calls of both sides u64, all
// little-endian. The intervals follow from the classes.
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
		saturated := uint64(0)
		if r.Saturated {
			saturated = 1
		}
		b = le.AppendUint64(le.AppendUint64(b, r.Pairs), saturated)
		float(r.SimilaritySum)
		b = le.AppendUint64(le.AppendUint64(b, r.MatchedCalls[0]), r.MatchedCalls[1])
	}
	return b
}

// DecodeLadder reads what Encode wrote for the same graph and numbers of bars. It returns an error
// if that cannot be: bars missing or too many, figures that are no numbers.
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
	return l, l.divide(ctx, g, bars)
}

// decode reads one rung and reports whether it can be one.
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
			if !finite(b.Weight, b.Matches, b.Shift, b.Distance) || min(b.Weight, b.Matches, b.Distance) < 0 {
				return false
			}
			r.Bars[s][k] = b
		}
	}
	rest := in.take(5, 8)
	if rest == nil || u64(rest, 1) > 1 {
		return false
	}
	r.Pairs, r.Saturated, r.SimilaritySum = u64(rest, 0), u64(rest, 1) == 1, f64(rest, 2)
	r.MatchedCalls = [2]uint64{u64(rest, 3), u64(rest, 4)}
	return finite(r.SimilaritySum) && r.SimilaritySum >= 0
}

func finite(figures ...float64) bool {
	for _, f := range figures {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
