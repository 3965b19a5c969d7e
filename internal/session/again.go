package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/saved"
	"diptych/internal/tracefile"
	"diptych/internal/traceio/input"
)

// again is a second loading of what sides show, from recordings that have changed.
type again struct {
	sides []*sideAgain
	first bool        // what was shown was the first view of the traces
	read  []pair.Side // which sides have been loaded
}

// sideAgain is one side of it.
type sideAgain struct {
	was Side // with a Trace
	now Side // its Trace is nil if it is as it was
	err error
	// heirs pairs the threads of both, as A and B; nil if they have nothing in common.
	heirs *pair.Pair
	done  [2]atomic.Int64 // how far loading has come, and of how much
}

// ReadAgain loads again what the sides show of recordings that have changed, and compares all runs
// again. All stays as it is until the traces are loaded, and is then shown of the new ones, as far
// as they have it.
func (s *Session) ReadAgain() {
	x := &again{}
	var once []string
	for side := range s.state.Sides {
		switch sd := s.state.Sides[side]; {
		case sd.Trace == nil || sd.asked == nil:
		case input.Once(sd.Path):
			once = append(once, source(sd.Path))
		default:
			x.sides = append(x.sides, &sideAgain{was: sd, now: s.sameAgain(pair.Side(side))})
		}
	}
	if len(x.sides) == 0 {
		s.Say("Nothing can be read again" + cameFrom(once))
		return
	}
	traces, rules := s.Traces, s.Rules
	j := s.start("again", "Reading again what has changed", func(ctx context.Context, j *Job) func() {
		g, ctx := progress.NewGroup(ctx)
		for _, sd := range x.sides {
			g.Do(func() { sd.load(ctx, traces, rules, x.reporting(sd, j.report)) })
		}
		_ = g.Wait() // each side has its own error
		return func() { s.readAgain(x, once) }
	})
	j.finds = true
}

// sameAgain returns what a side shows, to be loaded as it was. Of several requests that a file
// holds, the one that is shown has another id in another recording, unless the user asked for it.
func (s *Session) sameAgain(side pair.Side) Side {
	was := &s.state.Sides[side]
	how := *was.asked
	if s.state.ShownRun(side) != none {
		how.Trace = s.state.Runs.Load[side].Trace
	} else if !was.chosen {
		how.Trace = ""
	}
	return Side{Path: was.Path, Format: was.Format, asked: &how, chosen: how.Trace != ""}
}

// cameFrom says why something cannot be read again, if there is such.
func cameFrom(once []string) string {
	if len(once) == 0 {
		return ""
	}
	return ": " + strings.Join(slices.Compact(once), " and ") + " can be read one time only"
}

// load loads a side's trace if its recording has changed, or may have.
func (sd *sideAgain) load(ctx context.Context, traces *tracefile.Cache, rules pair.Rules, report progress.Func) {
	if changed, known := sd.was.source.Changed(ctx); known && !changed {
		return
	}
	o := *sd.now.asked
	o.Progress = report
	sd.now.Trace, sd.now.source, sd.err = traces.LoadFrom(ctx, sd.was.Path, o)
	if sd.err == nil && pair.Comparable(sd.was.Trace, sd.now.Trace) == nil {
		sd.heirs = pair.New(sd.was.Trace, sd.now.Trace, rules)
	}
}

// reporting returns what tells how far one side has come, which reports how far all have.
func (x *again) reporting(sd *sideAgain, report progress.Func) progress.Func {
	return func(done, total int64) {
		sd.done[0].Store(done)
		sd.done[1].Store(total)
		var sum [2]int64
		for _, each := range x.sides {
			sum[0] += each.done[0].Load()
			sum[1] += each.done[1].Load()
		}
		report(sum[0], sum[1])
	}
}

// readAgain shows what was loaded again. A side that shows another trace by now keeps that.
func (s *Session) readAgain(x *again, once []string) {
	kept, err := described(&s.state)
	if err != nil {
		s.Say(err.Error())
		return
	}
	x.first = s.state.atFirst()
	var how input.Options
	failed := false
	for _, sd := range x.sides {
		k := slices.IndexFunc(s.state.Sides[:], func(now Side) bool { return now.Trace == sd.was.Trace })
		switch side := pair.Side(k); {
		case k < 0:
		case sd.err != nil:
			s.notLoaded(side, sd.err)
			failed = true
		case sd.now.Trace != nil:
			inherit(kept, side, sd.heirs)
			s.show(side, sd.now)
			x.read, how = append(x.read, side), *sd.now.asked
		}
	}
	if s.state.Runs != nil {
		s.picked = true
		s.apply(func(st *State) { st.Runs = st.Runs.afresh() })
	}
	switch {
	case len(x.read) > 0:
		s.meetRequests(how)
		if s.resuming == nil {
			s.resuming = &resuming{file: kept, again: x}
		}
		s.resume()
	case failed: // which was told
	case s.state.Runs != nil:
		s.Say("All runs are compared again" + cameFrom(once))
	default:
		s.Say("No recording has changed since it was read" + cameFrom(once))
	}
}

// told says what was read again, and what of the old trace the new one no longer has.
func (x *again) told(gone unfit) string {
	read := "Both traces were read again"
	if len(x.read) == 1 {
		read = x.read[0].String() + " was read again"
	}
	return strings.Join(append([]string{read}, gone.words()...), "; ")
}

// atFirst reports whether what is shown is the first view of the traces.
func (st *State) atFirst() bool {
	first := *st
	first.firstView()
	return first.foci() == st.foci() && first.Common == st.Common
}

// inherit has what is said of a side's threads be about their heirs, if they have any: another
// recording of the same program has other ids.
func inherit(f *saved.Session, side pair.Side, heirs *pair.Pair) {
	if heirs == nil {
		return
	}
	ids := map[string]string{}
	for _, t := range heirs.Threads {
		if t.A >= 0 && t.B >= 0 {
			ids[heirs.A.Threads[t.A].ID] = heirs.B.Threads[t.B].ID
		}
	}
	eachThread(f, side, func(id string) string { return cmp.Or(ids[id], id) })
}

// eachThread has what is said of a side's threads be about those that change returns, by their ids.
func eachThread(f *saved.Session, side pair.Side, change func(id string) string) {
	call := func(c *saved.Call) { c.Thread = change(c.Thread) }
	thread := func(p *saved.Pairing) {
		if id := p.On(int(side)); *id != nil {
			now := change(**id)
			*id = &now
		}
	}
	for i := range f.Pairs {
		thread(&f.Pairs[i])
	}
	for i := range f.Anchors {
		call(f.Anchors[i].On(int(side)))
	}
	for i := range f.Notes {
		if n := &f.Notes[i]; n.Call != nil && sideOf(n.Side) == side {
			named := *n.Call // which the note has, too
			call(&named)
			n.Call = &named
		}
	}
	if p := f.Selected; p != nil && sideOf(p.Side) == side {
		call(&p.Call)
	}
	if r := f.Range; r != nil && r.Threads != nil {
		thread(r.Threads)
	}
	for i := range f.Panes {
		if t := f.Panes[i].Threads; t != nil {
			thread(t)
		}
	}
}

// LookForChanges looks whether recordings have changed since they were loaded; Side.Changed tells.
func (s *Session) LookForChanges() {
	sides := s.state.Sides
	if sides[pair.A].source == nil && sides[pair.B].source == nil {
		return
	}
	j := s.start("changes", "Looking for changed files", func(ctx context.Context, _ *Job) func() {
		var changed [2]bool
		for side := range sides {
			changed[side], _ = sides[side].source.Changed(ctx)
		}
		return func() {
			for side := range sides {
				sd := &s.state.Sides[side]
				if now := changed[side] && !sd.left; sd.Trace == sides[side].Trace && now != sd.Changed {
					s.apply(func(*State) { sd.Changed = now })
				}
			}
		}
	})
	j.apart = true
}

// LeaveChanges has the sides keep what they show, though recordings have changed.
func (s *Session) LeaveChanges() {
	s.apply(func(st *State) {
		for side := range st.Sides {
			sd := &st.Sides[side]
			sd.Changed, sd.left = false, sd.left || sd.Changed
		}
	})
}
