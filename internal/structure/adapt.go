package structure

import (
	"cmp"
	"slices"
)

// This file gives B's functions the places that A's have. Two versions of a program seldom agree on
// all paths: a version is part of a folder's or an executable's name, a function moved to another
// file. Without this, nearly every function of such a pair would be both missing and new.
//
// First, a function that has one place on each side gets A's. Functions are paired by identity and
// the name of the file, then by identity alone. Example: malloc in libc-2.31.so of A and in
// libc-2.35.so of B is in libc-2.31.so for both. Second, a function that B alone has moves with its
// surroundings: if most functions around it got another place, it goes there, too.

// meeting is what functions are paired by.
type meeting struct {
	process, file string
	id            uint32
}

// adapt gives B's uses the places of A's.
func adapt(a, b []use) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	v := votes{counted: map[string]map[string]int{}, places: map[string]place{},
		ofA: map[string]bool{}}
	for i := range a {
		at := a[i].at
		for k := 1; k < len(at); k++ {
			v.ofA[key(at[:k])] = true
		}
	}
	settled := make([]bool, len(b))
	for _, by := range []func(*use) meeting{
		func(u *use) meeting { return meeting{u.process, base(u.file), u.id} },
		func(u *use) meeting { return meeting{u.process, "", u.id} },
	} {
		inA, inB := single(a, by), single(b, by)
		for i := range b {
			k := by(&b[i])
			from, to := inB[k], inA[k]
			if settled[i] || from == nil || to == nil {
				continue
			}
			v.count(from.at, to.at)
			b[i].at, settled[i] = to.at, true
		}
	}
	for i := range b {
		if !settled[i] {
			b[i].at = v.moved(b[i].at)
		}
	}
}

// single returns the uses whose key no use with another place has.
func single(list []use, by func(*use) meeting) map[meeting]*use {
	m := map[meeting]*use{}
	for i := range list {
		k := by(&list[i])
		if other, ok := m[k]; ok && (other == nil || !slices.Equal(other.at, list[i].at)) {
			m[k] = nil
			continue
		}
		u := list[i] // a copy: places are replaced while this is read
		m[k] = &u
	}
	return m
}

// votes are the surroundings of functions that got a new place: where each went, by the key of the
// old one.
type votes struct {
	counted map[string]map[string]int
	places  map[string]place
	ofA     map[string]bool // keys of all surroundings that A has
}

// key spells a place.
func key(at place) string {
	n := 0
	for _, l := range at {
		n += len(l.name) + 1
	}
	b := make([]byte, 0, n)
	for _, l := range at {
		b = append(append(b, l.name...), 0)
	}
	return string(b)
}

// count counts that a function went from one place to another. Its surroundings on all levels went
// along, as far as both places have as many levels below.
func (v *votes) count(from, to place) {
	for k := 1; k < min(len(from), len(to)); k++ {
		old, new := from[:len(from)-k], to[:len(to)-k]
		name := key(old)
		if v.ofA[name] {
			continue
		}
		if v.counted[name] == nil {
			v.counted[name] = map[string]int{}
		}
		went := key(new)
		v.counted[name][went]++
		v.places[went] = new
	}
}

// moved returns the place of a function that B alone has, after what is around it went to A's
// places. Surroundings that A has, too, stay where they are.
func (v *votes) moved(at place) place {
	for k := len(at) - 1; k > 0; k-- {
		name := key(at[:k])
		if v.ofA[name] {
			return at
		}
		went, total := v.counted[name], 0
		best := ""
		for to, n := range went {
			total += n
			if best == "" || cmp.Or(cmp.Compare(n, went[best]), cmp.Compare(best, to)) > 0 {
				best = to
			}
		}
		if best != "" && 2*went[best] > total {
			return append(slices.Clone(v.places[best]), at[k:]...)
		}
	}
	return at
}
