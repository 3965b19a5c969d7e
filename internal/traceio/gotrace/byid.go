package gotrace

import (
	"maps"
	"slices"

	xtrace "golang.org/x/exp/trace"
)

// byID holds something of each goroutine. Goroutines are numbered one after the other, so those of
// a page mostly live at the same time, and the pages that are looked into are few. A map of
// goroutines costs several times as much where most are short.
type byID[T any] struct {
	pages  map[int64]*page[T]
	recent [recentPages]*page[T] // by the last bits of their numbers
	spare  *page[T]              // an empty one, which is in neither
}

const (
	pageShift   = 6
	pageLen     = 1 << pageShift
	recentPages = 64
	pageBytes   = 8*pageLen + 64 // with what leads to it
)

type page[T any] struct {
	number int64
	used   int
	slots  [pageLen]*T
}

// page returns the page of a goroutine, nil if there is none.
func (b *byID[T]) page(id xtrace.GoID) *page[T] {
	n := int64(id) >> pageShift
	r := &b.recent[uint64(n)%recentPages]
	if *r == nil || (*r).number != n {
		p := b.pages[n]
		if p == nil {
			return nil
		}
		*r = p
	}
	return *r
}

// get returns what there is of a goroutine, or nil.
func (b *byID[T]) get(id xtrace.GoID) *T {
	if p := b.page(id); p != nil {
		return p.slots[uint64(id)%pageLen]
	}
	return nil
}

// set sets what there is of a goroutine, and reports whether that took a new page.
func (b *byID[T]) set(id xtrace.GoID, to *T) (fresh bool) {
	p := b.page(id)
	if p == nil {
		if p, b.spare = b.spare, nil; p == nil {
			p, fresh = new(page[T]), true
		}
		p.number = int64(id) >> pageShift
		if b.pages == nil {
			b.pages = map[int64]*page[T]{}
		}
		b.pages[p.number], b.recent[uint64(p.number)%recentPages] = p, p
	}
	s := &p.slots[uint64(id)%pageLen]
	if *s == nil {
		p.used++
	}
	*s = to
	return fresh
}

// remove forgets a goroutine.
func (b *byID[T]) remove(id xtrace.GoID) {
	p := b.page(id)
	if p == nil || p.slots[uint64(id)%pageLen] == nil {
		return
	}
	p.slots[uint64(id)%pageLen] = nil
	if p.used--; p.used == 0 {
		delete(b.pages, p.number)
		b.recent[uint64(p.number)%recentPages] = nil
		b.spare = p
	}
}

// all calls f for each goroutine, in the order of their numbers.
func (b *byID[T]) all(f func(*T)) {
	for _, n := range slices.Sorted(maps.Keys(b.pages)) {
		for _, x := range b.pages[n].slots {
			if x != nil {
				f(x)
			}
		}
	}
}
