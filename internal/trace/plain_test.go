package trace

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The plain implementation of the rules of nesting and repair: quadratic, without modes, written from the definition.

type stepKind int

const (
	begin stepKind = iota
	end
	endNamed
	complete
)

// step is one record as a loader gives it.
type step struct {
	kind   stepKind
	at, to int64 // to: complete records only
	fn     FuncID
	text   string // arguments of a begin or complete record, return value of an end
}

// plainCall is one call of the result.
type plainCall struct {
	start, end   int64
	fn           FuncID
	ord          int
	lo, hi       int // positions in the sorted stream
	unclosed     bool
	texts        []string
	lane, parent int
	depth        uint32
}

type plainThread struct {
	lanes  [][]*plainCall
	counts map[Code]uint64
}

// plainly builds a thread that has these steps and instants.
func plainly(steps []step, instants ...int64) plainThread {
	p := plainThread{counts: map[Code]uint64{}}
	paired, whole := pairPlainly(steps, instants, p.counts)
	byTime := len(whole) > 0
	calls := append(paired, whole...)
	if byTime {
		sort.SliceStable(calls, func(i, j int) bool {
			x, y := calls[i], calls[j]
			if x.start != y.start {
				return x.start < y.start
			}
			if x.end != y.end {
				return x.end > y.end
			}
			return x.ord < y.ord
		})
	}
	for _, c := range calls {
		for !p.put(c, byTime) {
			c.lane++
		}
	}
	for _, lane := range p.lanes[min(1, len(p.lanes)):] {
		p.counts[OverlapLane] += uint64(len(lane))
	}
	return p
}

// pairPlainly splits steps into paired and complete calls.
func pairPlainly(steps []step, instants []int64, counts map[Code]uint64) (paired, whole []*plainCall) {
	var stream []step
	ords := map[int]int{} // by index in steps
	last := [2]int64{-1 << 60, -1 << 60}
	var first []int
	latest := slices.Max(append(instants, -1<<60))
	for i, s := range steps {
		line := 0
		if s.kind == complete {
			line = 1
			if s.to < s.at {
				counts[NegativeDuration]++
				s.to = s.at
			}
			whole = append(whole, &plainCall{start: s.at, end: s.to, fn: s.fn, ord: len(ords),
				texts: []string{s.text}})
			latest = max(latest, s.to)
		} else {
			first = append(first, i)
			latest = max(latest, s.at)
		}
		if s.at < last[line] {
			counts[Reordered]++
		}
		last[line] = s.at
		if s.kind == begin || s.kind == complete {
			ords[i] = len(ords)
		}
	}
	sort.SliceStable(first, func(i, j int) bool { return steps[first[i]].at < steps[first[j]].at })
	for _, i := range first {
		stream = append(stream, steps[i])
	}
	callers := map[*plainCall]*plainCall{}
	var open []*plainCall
	for pos, s := range stream {
		if s.kind == begin {
			c := &plainCall{start: s.at, fn: s.fn, ord: ords[first[pos]], lo: pos, unclosed: true,
				texts: []string{s.text}}
			if len(open) > 0 {
				callers[c] = open[len(open)-1]
			}
			open, paired = append(open, c), append(paired, c)
			continue
		}
		k := len(open) - 1
		for k >= 0 && s.kind == endNamed && open[k].fn != s.fn {
			k--
		}
		if k < 0 {
			counts[UnmatchedEnd]++
			continue
		}
		c := open[k]
		c.end, c.hi, c.unclosed = s.at, pos, false
		c.texts = append(c.texts, s.text)
		open = append(open[:k:k], open[k+1:]...)
	}
	for _, c := range paired {
		if !c.unclosed {
			continue
		}
		counts[UnmatchedBegin]++
		up := callers[c]
		for up != nil && up.hi < c.lo {
			up = callers[up] // over with an outer call's end
		}
		if up != nil {
			c.end, c.hi = up.end, up.hi
		} else {
			c.end, c.hi = latest, len(stream)
		}
	}
	return paired, whole
}

// put adds c to its lane if it partly overlaps nothing there.
func (p *plainThread) put(c *plainCall, byTime bool) bool {
	if c.lane == len(p.lanes) {
		p.lanes = append(p.lanes, nil)
	}
	c.parent = -1
	for i, k := range p.lanes[c.lane] {
		within, after := c.hi <= k.hi, k.hi < c.lo
		if byTime {
			within, after = c.end <= k.end, k.end <= c.start
		}
		switch {
		case within:
			c.parent, c.depth = i, k.depth+1
		case !after:
			return false
		}
	}
	if c.parent < 0 {
		c.depth = 0
	}
	p.lanes[c.lane] = append(p.lanes[c.lane], c)
	return true
}

func (c *plainCall) args() string {
	var texts []string
	for _, t := range c.texts {
		if t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, " ")
}

// same compares a built trace of one thread with the plain result and returns the first difference.
func (p plainThread) same(tr *Trace) error {
	lanes := map[int]*Thread{}
	for _, th := range tr.Threads {
		lanes[th.Lane] = th
	}
	if len(lanes) != len(p.lanes) || len(tr.Threads) != len(p.lanes) {
		return fmt.Errorf("%d lanes, want %d", len(tr.Threads), len(p.lanes))
	}
	for l, want := range p.lanes {
		th := lanes[l]
		if th == nil || th.Len() != len(want) {
			return fmt.Errorf("lane %d: %v calls, want %d", l, th, len(want))
		}
		for i, c := range want {
			got := fmt.Sprint(th.Start(i)+tr.Origin, th.End(i)+tr.Origin, th.Fn[i], th.Parent(i),
				th.Depth(i), th.Flags(i)&Unclosed != 0, " ", th.Args(i))
			exp := fmt.Sprint(c.start, c.end, c.fn, c.parent, c.depth, c.unclosed, " ", c.args())
			if got != exp {
				return fmt.Errorf("lane %d call %d: %s, want %s", l, i, got, exp)
			}
		}
	}
	got := map[Code]uint64{}
	for _, d := range tr.Diagnostics {
		got[d.Code] = d.Count
	}
	if fmt.Sprint(got) != fmt.Sprint(p.counts) {
		return fmt.Errorf("diagnostics %v, want %v", got, p.counts)
	}
	return nil
}
