package stacks_test

import (
	"image"
	"math"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/uitest/viewtest"
	"diptych/internal/ui/view"
)

// plain is a view of two stacks and nothing else.
type plain struct {
	stacks.Hand
	area   image.Rectangle
	clicks int
	turned float32 // by the wheel, where the view uses that
	turns  bool
}

func (p *plain) Update(c *view.Context, gtx layout.Context) {
	own := stacks.Own{Click: func(*view.Context, pointer.Event) { p.clicks++ },
		Turn: func(_ *view.Context, notches float32) bool {
			p.turned += notches
			return p.turns
		}}
	for e := range kit.Pointed(gtx, p) {
		p.Hear(c, gtx, e, own)
	}
}

func (p *plain) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	st, ms := c.S.State(), &matches.State{Palette: c.Kit.Pal}
	for k := range st.Sides {
		ms.Sides[k] = matches.Side{Trace: st.Sides[k].Trace, Tracks: st.Tracks[k],
			Focus: st.Sides[k].Focus, Scroll: st.Scroll[k]}
	}
	size := geom.Size{W: float32(area.Dx()), H: float32(area.Dy())}
	p.area, p.Sides = area, &matches.Build(ms, size, nil).Sides
}

func (p *plain) Aim(*view.Context) {}

func (p *plain) Layout(c *view.Context, gtx layout.Context) {
	kit.At(gtx, p.area, func(gtx layout.Context) {
		p.Listen(gtx, p, "Stacks", p.area.Size())
		p.RangeMark(c, gtx, c.S.State(), p.area.Dx())
	})
}

func (p *plain) Scenes() []view.Part { return nil }

func (p *plain) Thing(c *view.Context, _ bool) view.Thing { return p.Ground(c) }

// shown shows two traces in a window that is too low for their stacks, and the middle of either's
// time.
func shown(t *testing.T) (*viewtest.Bench, *plain) {
	t.Helper()
	p := &plain{}
	s := viewtest.Opened(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	b := viewtest.New(t, s, view.Row{Kind: session.Kind{View: session.Matches}, Moves: stacks.Moves()}, p, nil)
	b.Area = image.Rect(10, 20, 810, 160)
	b.Start()
	for side := range pair.Side(2) {
		s.SetFocus(side, geom.Span{Start: 2e6, End: 4e6})
		if p.Sides[side].MaxScroll < 20 {
			t.Fatalf("side %s can be scrolled by %v px only", side, p.Sides[side].MaxScroll)
		}
	}
	b.Settle()
	return b, p
}

// on returns a point over the stacks of a side.
func (p *plain) on(side pair.Side) image.Point {
	r := p.Sides[side].Icicle
	return p.area.Min.Add(image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2))
}

func TestDragMovesTimeAndLevels(t *testing.T) {
	for side := range pair.Side(2) {
		b, p := shown(t)
		towards := image.Pt(-50, -10) // the root edge
		if side == pair.B {
			towards.Y = 10
		}
		f := b.State().Sides[side].Focus
		b.Drag(p.on(side), p.on(side).Add(towards), 0)
		st := b.State()
		want := f.Start + 50*f.Len()/float64(p.Sides[side].Icicle.W())
		if got := st.Sides[side].Focus; math.Abs(got.Start-want) > 1 || math.Abs(got.Len()-f.Len()) > 1 {
			t.Errorf("%s shows %v, want a start of %v", side, got, want)
		}
		if st.Scroll[side] != 10 || st.Scroll[side.Other()] != 0 {
			t.Errorf("a drag in %s scrolls to %v", side, st.Scroll)
		}
		if b.Over != side || p.clicks != 0 {
			t.Errorf("keys act on %s after %d clicks", b.Over, p.clicks)
		}
	}
}

func TestShiftDragSelectsARange(t *testing.T) {
	b, p := shown(t)
	b.Drag(p.on(pair.B), p.on(pair.B).Sub(image.Pt(40, 0)), key.ModShift)
	want := 40 * p.Sides[pair.B].Axis.NsPerPx()
	if r := b.State().Range; !r.OK || r.Side != pair.B || math.Abs(r.Span.Len()-want) > 1 {
		t.Errorf("selected is %+v, want %v ns", r, want)
	}
}

// TestOtherButtonsTakeHoldOfNothing: they neither drag nor click, and a drag of less than the
// threshold is a click.
func TestOtherButtonsTakeHoldOfNothing(t *testing.T) {
	b, p := shown(t)
	before := b.State().Sides
	at := f32.Pt(float32(p.on(pair.A).X), float32(p.on(pair.A).Y))
	for _, e := range []pointer.Event{
		{Kind: pointer.Press, Buttons: pointer.ButtonSecondary, Position: at},
		{Kind: pointer.Move, Buttons: pointer.ButtonSecondary, Position: at.Add(f32.Pt(60, 9))},
		{Kind: pointer.Release, Position: at.Add(f32.Pt(60, 9))},
	} {
		e.Source = pointer.Mouse
		b.Queue(e)
	}
	if st := b.State(); st.Sides != before || st.Scroll != [2]float32{} || p.clicks != 0 {
		t.Errorf("after %d clicks A shows %v, scrolled to %v", p.clicks, st.Sides[pair.A].Focus, st.Scroll)
	}
	b.Drag(p.on(pair.A), p.on(pair.A).Add(image.Pt(2, 1)), 0)
	if p.clicks != 1 || b.State().Sides != before {
		t.Errorf("%d clicks", p.clicks)
	}
}

func TestWheel(t *testing.T) {
	b, p := shown(t)
	at := p.on(pair.A)
	focus := func() geom.Span { return b.State().Sides[pair.A].Focus }
	under := func() float64 { return p.Sides[pair.A].Axis.T(float32(at.X - p.area.Min.X)) }
	was, time := focus(), under()
	b.Scroll(at, 0, -1, 0)
	if math.Abs(focus().Len()-was.Len()*kit.WheelZoom) > 1 || math.Abs(under()-time) > 1 {
		t.Errorf("a notch zooms from %v to %v, at %v instead of %v", was, focus(), under(), time)
	}
	was = focus()
	b.Scroll(at, 0, 1, key.ModShift)
	if focus().Start <= was.Start || math.Abs(focus().Len()-was.Len()) > 1 {
		t.Errorf("with Shift it goes from %v to %v", was, focus())
	}
	rows := b.State().Rows
	if b.Scroll(at, 0, -1, key.ModCtrl); b.State().Rows <= rows {
		t.Error("with Ctrl rows are not taller")
	}
	was, p.turns, p.turned = focus(), true, 0
	if b.Scroll(at, 0, 2, 0); focus() != was || p.turned != 2 {
		t.Errorf("a view that uses the wheel has heard %v notches and shows %v", p.turned, focus())
	}
}

// TestKeysActWhereThePointerWasLast: they zoom at it, scroll by rows and fit what is selected.
func TestKeysActWhereThePointerWasLast(t *testing.T) {
	b, p := shown(t)
	at := p.on(pair.B).Add(image.Pt(90, 0))
	b.Move(at)
	under := func() float64 { return p.Sides[pair.B].Axis.T(float32(at.X - p.area.Min.X)) }
	time, was := under(), b.State().Sides
	b.Do(command.ZoomIn)
	if st := b.State(); math.Abs(under()-time) > 1 || st.Sides[pair.A] != was[pair.A] ||
		st.Sides[pair.B].Focus.Len() >= was[pair.B].Focus.Len() {
		t.Errorf("shows %v and %v", st.Sides[pair.A].Focus, st.Sides[pair.B].Focus)
	}
	b.Point(pointer.Leave, at, 0)
	mid := b.State().Sides[pair.B].Focus.Mid()
	if b.Do(command.ZoomOut); math.Abs(b.State().Sides[pair.B].Focus.Mid()-mid) > 1 {
		t.Error("without the pointer it does not zoom at the middle")
	}
	b.Do(command.ScrollDown)
	if st := b.State(); st.Scroll != [2]float32{0, min(view.RowsStep*p.Sides[pair.B].Row, p.Sides[pair.B].MaxScroll)} {
		t.Errorf("scrolled to %v", st.Scroll)
	}
	if b.Do(command.ScrollUp); b.State().Scroll != [2]float32{} {
		t.Errorf("scrolled back to %v", b.State().Scroll)
	}
	thread := b.State().Tracks[pair.B][0]
	th := b.State().Sides[pair.B].Trace.Threads[thread]
	deepest := 0
	for i := range th.Len() {
		if th.Depth(i) > th.Depth(deepest) {
			deepest = i
		}
	}
	call := session.Target{Side: pair.B, OK: true,
		Ref: trace.CallRef{Thread: int32(thread), Call: int32(deepest)}}
	b.C.S.Select(call)
	b.Do(command.FitSelection)
	if r, ok := p.Sides[pair.B].Drawing.CallRect(call.Ref); !ok || r.W() < 300 || b.State().Scroll[pair.B] == 0 {
		t.Errorf("the call is at %v, scrolled by %v", r, b.State().Scroll)
	}
	b.C.S.Scroll(pair.B, 0)
	b.C.S.ShowAll()
	b.C.S.Fit(call)
	b.Settle()
	if st := b.State(); !st.Sides[pair.B].Focus.Contains(float64(th.Start(deepest))) || st.Scroll[pair.B] == 0 {
		t.Errorf("fitted, it shows %v, scrolled by %v", st.Sides[pair.B].Focus, st.Scroll)
	}
	b.C.S.ShowProcess(true)
	b.Settle()
	tracks := b.State().Tracks[pair.B]
	last := session.Target{Side: pair.B, OK: true, Ref: trace.CallRef{Thread: int32(tracks[len(tracks)-1])}}
	b.C.S.Reveal(last)
	b.Settle()
	half := &p.Sides[pair.B]
	if r, ok := half.Drawing.CallRect(last.Ref); !ok || half.MaxScroll <= 0 || r.Y0 < half.Icicle.Y0-1 || r.Y1 > half.Icicle.Y1+1 {
		t.Errorf("of all threads, the last one's call is at %v, the stacks at %v", r, half.Icicle)
	}
}
