package finding

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Names that stand for one function: renamed functions, and spans with arguments.
//
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
// Cost: two passes over the calls, and in each round a comparison of each vanished name with the
// new names that have a caller in common with it.

// rename is a function with a name in A and another in B.
type rename struct {
	a, b  uint32 // identities
	calls [2]int64
	like  float64 // similarity of the two profiles
	at    [2]*Place
}

const (
	alike      = 0.5 // the least similarity
	rounds     = 16  // of the search
	fewSamples = 16  // calls that samples found
)

// profile says how often a function is called by which others, and calls which others, by
// identity.
type profile struct {
	calls            int64
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
		if !s.acceptRenames(s.candidates(profiles, false)) &&
			!s.acceptRenames(s.candidates(profiles, true)) {
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

// candidates returns pairs of a vanished and a new name that have a common caller and are alike,
// best first. With blur, all vanished and new names among callers and callees count as one name.
func (s *study) candidates(profiles [2]map[uint32]*profile, blur bool) (list []rename) {
	by := func(x, y uint32) int { return cmp.Compare(x, y) }
	calledBy := map[uint32][]uint32{} // functions of B by caller
	for _, b := range sortedKeys(profiles[pair.B], by) {
		for c := range profiles[pair.B][b].callers {
			c = s.nameInA(c, blur)
			calledBy[c] = append(calledBy[c], b)
		}
	}
	for _, a := range sortedKeys(profiles[pair.A], by) {
		if s.taken[a] {
			continue
		}
		seen := map[uint32]bool{}
		for c := range profiles[pair.A][a].callers {
			for _, b := range calledBy[s.nameInA(c, blur)] {
				if seen[b] || s.taken[b] {
					continue
				}
				seen[b] = true
				x, y := profiles[pair.A][a], profiles[pair.B][b]
				if like := s.likeness(x, y, blur); like >= alike {
					list = append(list, rename{a: a, b: b, like: like,
						calls: [2]int64{x.calls, y.calls}, at: [2]*Place{x.at, y.at}})
				}
			}
		}
	}
	slices.SortFunc(list, func(x, y rename) int {
		return cmp.Or(-cmp.Compare(x.like, y.like), -cmp.Compare(x.calls[pair.A], y.calls[pair.A]),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return list
}

// nameInA returns the identity in A of a caller or callee, or unknown.
func (s *study) nameInA(id uint32, blur bool) uint32 {
	switch {
	case id >= uint32(len(s.same)):
		return id
	case blur && !s.taken[id] && (s.gone[pair.A][id] || s.gone[pair.B][id]):
		return unknown
	}
	return s.same[id]
}

// likeness is the Jaccard similarity of two profiles as multisets of callers and callees. It is 0
// for functions that are called once and call nothing, or nothing whose name is known, since there
// is too little to compare. Samples find another part of the functions in each run: a function that
// few of them met in A alone is not gone.
func (s *study) likeness(x, y *profile, blur bool) float64 {
	calls := min(x.calls, y.calls)
	if calls < 2 && (blur || min(len(x.callees), len(y.callees)) == 0) ||
		calls < fewSamples && (x.sampled || y.sampled) {
		return 0
	}
	if blur && max(s.jaccard(x.callers, y.callers), s.jaccard(x.callees, y.callees)) < alike {
		return 0
	}
	common, all := s.overlap(x.callers, y.callers, blur)
	below, more := s.overlap(x.callees, y.callees, blur)
	return min(float64(common)/float64(all), float64(common+below)/float64(all+more))
}

func (s *study) jaccard(x, y map[uint32]int64) float64 {
	common, all := s.overlap(x, y, false)
	return float64(common) / float64(max(all, 1))
}

// overlap returns the sizes of the intersection and the union of two multisets.
func (s *study) overlap(x, y map[uint32]int64, blur bool) (common, all int64) {
	counts := map[uint32]int64{}
	for id, n := range x {
		counts[s.nameInA(id, blur)] += n
		all += n
	}
	for id, n := range y {
		k := s.nameInA(id, blur)
		c := min(counts[k], n)
		counts[k] -= c
		common += c
		all += n - c
	}
	return common, all
}

// acceptRenames takes the best candidates, each name once, and reports whether there are any.
func (s *study) acceptRenames(list []rename) bool {
	found := false
	for _, v := range list {
		if !s.taken[v.a] && !s.taken[v.b] {
			s.taken[v.a], s.taken[v.b], s.same[v.b], found = true, true, v.a, true
			s.renames = append(s.renames, v)
			s.newNames[v.a] = s.names[v.b]
		}
	}
	return found
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

// Spans carry arguments in their names: a build has a span "compile fmt", another "compile
// net/http", and so on for each package. A change of the compiler would be told a hundred times.
// So names that begin with the same word and go on with data are one function in all stages after
// reorder.go.

const (
	leastFamily = 8     // the least number of arguments
	dataMarks   = "/.@" // most arguments must hold one of these, as paths and versions do
)

// findFamilies makes one function of spans that differ only in their arguments.
func (s *study) findFamilies() error {
	if s.p.A.Symbols || s.p.B.Symbols {
		return nil
	}
	type family struct {
		first   uint32
		members []uint32
		data    int // members whose argument holds a data mark
	}
	families := map[string]*family{}
	for id, name := range s.p.Names {
		head, argument, ok := span(name)
		if !ok || s.same[id] != uint32(id) || s.taken[uint32(id)] {
			continue
		}
		f := families[head]
		if f == nil {
			f = &family{first: uint32(id)}
			families[head] = f
		}
		f.members = append(f.members, uint32(id))
		f.data += toInt(argument[0] == '(' || strings.ContainsAny(argument, dataMarks))
	}
	for head, f := range families {
		if len(f.members) < leastFamily || 2*f.data < len(f.members) {
			continue
		}
		s.names[f.first], s.family[f.first] = head+" …", true
		for _, id := range f.members {
			s.same[id] = f.first
		}
	}
	for id, to := range s.same { // a renamed function may have become a member
		s.same[id] = s.same[to]
	}
	return nil
}

// span splits the name of a span into its head and its argument: "compile" and "fmt".
func span(name string) (head, argument string, ok bool) {
	if i := strings.Index(name, " ("); i > 0 {
		return name[:i], name[i+1:], true
	}
	head, argument, ok = strings.Cut(name, " ")
	return head, argument, ok && head != "" && argument != ""
}
