package threads

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Where the threads of a role share a section, its faint bands stand for the waits of all of them,
// and not only of the thread whose stacks are drawn. The section's time is divided into columns,
// and a band leads from a column to the first and the last release, at one place, of the waits that
// ended in that column. The columns' borders are multiples of their width, which is a power of two,
// so bands keep their shape while the view moves.

// endings are waits of the threads of one role that the same thread ended, or the threads of one
// role, sorted by the moment of release.
type endings struct {
	thread int32 // that ended them; −1 for a role
	role   int32 // of that thread, if its threads may share a section; or −1
	waits  []int32
	each   []endings // of a role: those of each thread, in the order of threads
}

// endingsOf groups waits by the threads and the roles that ended them. Waits that never ended are
// in none.
func (p *Prepared) endingsOf(side int, waits []int32) []endings {
	ws := &p.Sides[side].Waits
	byThread, byRole := map[int32][]int32{}, map[int32]*endings{}
	waits = slices.DeleteFunc(waits, func(w int32) bool { return ws.By[w].Thread < 0 })
	slices.SortFunc(waits, func(x, y int32) int {
		return cmp.Or(cmp.Compare(ws.At[x], ws.At[y]), cmp.Compare(x, y))
	})
	for _, w := range waits {
		byThread[ws.By[w].Thread] = append(byThread[ws.By[w].Thread], w)
	}
	var out []endings
	for _, t := range slices.Sorted(maps.Keys(byThread)) {
		role := p.lines[p.Pair.Of(pair.Side(side), int(t))].role
		if role < 0 || p.roles[role].lines < leastGroup {
			out = append(out, endings{thread: t, role: -1, waits: byThread[t]})
			continue
		}
		if byRole[role] == nil {
			byRole[role] = &endings{thread: -1, role: role}
		}
		byRole[role].each = append(byRole[role].each, endings{thread: t, role: role, waits: byThread[t]})
	}
	for _, role := range slices.Sorted(maps.Keys(byRole)) {
		byRole[role].waits = waits
		if len(byRole) > 1 || len(out) > 0 {
			byRole[role].waits = slices.DeleteFunc(slices.Clone(waits), func(w int32) bool {
				return p.lines[p.Pair.Of(pair.Side(side), int(ws.By[w].Thread))].role != role
			})
		}
	}
	for _, role := range slices.Sorted(maps.Keys(byRole)) {
		out = append(out, *byRole[role])
	}
	return out
}

// endingAt is waits and the place at which they were ended.
type endingAt struct {
	place int
	waits []int32
}

// placesOfEndings returns where in this arrangement the waits of a role were ended. Lists may hold
// waits that ended elsewhere, or of threads that do not share the role's section.
func (b *builder) placesOfEndings(c *crowd) (out []endingAt) {
	add := func(place int, waits []int32) {
		if place != Nowhere {
			out = append(out, endingAt{place, waits})
		}
	}
	for k := range c.ended {
		e := &c.ended[k]
		if e.each == nil {
			add(b.placeOf(int(e.thread)), e.waits)
			continue
		}
		shared := b.sectionOf(e.role)
		if shared == Nowhere {
			for i := range e.each {
				add(b.placeOf(int(e.each[i].thread)), e.each[i].waits)
			}
			continue
		}
		add(shared, e.waits)
		if th := b.st.Focus.Threads; len(th) > 0 {
			i, ok := slices.BinarySearchFunc(e.each, int32(th[0]), func(e endings, t int32) int {
				return cmp.Compare(e.thread, t)
			})
			if ok {
				add(Main, e.each[i].waits)
			}
		}
	}
	return out
}

// sectionOf returns the section that the threads of a role share, or Nowhere.
func (b *builder) sectionOf(role int32) int {
	for k := range b.st.Sections {
		if c := b.st.Sections[k].crowd; c != nil && c.role == role {
			return k
		}
	}
	return Nowhere
}

// columnWidth is the least width of a column of a role's bands, dp.
const columnWidth = 8

// columns returns the width in ns of the columns that a role's bands begin in, of which a place has
// so many pixels per ns: so wide that n times as many bands as columns are no more than most.
func (b *builder) columns(view geom.Span, pxPerNs float64, n, most int) int64 {
	least := max(columnWidth*float64(b.dp)/pxPerNs, view.Len()*float64(n)/float64(max(most, 1)))
	width := int64(1)
	for float64(width) < least && width < math.MaxInt64/4 { // a place may have no width
		width *= 2
	}
	return width
}

// roleCompounds draws the bands of a section that the threads of a role share, until the view has
// so many ribbons. pale is how far their colour is moved to the pane's.
func (b *builder) roleCompounds(under, place, most int, pale float32) {
	view, lists := b.st.view(place), b.placesOfEndings(b.st.Sections[place].crowd)
	if !(view.Len() > 0) {
		return
	}
	width := b.columns(view, b.width(place)/view.Len(), len(lists), (most-len(b.v.ribbons))/2)
	ws := &b.v.waits.Waits
	for _, e := range lists {
		upTo := func(t int64) int {
			return sort.Search(len(e.waits), func(k int) bool { return ws.At[e.waits[k]] >= t })
		}
		next := 0
		for k := upTo(int64(view.Start)); k < len(e.waits) && len(b.v.ribbons) < most; k = next {
			column := ws.At[e.waits[k]] / width * width
			if float64(column) >= view.End {
				break
			}
			next = upTo(column + width)
			if first, last, ok := b.endsOf(e.waits[k:next], place, e.place); ok {
				b.roleBand(under, place, e.place, geom.Span{Start: max(float64(column), view.Start),
					End: min(float64(column+width), view.End)}, first, last, pale)
			}
		}
	}
}

// endsOf returns the first and the last of some waits whose threads are at one place and were
// released at another one; it gives up once it has used up the steps.
func (b *builder) endsOf(waits []int32, place, at int) (first, last int32, ok bool) {
	ws := &b.v.waits.Waits
	belongs := func(w int32) bool {
		b.ended--
		return b.placeOf(int(ws.Thread[w])) == place && b.placeOf(int(ws.By[w].Thread)) == at
	}
	for ; len(waits) > 0 && b.ended > 0; waits = waits[1:] {
		if belongs(waits[0]) {
			ok = true
			break
		}
	}
	for ; ok && b.ended > 0 && !belongs(waits[len(waits)-1]); waits = waits[:len(waits)-1] {
	}
	if !ok {
		return 0, 0, false
	}
	return waits[0], waits[len(waits)-1], true
}

// roleBand draws the band from a column to the releases of the first and the last of its waits.
func (b *builder) roleBand(under, place, at int, column geom.Span, first, last int32, pale float32) {
	ws := &b.v.waits.Waits
	p := [2]geom.Point{b.anchor(place, column.Start), b.anchor(place, column.End)}
	q := [2]geom.Point{b.anchor(at, float64(ws.At[first])), b.anchor(at, float64(ws.At[last]))}
	for _, s := range b.notched(place, p, at, q, pale) {
		b.at(under).Ribbons = append(b.at(under).Ribbons, s)
		b.v.ribbons = append(b.v.ribbons, ribbon{shape: s, wait: -1, at: ws.At[last],
			release: trace.CallRef{Thread: ws.By[last].Thread, Call: ws.By[last].Call}, place: place,
			from: -1, to: -1})
	}
}
