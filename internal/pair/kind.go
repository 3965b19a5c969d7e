package pair

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Programs with tens of thousands of threads run few kinds of them, so threads of equal profile are
// taken together as a kind, and kinds are compared with each other up to maxKinds a side. Where
// there are more, kinds that are equal on both sides meet through a hash table first, whatever their
// number; then those that began first are compared.

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

// place is a thread and the index of its kind.
type place struct {
	thread int32
	kind   int
}

// queued lists the threads of all kinds in order of creation.
func queued(ks []kind) []place {
	var out []place
	for k := range ks {
		for _, i := range ks[k].threads {
			out = append(out, place{i, k})
		}
	}
	slices.SortFunc(out, func(x, y place) int { return cmp.Compare(x.thread, y.thread) })
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
