package pair

// crew is the threads of one role, by side, in order of creation. A trace lists its threads as they
// began, which is what it knows of their creation.
type crew [2][]int32

// Two threads are alike if their likeness is at least half. They fit each other unless to one of the
// two another is more alike by over a third: workers of one kind differ by less, by chance, and so
// stay in order.
const (
	half   likeness = 500
	margin likeness = 333
)

// pairCrew pairs threads of one role, all of which have calls, in four rounds. In each, A's threads
// take in order of creation the first of B's that is free and eligible:
//
//  1. those that are alike and fit,
//  2. those that are alike,
//  3. of threads that are like none across, taken or not, those that have something in common and
//     fit: all others that are left are the surplus of a kind that both sides know,
//  4. of the same, those that have something in common.
//
// Kinds beyond maxKinds a side pair in order of creation instead.
//
// Cost: the calls a few times, a likeness for each two kinds, and in each round a look at B's kinds
// for each thread of A.
func pairCrew(c *crew, by [2]*profiler, partner []int32) {
	if len(c[A]) == 0 || len(c[B]) == 0 {
		return
	}
	as, bs := kinds(c[A], by[A].work), kinds(c[B], by[B].work)
	var beyond crew
	if len(as) > maxKinds || len(bs) > maxKinds {
		meetEqual(as, bs, partner)
		as, beyond[A] = remaining(as)
		bs, beyond[B] = remaining(bs)
	}
	t := compareAll(as, bs)
	queue := queued(as)
	for _, eligible := range []func(a, b int) bool{
		func(a, b int) bool { return t.at(a, b) >= half && t.fits(a, b) },
		func(a, b int) bool { return t.at(a, b) >= half },
		func(a, b int) bool { return t.unknown(a, b) && t.fits(a, b) },
		t.unknown,
	} {
		queue = round(queue, bs, eligible, partner)
	}
	inOrder(beyond, partner)
}

// round pairs the threads of the queue with those of bs and returns what stays alone.
func round(queue []place, bs []kind, eligible func(a, b int) bool, partner []int32) []place {
	alone := queue[:0]
	suits := map[int][]int{} // by kind of A
	for _, q := range queue {
		list, ok := suits[q.kind]
		if !ok {
			for b := range bs {
				if eligible(q.kind, b) {
					list = append(list, b)
				}
			}
			suits[q.kind] = list
		}
		next := none
		for _, b := range list {
			if len(bs[b].threads) > 0 && (next == none || bs[b].threads[0] < bs[next].threads[0]) {
				next = b
			}
		}
		if next == none {
			alone = append(alone, q)
			continue
		}
		partner[q.thread], bs[next].threads = bs[next].threads[0], bs[next].threads[1:]
	}
	return alone
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
			t.best[A][a], t.best[B][b] = max(t.best[A][a], row[b]), max(t.best[B][b], row[b])
		}
		t.rows[a] = row
	}
	return t
}

func (t *table) at(a, b int) likeness { return t.rows[a][b] }

// fits reports whether to neither of the two another is more alike by more than margin.
func (t *table) fits(a, b int) bool {
	return t.at(a, b)+margin >= max(t.best[A][a], t.best[B][b])
}

// unknown reports whether two have something in common and neither is like any across.
func (t *table) unknown(a, b int) bool {
	return t.at(a, b) > 0 && max(t.best[A][a], t.best[B][b]) < half
}
