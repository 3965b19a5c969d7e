package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/svg"
	"diptych/internal/trace"
)

// Where a finding is, as the alignment view of the window shows it: the call that is the example,
// what lies around it on both sides, and between them what became of every call. A scene is built
// at half the size at which it is shown, so that what is narrower than two pixels of the page is
// drawn as boxes and a picture stays small.

// The size of a picture, px of the page.
const (
	pictureWidth  = 720
	pictureHeight = 290
	margin        = 6 // below what there is
	halved        = .5
	rowScale      = .95 // rows that leave room for the outline of a call around its name
)

var pictureSize = geom.Size{W: pictureWidth * halved, H: pictureHeight * halved}

// mostPictures is how many findings have a picture of their place: the first, which are the most
// important.
const mostPictures = 12

// around is how much is shown on either side of a finding's calls, as a share of their length.
const around = .6

// places draws the places of the findings.
func (b *builder) places() error {
	laidOut := map[int]*aligned.Prepared{}
	left := mostPictures
	for i := range b.page.Findings {
		f := &b.page.Findings[i]
		if f.finding < 0 || left == 0 {
			continue
		}
		at := b.locate(&b.Difference.Findings[f.finding])
		if at == nil {
			continue
		}
		p := laidOut[at.threads]
		if p == nil {
			var err error
			if p, err = b.layOut(at.threads); err != nil {
				return err
			}
			laidOut[at.threads] = p
		}
		if err := b.draw(f, p, at); err != nil {
			return err
		}
		left--
	}
	return nil
}

// place is where a finding is: a pair of threads, and by side a call in it; −1 for none.
type place struct {
	threads int // index into Pair.Threads
	calls   [2]int
	lead    pair.Side // whose call shows what the finding tells
}

// locate returns the place of a finding, or nil. If calls are made more often, it is one of them,
// whatever example the other side has. A finding may have examples on two threads that are no pair;
// then it is that of B, which is what has changed.
func (b *builder) locate(f *explain.Finding) *place {
	lead := pair.B
	if f.CountsCalls() {
		lead = f.MainSide()
	}
	for _, s := range []pair.Side{lead, lead.Other()} {
		at := f.At[s]
		if at == nil {
			continue
		}
		for k, threads := range b.pair.Threads {
			if threads.On(s) != at.Thread {
				continue
			}
			found := &place{threads: k, calls: [2]int{-1, -1}, lead: s}
			found.calls[s] = int(at.Call)
			o := f.At[s.Other()]
			if o != nil && o.Thread == threads.On(s.Other()) && !f.CountsCalls() {
				found.calls[s.Other()] = int(o.Call)
			}
			return found
		}
	}
	return nil
}

// layOut puts a pair of threads into virtual time. The strips are not drawn, so no timeline is
// needed.
func (b *builder) layOut(threads int) (*aligned.Prepared, error) {
	v, err := b.Results[threads].Virtual(b.ctx)
	if err != nil {
		return nil, err
	}
	moves, err := v.Moved(b.ctx)
	if err != nil {
		return nil, err
	}
	return aligned.Prepare(b.ctx, v, nil, moves)
}

// draw adds the picture of a place to a finding, and leads from it to the stacks.
func (b *builder) draw(f *Finding, p *aligned.Prepared, at *place) error {
	bring(p, at)
	st := &aligned.State{Prepared: p, Palette: palette.Light(), Scale: halved,
		Focus: focusOn(p.Virtual, at), Bare: true, Rows: rowScale}
	for s, call := range at.calls {
		if call >= 0 {
			ref := trace.CallRef{Thread: int32(p.Virtual.Indices[s]), Call: int32(call)}
			st.Selected[s] = append(st.Selected[s], ref)
		}
	}
	var light, dark aligned.Arena
	v := aligned.Build(st, pictureSize, &light)
	if st.Scroll = reach(v, st); st.Scroll > 0 {
		v = aligned.Build(st, pictureSize, &light)
	}
	night := *st
	night.Palette = palette.Dark()
	v.Scene.Size.H = min(v.Scene.Size.H, v.Sides[pair.B].Bounds.Y1+margin*halved)
	f.Threads = b.titles[at.threads]
	f.About = fmt.Sprintf("Finding %d: A above, B below, and between them what became of each %s",
		f.Number, b.page.Noun)
	var out strings.Builder
	err := svg.Write(&out, v.Scene, svg.Options{Title: f.About, Sheet: &b.page.colours,
		Dark: aligned.Build(&night, pictureSize, &dark).Scene, ID: fmt.Sprintf("f%d", f.Number),
		Width: pictureWidth})
	f.Picture = template.HTML(out.String()) // package svg escapes the names in it
	f.Show = b.span(p.Virtual, at)
	return err
}

// apart is how many times as long as the calls of a place the time between them may be for both to
// be shown.
const apart = 6

// bring makes the calls of a place such as lie together: if those of both sides are far apart, or
// only one has an example, what the alignment has for it on the other side takes the other's place.
func bring(p *aligned.Prepared, at *place) {
	if at.calls[pair.A] >= 0 && at.calls[pair.B] >= 0 && near(p.Virtual, at) {
		return
	}
	at.calls[at.lead.Other()] = p.Twin(at.lead, at.calls[at.lead])
	if !near(p.Virtual, at) {
		at.calls[at.lead.Other()] = -1
	}
}

// near reports whether the calls of a place lie close to each other in virtual time.
func near(v *align.Virtual, at *place) bool {
	whole, sum := stretch(v, at)
	return whole.Len() <= apart*sum
}

// stretch returns the virtual time from the first to the last of the calls of a place, and the sum
// of their lengths.
func stretch(v *align.Virtual, at *place) (whole geom.Span, sum float64) {
	whole = geom.Span{Start: float64(v.Length)}
	for s, call := range at.calls {
		if call >= 0 {
			start, end := float64(v.Start[s][call]), float64(v.End[s][call])
			whole = geom.Span{Start: min(whole.Start, start), End: max(whole.End, end)}
			sum += end - start
		}
	}
	return whole, sum
}

// focusOn returns the virtual time around the calls of a place.
func focusOn(v *align.Virtual, at *place) geom.Span {
	focus, _ := stretch(v, at)
	wide := max(focus.Len()*around, 1)
	return geom.Span{Start: focus.Start - wide, End: focus.End + wide}.
		Clamp(geom.Span{End: float64(max(v.Length, 1))})
}

// reach returns how far to scroll so that the selected calls are in sight: by whole rows.
func reach(v *aligned.View, st *aligned.State) (scroll float32) {
	for s, refs := range st.Selected {
		h := &v.Sides[s]
		for _, ref := range refs {
			if h.Drawing == nil {
				continue
			}
			if r, ok := h.Drawing.CallRect(ref); ok && r.Y1 > h.Bounds.Y1 && v.Row > 0 {
				rows := math.Ceil(float64((r.Y1-h.Bounds.Y1)/v.Row)) + 1 // and a level below
				scroll = max(scroll, float32(rows)*v.Row)
			}
		}
	}
	return min(scroll, v.MaxScroll)
}

// Span is a stretch of time on a pair of threads, for the stacks: their index, and ns from the
// start of the traces.
type Span struct {
	Threads  int
	From, To int64
}

// span returns the stretch around a place in real time, or nil if its threads are not in the
// stacks.
func (b *builder) span(v *align.Virtual, at *place) *Span {
	k := b.drawn[at.threads]
	if k < 0 {
		return nil
	}
	var from, to int64
	first := true
	for s, call := range at.calls {
		if call < 0 {
			continue
		}
		th := v.Threads[s]
		if first || th.Start(call) < from {
			from = th.Start(call)
		}
		to, first = max(to, th.End(call)), false
	}
	wide := int64(float64(to-from) * around)
	return &Span{k, max(from-wide, 0), to + wide}
}
