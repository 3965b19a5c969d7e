package pair

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Programs with tens of thousands of threads run few kinds of them, so threads of equal profile are
// taken together as a kind, and kinds are compared with each other up to maxKinds a side. Where
// there are more, threads that are alike and stand where both sides have them meet first, and those
// of kinds that are equal on both sides through a hash table, whatever their number; then those
// that began first are compared.

// maxKinds bounds the comparison of unequal kinds: a quarter of a million likenesses.
const maxKinds = 512

// margin is how much more alike a thread across may be to one of two that fit each other.
const margin likeness = 333

// pairMany pairs threads by kinds, in four rounds. In each, A's threads take in order of creation
// the first of B's that is free and eligible:
//
//  1. those that are alike and fit,
//  2. those that are alike,
//  3. those that have something in common and fit, of the threads that are like no thread across,
//     whether taken or free; the other threads that are left are the surplus of a kind that both
//     sides know, and stay alone,
//  4. of the same threads, those that have something in common.
//
// Where a side has more than maxKinds kinds, threads at the same place meet before, and again after
// the second round (place.go). What is left at last beyond maxKinds pairs in order of creation.
//
// Cost: a few passes over the calls, one likeness for each two kinds, and in each round a look at
// B's kinds for each thread of A; beyond maxKinds also that of place.go.
func pairMany(c *crew, by [2]*profiler, partner []int32) {
	of := bothSides(c, by, (*profiler).work, kinds)
	var beyond crew
	var places *placing
	if tooMany(of) {
		places = newPlacing(c, by, of, half, partner)
		of = places.meetMost(of)
		of[A], beyond[A] = some(of[A])
		of[B], beyond[B] = some(of[B])
	}
	as, bs := of[A], of[B]
	t := compareAll(as, bs)
	likely := func(a, b int) bool { return t.likeness(a, b) >= half }
	queue := queued(as)
	queue = round(queue, bs, func(a, b int) bool { return likely(a, b) && t.fits(a, b) }, partner)
	queue = round(queue, bs, likely, partner)
	if places != nil {
		places.learn(of)
		places.meetBetween()
		queue = slices.DeleteFunc(queue, func(q member) bool { return partner[q.thread] != none })
		for k := range bs {
			bs[k].threads = places.left(B, bs[k].threads)
		}
		beyond = crew{places.left(A, beyond[A]), places.left(B, beyond[B])}
	}
	queue = round(queue, bs, func(a, b int) bool { return t.unknown(a, b) && t.fits(a, b) }, partner)
	round(queue, bs, t.unknown, partner)
	inOrder(beyond, partner)
}

// tooMany reports whether a side has more kinds than are compared with each other.
func tooMany(of [2][]kind) bool { return max(len(of[A]), len(of[B])) > maxKinds }

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

// fits reports whether neither of the two has another across that is more alike by over margin.
func (t *table) fits(a, b int) bool {
	return t.likeness(a, b)+margin >= max(t.best[A][a], t.best[B][b])
}

// kinds groups threads by their profiles, in order of each kind's first thread.
func kinds(threads []int32, describe func(thread int32) profile) []kind {
	var out []kind
	at := map[string]int{}
	var key []byte
	for _, i := range threads {
		f := describe(i)
		key = f.appendKey(key[:0])
		k, ok := at[string(key)]
		if !ok {
			k = len(out)
			out = append(out, kind{profile: f, key: string(key)})
			at[out[k].key] = k
		}
		out[k].threads = append(out[k].threads, i)
	}
	return out
}

// appendKey appends what is equal for profiles with equal sets only.
func (f *profile) appendKey(b []byte) []byte {
	for _, ids := range [][]uint32{f.stem, f.fork, f.calls} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(ids)))
		for _, id := range ids {
			b = binary.LittleEndian.AppendUint32(b, id)
		}
	}
	return b
}

// byKey returns where kinds are found by their keys.
func byKey(ks []kind) map[string]*kind {
	at := make(map[string]*kind, len(ks))
	for i := range ks {
		at[ks[i].key] = &ks[i]
	}
	return at
}

// meetEqual pairs the threads of kinds that are equal on both sides.
func meetEqual(as, bs []kind, partner []int32) {
	at := byKey(bs)
	for i := range as {
		if b := at[as[i].key]; b != nil {
			meet(&as[i], b, partner)
		}
	}
}

// meet pairs the threads of two kinds in order of creation, as far as the smaller one's go, and
// returns how many.
func meet(a, b *kind, partner []int32) int {
	n := min(len(a.threads), len(b.threads))
	for k := range n {
		partner[a.threads[k]] = b.threads[k]
	}
	a.threads, b.threads = a.threads[n:], b.threads[n:]
	return n
}

// some returns the first maxKinds kinds, and the threads of others.
func some(ks []kind) (first []kind, beyond []int32) {
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
