package ui

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// circle is how the threads of both sides lie, worked out once for each change of what it depends
// on.
type circle struct {
	of      circleOf
	plan    *session.Circle // by which they were arranged; what threads show may differ by now
	arr     threads.Arrangement
	changes *session.Changes // nil while nothing is compared
	times   int              // how often it has been worked out
	even    even
}

// circleOf is what a circle depends on besides the session's plan of it.
type circleOf struct {
	waits    *session.Waits
	prepared *threads.Prepared
	pair     *pair.Pair
	current  int
	apart    bool
}

// refresh works out anew what has changed, and reports whether threads have got other places.
func (c *circle) refresh(st *session.State) bool {
	c.changes = st.WaitChanges()
	of := circleOf{st.Waits, st.PreparedThreads(), st.Pair, st.Current, st.WaitStyle.Apart}
	if c.of == of && st.Circle().SamePlaces(c.plan) {
		return false
	}
	was := c.of
	c.times++
	c.of, c.plan = of, st.Circle()
	c.arr = threads.Arrange(of.prepared, c.options(st))
	return was != of
}

// options returns what is to be arranged.
func (c *circle) options(st *session.State) threads.Options {
	o := threads.Options{Focus: st.Current, Order: c.plan.Order, Hidden: c.plan.Hidden,
		Idle: c.plan.Idle, Spread: c.plan.Spread, Wide: c.plan.Wide}
	if st.WaitStyle.Apart && st.Pair != nil {
		o.Most = len(st.Pair.Threads) + 1
	}
	return o
}

func analyses(st *session.State) [2]*wait.Analysis {
	return [2]*wait.Analysis{st.WaitsOf(pair.A), st.WaitsOf(pair.B)}
}

// lines returns the pairs of threads that a place stands for.
func (c *circle) lines(place int) []int {
	if place == threads.Main {
		return []int{c.of.current}
	}
	if place < 0 || place >= len(c.arr.Lines) {
		return nil
	}
	return c.arr.Lines[place]
}

// hue returns the hue of a pair of threads: as it is drawn if it has a place of its own.
func (c *circle) hue(line int) float64 {
	return c.arr.HueOf(line)
}

// state translates a session's snapshot for one side of the view.
func (c *circle) state(st *session.State, side pair.Side, pal *palette.Palette,
	scale float32) *threads.State {
	sd, style := &st.Sides[side], st.WaitStyle
	ts := &threads.State{
		Prepared: c.of.prepared, Side: int(side), Palette: pal, Scale: scale,
		View: sd.Focus, Focus: c.arr.Focus[side], Folded: c.arr.Folded[side],
		Places: c.arr.Places[side],
		Split:  style.Split, Zero: style.Zero, All: style.All,
		Hover: refsOn(side, st.Hover), Selected: refsOn(side, st.Selected, st.Before),
		Emphasis: emphasis(st, side),
	}
	if c.changes != nil {
		pairs := c.changes.Pairs[side]
		ts.Changed = func(waiter, releaser int) bool { return pairs[[2]int{waiter, releaser}] }
	}
	if ts.Split == 0 {
		ts.Split = c.even.split
	}
	if ts.Zero == 0 {
		ts.Zero = c.even.zero
	}
	if style.ByObject {
		ts.Mode = threads.ByObject
	}
	ts.Sections = slices.Clone(c.arr.Sections[side])
	for k := range ts.Sections {
		ts.Sections[k].Threads = inFront(ts.Sections[k].Threads, ts.Prepared.On(int(side)),
			ts.Selected)
		settle(&ts.Sections[k], st.Circle(), side)
	}
	settle(&ts.Focus, st.Circle(), side)
	ts.Focus.View = geom.Span{}
	return ts
}

// inFront returns the threads of a section with the one first whose stacks are to be seen: the one
// that waits in a selected call, or that ended the wait.
func inFront(list []int, a *wait.Analysis, selected []trace.CallRef) []int {
	if len(list) < 2 || a == nil {
		return list
	}
	for _, ref := range selected {
		about := []int{int(ref.Thread)}
		if w := a.Waits.Find(ref); w >= 0 {
			about = append(about, int(a.Waits.By[w].Thread))
		}
		for _, th := range about {
			if k := slices.Index(list, th); k >= 0 {
				return slices.Concat(list[k:], list[:k])
			}
		}
	}
	return list
}

// settle gives a section what the plan says of its thread.
func settle(s *threads.Section, plan *session.Circle, side pair.Side) {
	if len(s.Threads) > 0 {
		s.View, s.Fold = plan.Views[side][s.Threads[0]], plan.Folds[side][s.Threads[0]]
	}
}

// refsOn returns the calls that lie on a side.
func refsOn(side pair.Side, targets ...session.Target) []trace.CallRef {
	var refs []trace.CallRef
	for _, t := range targets {
		if t.OK && t.Side == side {
			refs = append(refs, t.Ref)
		}
	}
	return refs
}
