package aligned

import (
	"math"
	"sort"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Readout is what the strips show at one virtual time.
type Readout struct {
	At            int64    // virtual time, ns
	Real          [2]int64 // by side: the real time it has reached, ns of its trace
	Skew          int64    // how much longer A has run than B, ns
	Dissimilarity float64  // in [0,1]
}

// At reads the strips at a virtual time.
func (p *Prepared) At(at int64) Readout {
	r := Readout{At: at, Real: p.reach(at)}
	r.Skew = p.skew(r.Real)
	r.Dissimilarity = dissimilarity(p.Timeline, float64(at)/float64(max(p.Virtual.Length, 1)))
	return r
}

// skew returns how much longer A has run than B when both have reached these real times.
func (p *Prepared) skew(real [2]int64) int64 {
	return (real[pair.A] - p.from[pair.A]) - (real[pair.B] - p.from[pair.B])
}

// dissimilarity reads a timeline at a share of its length, between samples along the straight line.
func dissimilarity(t *align.Timeline, share float64) float64 {
	n := len(t.Dissimilarity)
	if n == 0 {
		return 0
	}
	at := min(max(share*float64(n)-.5, 0), float64(n-1))
	k := min(int(at), max(n-2, 0))
	if n == 1 {
		return t.Dissimilarity[0]
	}
	return t.Dissimilarity[k] + (at-float64(k))*(t.Dissimilarity[k+1]-t.Dissimilarity[k])
}

// skewAt reads a timeline's skew at a share of its length: the nearest sample.
func skewAt(t *align.Timeline, share float64) int64 {
	n := len(t.Skew)
	if n == 0 {
		return 0
	}
	return t.Skew[min(max(int(math.Floor(share*float64(n))), 0), n-1)]
}

// reach returns the real times that both sides have reached at a virtual time. It says what
// align.Virtual.Real says, but its cost does not depend on how many columns a pair has: for a
// value at each pixel that counts.
func (p *Prepared) reach(at int64) (real [2]int64) { return p.reachFrom(at, &place{from: -1}) }

// reachFrom is reach where last is the place of an earlier time, and becomes that of this one.
func (p *Prepared) reachFrom(at int64, last *place) (real [2]int64) {
	th := p.tree()
	p.around(at, last)
	call, before := p.unpassed(last.node, last.before)
	if call >= 0 && p.isGap(call) {
		return p.inGap(call, at)
	}
	from, to := p.from, p.to // real times at both ends of the stretch of self time
	now, until := int64(0), p.Virtual.Length
	next, end := call+1, th.Len()
	if call >= 0 {
		from, to = p.starts(call), p.ends(call)
		now, until, end = th.Start(call), th.End(call), th.Next(call)
	}
	if before >= 0 {
		from, now, next = p.ends(before), th.End(before), th.Next(before)
	}
	for next < end && isPassed(th.Fn[next]) {
		next++
	}
	if next < end {
		to, until = p.starts(next), th.Start(next)
	}
	for s := range real {
		real[s] = from[s]
		if until > now {
			real[s] += int64(float64(at-now) / float64(until-now) * float64(to[s]-from[s]))
		}
	}
	return real
}

// place is where a virtual time lies in the merged tree.
type place struct {
	from   int // the last node that starts before it
	node   int // the innermost node with start < time ≤ end, or −1
	before int // the last of its callees that ends before, or −1
}

// around finds the place of a virtual time. Going on from that of an earlier time spares climbing
// out of the same deep stack for each of many times.
func (p *Prepared) around(at int64, last *place) {
	th := p.tree()
	from := sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= at }) - 1
	if from != last.from || from < 0 {
		*last = place{from, from, -1}
	}
	for last.node >= 0 && th.End(last.node) < at {
		last.before, last.node = last.node, int(th.Parent(last.node))
	}
}

// unpassed returns what lies around a time, and the last callee before it, if levels that are
// passed through are left out. Such a level begins with its first callee: in it, there is one
// before.
func (p *Prepared) unpassed(node, before int) (int, int) {
	th := p.tree()
	for node >= 0 && isPassed(th.Fn[node]) {
		node = int(th.Parent(node))
	}
	for before >= 0 && isPassed(th.Fn[before]) {
		up := before
		for before = th.Next(up) - 1; int(th.Parent(before)) != up; {
			before = int(th.Parent(before))
		}
	}
	return node, before
}

func (p *Prepared) isGap(node int) bool { return stateOf(p.tree().Fn[node]) >= align.GapA }

// waits returns the real time at which a side waits beside a node that only the other has: it
// stands at the node's outermost caller without a partner, the last difference up to it.
func (p *Prepared) waits(node int) int64 {
	return p.still[sort.Search(len(p.diffs), func(k int) bool { return int(p.diffs[k]) > node })-1]
}

// inGap returns the real times at a virtual time in a node without a partner.
func (p *Prepared) inGap(node int, at int64) (real [2]int64) {
	n := p.Node(node)
	for s, call := range n.Calls {
		real[s] = p.waits(node)
		if call >= 0 {
			real[s] = p.Virtual.Threads[s].Start(call) + at - n.Start
		}
	}
	return real
}

// starts and ends return the real times that both sides have reached at a node's start and end.
func (p *Prepared) starts(node int) (at [2]int64) { return p.border(node, false) }

func (p *Prepared) ends(node int) (at [2]int64) { return p.border(node, true) }

func (p *Prepared) border(node int, end bool) (at [2]int64) {
	for s, call := range p.Node(node).Calls {
		switch th := p.Virtual.Threads[s]; {
		case call < 0:
			at[s] = p.waits(node)
		case end:
			at[s] = th.End(call)
		default:
			at[s] = th.Start(call)
		}
	}
	return at
}
