package pair

import "diptych/internal/progress"

// crew is the threads of one role, by side, in order of creation. A trace lists its threads as they
// began, which is what it knows of their creation.
type crew [2][]int32

// half is the least likeness of threads that are alike.
const half likeness = 500

// turn is what it is worth that both threads are the k-th of those alike on their side. Workers of
// one kind differ by less than that, by chance, so they stay in order.
const turn likeness = 100

// pairCrew pairs threads of one role, all of which have calls.
func pairCrew(c *crew, by [2]*profiler, partner []int32) {
	switch {
	case len(c[A]) == 0 || len(c[B]) == 0:
	case max(len(c[A]), len(c[B])) <= maxAssigned:
		pairFew(c, by, partner)
	default:
		pairMany(c, by, partner)
	}
}

// pairFew takes the assignment of the greatest sum. Two threads may be a pair if they are alike, or
// if they have something in common and are like no thread across. So the surplus of a kind that
// both sides know stays alone.
//
// Cost: a few passes over the calls, one likeness for each two threads of both sides, and assign.
func pairFew(c *crew, by [2]*profiler, partner []int32) {
	kinds := bothSides(c, by, (*profiler).work, each)
	f := newSuits(kinds[A], kinds[B])
	for a, b := range assign(f.turns[A], f.turns[B], f.worth) {
		if b != none {
			meet(&f.of[A][a], &f.of[B][b], partner)
		}
	}
}

// suits says of each two threads of a crew how well they suit each other.
type suits struct {
	of    [2][]kind
	table *table
	turns [2][]int
}

func newSuits(as, bs []kind) *suits {
	every := func(int, int) bool { return true }
	return &suits{[2][]kind{as, bs}, compareAll(as, bs), [2][]int{turns(as, every), turns(bs, every)}}
}

// similarity is the mean of three Jaccard coefficients: those of compare, and that of how often
// each identity is called. It is 0 if and only if the two have nothing in common.
func (f *suits) similarity(a, b int) likeness {
	return similarity(&f.of[A][a].profile, &f.of[B][b].profile, f.table.likeness(a, b))
}

func similarity(a, b *profile, like likeness) likeness {
	if like == 0 {
		return 0
	}
	return max(1, (2*like+compareCounts(a, b))/3)
}

// worth is what a pair of the two adds to the sum that is made greatest; 0 if they may not be one.
func (f *suits) worth(a, b int) likeness {
	if f.table.likeness(a, b) < half && !f.table.unknown(a, b) {
		return 0
	}
	worth := f.similarity(a, b)
	if f.turns[A][a] == f.turns[B][b] {
		worth += turn
	}
	return worth
}

// turns counts, for each thread of a side, how many like it there are before it, of those that
// count together with it.
func turns(of []kind, together func(i, k int) bool) []int {
	t := compareAll(of, of)
	out := make([]int, len(of))
	for i := range of {
		for k := range i {
			if t.likeness(i, k) >= half && together(i, k) {
				out[i]++
			}
		}
	}
	return out
}

// kind is the threads of a side, in order of creation, that have the same profile.
type kind struct {
	profile
	key     string // of the profile, where kinds groups threads
	threads []int32
}

// each makes every thread a kind of its own.
func each(threads []int32, describe func(thread int32) profile) []kind {
	out := make([]kind, len(threads))
	for k, i := range threads {
		out[k] = kind{profile: describe(i), threads: threads[k : k+1]}
	}
	return out
}

// bothSides groups the threads of a crew, described by their profilers, on both sides at once.
func bothSides(c *crew, by [2]*profiler, describe func(r *profiler, thread int32) profile,
	group func(threads []int32, describe func(thread int32) profile) []kind) (of [2][]kind) {
	var sides progress.Group
	for s := range of {
		sides.Do(func() {
			of[s] = group(c[s], func(i int32) profile { return describe(by[s], i) })
		})
	}
	_ = sides.Wait()
	return of
}

// inOrder pairs the k-th thread of A with the k-th of B.
func inOrder(c crew, partner []int32) {
	for k := range min(len(c[A]), len(c[B])) {
		partner[c[A][k]] = c[B][k]
	}
}

// table holds how alike A's kinds and B's are.
type table struct {
	rows [][]likeness  // by kind of A and of B
	best [2][]likeness // by side and kind: the greatest likeness to any across
}

func compareAll(as, bs []kind) *table {
	t := &table{make([][]likeness, len(as)),
		[2][]likeness{make([]likeness, len(as)), make([]likeness, len(bs))}}
	both := newShared(bs)
	for a := range as {
		row := make([]likeness, len(bs))
		for b, common := range both.count(as[a].calls) {
			row[b] = compare(&as[a].profile, &bs[b].profile, common)
			t.meets(a, b, row[b])
		}
		t.rows[a] = row
	}
	return t
}

// meets notes that two kinds, which are so much alike, may be a pair.
func (t *table) meets(a, b int, like likeness) {
	t.best[A][a], t.best[B][b] = max(t.best[A][a], like), max(t.best[B][b], like)
}

func (t *table) likeness(a, b int) likeness { return t.rows[a][b] }

// unknown reports whether two have something in common, and neither is like any kind across.
func (t *table) unknown(a, b int) bool {
	return t.likeness(a, b) > 0 && max(t.best[A][a], t.best[B][b]) < half
}

// shared counts, for any set of identities, how many it has in common with what each kind calls.
type shared struct {
	holders map[uint32][]int32 // by identity: the kinds that call it
	common  []int              // by kind
}

func newShared(ks []kind) *shared {
	s := &shared{map[uint32][]int32{}, make([]int, len(ks))}
	for i := range ks {
		for _, id := range ks[i].calls {
			s.holders[id] = append(s.holders[id], int32(i))
		}
	}
	return s
}

func (s *shared) count(ids []uint32) []int {
	clear(s.common)
	for _, id := range ids {
		for _, k := range s.holders[id] {
			s.common[k]++
		}
	}
	return s.common
}
