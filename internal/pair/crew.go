package pair

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// crew is the threads of one role, by side, in order of creation. A trace lists its threads as they
// began, which is what it knows of their creation.
type crew [2][]int32

// Two threads are alike if their likeness is at least half. They fit each other if neither has a
// thread across that is more alike by over margin. Workers of one kind differ by less than that, by
// chance, so they all fit each other and stay in order.
const (
	half   likeness = 500
	margin likeness = 333
)

// pairCrew pairs threads of one role, all of which have calls, in four rounds. In each, A's threads
// take in order of creation the first of B's that is free and eligible:
//
//  1. those that are alike and fit,
//  2. those that are alike,
//  3. those that have something in common and fit, of the threads that are like no thread across,
//     whether taken or free; the other threads that are left are the surplus of a kind that both
//     sides know, and stay alone,
//  4. of the same threads, those that have something in common.
//
// Kinds beyond maxKinds a side pair in order of creation instead.
//
// Cost: a few passes over the calls, one likeness for each two kinds, and in each round a look at
// B's kinds for each thread of A.
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
		func(a, b int) bool { return t.likeness(a, b) >= half && t.fits(a, b) },
		func(a, b int) bool { return t.likeness(a, b) >= half },
		func(a, b int) bool { return t.unknown(a, b) && t.fits(a, b) },
		t.unknown,
	} {
		queue = round(queue, bs, eligible, partner)
	}
	inOrder(beyond, partner)
}

// round pairs the threads of the queue with those of bs and returns what stays alone.
func round(queue []member, bs []kind, eligible func(a, b int) bool, partner []int32) []member {
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

func (t *table) likeness(a, b int) likeness { return t.rows[a][b] }

// fits reports whether neither of the two has another across that is more alike by over margin.
func (t *table) fits(a, b int) bool {
	return t.likeness(a, b)+margin >= max(t.best[A][a], t.best[B][b])
}

// unknown reports whether two have something in common, and neither is like any kind across.
func (t *table) unknown(a, b int) bool {
	return t.likeness(a, b) > 0 && max(t.best[A][a], t.best[B][b]) < half
}

// Programs with tens of thousands of threads run few kinds of them, so threads of equal profile are
// taken together as a kind, and kinds are compared with each other up to maxKinds a side. Where
// there are more, kinds that are equal on both sides meet through a hash table first, whatever
// their number; then those that began first are compared.

// maxKinds bounds the comparison of unequal kinds: a quarter of a million likenesses.
const maxKinds = 512

// kind is the threads of a side, in order of creation, that have the same profile.
type kind struct {
	profile
	threads []int32
}

// kinds groups threads by their profiles, in order of each kind's first thread.
func kinds(threads []int32, describe func(thread int32) profile) []kind {
	var out []kind
	at := map[string]int{}
	for _, i := range threads {
		f := describe(i)
		key := f.key()
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			out = append(out, kind{profile: f})
		}
		out[k].threads = append(out[k].threads, i)
	}
	return out
}

// key is equal for equal profiles only.
func (f *profile) key() string {
	var b []byte
	for _, ids := range [][]uint32{f.stem, f.fork, f.calls} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(ids)))
		for _, id := range ids {
			b = binary.LittleEndian.AppendUint32(b, id)
		}
	}
	return string(b)
}

// meetEqual pairs the threads of kinds that are equal on both sides.
func meetEqual(as, bs []kind, partner []int32) {
	at := make(map[string]*kind, len(bs))
	for i := range bs {
		at[bs[i].key()] = &bs[i]
	}
	for i := range as {
		if b := at[as[i].key()]; b != nil {
			meet(&as[i], b, partner)
		}
	}
}

// meet pairs the threads of two kinds in order of creation, as far as the smaller one's go.
func meet(a, b *kind, partner []int32) {
	n := min(len(a.threads), len(b.threads))
	for k := range n {
		partner[a.threads[k]] = b.threads[k]
	}
	a.threads, b.threads = a.threads[n:], b.threads[n:]
}

// remaining returns the first maxKinds kinds that still have threads, and the threads of others.
func remaining(ks []kind) (some []kind, beyond []int32) {
	ks = slices.DeleteFunc(ks, func(k kind) bool { return len(k.threads) == 0 })
	n := min(len(ks), maxKinds)
	for _, q := range queued(ks[n:]) {
		beyond = append(beyond, q.thread)
	}
	return ks[:n], beyond
}

// member is a thread and the index of its kind.
type member struct {
	thread int32
	kind   int
}

// queued lists the threads of all kinds in order of creation.
func queued(ks []kind) []member {
	var out []member
	for k := range ks {
		for _, i := range ks[k].threads {
			out = append(out, member{i, k})
		}
	}
	slices.SortFunc(out, func(x, y member) int { return cmp.Compare(x.thread, y.thread) })
	return out
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
