package finding

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"diptych/internal/pair"
)

// Which vanished name may be which new one. The profiles of both are compared under the names that
// have been found so far, as sorted lists of callers and callees.
//
// Two profiles are no more alike than the numbers of their calls. So the functions of a caller are
// ordered by these numbers, and one is compared only with those that have between half and twice as
// many calls. A trace whose names carry numbers has tens of thousands of such functions under one
// caller: of more than mostPeers, those with the nearest numbers of calls are compared.

const (
	alike        = 0.5  // the least similarity
	alikeWeights = 0.75 // the same of what callers and callees weigh, instead of how many they are
	fewSamples   = 16   // calls that samples found
	manySamples  = 1000 // so many are equal to a thousandth by no chance
	mostPeers    = 256  // of a function under one caller
	another      = 16   // times as long for a call is another function
)

// candidate is a pair of views, by their indices, and how similar they are.
type candidate struct {
	a, b int32
	like float64
}

// view is a profile under the names that have been found so far.
type view struct {
	*profile
	id               uint32
	callers, callees [2][]link // under exact names, and under blurred ones
}

// link is how many calls come from a function or go to it, by its name in A. Lists are in order
// of names.
type link struct {
	name uint32
	n    int64
}

// candidates returns pairs of views that have a common caller and are alike, the best first.
func candidates(ctx context.Context, views [2][]view, blur bool) (list []candidate, err error) {
	var byCaller [2]map[uint32][]int32
	for sd := range views {
		byCaller[sd] = viewsByCaller(views[sd], blur)
	}
	met := make([]int32, len(views[pair.B])) // by which view of A, from 1 on
	for i := range views[pair.A] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &views[pair.A][i]
		for _, c := range x.callers[toInt(blur)] {
			own, theirs := byCaller[pair.A][c.name], byCaller[pair.B][c.name]
			for _, j := range peers(views, own, theirs, int32(i)) {
				if met[j] == int32(i+1) {
					continue
				}
				met[j] = int32(i + 1)
				if like := x.likeness(&views[pair.B][j], blur); like >= alike {
					list = append(list, candidate{int32(i), j, like})
				}
			}
		}
	}
	slices.SortFunc(list, func(x, y candidate) int {
		return cmp.Or(-cmp.Compare(x.like, y.like),
			-cmp.Compare(views[pair.A][x.a].calls, views[pair.A][y.a].calls),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return list, nil
}

// views returns the profiles of names that may still be renamed, in order of identities. A function
// that is called once and calls nothing has too little to compare. So have several that nobody
// calls and that call nothing, such as kernels on a graphics card: 24 calls of one are not those of
// another that has 24 as well. Samples find another part of the functions in each run, so one that
// few of them met on one side alone is not gone.
func (s *study) views(of map[uint32]*profile, blur bool) []view {
	views, alone := make([]view, 0, len(of)), 0
	for _, id := range sortedKeys(of, cmp.Compare[uint32]) {
		p := of[id]
		alone += toInt(p.standsAlone())
		if s.taken[id] || p.calls < 2 && (blur || len(p.callees) == 0) ||
			p.calls < fewSamples && p.sampled {
			continue
		}
		v := view{profile: p, id: id}
		for k := range 1 + toInt(blur) {
			v.callers[k], v.callees[k] = s.counts(p.callers, k > 0), s.counts(p.callees, k > 0)
		}
		views = append(views, v)
	}
	if alone > 1 {
		views = slices.DeleteFunc(views, func(v view) bool { return v.standsAlone() })
	}
	return views
}

// standsAlone reports whether nobody calls a function, and it calls nothing.
func (p *profile) standsAlone() bool { return len(p.callees) == 0 && p.callers[atRoot] == p.calls }

// counts returns numbers of calls under the names of A.
func (s *study) counts(of map[uint32]int64, blur bool) []link {
	list := make([]link, 0, len(of))
	for id, n := range of {
		list = append(list, link{s.nameInA(id, blur), n})
	}
	slices.SortFunc(list, func(x, y link) int { return cmp.Compare(x.name, y.name) })
	sums := list[:0]
	for _, c := range list {
		if last := len(sums) - 1; last >= 0 && sums[last].name == c.name {
			sums[last].n += c.n
		} else {
			sums = append(sums, c)
		}
	}
	return sums
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

// viewsByCaller lists the views that each caller calls, by numbers of calls and identities.
func viewsByCaller(views []view, blur bool) map[uint32][]int32 {
	lists := map[uint32][]int32{}
	for i := range views {
		for _, c := range views[i].callers[toInt(blur)] {
			lists[c.name] = append(lists[c.name], int32(i))
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(x, y int32) int {
			return cmp.Or(cmp.Compare(views[x].calls, views[y].calls), cmp.Compare(x, y))
		})
	}
	return lists
}

// peers returns the part of theirs, functions of B, that view i of A is compared with. own is the
// list of the same caller in A. If there are more than mostPeers, they are those around the one
// that is in theirs what this one is in own: the first, second or third with so many calls.
func peers(views [2][]view, own, theirs []int32, i int32) []int32 {
	calls := views[pair.A][i].calls
	from := leastCalls(views[pair.B], theirs, (calls+1)/2)
	to := leastCalls(views[pair.B], theirs, 2*calls+1)
	if to-from <= mostPeers {
		return theirs[from:to]
	}
	first := leastCalls(views[pair.A], own, calls)
	rank, _ := slices.BinarySearch(own[first:leastCalls(views[pair.A], own, calls+1)], i)
	middle := leastCalls(views[pair.B], theirs, calls) + rank
	from = min(max(from, middle-mostPeers/2), to-mostPeers)
	return theirs[from : from+mostPeers]
}

// leastCalls returns the place in list of the first view with at least so many calls.
func leastCalls(views []view, list []int32, calls int64) int {
	at, _ := slices.BinarySearchFunc(list, calls, func(i int32, calls int64) int {
		return cmp.Compare(views[i].calls, calls)
	})
	return at
}

// likeness is the Jaccard similarity of two profiles as multisets of callers and callees, or 0 if
// there is too little to compare. With blur, callers or callees must be alike without it; that
// nothing calls two functions of a profile is the case of whatever programs.
func (x *view) likeness(y *view, blur bool) float64 {
	if min(x.calls, y.calls) < 2 && min(len(x.callees[0]), len(y.callees[0])) == 0 || !x.lastsAs(y) {
		return 0
	}
	if blur && (jaccard(x.callers[0], y.callers[0]) < alike || x.weighed && x.isRoot()) &&
		jaccard(x.callees[0], y.callees[0]) < alike {
		return 0
	}
	common, all := overlap(x.callers[toInt(blur)], y.callers[toInt(blur)])
	below, more := overlap(x.callees[toInt(blur)], y.callees[toInt(blur)])
	switch {
	case below == 0 && 2*more >= all:
		return 0 // one calls what the other does not
	case x.weighed && 2*below < max(x.calls, y.calls) && !x.costsAs(y):
		return 0 // what they do by themselves, which is most of it, may be anything
	}
	below, more = below+min(x.own, y.own), more+max(x.own, y.own)
	like := min(float64(common)/float64(all), float64(common+below)/float64(all+more))
	if x.weighed && like < alikeWeights {
		return 0
	}
	return like
}

// lastsAs reports whether a call of both takes about as long on average.
func (x *view) lastsAs(y *view) bool {
	a, b := float64(x.ns)/float64(x.calls), float64(y.ns)/float64(y.calls)
	return max(a, b) <= another*min(a, b)
}

// costsAs reports whether both cost the same by themselves.
func (x *view) costsAs(y *view) bool {
	return x.steady && y.steady && manySamples*magnitude(x.own-y.own) <= max(x.own, y.own)
}

// isRoot reports whether nothing calls a function.
func (x *view) isRoot() bool { return len(x.callers[0]) == 1 && x.callers[0][0].name == atRoot }

func jaccard(x, y []link) float64 {
	common, all := overlap(x, y)
	return float64(common) / float64(max(all, 1))
}

// overlap returns the sizes of the intersection and the union of two multisets.
func overlap(x, y []link) (common, all int64) {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].name < y[0].name:
			all, x = all+x[0].n, x[1:]
		case x[0].name > y[0].name:
			all, y = all+y[0].n, y[1:]
		default:
			common += min(x[0].n, y[0].n)
			all += max(x[0].n, y[0].n)
			x, y = x[1:], y[1:]
		}
	}
	for _, rest := range [][]link{x, y} {
		for _, c := range rest {
			all += c.n
		}
	}
	return common, all
}

// doubts are, by side and view, what the candidates of one function are that are most alike.
type doubts struct {
	s     *study
	views [2][]view
	of    [2][]doubt
	like  [2][]int32 // by side and view: which words its name has, plus 1; 0 until it is asked for
	words [][]string
	found map[string]int32
}

type doubt struct {
	like   float64 // the highest
	n, all int     // how many candidates are so alike, and how many there are
	shared int     // the most words that the name shares with that of one of these
}

// doubtsAbout goes through candidates, the best first.
func (s *study) doubtsAbout(views [2][]view, list []candidate) *doubts {
	d := &doubts{s: s, views: views, found: map[string]int32{}}
	for sd := range views {
		d.of[sd], d.like[sd] = make([]doubt, len(views[sd])), make([]int32, len(views[sd]))
	}
	for _, c := range list {
		for _, q := range d.both(c) {
			if q.n == 0 {
				q.like = c.like
			}
			q.n += toInt(c.like == q.like)
			q.all++
		}
	}
	for _, c := range list {
		for _, q := range d.both(c) {
			if q.n > 1 && c.like == q.like {
				q.shared = max(q.shared, d.sharedWords(c))
			}
		}
	}
	return d
}

func (d *doubts) both(c candidate) [2]*doubt {
	return [2]*doubt{&d.of[pair.A][c.a], &d.of[pair.B][c.b]}
}

// allow reports whether a candidate is more than one of several that may be meant. A function that
// nothing calls, and that calls nothing, has no more than a number of calls in common with another.
func (d *doubts) allow(c candidate) bool {
	x, least := &d.views[pair.A][c.a], 0
	alone := len(x.callees[0]) == 0 && x.isRoot()
	for _, q := range d.both(c) {
		if q.n > 1 || alone && q.all > 1 {
			least = max(least, q.shared, 1)
		}
	}
	return least == 0 || d.sharedWords(c) >= least
}

// sharedWords returns how many words the last parts of two functions' names share: of gfx::blurRow
// and gfx::gauss_row it is one. Names that differ in numbers have all words in common.
func (d *doubts) sharedWords(c candidate) (n int) {
	a, b := d.wordsOf(pair.A, c.a), d.wordsOf(pair.B, c.b)
	if a == b {
		return len(d.words[a])
	}
	left := slices.Clone(d.words[a])
	for _, w := range d.words[b] {
		if k := slices.Index(left, w); k >= 0 {
			n, left = n+1, slices.Delete(left, k, k+1)
		}
	}
	return n
}

// wordsOf returns which words the name of a view has, as an index.
func (d *doubts) wordsOf(sd pair.Side, i int32) int32 {
	known := &d.like[sd][i]
	if *known == 0 {
		words := lastWords(d.s.names[d.views[sd][i].id])
		key := strings.Join(words, " ")
		if d.found[key] == 0 {
			d.words = append(d.words, words)
			d.found[key] = int32(len(d.words))
		}
		*known = d.found[key]
	}
	return *known - 1
}

// lastWords returns the words of the last part of a function's name, in lower case, without what is
// in brackets: those of two letters or more. Brackets that are part of a path, as in
// gfx.(*Row).blur and (anonymous namespace)::blur, are left out; others end the name.
func lastWords(name string) []string {
	name = enclosed.ReplaceAllString(name, "$1")
	if end := strings.IndexAny(name, "(<"); end > 0 {
		name = name[:end]
	}
	spaced := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return ' '
	}, capitals.ReplaceAllString(name[strings.LastIndexAny(name, ".:/")+1:], " $0 "))
	return slices.DeleteFunc(strings.Fields(strings.ToLower(spaced)), func(w string) bool { return len(w) < 2 })
}

var (
	capitals = regexp.MustCompile(`\p{Lu}?\p{Ll}+`)
	enclosed = regexp.MustCompile(`(?:\([^()]*\)|<[^<>]*>)([.:])`)
)
