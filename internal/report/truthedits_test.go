package report

import (
	"maps"
	"math/rand/v2"
	"slices"

	"diptych/internal/synth"
)

// The kinds of edits that findings are held against. Each makes B of a copy of A.

// truth is what an edit did.
type truth struct {
	names  []string // functions or threads, any of which tells the edit
	kinds  []string // of findings that may tell it
	ns     int64    // time that B takes more because of it; 0 if it is not about time
	size   int64    // time of the calls that it is about
	factor float64  // of a pace
	// calls are those that came (1) and went (−1), as B's run has or had them.
	calls map[*step]int64
}

// change notes that a call came or went.
func (t *truth) change(s *step, sign int64) {
	if t.calls == nil {
		t.calls = map[*step]int64{}
	}
	t.calls[s] = sign
	t.ns += sign * s.all()
}

// recorded returns how much more time B takes because of the edit, as both runs were recorded last.
// Calls that came or went took what the machine let them take, stalls included.
func (t *truth) recorded() (ns int64) {
	if t.calls == nil {
		return t.ns
	}
	signs := map[*step]int64{}
	for s, sign := range t.calls {
		if sign < 0 {
			s = s.from // A has it
		}
		signs[s] = sign
	}
	var inside func(s *step)
	inside = func(s *step) { // the time of calls that lie in others is part of those
		for _, k := range s.kids {
			delete(signs, k)
			inside(k)
		}
	}
	for s := range maps.Clone(signs) {
		inside(s)
	}
	for s, sign := range signs {
		ns += sign * s.ns
	}
	return ns
}

// scene is a run while it is edited.
type scene struct {
	b *run
	r *rand.Rand
	// share of the run that the edit is to be worth.
	low, high float64
}

// editKind is one kind of edit. Make returns nil if the run has nothing that it could be done to.
type editKind struct {
	name  string
	speed bool // it changes how long calls take, and nothing else
	make  func(s *scene) *truth
}

var (
	counts  = []string{"new", "missing", "called", "repeat"}
	slowed  = []string{"slower", "faster", "burst"}
	moves   = []string{"moved"}
	threads = []string{"threads", "moved", "new", "missing", "called", "repeat", "overlap", "idle"}
)

var editKinds = []editKind{
	{"call inserted", false, insertNew},
	{"call inserted, of a known function", false, insertKnown},
	{"calls deleted", false, func(s *scene) *truth { return s.deleteCalls(1) }},
	{"every other call deleted", false, func(s *scene) *truth { return s.deleteCalls(2) }},
	{"call repeated", false, repeatCalls},
	{"loop runs longer", false, longerLoop},
	{"renamed", false, renameFunction},
	{"moved to another caller", false, moveCalls},
	{"order exchanged", false, exchange},
	{"×1.1", true, speedOf(1.1)},
	{"×1.3", true, speedOf(1.3)},
	{"×2", true, speedOf(2)},
	{"×5", true, speedOf(5)},
	{"÷2", true, speedOf(.5)},
	{"burst: 10 % of calls × 10", true, func(s *scene) *truth {
		n := 0
		return s.changeSpeed(10, .1, func(visit) bool { n++; return n%10 == 3 })
	}},
	{"one large call", true, oneLarge},
	{"×3 in one thread", true, func(s *scene) *truth {
		return s.changeWhere(3, func(v visit) bool { return v.lane == 1 })
	}},
	{"×4 deep in a recursion", true, func(s *scene) *truth {
		return s.changeWhere(4, func(v visit) bool { return v.depth >= 1 })
	}},
	{"×3 under one caller", true, underCaller},
	{"wrapper added", false, wrap},
	{"inlined", false, inline},
	{"thread added", false, addThread},
	{"idle gap added", false, addIdle},
	{"everything × 1.3", false, func(s *scene) *truth { return s.all(1.3) }},
	{"another unit", false, func(s *scene) *truth { return s.all(1000) }},
	{"work moved to another thread", false, moveThreads},
	{"fewer threads in the pool", false, shrinkPool},
}

// candidates returns the functions whose time, by measure, times gain is within what the edit is
// to be worth, in order of their names.
func (s *scene) candidates(gain float64, measure func(spent) int64) (list []string) {
	ns := float64(s.b.ns())
	for name, t := range s.b.sums() {
		worth := gain * float64(measure(t))
		if name != "" && t.waits == 0 && worth >= s.low*ns && worth <= s.high*ns {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func selfOf(t spent) int64 { return t.self }
func allOf(t spent) int64  { return t.all }

// one returns one of a list, "" of none.
func (s *scene) one(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[s.r.IntN(len(list))]
}

// site is a function and the function that calls it; a lane's top has no name.
type site struct{ caller, name string }

// sites returns the sites whose calls take so much that gain times it is what the edit is to be
// worth.
func (s *scene) sites(gain float64, measure func(v visit) int64) (list []site) {
	sums := map[site]int64{}
	s.b.each(func(v visit) {
		if v.depth == 0 {
			sums[site{v.up.fn.Name, v.s.fn.Name}] += measure(v)
		}
	})
	ns := float64(s.b.ns())
	for at, all := range sums {
		worth := gain * float64(all)
		if at.caller != at.name && at.caller != "" && worth >= s.low*ns && worth <= s.high*ns {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(x, y site) int {
		return slices.Compare([]string{x.caller, x.name}, []string{y.caller, y.name})
	})
	return list
}

// oneSite returns one of the sites by their time including callees.
func (s *scene) oneSite(gain float64) (site, bool) {
	return s.pickSite(gain, func(v visit) int64 { return v.s.all() })
}

func (s *scene) pickSite(gain float64, measure func(v visit) int64) (site, bool) {
	list := s.sites(gain, measure)
	if len(list) == 0 {
		return site{}, false
	}
	return list[s.r.IntN(len(list))], true
}

// editAt calls change for each call of a function by a caller, with its place among the callees,
// the last one first.
func (s *scene) editAt(at site, change func(v visit, k int)) {
	s.b.each(func(v visit) {
		if v.s.fn.Name != at.caller {
			return
		}
		for k := len(v.s.kids) - 1; k >= 0; k-- {
			if v.s.kids[k].fn.Name == at.name {
				change(visit{s: v.s.kids[k], up: v.s, lane: v.lane, depth: v.depth}, k)
			}
		}
	})
}

// spread returns the standard deviation by which the time of calls differs between two runs on
// machines with this noise, ns.
func (r *run) spread(n synth.Noise, pick func(v visit) bool) float64 {
	const draws = 5
	var sums []float64
	for d := range draws {
		m := r.machine(n, uint64(1000+d))
		clocks, now := map[int]*synth.Clock{}, map[int]int64{}
		sum := 0.0
		r.each(func(v visit) {
			if clocks[v.lane] == nil {
				clocks[v.lane] = m.Thread(v.lane)
			}
			self := v.s.self()
			if ns := clocks[v.lane].Stretch(self, now[v.lane]); pick(v) {
				sum += float64(ns)
			}
			now[v.lane] += self
		})
		sums = append(sums, sum)
	}
	return deviationOfTwo(sums)
}
