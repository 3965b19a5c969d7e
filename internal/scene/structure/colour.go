package structure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/structure"
)

// This file turns metrics of nodes into colours.

// engine returns the engine's name of a metric; there is none for ByPackage.
func (m Metric) engine() structure.Metric {
	return [...]structure.Metric{ByDepth: structure.ByDepth, ByCalls: structure.ByCalls,
		ByTotal: structure.ByTotal, BySelf: structure.BySelf, ByFirst: structure.ByFirst}[m]
}

// value returns a node's value; ok is false if it has no data.
func (c Colour) value(t *structure.Tree, node int) (v float64, ok bool) {
	m := c.Metric.engine()
	if c.Metric == ByDepth {
		node = t.FileOf(node)
	}
	if c.Metric == ByPackage {
		m = structure.ByTotal // which all that is called has
	}
	a, inA := t.Value(m, pair.A, node)
	b, inB := t.Value(m, pair.B, node)
	switch c.Of {
	case OnlyA:
		return float64(a), inA
	case OnlyB:
		return float64(b), inB
	}
	if c.Metric == ByPackage {
		return 0, inA || inB
	}
	switch {
	case c.Of == Change:
		d, ok := t.Change(m, node)
		return float64(d), ok
	case c.Of == Ratio:
		return ratio(a, b), inA || inB
	case !inA:
		return float64(b), inB
	case !inB:
		return float64(a), true
	case c.Metric == ByDepth:
		return float64(max(a, b)), true
	case c.Metric == ByFirst:
		return float64(min(a, b)), true
	}
	return float64(a + b), true
}

// ratio returns the binary logarithm of b/a; what is there on one side only is infinitely more.
func ratio(a, b int64) float64 {
	if a == b {
		return 0
	}
	return math.Log2(float64(b) / float64(a))
}

// of returns the colour with what a tree of one trace can show: that trace.
func (c Colour) of(t *structure.Tree) Colour {
	switch {
	case t.Sums[A] == nil:
		c.Of = OnlyB
	case t.Sums[B] == nil:
		c.Of = OnlyA
	case c.Metric == ByPackage && c.Of > OnlyB:
		c.Of = Both
	}
	return c
}

const (
	clipAt     = .95 // share of values that a diverging scale tells apart; others are at its ends
	mostRanked = 2048
	mostRatio  = 4 // binary logarithm of the largest ratio told apart
)

// measured is the values of all nodes, which do not depend on the pointer.
type measured struct {
	tree   *structure.Tree
	colour Colour
	values []float64 // by node; NaN without data
}

// measure finds the values, unless it has them already.
func (m *measured) measure(t *structure.Tree, c Colour) {
	if m.tree == t && m.colour == c {
		return
	}
	*m = measured{t, c, slices.Grow(m.values[:0], len(t.Nodes))[:len(t.Nodes)]}
	for i := range m.values {
		v, ok := c.value(t, i)
		if !ok {
			v = math.NaN()
		}
		m.values[i] = v
	}
}

// scaleOf returns the scale for the values of some nodes.
func (m *measured) scaleOf(nodes []int32, spare []float64) (Scale, []float64) {
	c := m.colour
	s := Scale{Colour: c, Empty: true, Diverging: c.Of >= Change && c.Metric != ByPackage,
		Root: c.Metric == ByCalls || c.Metric == ByTotal || c.Metric == BySelf || c.Of == Change}
	step := max(1, (len(nodes)+mostRanked-1)/mostRanked)
	spare = spare[:0]
	for i, n := range nodes {
		v := m.values[n]
		if v != v {
			continue
		}
		if s.Empty {
			s.Lo, s.Hi, s.Empty = v, v, false
		}
		s.Lo, s.Hi = min(s.Lo, v), max(s.Hi, v)
		if i%step == 0 && v != 0 {
			spare = append(spare, math.Abs(v))
		}
	}
	if s.Diverging && !s.Empty {
		s.clip(spare)
	}
	return s, spare
}

// clip sets the ends of a diverging scale.
func (s *Scale) clip(values []float64) {
	most := max(math.Abs(s.Lo), math.Abs(s.Hi))
	if len(values) > 0 {
		slices.SortFunc(values, cmp.Compare[float64])
		most = values[min(int(clipAt*float64(len(values))), len(values)-1)]
	}
	if s.Of == Ratio {
		s.Root = false
		most = min(max(most, 1), mostRatio)
	}
	s.Lo, s.Hi = -most, most
}

// at returns where on the scale a value is: from 0 to 1, or on a diverging one from −1 to 1.
func (s *Scale) at(v float64) float32 {
	root := func(v float64) float64 { return v }
	if s.Root {
		root = func(v float64) float64 { return math.Copysign(math.Sqrt(math.Abs(v)), v) }
	}
	if s.Diverging {
		if s.Hi <= 0 {
			return 0
		}
		return float32(min(max(root(v)/root(s.Hi), -1), 1))
	}
	lo, hi := root(s.Lo), root(s.Hi)
	if hi <= lo {
		return .5
	}
	return float32((root(v) - lo) / (hi - lo))
}

// ink is what one of the two pictures is coloured by.
type ink struct {
	Scale
	values []float64
	pal    *palette.Structure
	pkgs   *packages
}

// of returns a node's colour; ok is false if it has no data.
func (k *ink) of(node int) (c color.NRGBA, ok bool) {
	v := k.values[node]
	switch {
	case v != v:
		return c, false
	case k.Metric == ByPackage:
		return k.pkgs.colours[k.pkgs.of[node]], true
	case k.Diverging:
		return k.pal.Change(k.at(v)), true
	}
	return k.pal.Heat(k.at(v)), true
}
