package threads

import (
	"cmp"
	"image/color"
	"maps"
	"slices"

	"diptych/internal/trace"
	"diptych/internal/wait"
)

// link is a correspondence that is drawn: a wait and what released it, or nobody.
type link struct {
	wait     int // index into wait.Waits
	release  trace.CallRef
	at       int64
	from, to int // places; to is Nowhere for a wait that nobody released
	width    float32
	stress   stress
}

// stress is how much a correspondence stands out.
type stress uint8

const (
	faded stress = iota
	normal
	marked // it differs between the sides
	strong // it is hovered or selected
)

// mostOfOne is how many correspondences of one wait are shown, when it is hovered.
const mostOfOne = 200

// expanded is how many times the budget of correspondences are gathered to choose from.
const expanded = 4

// mostLooked is how many correspondences of one wait are looked at for those whose thread is there.
const mostLooked = 1000

// choose returns the correspondences to draw, the most important last, in the arena's buffer. Of
// each place they are the waits in sight that are at least a pixel wide; of a wait that is hovered
// or selected they are all.
func (b *builder) choose() []link {
	b.a.links = b.a.links[:0]
	if len(b.st.Focus.Threads) > 0 {
		b.waitsOf(Main)
	}
	for k := range b.st.Sections {
		b.waitsOf(k)
	}
	all := b.a.links
	for k := range all {
		all[k].stress = b.stressOf(&all[k], &b.about)
	}
	all = b.budget(all)
	if b.st.All {
		all = b.expand(all)
	}
	b.v.Shown = waitsAmong(all)
	for _, w := range slices.Sorted(maps.Keys(b.about.waits)) {
		all = b.allOf(all, w)
	}
	unfade(all)
	slices.SortStableFunc(all, func(x, y link) int {
		return cmp.Or(cmp.Compare(x.stress, y.stress), cmp.Compare(y.width, x.width))
	})
	b.a.links = all
	return all
}

// waitsAmong counts the waits that links are of.
func waitsAmong(links []link) int {
	seen := make(map[int]struct{}, len(links))
	for k := range links {
		seen[links[k].wait] = struct{}{}
	}
	return len(seen)
}

// unfade draws links as usual if what is hovered has none of them. That nothing stands out says as
// much as if all faded, and all stay readable.
func unfade(links []link) {
	if slices.ContainsFunc(links, func(l link) bool { return l.stress == strong }) {
		return
	}
	for k := range links {
		links[k].stress = max(links[k].stress, normal)
	}
}

// most returns how many links are drawn at most.
func (b *builder) most() int {
	if b.st.Budget > 0 {
		return b.st.Budget
	}
	return DefaultBudget
}

// budget keeps the most important links: those that stand out most, and of these the widest.
func (b *builder) budget(all []link) []link {
	if len(all) <= b.most() {
		return all
	}
	slices.SortFunc(all, important)
	return all[:b.most()]
}

// important orders links: those that stand out most, then the widest.
func important(x, y link) int {
	return cmp.Or(cmp.Compare(y.stress, x.stress), cmp.Compare(y.width, x.width),
		cmp.Compare(x.from, y.from), cmp.Compare(x.wait, y.wait), cmp.Compare(x.at, y.at),
		cmp.Compare(x.release.Thread, y.release.Thread),
		cmp.Compare(x.release.Call, y.release.Call))
}

const (
	// leastOfCrowd is how many waits of a section that several threads share are looked at, however
	// many sections there are.
	leastOfCrowd = 64
	// mostKnots is how many of the waits of its threads for each other are drawn while nothing is
	// pointed at: their bands begin and end close together.
	mostKnots = 40
)

// waitsOf adds the outermost waits of a place that are wide enough, and counts all.
func (b *builder) waitsOf(place int) {
	s, view := b.st.section(place), b.st.view(place)
	pxPerNs := b.width(place) / view.Len()
	b.a.found = b.findWaits(s, int64(view.Start), int64(view.End), func(dur int64) bool {
		return float64(dur)*pxPerNs >= 1
	}, b.a.found[:0])
	slices.Sort(b.a.found)
	ws := &b.v.waits.Waits
	for _, w := range slices.Compact(b.a.found) { // what two strands have was found twice
		if b.placeOf(int(ws.Thread[w])) == place {
			from, to := max(float64(ws.Start[w]), view.Start), min(float64(ws.End[w]), view.End)
			b.addWait(int(w), place, float32((to-from)*pxPerNs))
		}
	}
}

// findWaits counts the waits of a section that touch [from, to], and appends those to found that
// are wide enough. Where threads share the section, the longest are enough: there is no room for
// more.
func (b *builder) findWaits(s *Section, from, to int64, wide func(dur int64) bool,
	found []int32) []int32 {
	q, c := &b.a.search, s.crowd
	if c == nil {
		for _, t := range s.Threads {
			b.v.Total += b.ready.strands[t].count(from, to)
			found = q.longest(b.ready.strands[t], from, to, wide, unlimited, found)
		}
		return found
	}
	b.v.Total += b.countCrowd(s, from, to)
	most := max(b.most()/(len(b.st.Sections)+1), leastOfCrowd)
	knots := mostKnots
	if b.about.any {
		knots = most
	}
	found = q.longest(c.knots, from, to, wide, knots, found)
	strands := []*strand{c.free}
	if s.stuck {
		strands = append(strands, c.stuck)
	}
	if th := b.st.Focus.Threads; len(th) > 0 {
		strands = append(strands, c.by[int32(th[0])])
	}
	for _, of := range strands {
		if of != nil {
			found = q.longest(of, from, to, wide, most, found)
		}
	}
	return found
}

// countCrowd returns how many waits of a section that several threads share are in sight.
func (b *builder) countCrowd(s *Section, from, to int64) int {
	n := s.crowd.free.count(from, to) + s.crowd.knots.count(from, to)
	if s.stuck {
		n += s.crowd.stuck.count(from, to)
	}
	for _, t := range s.absent {
		n -= b.ready.strands[t].count(from, to)
	}
	return n
}

// addWait adds a wait with what ended it.
func (b *builder) addWait(w, place int, width float32) {
	ws := &b.v.waits.Waits
	l := link{wait: w, release: ws.By[w], at: ws.At[w], from: place, to: Nowhere, width: width}
	if ws.How[w] != wait.Unreleased {
		if l.to = b.placeOf(int(ws.By[w].Thread)); l.to == Nowhere {
			return // the thread that released it is not here
		}
	}
	b.a.links = append(b.a.links, l)
}

// expand replaces links that ended a wait by all correspondences of that wait, the most important
// first and as many as the budget allows.
func (b *builder) expand(all []link) []link {
	slices.SortFunc(all, important)
	out := make([]link, 0, len(all))
	for k := range all {
		l := &all[k]
		if b.v.waits.Waits.Count[l.wait] < 2 || len(out) >= expanded*b.most() {
			out = append(out, *l)
			continue
		}
		first := len(out)
		out = b.each(out, l.wait, l.from, l.width)
		for i := first; i < len(out); i++ {
			out[i].stress = b.stressOf(&out[i], &b.about)
		}
	}
	return b.budget(out)
}

// each adds the correspondences of a wait one by one.
func (b *builder) each(to []link, w, place int, width float32) []link {
	n, looked := 0, 0
	for c := range b.v.waits.Of(w) {
		if looked++; looked > mostLooked {
			break
		}
		where := b.placeOf(int(c.Release.Thread))
		if where == Nowhere {
			continue
		}
		to = append(to, link{wait: w, release: c.Release, at: c.At, from: place, to: where,
			width: width})
		if n++; n >= mostOfOne {
			break
		}
	}
	return to
}

// allOf adds what a hovered wait has besides what is there.
func (b *builder) allOf(to []link, w int) []link {
	ws := &b.v.waits.Waits
	place := b.placeOf(int(ws.Thread[w]))
	if place == Nowhere {
		return to
	}
	has := map[trace.CallRef]bool{}
	for k := range to {
		if to[k].wait == w {
			has[to[k].release] = true
		}
	}
	for _, l := range b.each(nil, w, place, 1) {
		if !has[l.release] {
			l.stress = strong
			to = append(to, l)
		}
	}
	if ws.How[w] == wait.Joined && !has[ws.By[w]] {
		if where := b.placeOf(int(ws.By[w].Thread)); where != Nowhere {
			to = append(to, link{wait: w, release: ws.By[w], at: ws.At[w], from: place, to: where,
				width: 1, stress: strong})
		}
	}
	return to
}

// width returns how wide a place is, px.
func (b *builder) width(place int) float64 {
	if place == Main {
		return float64(b.v.Stacks.W())
	}
	p := &b.v.sections[place]
	return (p.left - p.right) * float64(b.v.Ring.Zero+b.v.Ring.Outer) / 2
}

// placeOf returns where a thread is.
func (b *builder) placeOf(thread int) int { return int(b.where[thread]) }

// subject is what the picture is about at the moment: what is hovered, or else selected.
type subject struct {
	any      bool
	waits    map[int]bool
	releases map[trace.CallRef]bool
	thread   int // −1 for none
}

func (b *builder) subject() subject {
	s := subject{thread: -1, waits: map[int]bool{}, releases: map[trace.CallRef]bool{}}
	switch u := &b.st.Under; u.Part {
	case OnLabel:
		s.any, s.thread = true, u.Thread
	case OnRibbon, OnRelease:
		s.any, s.waits[u.Wait] = true, true
	}
	for _, refs := range [2][]trace.CallRef{b.st.Hover, b.st.Selected} {
		for _, ref := range refs {
			if s.any {
				return s
			}
			s.addCall(b.v.waits, ref)
		}
		s.any = s.any || len(s.waits) > 0 || len(s.releases) > 0
	}
	return s
}

// addCall adds a call that releases, or that waits, or that a wait called, or that ended an idle
// gap that was a wait.
func (s *subject) addCall(a *wait.Analysis, ref trace.CallRef) {
	if int(ref.Thread) >= len(a.Trace.Threads) {
		return
	}
	if a.Releases.Find(ref) >= 0 {
		s.releases[ref] = true
		return
	}
	th := a.Trace.Threads[ref.Thread]
	for ; ref.Call >= 0 && int(ref.Call) < th.Len(); ref.Call = th.Parent(int(ref.Call)) {
		w := a.Waits.Find(ref)
		if w < 0 {
			w = a.Waits.FindGap(ref)
		}
		if w >= 0 {
			s.waits[int(a.Waits.Outer[w])] = true
			return
		}
	}
}

func (b *builder) stressOf(l *link, s *subject) stress {
	if s.any {
		ws := &b.v.waits.Waits
		if s.waits[l.wait] || s.releases[l.release] || s.thread >= 0 &&
			(int(ws.Thread[l.wait]) == s.thread || int(l.release.Thread) == s.thread) {
			return strong
		}
		if b.st.Mode == ByObject {
			return normal
		}
		return faded
	}
	if b.changed(l) {
		return marked
	}
	return normal
}

// changed reports whether one of a link's threads waited longer, or less long, for the other one
// than its partner did on the other side.
func (b *builder) changed(l *link) bool {
	return b.st.Changed != nil && l.release.Thread >= 0 &&
		b.st.Changed(int(b.v.waits.Waits.Thread[l.wait]), int(l.release.Thread))
}

// colour returns a link's colour in the mode that is on.
func (b *builder) colour(l *link) color.NRGBA {
	a, s := b.v.waits, &b.about
	thread := b.hue(l.from)
	if b.st.Mode == ByThread {
		return thread
	}
	own := a.ObjectsOf(int(l.wait))
	if len(s.waits) == 0 {
		if slices.ContainsFunc(own, func(o trace.ObjectID) bool { return a.Objects[o].Shared() }) {
			return thread
		}
		return b.cols.Other
	}
	out := b.cols.Other
	for w := range s.waits {
		theirs := a.ObjectsOf(int(w))
		within := func(set []trace.ObjectID) func(trace.ObjectID) bool {
			return func(o trace.ObjectID) bool { return slices.Contains(set, o) }
		}
		switch {
		case w == l.wait || len(own) > 0 && all(own, within(theirs)) && all(theirs, within(own)):
			return b.cols.Same
		case slices.ContainsFunc(own, within(theirs)):
			out = b.cols.Shared
		}
	}
	return out
}

func all[T any](s []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(s, func(v T) bool { return !ok(v) })
}
