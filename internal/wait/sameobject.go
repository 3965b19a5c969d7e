package wait

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// ObjectPair is an object on both sides, as indices into their traces' objects; −1 stands for none.
type ObjectPair struct{ A, B int32 }

// Objects of two runs are mostly addresses, which mean nothing in the other run. What stays is who
// uses them and how: the uses of an object are the set of (role of the thread if it has a name,
// identity of the function, identity of its caller, wait or release or io, place among the call's
// objects). Objects of one kind are paired in three rounds, each among what the one before left:
//
//  1. equal names, where names mean something on both sides: those that are no addresses, numbers
//     or descriptors always; the others if at least half of those on the side that has fewer occur
//     on the other, as they do where addresses are not randomised;
//  2. equal uses, in order of first use, so that many locks of one sort pair one after the other;
//  3. most similar uses (Jaccard), the best first, ties in order of first use; never objects
//     without a use in common. At most maxUnlike objects a side take part, those used first.

// maxUnlike bounds the comparison of objects with unequal uses: a million coefficients.
const maxUnlike = 1024

// side is what one trace says of its objects.
type side struct {
	a       *Analysis
	uses    [][]uint64 // by object: hashes of its uses, ascending
	order   []int32    // objects by first use
	partner []int32    // by object
}

// PairObjects pairs the objects of two analyses of p.A and p.B.
func PairObjects(ctx context.Context, a, b *Analysis, p *pair.Pair) ([]ObjectPair, error) {
	seed := maphash.MakeSeed()
	sides := [2]*side{newSide(a, pair.A, p, seed), newSide(b, pair.B, p, seed)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byName(sides)
	byUses(sides)
	byLikeness(sides)
	var out []ObjectPair
	for o, with := range sides[0].partner {
		out = append(out, ObjectPair{int32(o), with})
	}
	for o, with := range sides[1].partner {
		if with < 0 {
			out = append(out, ObjectPair{-1, int32(o)})
		}
	}
	return out, ctx.Err()
}

func newSide(a *Analysis, s pair.Side, p *pair.Pair, seed maphash.Seed) *side {
	d := &side{a: a, uses: make([][]uint64, len(a.Objects)),
		order: make([]int32, len(a.Objects)), partner: make([]int32, len(a.Objects))}
	for o := range d.order {
		d.order[o], d.partner[o] = int32(o), -1
	}
	slices.SortStableFunc(d.order, func(x, y int32) int {
		return cmp.Compare(a.Objects[x].FirstNs, a.Objects[y].FirstNs)
	})
	for _, th := range a.Trace.Threads {
		d.addUses(th, p.IDs(s), seed)
	}
	for o := range d.uses {
		slices.Sort(d.uses[o])
		d.uses[o] = slices.Compact(d.uses[o])
	}
	return d
}

// addUses adds how a thread uses objects.
func (d *side) addUses(th *trace.Thread, ids []uint32, seed maphash.Seed) {
	role := uint64(0)
	if th.Role != "" {
		role = maphash.String(seed, Role(th))
	}
	type use struct {
		object trace.ObjectID
		hash   uint64
	}
	seen := map[use]bool{}
	for i := range th.Blocks {
		b := &th.Blocks[i]
		caller := ^uint32(0)
		if p := th.Parent[b.Call]; p >= 0 {
			caller = ids[th.Fn[p]]
		}
		for k, o := range b.Objects {
			key := binary.LittleEndian.AppendUint64(make([]byte, 0, 24), role)
			key = binary.LittleEndian.AppendUint32(key, ids[th.Fn[b.Call]])
			key = binary.LittleEndian.AppendUint32(key, caller)
			u := use{o, maphash.Bytes(seed, append(key, byte(b.Kind), byte(k)))}
			if !seen[u] {
				seen[u] = true
				d.uses[o] = append(d.uses[o], u.hash)
			}
		}
	}
}

// free returns the objects without a partner, in order of first use.
func (d *side) free() []int32 {
	return slices.DeleteFunc(slices.Clone(d.order), func(o int32) bool { return d.partner[o] >= 0 })
}

func meet(sides [2]*side, a, b int32) { sides[0].partner[a], sides[1].partner[b] = b, a }

// byName is the first round.
func byName(sides [2]*side) {
	type key struct {
		name string
		kind ObjectKind
	}
	at := map[key]int32{}
	name := func(d *side, o int32) key {
		return key{d.a.Trace.Objects[o].Name, d.a.Objects[o].Kind}
	}
	addresses := [2]int{}
	for _, o := range sides[1].order {
		at[name(sides[1], o)] = o
	}
	for s, d := range sides {
		for _, o := range d.order {
			if isAddress(name(d, o).name) {
				addresses[s]++
			}
		}
	}
	common := 0
	for _, o := range sides[0].order {
		if _, ok := at[name(sides[0], o)]; ok && isAddress(name(sides[0], o).name) {
			common++
		}
	}
	agree := 2*common >= min(addresses[0], addresses[1])
	for _, o := range sides[0].order {
		k := name(sides[0], o)
		if b, ok := at[k]; ok && (agree || !isAddress(k.name)) {
			meet(sides, o, b)
		}
	}
}

// isAddress reports whether a name means something in one run only.
func isAddress(name string) bool {
	name = strings.TrimPrefix(name, "fd ")
	return strings.HasPrefix(name, "0x") || name != "" && name[0] >= '0' && name[0] <= '9'
}

// byUses is the second round.
func byUses(sides [2]*side) {
	waiting := map[string][]int32{}
	key := func(d *side, o int32) string {
		k := []byte{byte(d.a.Objects[o].Kind)}
		for _, u := range d.uses[o] {
			k = binary.LittleEndian.AppendUint64(k, u)
		}
		return string(k)
	}
	for _, o := range sides[1].free() {
		k := key(sides[1], o)
		waiting[k] = append(waiting[k], o)
	}
	for _, o := range sides[0].free() {
		k := key(sides[0], o)
		if queue := waiting[k]; len(queue) > 0 {
			meet(sides, o, queue[0])
			waiting[k] = queue[1:]
		}
	}
}

// byLikeness is the third round.
func byLikeness(sides [2]*side) {
	type likeness struct {
		a, b          int32
		common, union int
	}
	var list []likeness
	as, bs := sides[0].free(), sides[1].free()
	for _, a := range as[:min(len(as), maxUnlike)] {
		for _, b := range bs[:min(len(bs), maxUnlike)] {
			x, y := sides[0].uses[a], sides[1].uses[b]
			n := common(x, y)
			if n > 0 && sides[0].a.Objects[a].Kind == sides[1].a.Objects[b].Kind {
				list = append(list, likeness{a, b, n, len(x) + len(y) - n})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y likeness) int {
		return cmp.Compare(y.common*x.union, x.common*y.union)
	})
	for _, l := range list {
		if sides[0].partner[l.a] < 0 && sides[1].partner[l.b] < 0 {
			meet(sides, l.a, l.b)
		}
	}
}

// common counts what two ascending lists share.
func common(x, y []uint64) int {
	n := 0
	for i, k := 0, 0; i < len(x) && k < len(y); {
		switch c := cmp.Compare(x[i], y[k]); {
		case c < 0:
			i++
		case c > 0:
			k++
		default:
			n, i, k = n+1, i+1, k+1
		}
	}
	return n
}
