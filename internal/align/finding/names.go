package finding

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// A function has been renamed if its name is all but gone in B, another is all but new there, and
// the two are called by the same functions, call the same functions, and do both about as often.
// Neighbours may be renamed as well. So what has been found is looked through again with their new
// names; and where that gives nothing, neighbours that are gone stand for each other, provided that
// either all callers or all callees are much alike as they are.

// rename is a function with two names.
type rename struct {
	a, b  uint32 // identities
	calls [2]int64
	like  float64 // likeness of the two profiles
	at    [2]*Place
}

const (
	foreign = 10  // the share of its calls, as reciprocal, that a name may have on the other side
	alike   = 0.5 // least likeness
	rounds  = 16  // of names that become known through others
)

// profile is by whom a function is called and whom it calls, with how often, by identity.
type profile struct {
	calls            int64
	callers, callees map[uint32]int64
	at               *Place
}

const (
	itself  = atRoot - 1 // a function among its own callers and callees, whatever its name
	unknown = atRoot - 3 // any that may have been renamed
)

// findRenames looks for functions under two names.
func (s *study) findRenames() error {
	var profiles [2]map[uint32]*profile
	s.gone = s.goneNames()
	for sd := range profiles {
		var err error
		if profiles[sd], err = s.profiles(pair.Side(sd), s.gone[sd]); err != nil {
			return err
		}
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

// goneNames returns the identities that all but one side lacks, by the side that has them.
func (s *study) goneNames() (gone [2][]bool) {
	var counts [2][]int64
	for sd := range counts {
		counts[sd] = make([]int64, len(s.p.Names))
		ids := s.p.IDs(pair.Side(sd))
		for _, r := range s.results {
			for i, fn := range r.Threads[sd].Fn {
				if !s.recordedByChance(r, pair.Side(sd), int32(i)) {
					counts[sd][ids[fn]]++
				}
			}
		}
	}
	for sd := range gone {
		gone[sd] = make([]bool, len(s.p.Names))
		for id, n := range counts[sd] {
			gone[sd][id] = n > 0 && counts[1-sd][id] <= n/foreign
		}
	}
	return gone
}

// profiles gathers those of some functions of a side.
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
	for _, r := range s.results {
		th := r.Threads[sd]
		for i := range th.Parent {
			id, from := r.ID(sd, i), uint32(atRoot)
			if up := caller(r, sd, int32(i)); up != align.None {
				from = r.ID(sd, int(up))
			}
			if of[id] {
				p := get(id)
				if p.calls++; p.calls == 1 {
					p.at = placeOf(r, sd, int32(i))
				}
				p.callers[neighbour(from, id)]++
			}
			if from != atRoot && of[from] {
				get(from).callees[neighbour(id, from)]++
			}
			if err := s.tick(1); err != nil {
				return nil, err
			}
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

// candidates returns pairs of names with a common caller that are alike enough, best first.
func (s *study) candidates(profiles [2]map[uint32]*profile, blur bool) (list []rename) {
	by := func(x, y uint32) int { return cmp.Compare(x, y) }
	calledBy := map[uint32][]uint32{} // B's by caller
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

// known returns the name in A of a neighbour, as far as it is known.
func (s *study) nameInA(id uint32, blur bool) uint32 {
	switch {
	case id >= uint32(len(s.same)):
		return id
	case blur && !s.taken[id] && (s.gone[pair.A][id] || s.gone[pair.B][id]):
		return unknown
	}
	return s.same[id]
}

// likeness is the Jaccard similarity of two profiles as multisets of neighbours. A single call
// without callees is like nothing: it has nothing to be told by.
func (s *study) likeness(x, y *profile, blur bool) float64 {
	if min(x.calls, y.calls) < 2 && min(len(x.callees), len(y.callees)) == 0 {
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

// settleRenames takes the best candidates, each name once, and reports whether there are any.
func (s *study) acceptRenames(list []rename) bool {
	found := false
	for _, v := range list {
		if !s.taken[v.a] && !s.taken[v.b] {
			s.taken[v.a], s.taken[v.b], s.same[v.b], found = true, true, v.a, true
			s.renames = append(s.renames, v)
		}
	}
	return found
}

// tellRenames tells each pair of names once.
func (s *study) tellRenames() {
	for i := range s.renames {
		v := &s.renames[i]
		s.addFinding(Finding{Kind: Renamed, Function: s.names[v.a], ID: v.a, Calls: v.calls, At: v.at,
			Text: s.renamedWords(v)})
	}
}

// Spans carry arguments in their names: a build has one "compile fmt" and one "compile net/http" for
// each package. What changed by the same reason is told of all of them at once: names that begin
// alike and go on with data are one function here, once what moved is known.

const (
	leastFamily = 8     // arguments
	dataMarks   = "/.@" // what shows that most of them are data
)

// findFamilies makes spans that differ in their arguments one function.
func (s *study) findFamilies() error {
	if s.p.A.Symbols || s.p.B.Symbols {
		return nil
	}
	type family struct {
		first   uint32
		members []uint32
		data    int // members whose argument is data
	}
	families := map[string]*family{}
	for id, name := range s.p.Names {
		head, argument, ok := span(name)
		if !ok || s.same[id] != uint32(id) {
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
	for id, to := range s.same { // a renamed function may have joined one
		s.same[id] = s.same[to]
	}
	return nil
}

// span splits a name into what it begins with and its argument.
func span(name string) (head, argument string, ok bool) {
	if i := strings.Index(name, " ("); i > 0 {
		return name[:i], name[i+1:], true
	}
	head, argument, ok = strings.Cut(name, " ")
	return head, argument, ok && head != "" && argument != ""
}
