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

// stress is how a correspondence stands out.
type stress uint8

const (
	faded stress = iota
	normal
	marked // it differs between the sides
	strong // it is hovered or selected
)

// mostOfOne is how many correspondences of one wait are shown, when it is hovered.
const mostOfOne = 200

// choose fills the arena's links with the correspondences to draw, the most important last: of each
// place the waits in sight that are wide enough to be drawn themselves, and of what is hovered or
// selected all.
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

// unfade leaves links as they are where what is hovered has none: that nothing stands out says as
// much, and hides nothing.
func unfade(links []link) {
	if slices.ContainsFunc(links, func(l link) bool { return l.stress == strong }) {
		return
	}
	for k := range links {
		links[k].stress = max(links[k].stress, normal)
	}
}

// budget keeps the most important links.
func (b *builder) budget(all []link) []link {
	n := b.st.Budget
	if n <= 0 {
		n = DefaultBudget
	}
	if len(all) <= n {
		return all
	}
	slices.SortStableFunc(all, func(x, y link) int {
		return cmp.Or(cmp.Compare(y.stress, x.stress), cmp.Compare(y.width, x.width))
	})
	return all[:n]
}

// waitsOf adds the outermost waits of a place.
func (b *builder) waitsOf(place int) {
	ws, view := &b.st.Waits.Waits, b.st.view(place)
	pxPerNs := b.width(place) / view.Len()
	for _, t := range b.st.section(place).Threads {
		for w := range b.st.Waits.WaitsIn(t, int64(view.Start), int64(view.End)) {
			if !ws.Outermost(w) || ws.How[w] == wait.Passed {
				continue
			}
			b.v.Total++
			if float64(ws.Dur(w))*pxPerNs < 1 {
				continue
			}
			from, to := max(float64(ws.Start[w]), view.Start), min(float64(ws.End[w]), view.End)
			b.add(w, place, float32((to-from)*pxPerNs))
		}
	}
}

// add adds what ended a wait, or all that corresponds with it.
func (b *builder) add(w, place int, width float32) {
	ws := &b.st.Waits.Waits
	l := link{wait: w, release: ws.By[w], at: ws.At[w], from: place, to: Nowhere, width: width}
	if ws.How[w] != wait.Unreleased {
		if l.to = b.placeOf(int(ws.By[w].Thread)); l.to == Nowhere {
			return // the thread that released it is not here
		}
	}
	switch {
	case l.to == place && !b.about.any:
		// Between threads that are folded into one: a knot that tells nothing.
	case b.st.All && ws.Count[w] > 1:
		b.a.links = b.each(b.a.links, w, place, width)
	default:
		b.a.links = append(b.a.links, l)
	}
}

// each adds the correspondences of a wait one by one.
func (b *builder) each(to []link, w, place int, width float32) []link {
	n := 0
	for c := range b.st.Waits.Of(w) {
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
	ws := &b.st.Waits.Waits
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

// width returns how many px a place's view is wide.
func (b *builder) width(place int) float64 {
	if place == Main {
		return float64(b.v.Stacks.W())
	}
	p := &b.v.sections[place]
	return (p.left - p.right) * float64(b.v.Ring.Zero+b.v.Ring.Outer) / 2
}

// placeOf returns where a thread is.
func (b *builder) placeOf(thread int) int { return int(b.a.where[thread]) }

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
			s.add(b.st.Waits, ref)
		}
		s.any = s.any || len(s.waits) > 0 || len(s.releases) > 0
	}
	return s
}

// add adds a call if it releases, or waits, be it as a part of a wait.
func (s *subject) add(a *wait.Analysis, ref trace.CallRef) {
	if int(ref.Thread) >= len(a.Trace.Threads) {
		return
	}
	if a.Releases.Find(ref) >= 0 {
		s.releases[ref] = true
		return
	}
	th := a.Trace.Threads[ref.Thread]
	for ; ref.Call >= 0 && int(ref.Call) < th.Len(); ref.Call = th.Parent[ref.Call] {
		if w := a.Waits.Find(ref); w >= 0 {
			s.waits[int(a.Waits.Outer[w])] = true
			return
		}
	}
}

func (b *builder) stressOf(l *link, s *subject) stress {
	if s.any {
		ws := &b.st.Waits.Waits
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

// changed reports whether a link is between two threads of which one waited more, or less, for the
// other than on the other side.
func (b *builder) changed(l *link) bool {
	return b.st.Changed != nil && l.release.Thread >= 0 &&
		b.st.Changed(int(b.st.Waits.Waits.Thread[l.wait]), int(l.release.Thread))
}

// colour returns a link's colour in the mode that is on.
func (b *builder) colour(l *link) color.NRGBA {
	a, s := b.st.Waits, &b.about
	thread := b.hue(l.from)
	if b.st.Mode == ByThread {
		return thread
	}
	own := a.Waits.Objects[l.wait]
	if len(s.waits) == 0 {
		if slices.ContainsFunc(own, func(o trace.ObjectID) bool { return a.Objects[o].Shared() }) {
			return thread
		}
		return b.cols.Other
	}
	out := b.cols.Other
	for w := range s.waits {
		theirs := a.Waits.Objects[w]
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
