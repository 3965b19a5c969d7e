package pair

import (
	"cmp"
	"encoding/binary"
	"slices"

	"diptych/internal/trace"
)

// Threads that no name pairs go by what they call. The similarity of two threads is the Jaccard
// coefficient of the sets of function identities they call; the most similar pair is taken first,
// then the next among what is left, and a pair that has nothing in common never.
//
// Programs with tens of thousands of threads run few kinds of them, so threads with equal sets are
// taken together as a kind: kinds are compared, and the threads of two kinds that meet are paired
// as they began. Kinds that are equal on both sides, the best there is, meet through a hash table
// whatever their number. Others are compared with each other up to maxKinds a side, those that
// began first; threads beyond stay alone.

// maxKinds bounds the comparison of unequal kinds: a million coefficients.
const maxKinds = 1024

// kind is the threads, as they began, that call the same set of identities.
type kind struct {
	set     []uint32 // ascending
	threads []int32
}

// likeness is how similar two kinds are.
type likeness struct {
	a, b          int // indices of kinds
	common, union int
}

func (p *Pair) bySimilarity(partner []int32, taken []bool) {
	as := kinds(p.A, p.IDA, func(i int) bool { return partner[i] != none })
	bs := kinds(p.B, p.IDB, func(i int) bool { return taken[i] })
	meet := func(a, b *kind) {
		n := min(len(a.threads), len(b.threads))
		for k := range n {
			partner[a.threads[k]] = b.threads[k]
		}
		a.threads, b.threads = a.threads[n:], b.threads[n:]
	}
	equal := make(map[string]int, len(bs))
	for i := range bs {
		equal[key(bs[i].set)] = i
	}
	for i := range as {
		if k, ok := equal[key(as[i].set)]; ok {
			meet(&as[i], &bs[k])
		}
	}
	as, bs = remaining(as), remaining(bs)
	for _, l := range likenesses(as, bs) {
		meet(&as[l.a], &bs[l.b])
	}
}

// kinds groups the threads of t that have calls and are not yet paired, in order of their first
// thread.
func kinds(t *trace.Trace, ids []uint32, paired func(thread int) bool) []kind {
	var out []kind
	at := map[string]int{}
	seen := make([]int32, len(t.Functions)) // by function: the last thread that called it
	for i, th := range t.Threads {
		if th.Len() == 0 || paired(i) {
			continue
		}
		set := called(th, ids, seen, int32(i)+1)
		k, ok := at[key(set)]
		if !ok {
			k = len(out)
			at[key(set)] = k
			out = append(out, kind{set: set})
		}
		out[k].threads = append(out[k].threads, int32(i))
	}
	return out
}

// called returns the identities that th calls; seen holds, by function, the last stamp it was met
// under.
func called(th *trace.Thread, ids []uint32, seen []int32, stamp int32) []uint32 {
	var set []uint32
	for _, fn := range th.Fn {
		if seen[fn] != stamp {
			seen[fn] = stamp
			set = append(set, ids[fn])
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// remaining returns the kinds that still have threads, at most maxKinds of them.
func remaining(ks []kind) []kind {
	ks = slices.DeleteFunc(ks, func(k kind) bool { return len(k.threads) == 0 })
	return ks[:min(len(ks), maxKinds)]
}

// likenesses lists the pairs of kinds with something in common, best first; ties go by the order in
// which the kinds began, A's first.
func likenesses(as, bs []kind) []likeness {
	holders := map[uint32][]int{} // by identity: the kinds of B that call it
	for i := range bs {
		for _, id := range bs[i].set {
			holders[id] = append(holders[id], i)
		}
	}
	var out []likeness
	common := make([]int, len(bs))
	for a := range as {
		clear(common)
		for _, id := range as[a].set {
			for _, b := range holders[id] {
				common[b]++
			}
		}
		for b, n := range common {
			if n > 0 {
				out = append(out, likeness{a, b, n, len(as[a].set) + len(bs[b].set) - n})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y likeness) int {
		return cmp.Compare(y.common*x.union, x.common*y.union)
	})
	return out
}

func key(set []uint32) string {
	b := make([]byte, 0, 4*len(set))
	for _, id := range set {
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return string(b)
}
