package aggregate

import (
	"slices"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
)

// View is the view's name.
const View session.View = "aggregate"

// Show is which plots there are of two traces.
type Show uint8

const (
	ShowAll Show = iota
	ShowSides
	ShowDifference
)

// Own is what the view keeps in a pane.
type Own struct {
	States aggregate.States
	Code   bool // resources are the functions of the code, not threads
	Slices int
	// Operator says how the values of cells become that of an aggregate.
	Operator aggregate.Operator
	Virtual  bool // timeslices are equal in aligned time, not in shares of each run
	Show     Show
	// Fixed says that P was chosen. Without it each overview has its best one.
	Fixed bool
	P     float64
	Least float32 // rows lower than this, dp, are folded with their neighbours
	// Toggled are the nodes, by scene.Key, that the user folded, or unfolded if they are folded at
	// first, as the threads of a language's runtime are.
	Toggled []string
	// Zoom are the steps that led to the resources that are shown, outermost first.
	Zoom []Step
}

// Step is one step into a part of the overview.
type Step struct {
	Label string
	Of    []int        // the resources: pairs of threads, or places of the code
	From  [2]geom.Span // what the sides showed before
}

// fresh is what a new pane has.
func fresh() *Own { return &Own{Slices: 100, Least: 3} }

// Renew implements session.Own. Resources are known by the pairing, so that another one shows all
// of them again.
func (o *Own) Renew(_, _ *pair.Pair) session.Own {
	if len(o.Zoom) == 0 && len(o.Toggled) == 0 {
		return o
	}
	now := *o
	now.Zoom, now.Toggled = nil, nil
	return &now
}

// SameStep implements session.Own: dragging p, the timeslices or the threshold is one step.
func (o *Own) SameStep(other session.Own) bool {
	was, ok := other.(*Own)
	if !ok {
		return false
	}
	a, b := *o, *was
	a.P, b.P, a.Slices, b.Slices, a.Least, b.Least = 0, 0, 0, 0, 0, 0
	return a.same(&b)
}

func (o *Own) same(p *Own) bool {
	return o.States == p.States && o.Code == p.Code && o.Slices == p.Slices && o.Operator == p.Operator &&
		o.Virtual == p.Virtual && o.Show == p.Show && o.Fixed == p.Fixed && o.P == p.P &&
		o.Least == p.Least && slices.Equal(o.Toggled, p.Toggled) &&
		slices.EqualFunc(o.Zoom, p.Zoom, func(x, y Step) bool {
			return x.Label == y.Label && x.From == y.From && slices.Equal(x.Of, y.Of)
		})
}

// Save implements session.Own.
func (o *Own) Save(*session.State) any { return o }

// Open implements session.Own. Resources are numbers in the pairing: in other traces all of them
// are shown again.
func (o *Own) Open(st *session.State, k session.Kept) (_ session.Own, lost int, _ error) {
	now := &Own{}
	if err := k.Into(now); err != nil {
		return nil, 0, err
	}
	if now.States > aggregate.ByBlocking || now.Operator > aggregate.Mean || now.Show > ShowDifference ||
		!(now.P >= 0 && now.P <= 1) || now.Slices < aggregate.FewestSlices ||
		now.Slices > aggregate.MostSlices || !(now.Least >= 0 && now.Least <= mostLeast) {
		return nil, 0, session.ErrUnfit
	}
	if !k.Same || !now.zoomsWithin(st) {
		lost = len(now.Zoom)
		now.Zoom, now.Toggled = nil, nil
	}
	return now, lost, nil
}

// mostLeast bounds the height below which rows are folded, dp.
const mostLeast = 1000

// zoomsWithin reports whether all resources of the steps can be there: pairs of threads, or places
// in the code, of which there are at most as many as functions.
func (o *Own) zoomsWithin(st *session.State) bool {
	most := 0
	switch {
	case st.Pair == nil:
	case o.Code:
		for i := range st.Sides {
			if t := st.Sides[i].Trace; t != nil {
				most += len(t.Functions)
			}
		}
	default:
		most = len(st.Pair.Threads)
	}
	for _, step := range o.Zoom {
		if slices.ContainsFunc(step.Of, func(r int) bool { return r < 0 || r >= most }) {
			return false
		}
	}
	return true
}

// resources returns the resources that are shown; nil stands for all.
func (o *Own) resources() []int {
	if len(o.Zoom) == 0 {
		return nil
	}
	return o.Zoom[len(o.Zoom)-1].Of
}

// ownOf returns what the pane keeps that st is seen from. It must not be changed: see change.
func ownOf(st *session.State) *Own {
	if o, ok := st.OwnOf(View).(*Own); ok {
		return o
	}
	return fresh()
}

// change replaces what the pane keeps, if f changes anything.
func change(s *session.Session, f func(*Own)) {
	was := ownOf(s.State())
	now := *was
	if f(&now); !now.same(was) {
		s.SetOwn(View, &now)
	}
}

// fold folds a node, or unfolds it.
func fold(s *session.Session, key string) {
	change(s, func(o *Own) {
		was := o.Toggled
		o.Toggled = slices.DeleteFunc(slices.Clone(was), func(k string) bool { return k == key })
		if len(o.Toggled) == len(was) {
			o.Toggled = append(o.Toggled, key)
			slices.Sort(o.Toggled)
		}
	})
}

// zoomTo lets some resources and some time of each side be the whole. A side without time keeps its
// own.
func zoomTo(s *session.Session, label string, of []int, spans [2]geom.Span) {
	st := s.State()
	step := Step{Label: label, Of: of, From: [2]geom.Span{st.Sides[0].Focus, st.Sides[1].Focus}}
	s.AsOneStep(func() {
		focus(s, spans)
		change(s, func(o *Own) { o.Zoom = append(slices.Clip(o.Zoom), step) })
	})
}

// zoomOut goes back to the first n steps; it reports whether there were more.
func zoomOut(s *session.Session, n int) bool {
	o := ownOf(s.State())
	if n < 0 || n >= len(o.Zoom) {
		return false
	}
	from := o.Zoom[n].From
	s.AsOneStep(func() {
		change(s, func(o *Own) { o.Zoom = slices.Clone(o.Zoom[:n]) })
		focus(s, from)
		if st := s.State(); st.Both() && st.Sides[1].Focus != from[1] { // it led when it was zoomed
			s.SetFocus(pair.B, from[1])
		}
	})
	return true
}

// focus lets the sides show some time. If one follows the other, the first one leads.
func focus(s *session.Session, spans [2]geom.Span) {
	for side, span := range spans {
		st := s.State()
		if span.Len() > 0 && st.Loaded(pair.Side(side)) && (side == 0 || st.Lock == session.Free ||
			!st.Loaded(pair.A)) {
			s.SetFocus(pair.Side(side), span)
		}
	}
}
