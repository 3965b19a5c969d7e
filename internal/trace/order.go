package trace

import (
	"cmp"
	"context"
	"hash/maphash"
	"math/bits"
	"sort"
	"strings"
)

// naturalOrder compares ids so that 9 comes before 10 and 3.9 before 3.10: runs of digits compare
// as numbers and before anything else, all other bytes as they are. Equal numbers written
// differently fall back on the text, so that the order is total.
func naturalOrder(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		switch {
		case m > 0 && n > 0:
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
		case m > 0:
			return -1
		case n > 0:
			return 1
		case x[0] != y[0]:
			return cmp.Compare(x[0], y[0])
		default:
			x, y = x[1:], y[1:]
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// sortByStart sorts threads as byStart orders them. Mostly they are in that order already, as they
// are when they appear; there can be so many that looking at each again and again takes long.
func sortByStart(ctx context.Context, ths []*Thread) error {
	type begun struct {
		at int64
		th *Thread
	}
	list := make([]begun, len(ths))
	for i, th := range ths {
		list[i] = begun{th.firstStart(), th}
	}
	err := mergeSort(ctx, nil, list, func(x, y begun) bool {
		return x.at < y.at || x.at == y.at && byStart(x.th, y.th) < 0
	})
	for i := range list {
		ths[i] = list[i].th
	}
	return err
}

// distinct reports whether all ids are different ones. It may deny that of some that are, since it
// compares hashes: with a map, a hundred thousand threads take several times as long.
func distinct(ths []*Thread) bool {
	room := bits.Len(uint(2 * len(ths)))
	seed, met := maphash.MakeSeed(), make([]uint64, 1<<room)
	for _, th := range ths {
		h := maphash.String(seed, th.ID) | 1 // 0 is an empty place
		i := h >> (64 - room)
		for ; met[i] != 0; i = (i + 1) & (1<<room - 1) {
			if met[i] == h {
				return false
			}
		}
		met[i] = h
	}
	return true
}

// mergeSort sorts list stably and stops when ctx is done. It costs little more than a pass where
// the order is nearly right already, as that of recorded events mostly is, or where a few sorted
// stretches follow each other.
func mergeSort[T any](ctx context.Context, r *room, list []T, before func(x, y T) bool) error {
	m := merger[T]{ctx: ctx, before: before, room: r, half: len(list) / 2}
	defer func() { dropped(r, m.spare) }()
	return m.sort(list)
}

type merger[T any] struct {
	ctx    context.Context
	before func(x, y T) bool
	room   *room
	half   int // of the list
	spare  []T // as many, once there is something to merge
}

const (
	insertBelow = 8       // shorter runs are sorted by insertion
	lookAbove   = 1 << 12 // longer ones are worth a look at ctx
)

func (m *merger[T]) sort(s []T) error {
	if len(s) <= insertBelow {
		for i := 1; i < len(s); i++ {
			for k := i; k > 0 && m.before(s[k], s[k-1]); k-- {
				s[k-1], s[k] = s[k], s[k-1]
			}
		}
		return nil
	}
	mid := len(s) / 2
	if err := m.sort(s[:mid]); err != nil {
		return err
	}
	if err := m.sort(s[mid:]); err != nil {
		return err
	}
	if m.before(s[mid], s[mid-1]) {
		m.merge(s, mid)
	}
	if len(s) > lookAbove {
		return m.ctx.Err()
	}
	return nil
}

// merge merges the sorted halves of s. Elements of the left half that come before all of the right
// one stay in place.
func (m *merger[T]) merge(s []T, mid int) {
	at := sort.Search(mid, func(k int) bool { return m.before(s[mid], s[k]) })
	if m.spare == nil {
		m.spare = made[T](m.room, m.half)
	}
	left, right := m.spare[:copy(m.spare, s[at:mid])], s[mid:]
	for ; len(left) > 0; at++ {
		if len(right) > 0 && m.before(right[0], left[0]) {
			s[at], right = right[0], right[1:]
		} else {
			s[at], left = left[0], left[1:]
		}
	}
}
