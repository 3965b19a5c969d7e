package match

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMemo checks the hash table against a map, also while it grows.
func TestMemo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m memo
		want := map[uint64]uint32{}
		keys := rapid.Uint64Range(1, rapid.SampledFrom([]uint64{9, 1 << 40}).Draw(t, "keys"))
		for k := range rapid.IntRange(0, 3000).Draw(t, "n") {
			key := uint64(k)*0x100000001%5000 + 1
			if k%7 == 0 {
				key = keys.Draw(t, "key")
			}
			got, ok := m.lookUp(key)
			if value, has := want[key]; ok != has || got != value {
				t.Fatalf("key %d: %d, %v; want %d, %v", key, got, ok, value, has)
			}
			if !ok {
				m.store(key, uint32(k))
				want[key] = uint32(k)
			}
		}
		if m.n != len(want) || 4*m.n > 3*len(m.slots) {
			t.Fatalf("%d of %d keys in %d slots", m.n, len(want), len(m.slots))
		}
	})
}

// all returns the members of a set, ascending.
func (s *sets) all(set uint32) (out []uint32) {
	for c := int32(set); c != none; c = s.list[c].base {
		out = append(out, s.members(c)...)
	}
	slices.Sort(out)
	return out
}

// someSets draws sets of a few identities, made from each other by unions, and returns them with
// their members by definition.
func someSets(t *rapid.T) (*sets, map[uint32][]uint32) {
	const identities = 12
	s, u, want := newSets(identities), unions{}, map[uint32][]uint32{}
	var list []uint32
	for id := range uint32(identities) {
		list = append(list, s.single(id))
		want[list[id]] = []uint32{id}
	}
	for range rapid.IntRange(0, 60).Draw(t, "unions") {
		of := rapid.SliceOfN(rapid.SampledFrom(list), 1, 12).Draw(t, "of")
		id := rapid.Uint32Range(0, identities-1).Draw(t, "identity")
		all := []uint32{id}
		for _, k := range of {
			all = append(all, want[k]...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		c := u.of(s, id, of)
		list = append(list, c)
		if was, ok := want[c]; ok && !slices.Equal(was, all) {
			t.Fatalf("the union of %d and %v is set %d, which is %v", id, of, c, was)
		}
		want[c] = all
	}
	return s, want
}

// TestSets checks that two sets have the same number if and only if they are equal, and the members
// of unions.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := someSets(t)
		known := map[string]uint32{}
		for set, members := range want {
			if got := s.all(set); !slices.Equal(got, members) || int(s.list[set].size) != len(got) {
				t.Fatalf("set %d of size %d: %v, want %v", set, s.list[set].size, got, members)
			}
			key := fmt.Sprint(members)
			if other, ok := known[key]; ok {
				t.Fatalf("sets %d and %d are both %s", set, other, key)
			}
			known[key] = set
		}
	})
}

// TestJoin checks that sets that are joined keep their members, and that equal ones get one number.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := someSets(t)
		o, want := someSets(t)
		before := len(s.list)
		to := s.join(o)
		for set, members := range want {
			if got := s.all(to[set]); !slices.Equal(got, members) {
				t.Fatalf("set %d is %d, which is %v, want %v", set, to[set], got, members)
			}
		}
		known := map[string]int{}
		for k := range s.list {
			key := fmt.Sprint(s.all(uint32(k)))
			if was, ok := known[key]; ok {
				t.Fatalf("sets %d and %d of %d and %d are both %s", was, k, before, len(o.list), key)
			}
			known[key] = k
		}
	})
}

// TestForest checks that a base is a subset to which the missing members are added, and that
// numbers in pre-order put a base right before the sets under it.
func TestForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := someSets(t)
		f, err := newForest(context.Background(), s, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.list) != len(s.list) {
			t.Fatalf("%d places for %d sets", len(f.list), len(s.list))
		}
		to, span := f.preorder()
		numbered := make([]bool, len(to))
		for k, set := range f.list {
			members := want[set]
			b := f.base[k]
			if numbered[to[k]] {
				t.Fatalf("two sets have number %d", to[k])
			}
			numbered[to[k]] = true
			own := slices.Clone(f.added[f.from[k]:f.from[k+1]])
			if b != none {
				own = append(own, want[f.list[b]]...)
				if to[k] <= to[b] || to[k]+span[k] > to[b]+span[b] {
					t.Fatalf("set %d [%d, +%d) is not under %d [%d, +%d)", k, to[k], span[k], b,
						to[b], span[b])
				}
			}
			if slices.Sort(own); !slices.Equal(own, members) {
				t.Fatalf("a base and what is added to it are %v, want %v", own, members)
			}
		}
	})
}
