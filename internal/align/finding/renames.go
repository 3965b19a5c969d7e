package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
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
// identity.
type profile struct {
	calls, ns        int64 // how often, and how long in all
	callers, callees map[uint32]int64
	at               *Place
	sampled          bool // a call was inferred from samples
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
// any thread.
func (s *study) goneNames() (gone [2][]bool) {
	_ = progress.Spread(s.ctx, len(gone), func(sd int) error { // a cancelled context shows later
		gone[sd] = s.calledNames(pair.Side(sd))
		return nil
	})
	if s.ctx.Err() != nil {
		return [2][]bool{make([]bool, len(s.p.Names)), make([]bool, len(s.p.Names))}
	}
	for id := range s.p.Names {
		if gone[pair.A][id] && gone[pair.B][id] {
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
	ids := s.p.IDs(sd)
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
			if wanted[fn] {
				p := get(ids[fn])
				p.ns += th.Dur(i)
				if p.calls++; p.calls == 1 {
					p.at = placeOf(r, sd, int32(i))
				}
				p.callers[neighbour(from, ids[fn])]++
				p.sampled = p.sampled || s.recordedByChance(r, sd, int32(i))
			}
			if from != atRoot && of[from] {
				get(from).callees[neighbour(ids[fn], from)]++
			}
		}
		if err := s.meter.Add(s.ctx, int64(th.Len())); err != nil {
			return nil, err
		}
	}
	return found, nil
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

// tellRenames tells each renamed function, with its calls in all threads: what recognised it are
// the calls in threads that both sides have.
func (s *study) tellRenames() {
	for i := range s.renames {
		v, t := &s.renames[i], s.both(anywhere, s.renames[i].a)
		calls := [2]int64{t[pair.A].calls, t[pair.B].calls}
		s.addFinding(Finding{Kind: Renamed, Function: s.names[v.a], ID: v.a, Calls: calls, At: v.at,
			Text: s.renamedWords(v, calls), Claims: s.claims(anywhere, v.a, Calls)})
	}
}
