package session

import (
	"maps"
	"slices"
	"strings"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/saved"
	"diptych/internal/scene/links"
	"diptych/internal/traceio/input"
)

// resuming is a saved session that is shown as soon as its traces are loaded and paired.
type resuming struct {
	file   *saved.Session
	again  *again // nil for a session that was opened
	sought bool   // its threads have been sought in recordings that have changed
}

// Resume opens a saved session: its traces, and once they are there all else. O has what the file
// does not say of how traces are loaded; what the file says is returned for traces that are opened
// later. An error says that the file asks for something that cannot be.
func (s *Session) Resume(f *saved.Session, o input.Options) (input.Options, error) {
	rules, err := pair.ParseRules(f.RawNames, f.Renames)
	if err != nil {
		return o, err
	}
	s.Close()
	o.Trace = ""
	o.SampleType, o.RulesFile = f.SampleType, f.Rules
	o.Format = ""
	sides := [2]input.Options{o, o}
	for side := range sides {
		sides[side].Format = f.Traces.On(side).Format
	}
	s.Rules, s.Strict, s.resuming = rules, f.Strict, &resuming{file: f}
	s.apply(func(st *State) { st.takeLook(&f.Look) })
	if max(len(f.Runs.A), len(f.Runs.B)) > 1 {
		s.SetRuns([2][]string{f.Runs.A, f.Runs.B}, sides)
		s.picked = true
	}
	for side := range s.state.Sides {
		if t := f.Traces.On(side); t.Path != "" {
			own := sides[side]
			own.Trace = t.Request
			s.Open(pair.Side(side), t.Path, own)
		}
	}
	return o, nil
}

// takeLook draws things as a saved session did, within the usual limits.
func (st *State) takeLook(l *saved.Look) {
	share := func(v float32) float32 { return min(max(v, 0), 1) }
	st.Tau = l.Tau
	st.Style = Style{Lambda: share(l.Lambda), Band: share(l.Band), Strength: share(l.Strength),
		Shape: links.Shape(slices.Index(saved.Shapes, l.Shape)), Similarity: l.Similarity, All: l.All,
		Colour: links.Colour(slices.Index(saved.Colours, l.Colour)), Frames: l.Frames,
		Original: l.Original, Relative: l.Relative, Hidden: l.Hidden, ColourBlind: st.Style.ColourBlind}
	st.Viewpoint = sideOf(l.Viewpoint)
	if l.Rows > 0 {
		st.Rows = max(leastRows, min(l.Rows, mostRows))
	}
	if l.Levels > 0 {
		st.Levels = min(l.Levels, mostLevels)
	}
	w := l.Waits
	st.WaitStyle = WaitStyle{ByObject: w.ByObject, All: w.All, Critical: w.Critical, Apart: w.Apart,
		Split: share(w.Split), Zero: share(w.Zero), Threshold: min(max(w.Threshold, 0), 100)}
}

// unfit counts what a saved session holds and the traces no longer have.
type unfit struct{ anchors, notes, pairs, threads, views, others int }

// resume shows what the saved session showed, once all its traces are loaded and paired.
func (s *Session) resume() {
	r := s.resuming
	if r == nil || s.state.Pair == nil && s.state.Apart == nil {
		return
	}
	for side := range s.state.Sides {
		if r.file.Traces.On(side).Path != "" && s.state.Sides[side].Trace == nil ||
			s.Loading(pair.Side(side)) != nil {
			return
		}
	}
	if s.job(heirsSlot) != nil {
		return
	}
	var changed []pair.Side
	if r.again == nil {
		if changed = s.changedTraces(r.file); s.seekHeirs(r, changed) {
			return
		}
	}
	s.resuming = nil
	var gone unfit
	s.apply(func(st *State) {
		if st.Pair != nil {
			st.takePairs(r.file, &gone)
			st.takeAnchors(r.file, &gone)
		}
		st.takeNotes(r.file, &gone)
		st.takePanes(r.file, r.again == nil && len(changed) == 0, &gone)
		if r.again == nil || !r.again.first {
			st.takeFocus(r.file)
		}
		st.takeSelection(r.file, &gone)
	})
	s.wished = wishedBy(&s.state)
	s.Find(r.file.Search)
	s.history = history{}
	s.history.record(s.state.viewpoint(), s.now())
	text := reopened(changed, gone)
	if r.again != nil {
		text = r.again.told(gone)
	}
	if text != "" {
		s.Say(text)
	}
}

// changedTraces lists the sides whose traces are not those of the file.
func (s *Session) changedTraces(f *saved.Session) (changed []pair.Side) {
	for i := range s.state.Sides {
		if tr := s.state.Sides[i].Trace; tr != nil && f.Traces.On(i).Hash != s.hash(tr) {
			changed = append(changed, pair.Side(i))
		}
	}
	return changed
}

// takePairs pairs threads as the user did. Alignments and matches follow.
func (st *State) takePairs(f *saved.Session, gone *unfit) {
	was := st.Pair
	for _, p := range f.Pairs {
		if t, ok := st.threadsNamed(p); ok && st.Both() {
			st.Pair = st.Pair.Repair(t.A, t.B)
		} else {
			gone.pairs++
		}
	}
	if st.Pair != was {
		st.eachPane(st.retrack)
	}
}

func (st *State) takeAnchors(f *saved.Session, gone *unfit) {
	var list []align.Anchor
	for _, x := range f.Anchors {
		a, okA := st.callNamed(pair.A, x.A)
		b, okB := st.callNamed(pair.B, x.B)
		if okA && okB {
			list = append(list, anchorOf(a, b))
		} else {
			gone.anchors++
		}
	}
	if len(list) > 0 {
		st.Anchors = &Anchors{list}
		gone.anchors += st.rebind()
	}
}

// takeNotes takes all notes over: those whose call is gone are kept without it.
func (st *State) takeNotes(f *saved.Session, gone *unfit) {
	var list []Note
	for _, n := range f.Notes {
		x := Note{Number: n.Number, Text: n.Text, Spot: Spot{Side: sideOf(n.Side), At: n.At}, named: n.Call}
		if n.Call != nil {
			if x.Call, _ = st.callNamed(x.Side, *n.Call); x.Lost() {
				gone.notes++
			}
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y Note) int { return x.Number - y.Number })
	if st.Notes = nil; len(list) > 0 {
		st.Notes = &Notes{list}
	}
}

// takePanes replaces all panes by those of the file.
func (st *State) takePanes(f *saved.Session, same bool, gone *unfit) {
	st.panes = nil
	for k := range f.Panes {
		st.Pane = Pane{ID: PaneID(k), View: View(f.Panes[k].View)}
		st.takePane(&f.Panes[k], same, gone)
		st.panes = append(st.panes, st.Pane)
	}
	st.Layout, st.Active = layoutOf(f.Layout), PaneID(f.Active)
	st.Pane = st.panes[f.Active]
}

func layoutOf(l *saved.Split) *Split {
	if len(l.Parts) == 0 {
		return &Split{Pane: PaneID(l.Pane)}
	}
	return &Split{Down: l.Down, Share: min(max(l.Share, leastShare), mostShare),
		Parts: [2]*Split{layoutOf(l.Parts[0]), layoutOf(l.Parts[1])}}
}

// takePane fills the pane that st is seen from.
func (st *State) takePane(p *saved.Pane, same bool, gone *unfit) {
	if _, known := st.kinds[st.View]; !known && st.View != Matches && st.View != Alignment {
		gone.views++
		st.View = Matches
	}
	st.Process, st.Chosen, st.OpenQuiet = p.All, p.Chosen, p.Idle
	if st.Pair != nil {
		st.Current = st.busiest()
	}
	if p.Threads != nil && st.Pair != nil {
		if t, ok := st.threadsNamed(*p.Threads); !ok {
			gone.threads++
			st.Chosen = false
		} else if t.A >= 0 {
			st.Current = st.Pair.Of(pair.A, t.A)
		} else {
			st.Current = st.Pair.Of(pair.B, t.B)
		}
	}
	st.retrack()
	st.Scroll = [2]float32{max(p.Scroll.A, 0), max(p.Scroll.B, 0)}
	if p.Virtual != nil {
		st.Virtual = spanIn(*p.Virtual)
	}
	for _, v := range slices.Sorted(maps.Keys(p.Own)) {
		st.takeOwn(View(v), Kept{same, p.Own[v]}, gone)
	}
}

func (st *State) takeOwn(v View, k Kept, gone *unfit) {
	fresh := st.OwnOf(v)
	if fresh == nil {
		gone.others++
		return
	}
	o, lost, err := fresh.Open(st, k)
	if err != nil {
		gone.others++
		return
	}
	gone.others += lost
	st.setOwn(v, o)
}

// takeFocus shows the stretches of time that were shown.
func (st *State) takeFocus(f *saved.Session) {
	st.setCommon(f.Common && st.Both()) // first: it says how far a side can be shown
	for side := range st.Sides {
		if span := spanIn(*f.Focus.On(side)); st.Sides[side].Trace != nil && span.Len() > 0 {
			st.Sides[side].Focus = st.within(pair.Side(side), span)
		}
	}
}

// takeSelection locks the sides as they were locked, and selects what was selected.
func (st *State) takeSelection(f *saved.Session, gone *unfit) {
	st.Lock = max(Lock(slices.Index(saved.Locks, f.Lock)), Free)
	if f.Lock == "" || st.Lock == Absolute && !st.SharesClock() {
		st.Lock = Free
	}
	if p := f.Selected; p != nil {
		var ok bool
		if st.Selected, ok = st.callNamed(sideOf(p.Side), p.Call); !ok {
			gone.others++
		}
	}
	if r := f.Range; r != nil && st.Loaded(sideOf(r.Side)) {
		st.takeRange(r, gone)
	}
}

func (st *State) takeRange(r *saved.Stretch, gone *unfit) {
	side := sideOf(r.Side)
	span := overlap(spanIn(r.Span), st.Sides[side].ran())
	st.Range = Range{Side: side, Span: span, OK: span.Len() > 0}
	if st.Both() {
		st.Range.Across = overlap(spanIn(r.Across), st.Sides[side.Other()].ran())
	}
	if r.Threads != nil {
		if st.Range.Threads, st.Range.One = st.threadsNamed(*r.Threads); !st.Range.One {
			gone.threads++
		}
	}
}

// wished is what panes are to show of virtual time once it is known, for as long as both sides show
// what they did when it was wished.
type wished struct {
	foci  [2]geom.Span
	spans map[PaneID]geom.Span
}

func wishedBy(st *State) wished {
	w := wished{st.foci(), map[PaneID]geom.Span{}}
	for _, id := range st.Layout.Panes() {
		if v := st.From(id).Virtual; v.Len() > 0 {
			w.spans[id] = v
		}
	}
	return w
}

// grantWish shows what was wished for the pane that st is seen from; foci are what the sides showed
// before they were moved to fit.
func (s *Session) grantWish(st *State, foci [2]geom.Span) {
	span, ok := s.wished.spans[st.ID]
	if !ok || foci != s.wished.foci {
		return
	}
	delete(s.wished.spans, st.ID)
	st.Virtual = span.Clamp(st.wholeVirtual())
	st.setFoci(foci)
}

// reopened says what is not as it was when the session was saved; "" if all is.
func reopened(changed []pair.Side, gone unfit) string {
	var parts []string
	switch len(changed) {
	case 1:
		parts = append(parts, changed[0].String()+" has changed since the session was saved")
	case 2:
		parts = append(parts, "Both traces have changed since the session was saved")
	}
	return strings.Join(append(parts, gone.words()...), "; ")
}

// words says what no longer fits, in at most one part of a sentence.
func (gone unfit) words() (parts []string) {
	var lost []string
	for _, x := range []struct {
		n         int
		one, many string
	}{{gone.anchors, "anchor", "anchors"}, {gone.notes, "note", "notes"},
		{gone.pairs, "pair of threads", "pairs of threads"},
		{gone.threads, "pane's threads", "panes' threads"}, {gone.views, "view", "views"},
		{gone.others, "other setting", "other settings"}} {
		if x.n > 0 {
			lost = append(lost, plural.Of(x.n, x.one, x.many))
		}
	}
	if len(lost) > 0 {
		parts = append(parts, "no longer fitting: "+strings.Join(lost, ", "))
	}
	return parts
}

// Resuming reports whether a saved session waits for its traces.
func (s *Session) Resuming() bool { return s.resuming != nil }
