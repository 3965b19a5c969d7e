package wait

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"diptych/internal/pair"
)

// ObjectPair is an object on both sides, as indices into their traces' objects; −1 stands for none.
type ObjectPair struct{ A, B int32 }

// The names of objects are mostly addresses, which mean nothing in another run. What stays the same
// is who uses an object and how. The uses of an object are a set of (role of the thread, identity
// of the function, identity of its caller, wait or release or io, place among the call's objects).
// Objects of one kind are paired in four rounds. Each round looks only at what the one before left
// alone.
//
//  1. Equal names. Names that are no addresses, numbers or descriptors always count. The others
//     count if at least half of them occur on the other side too (counted on the side that has
//     fewer). This is so where addresses are not randomised.
//  2. Equal uses, in order of first use: the n-th lock of a sort is paired with the n-th.
//  3. Most similar uses (Jaccard), the best first, ties in order of first use. Objects without a
//     common use are never paired. Only the maxUnlike objects a side that are used first take part.
//  4. Equal uses by other callers, if only one object of each side has them: a lock that another
//     function takes now is still that lock.

// maxUnlike bounds the comparison of objects with unequal uses: a million coefficients.
const maxUnlike = 1024

// side is what one trace says of its objects.
type side struct {
	a       *Analysis
	partner []int32    // by object
	order   []int32    // those that names leave without a partner, by first use
	uses    [][]uint64 // by object, of these: hashes of its uses, ascending
}

// PairObjects pairs the objects of two analyses of p.A and p.B.
func PairObjects(ctx context.Context, a, b *Analysis, p *pair.Pair) ([]ObjectPair, error) {
	sides := [2]*side{newSide(a), newSide(b)}
	byName(sides)
	if len(sides[0].order) > 0 && len(sides[1].order) > 0 {
		seed := maphash.MakeSeed()
		if err := findUses(ctx, sides, p, seed, true); err != nil {
			return nil, err
		}
		byUses(sides)
		byLikeness(sides)
		if err := byOtherCallers(ctx, sides, p, seed); err != nil {
			return nil, err
		}
	}
	out := make([]ObjectPair, 0, len(sides[0].partner))
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

func newSide(a *Analysis) *side {
	return &side{a: a, partner: slices.Repeat([]int32{-1}, len(a.Objects))}
}

// findUses finds how threads use the objects that have no partner, by which callers only if that is
// asked for.
func findUses(ctx context.Context, sides [2]*side, p *pair.Pair, seed maphash.Seed, callers bool) error {
	for s, d := range sides {
		if err := d.findUses(ctx, p, pair.Side(s), seed, callers); err != nil {
			return err
		}
	}
	return nil
}

// findUses does so for a side of p. A thread of B has the role of its partner: the main thread is
// named for the program, which has another name in another build.
func (d *side) findUses(ctx context.Context, p *pair.Pair, sd pair.Side, seed maphash.Seed,
	callers bool) error {
	list, err := d.usesByThread(ctx)
	if err != nil {
		return err
	}
	d.uses = make([][]uint64, len(d.partner))
	for t, th := range d.a.Trace.Threads {
		like := th
		if a := p.Partner(sd, t); sd == pair.B && a >= 0 {
			like = p.A.Threads[a]
		}
		role := uint64(0)
		if like.Role != "" {
			role = maphash.String(seed, Role(like))
		}
		d.addUses(role, list[t], p.IDs(sd), seed, callers)
	}
	for o := range d.uses {
		slices.Sort(d.uses[o])
		d.uses[o] = slices.Compact(d.uses[o])
	}
	return nil
}

// addUses adds how a thread of a role uses objects.
func (d *side) addUses(role uint64, uses []use, ids []uint32, seed maphash.Seed, callers bool) {
	key := make([]byte, 0, 24)
	for _, u := range uses {
		caller := ^uint32(0)
		if u.caller > 0 && callers {
			caller = ids[u.caller-1]
		}
		key = binary.LittleEndian.AppendUint64(key[:0], role)
		key = binary.LittleEndian.AppendUint32(key, ids[u.fn])
		key = binary.LittleEndian.AppendUint32(key, caller)
		key = append(key, byte(u.kind), u.place)
		d.uses[u.object] = append(d.uses[u.object], maphash.Bytes(seed, key))
	}
}

// free returns the objects without a partner, in order of first use.
func (d *side) free() []int32 {
	return slices.DeleteFunc(slices.Clone(d.order), func(o int32) bool { return d.partner[o] >= 0 })
}

func meet(sides [2]*side, a, b int32) { sides[0].partner[a], sides[1].partner[b] = b, a }

// byName is the first round. It leaves the order of the others.
func byName(sides [2]*side) {
	same, addresses, common := sameNames(sides), [2]int{}, 0
	for s, d := range sides {
		for o := range d.partner {
			if !isAddress(d.name(int32(o))) {
				continue
			}
			if addresses[s]++; s == 0 && same[o] >= 0 {
				common++
			}
		}
	}
	agree := 2*common >= min(addresses[0], addresses[1])
	for o, b := range same {
		if b >= 0 && (agree || !isAddress(sides[0].name(int32(o)))) {
			meet(sides, int32(o), b)
		}
	}
	for _, d := range sides {
		for o, with := range d.partner {
			if with < 0 {
				d.order = append(d.order, int32(o))
			}
		}
		slices.SortStableFunc(d.order, func(x, y int32) int {
			return cmp.Compare(d.a.Objects[x].FirstNs, d.a.Objects[y].FirstNs)
		})
	}
}

func (d *side) name(o int32) string { return d.a.Trace.Objects[o].Name }

// sameNames returns for each object of A the one of B with its name and kind, or −1. A name is that
// of one object. If one is the n-th on one side, it is mostly about the n-th on the other.
func sameNames(sides [2]*side) []int32 {
	a, b := sides[0], sides[1]
	at := map[string]int32{}
	same, next := make([]int32, len(a.partner)), int32(0)
	for o := range same {
		name := a.name(int32(o))
		if int(next) >= len(b.partner) || b.name(next) != name {
			if len(at) == 0 && len(b.partner) > 0 {
				at = b.byName()
			}
			k, ok := at[name]
			if !ok {
				same[o] = -1
				continue
			}
			next = k
		}
		if same[o] = next; a.a.Objects[o].Kind != b.a.Objects[next].Kind {
			same[o] = -1
		}
		next++
	}
	return same
}

// byName returns the objects of a side by name.
func (d *side) byName() map[string]int32 {
	at := make(map[string]int32, len(d.partner))
	for o := range d.partner {
		at[d.name(int32(o))] = int32(o)
	}
	return at
}

// isAddress reports whether a name means something in one run only.
func isAddress(name string) bool {
	name = strings.TrimPrefix(name, "fd ")
	return strings.HasPrefix(name, "0x") || name != "" && name[0] >= '0' && name[0] <= '9'
}

// key returns an object's kind and uses as a string.
func (d *side) key(o int32) string {
	k := []byte{byte(d.a.Objects[o].Kind)}
	for _, u := range d.uses[o] {
		k = binary.LittleEndian.AppendUint64(k, u)
	}
	return string(k)
}

// byUses is the second round.
func byUses(sides [2]*side) {
	waiting := map[string][]int32{}
	for _, o := range sides[1].free() {
		k := sides[1].key(o)
		waiting[k] = append(waiting[k], o)
	}
	for _, o := range sides[0].free() {
		k := sides[0].key(o)
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

// byOtherCallers is the fourth round.
func byOtherCallers(ctx context.Context, sides [2]*side, p *pair.Pair, seed maphash.Seed) error {
	free := [2][]int32{sides[0].free(), sides[1].free()}
	if len(free[0]) == 0 || len(free[1]) == 0 {
		return nil
	}
	if err := findUses(ctx, sides, p, seed, false); err != nil {
		return err
	}
	with := map[string]*[2][]int32{}
	for s, d := range sides {
		for _, o := range free[s] {
			k := d.key(o)
			if with[k] == nil {
				with[k] = &[2][]int32{}
			}
			with[k][s] = append(with[k][s], o)
		}
	}
	for _, at := range with {
		if len(at[0]) == 1 && len(at[1]) == 1 {
			meet(sides, at[0][0], at[1][0])
		}
	}
	return nil
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
