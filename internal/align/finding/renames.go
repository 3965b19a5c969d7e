package finding

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// A function counts as renamed if B nowhere calls its name, A nowhere calls another name, and both
// are called by the same functions and call the same functions, about equally often. For example:
//
//	A: load  called 12 times by main, calls open 12 times, read 40 times
//	B: fetch called 12 times by main, calls open 12 times, read 44 times
//
// Callers and callees may be renamed as well, so the search is repeated with the names it has
// found. If a round finds nothing, all names that have vanished count as one name. Then callers or
// callees must already be alike without that, or else two functions with renamed neighbours only
// would match.
//
// Of several candidates that are equally alike, one whose name has a word in common is taken, and
// none if there is none. For example, best calls empty once and then rbegin in A, and begin and end
// in B: neither is a new name of empty. And a function that takes 16 times as long for a call is
// another one.
//
// Where calls are samples or sums of costs, the numbers are what callers and callees weigh, and
// what a function costs by itself counts as a callee. That both cost about as much says little:
// callees that both have must make half of it, or else their own costs must be the same to a
// thousandth, as numbers of instructions are.
//
//	A: score     18.0 M Ir, 12.0 M called by build and 6.0 M by item; calls nothing
//	B: rank_item 18.0 M Ir, 12.0 M called by build and 6.0 M by item; calls nothing
//
// A few calls say nothing where samples found them, or where a recorder leaves out short ones. For
// example, of two equal compilations one has three calls of ReassociatePass that were held up, and
// the other three of LoopSinkPass.
//
// Cost: two passes over the calls, and in each round a comparison of each vanished name with the
// new names that have a caller in common with it (peers.go).

// rename is a function with a name in A and another in B.
type rename struct {
	a, b  uint32 // identities
	calls [2]int64
	like  float64 // similarity of the two profiles
	at    [2]*Place
}

const rounds = 16 // of the search

// profile says how often a function is called by which others, and calls which others, by
// identity. Where calls are samples, it says how long they take instead of how often they are.
type profile struct {
	calls, ns        int64 // how often, and how long in all
	own              int64 // ns, of which in no callee; only where calls are samples
	callers, callees map[uint32]int64
	at               *Place
	sampled          bool // a call was inferred from samples, or short ones were left out
	weighed          bool // calls are samples, or sums of costs
	steady           bool // own is so much that two of these are equal by no chance
}

const (
	itself  = atRoot - 1 // the function itself among its callers or callees, whatever its name
	unknown = atRoot - 3 // any function that may have been renamed
)

// findRenames finds functions that have been renamed.
func (s *study) findRenames() error {
	var profiles [2]map[uint32]*profile
	s.gone = s.goneNames()
	if !slices.Contains(s.gone[pair.A], true) || !slices.Contains(s.gone[pair.B], true) {
		return s.ctx.Err()
	}
	err := progress.Spread(s.ctx, len(profiles), func(sd int) (err error) {
		profiles[sd], err = s.profiles(pair.Side(sd), s.gone[sd])
		return err
	})
	if err != nil {
		return err
	}
	for range rounds {
		found, err := s.acceptRenames(profiles, false)
		if !found && err == nil {
			found, err = s.acceptRenames(profiles, true)
		}
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}
	slices.SortFunc(s.renames, func(x, y rename) int {
		return cmp.Or(-cmp.Compare(x.calls[pair.A], y.calls[pair.A]), cmp.Compare(x.a, y.a))
	})
	return nil
}

// goneNames returns by side the identities that this side calls and the other side never does, in
// any thread. What the recorder of a side has counted, that side calls, too.
func (s *study) goneNames() (gone [2][]bool) {
	_ = progress.Spread(s.ctx, len(gone), func(sd int) error { // a cancelled context shows later
		gone[sd] = s.calledNames(pair.Side(sd))
		return nil
	})
	if s.ctx.Err() != nil {
		return [2][]bool{make([]bool, len(s.p.Names)), make([]bool, len(s.p.Names))}
	}
	for sd := range gone {
		for _, c := range s.p.Trace(pair.Side(sd)).CallCounts {
			gone[sd][s.p.IDs(pair.Side(sd))[c.Callee]] = true // also where none costs anything
		}
	}
	written := [2]map[uint32]int64{s.writtenCounts(pair.A), s.writtenCounts(pair.B)}
	for id := range s.p.Names {
		both := written[pair.A][uint32(id)] > 0 && written[pair.B][uint32(id)] > 0
		if both || gone[pair.A][id] && gone[pair.B][id] {
			gone[pair.A][id], gone[pair.B][id] = false, false
		}
	}
	return gone
}

// calledNames returns the identities that a side calls, but for states.
func (s *study) calledNames(sd pair.Side) []bool {
	called := make([]bool, len(s.p.Names))
	ids, states := s.p.IDs(sd), s.rules[sd].states
	if s.rules[sd].any {
		for _, th := range s.p.Trace(sd).Threads {
			for _, fn := range th.Fn {
				called[ids[fn]] = !states[fn]
			}
		}
		return called
	}
	met := make([]bool, len(ids))
	for _, th := range s.p.Trace(sd).Threads {
		for _, fn := range th.Fn {
			met[fn] = true
		}
	}
	for fn, id := range ids {
		called[id] = called[id] || met[fn]
	}
	return called
}

// profiles gathers the profiles of some functions of a side.
func (s *study) profiles(sd pair.Side, of []bool) (map[uint32]*profile, error) {
	found := map[uint32]*profile{}
	if !slices.Contains(of, true) {
		return found, nil
	}
	get := func(id uint32) *profile {
		if found[id] == nil {
			found[id] = &profile{callers: map[uint32]int64{}, callees: map[uint32]int64{}}
		}
		return found[id]
	}
	ids, weighed := s.p.IDs(sd), s.p.BySamples()
	leavesOut := s.p.Trace(sd).Floor > 0 || floorOf(s.p.Trace(sd)) > 0
	wanted := make([]bool, len(ids)) // by function
	for fn, id := range ids {
		wanted[fn] = of[id]
	}
	for _, r := range s.results {
		th := r.Threads[sd]
		for i, fn := range th.Fn {
			up := th.Parent(i)
			if len(r.Passed[sd]) > 0 {
				up = caller(r, sd, int32(i))
			}
			from := uint32(atRoot)
			if up != align.None {
				from = ids[th.Fn[up]]
			}
			n, own := int64(1), int64(0)
			if weighed {
				n, own = th.Dur(i), th.Dur(i)
			}
			if wanted[fn] {
				p := get(ids[fn])
				if p.at == nil {
					p.at = placeOf(r, sd, int32(i))
				}
				p.calls, p.ns, p.own = p.calls+n, p.ns+th.Dur(i), p.own+own
				p.callers[neighbour(from, ids[fn])] += n
				p.sampled = p.sampled || leavesOut || s.recordedByChance(r, sd, int32(i)) ||
					th.Flagged() && th.Flags(i)&trace.Sampled != 0
			}
			if from != atRoot && of[from] {
				p := get(from)
				p.callees[neighbour(ids[fn], from)] += n
				p.own -= own
			}
		}
		if err := s.meter.Add(s.ctx, int64(th.Len())); err != nil {
			return nil, err
		}
	}
	if weighed {
		s.weighProfiles(found)
	}
	return found, nil
}

// weighProfiles leaves out profiles that chance explains or that are too small to tell, and notes
// which of the others cost enough by themselves to be compared exactly.
func (s *study) weighProfiles(found map[uint32]*profile) {
	sample := s.leastSample()
	maps.DeleteFunc(found, func(_ uint32, p *profile) bool {
		return p.calls < fewSamples*sample || s.share(p.calls) < s.o.Least
	})
	for _, p := range found {
		p.weighed, p.steady = true, p.own >= manySamples*sample
	}
}

// leastSample returns what the lightest sample of both sides weighs, or what they state that one
// weighs if that is more. Of costs that were counted it is 1.
func (s *study) leastSample() int64 {
	if isExact(s.p) {
		return 1
	}
	least := int64(math.MaxInt64)
	for _, r := range s.results {
		for _, th := range r.Threads {
			for i := range th.Len() {
				if ns := th.Dur(i); ns > 0 {
					least = min(least, ns)
				}
			}
		}
	}
	return max(least, s.p.A.SampleWeight, s.p.B.SampleWeight)
}

func neighbour(id, of uint32) uint32 {
	if id == of {
		return itself
	}
	return id
}

// acceptRenames takes the best candidates, each name once, and reports whether there are any. With
// blur, all vanished and new names among callers and callees count as one name.
func (s *study) acceptRenames(profiles [2]map[uint32]*profile, blur bool) (found bool, err error) {
	views := [2][]view{s.views(profiles[pair.A], blur), s.views(profiles[pair.B], blur)}
	list, err := candidates(s.ctx, views, blur)
	doubts := s.doubtsAbout(views, list)
	for _, c := range list {
		x, y := &views[pair.A][c.a], &views[pair.B][c.b]
		if !s.taken[x.id] && !s.taken[y.id] && doubts.allow(c) {
			s.taken[x.id], s.taken[y.id], s.same[y.id], found = true, true, x.id, true
			s.renames = append(s.renames, rename{a: x.id, b: y.id, like: c.like,
				calls: [2]int64{x.calls, y.calls}, at: [2]*Place{x.at, y.at}})
			s.newNames[x.id] = s.names[y.id]
		}
	}
	return found, err
}
