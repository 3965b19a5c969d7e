package session

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// View names what a pane shows. The interface has a table of all views; these are the ones that the
// session itself does something for.
type View string

const (
	Matches   View = "matches"
	Alignment View = "alignment"
	Threads   View = "threads"
)

// MostPanes is how many panes the main area may be split into.
const MostPanes = 4

// PaneID tells the panes of the main area apart. It stays while a pane is open.
type PaneID uint8

// Pane is a part of the main area: one view, and which threads it shows. Time, selection, hover,
// search and locks are not here, since all panes share them.
type Pane struct {
	ID      PaneID
	View    View
	Process bool // show all threads of a side rather than one pair
	Current int  // index of the thread pair shown in thread scope
	// Chosen says that the user asked for the threads in Current, so that nothing else changes
	// them.
	Chosen bool
	// OpenQuiet says that near-idle threads are shown among all threads.
	OpenQuiet bool

	Tracks  [2][]int   // by side: threads shown, top to bottom
	Quiet   [2]int     // by side: near-idle ones among all threads, folded unless OpenQuiet
	Scroll  [2]float32 // by side: px by which the tracks are scrolled
	Virtual geom.Span  // visible virtual time in the view of the alignment, ns
	Found   *Found     // what is compared; nil until it has been

	own map[View]Own
}

// Register makes views known. A view that is not registered keeps nothing and needs matches.
func (s *Session) Register(kinds ...Kind) {
	for _, k := range kinds {
		s.state.kinds = with(s.state.kinds, k.View, k)
	}
}

// OwnOf returns what a view keeps in the pane that st is seen from: fresh if nothing has been kept
// yet, nil if the view never keeps anything.
func (st *State) OwnOf(v View) Own {
	if o := st.own[v]; o != nil {
		return o
	}
	if fresh := st.kinds[v].Fresh; fresh != nil {
		return fresh()
	}
	return nil
}

// SetOwn replaces what a view keeps, as one step of the history.
func (s *Session) SetOwn(v View, o Own) {
	s.change(func(st *State) { st.setOwn(v, o) })
}

func (st *State) setOwn(v View, o Own) { st.own = with(st.own, v, o) }

// renewOwn carries over what the views of all panes keep when p is compared instead of was.
func (st *State) renewOwn(was, p *pair.Pair) {
	st.eachPane(func() {
		for v, o := range st.own {
			st.setOwn(v, o.Renew(was, p))
		}
	})
}

// Split says how a rectangle is divided among panes: not at all, or in two parts that are divided
// in turn. It is never changed, only replaced.
type Split struct {
	Pane  PaneID // that has it all, if Parts are nil
	Down  bool   // the second part lies below the first, rather than to its right
	Share float32
	Parts [2]*Split
}

// Limits of the share of a part, so that none can vanish.
const leastShare, mostShare = .1, .9

// Panes lists the panes from left to right and from top to bottom.
func (l *Split) Panes() []PaneID {
	if l.Parts[0] == nil {
		return []PaneID{l.Pane}
	}
	return append(l.Parts[0].Panes(), l.Parts[1].Panes()...)
}

// divided returns the split with pane at divided in two halves, the second for pane id.
func (l *Split) divided(at, id PaneID, down bool) *Split {
	if l.Parts[0] == nil {
		if l.Pane != at {
			return l
		}
		return &Split{Down: down, Share: .5, Parts: [2]*Split{l, {Pane: id}}}
	}
	n := *l
	for k := range n.Parts {
		n.Parts[k] = l.Parts[k].divided(at, id, down)
	}
	return &n
}

// without returns the split with its neighbours in the place of a pane; nil if it was the only one.
func (l *Split) without(id PaneID) *Split {
	if l.Parts[0] == nil {
		if l.Pane == id {
			return nil
		}
		return l
	}
	n := *l
	for k := range n.Parts {
		if n.Parts[k] = l.Parts[k].without(id); n.Parts[k] == nil {
			return l.Parts[1-k]
		}
	}
	return &n
}

// resized returns the split with another share for the divider that to names: the n-th in the order
// in which Dividers lists them.
func (l *Split) resized(n int, share float32) *Split {
	if l.Parts[0] == nil {
		return l
	}
	c := *l
	if n == 0 {
		c.Share = min(max(share, leastShare), mostShare)
		return &c
	}
	first := l.Parts[0].dividers()
	if n-1 < first {
		c.Parts[0] = l.Parts[0].resized(n-1, share)
	} else {
		c.Parts[1] = l.Parts[1].resized(n-1-first, share)
	}
	return &c
}

// dividers counts the lines between panes; a split's own comes before those of its parts.
func (l *Split) dividers() int {
	if l.Parts[0] == nil {
		return 0
	}
	return 1 + l.Parts[0].dividers() + l.Parts[1].dividers()
}

// exchanged returns the split with two panes in each other's place.
func (l *Split) exchanged(x, y PaneID) *Split {
	c := *l
	if l.Parts[0] == nil {
		switch l.Pane {
		case x:
			c.Pane = y
		case y:
			c.Pane = x
		}
		return &c
	}
	for k := range c.Parts {
		c.Parts[k] = l.Parts[k].exchanged(x, y)
	}
	return &c
}

// From returns the snapshot as it is seen from another pane.
func (st *State) From(id PaneID) *State {
	c := *st
	c.enter(id)
	return &c
}

// Shows reports whether any pane shows a view.
func (st *State) Shows(v View) bool {
	return st.View == v || slices.ContainsFunc(st.panes, func(p Pane) bool {
		return p.View == v && p.ID != st.ID
	})
}

// store puts the pane that the state is seen from back among all panes.
func (st *State) store() {
	st.panes = slices.Clone(st.panes)
	for i := range st.panes {
		if st.panes[i].ID == st.ID {
			st.panes[i] = st.Pane
			return
		}
	}
}

// enter sees the state from another pane, if it is open.
func (st *State) enter(id PaneID) {
	if st.ID == id {
		return
	}
	st.store()
	for _, p := range st.panes {
		if p.ID == id {
			st.Pane = p
			return
		}
	}
}

// eachPane calls f with the state seen from each pane in turn.
func (st *State) eachPane(f func()) {
	from := st.ID
	for _, id := range st.Layout.Panes() {
		st.enter(id)
		f()
	}
	st.enter(from)
}

// In calls f with the session acting in another pane than the active one, if it is open: what f
// reads and changes of threads, scrolling and views is that pane's. Views and their controls run in
// it. If f makes another pane the active one, the session acts in that afterwards.
func (s *Session) In(id PaneID, f func()) {
	st := &s.state
	from, active := st.ID, st.Active
	if st.enter(id); st.ID != id {
		return
	}
	defer func() { // also after a panic that is mended (Mend)
		if from == active {
			from = st.Active
		}
		if st.enter(from); st.ID != from {
			st.enter(st.Active)
		}
	}()
	f()
}

// Activate makes a pane the one that keys and the dock act on.
func (s *Session) Activate(id PaneID) {
	if s.state.Active == id || !slices.Contains(s.state.Layout.Panes(), id) {
		return
	}
	s.apply(func(st *State) { st.activate(id) })
}

func (st *State) activate(id PaneID) {
	st.Active = id
	st.enter(id)
}

// StepPane makes the pane after (or, with −1, before) the active one the active one.
func (s *Session) StepPane(step int) {
	ids := s.state.Layout.Panes()
	n := len(ids)
	s.Activate(ids[((slices.Index(ids, s.state.Active)+step)%n+n)%n])
}

// SplitPane divides the active pane and shows a view in the new one, with the same threads, to its
// right or below it. It reports whether there was room for another pane.
func (s *Session) SplitPane(v View, down bool) bool {
	if len(s.state.Layout.Panes()) == MostPanes {
		s.Say("There is no room for another pane: close one first")
		return false
	}
	s.change(func(st *State) {
		st.enter(st.Active)
		st.store()
		p := st.Pane
		p.ID, p.View = st.freePane(), v
		st.Layout = st.Layout.divided(st.Active, p.ID, down)
		st.panes = append(st.panes, p)
		st.activate(p.ID)
	})
	return true
}

// freePane returns an id that no pane has.
func (st *State) freePane() PaneID {
	id := PaneID(0)
	for slices.ContainsFunc(st.panes, func(p Pane) bool { return p.ID == id }) {
		id++
	}
	return id
}

// ClosePane closes the active pane, unless it is the only one; its neighbour becomes active.
func (s *Session) ClosePane() {
	if s.state.Layout.Parts[0] == nil {
		return
	}
	s.change(func(st *State) {
		ids := st.Layout.Panes()
		next := ids[max(slices.Index(ids, st.Active)-1, 0)]
		if next == st.Active {
			next = ids[1]
		}
		st.closePane(st.Active, next)
	})
}

func (st *State) closePane(id, next PaneID) {
	st.activate(next)
	st.Layout = st.Layout.without(id)
	st.panes = slices.DeleteFunc(slices.Clone(st.panes), func(p Pane) bool { return p.ID == id })
}

// OnlyPane closes all panes but the active one.
func (s *Session) OnlyPane() {
	if s.state.Layout.Parts[0] == nil {
		return
	}
	s.change(func(st *State) {
		for _, id := range st.Layout.Panes() {
			if id != st.Active {
				st.closePane(id, st.Active)
			}
		}
	})
}

// ExchangePanes puts the active pane in the place of the one after it, and that one in its place.
func (s *Session) ExchangePanes() {
	ids := s.state.Layout.Panes()
	if len(ids) < 2 {
		return
	}
	next := ids[(slices.Index(ids, s.state.Active)+1)%len(ids)]
	s.change(func(st *State) { st.Layout = st.Layout.exchanged(st.Active, next) })
}

// ResizePanes moves the n-th divider between panes, in the order of Split: a split's own divider,
// then those of its first and of its second part. Share is that of the part before it.
func (s *Session) ResizePanes(n int, share float32) {
	s.apply(func(st *State) { st.Layout = st.Layout.resized(n, share) })
}

// ShowPanes replaces all panes by new ones, one for each view of a layout, whose leaves are numbers
// into views. They show the threads that the active pane shows.
func (s *Session) ShowPanes(layout *Split, views []View) {
	s.change(func(st *State) {
		st.enter(st.Active)
		st.store()
		was := st.Pane
		st.panes = nil
		for k, v := range views {
			p := was
			p.ID, p.View = PaneID(k), v
			st.panes = append(st.panes, p)
		}
		st.Pane, st.Layout, st.Active = st.panes[0], layout, 0
	})
}

// SetView chooses what the pane shows. What was under the pointer there no longer is.
func (s *Session) SetView(v View) {
	if v != s.state.View {
		s.SetHover(Target{})
		s.change(func(st *State) {
			switch st.View {
			case Threads:
				st.leaveWaits()
			case Alignment:
				st.leaveVirtual()
			}
			if st.View = v; v == Alignment {
				st.enterVirtual()
			}
			if !st.Both() || st.ComparedWaits() != nil {
				st.focusWaits()
			}
		})
		if s.state.Selected.OK {
			s.seek(s.state.Selected)
		}
	}
}
