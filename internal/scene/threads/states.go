package threads

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
	"diptych/internal/wait"
)

// What threads did over time is drawn three times: above the focus thread as a graph of how many
// threads ran and how many waited at once, below that as a strip of the focus thread's states, and
// as a strip along the inner border of each section. Every column of pixels asks for the mean over
// its time, so cost follows the pixels and not the calls.

// Measures in dp.
const (
	graphHeight = 34
	graphsFrom  = 420 // height of a pane that has the graph
	graphUp     = .62 // share of the graph's height that lies above its line
	stateStrip  = 6   // height of the focus thread's
	ringStrip   = 4   // of a section's, inside the zero radius
	roleStrip   = 8   // of a section's that threads of one role share,
	roleGap     = 1.5 // and between it and the stacks, whose colours it has
	stateColumn = 2   // width of a column
	stateText   = 9
)

// stateHeights are the shares of a strip's height that the states take, so that they differ by
// shape as well as by colour.
var stateHeights = [wait.NumStates]float32{wait.Running: 1, wait.Runnable: .75, wait.Blocked: .4,
	wait.InIO: .6}

// stateFills are the colours of the states.
func (b *builder) stateFills() [wait.NumStates]color.NRGBA {
	return StateColours(b.pal)
}

// StateColours returns the colours of threads' states.
func StateColours(p *palette.Palette) [wait.NumStates]color.NRGBA {
	w := p.Waits()
	return [wait.NumStates]color.NRGBA{wait.Running: p.Active(),
		wait.Runnable: w.Queued, wait.Blocked: w.Waiting(1), wait.InIO: w.Operating(1)}
}

// mostOf returns the state that takes most of a stretch, and whether the thread had any.
func mostOf(share [wait.NumStates]float64) (wait.State, bool) {
	best := wait.Running
	for k := range wait.NumStates {
		if share[k] > share[best] {
			best = k
		}
	}
	return best, share[best] > 0
}

// stateColumns calls draw for stretches of time in which a thread is mostly in one state, from x0
// to x1 of width px over a span, columns of equal state joined.
func (b *builder) stateColumns(thread int, span geom.Span, width float32,
	draw func(s wait.State, x0, x1 float32)) {
	step := stateColumn * b.dp
	n := int(width/step) + 1
	nsPerPx := span.Len() / float64(width)
	last, from, some := wait.Running, float32(0), false
	states := b.ready.states.Of(thread).Cursor()
	for k := range n + 1 {
		x := min(float32(k)*step, width)
		at, ok := wait.Running, false
		if k < n {
			t0 := span.Start + float64(x)*nsPerPx
			share := states.Mean(int64(t0), int64(t0+max(float64(step)*nsPerPx, 1)))
			at, ok = mostOf(share)
		}
		if ok == some && (at == last || !ok) && k < n {
			continue
		}
		if some && x > from {
			draw(last, from, x)
		}
		last, from, some = at, x, ok
	}
}

// strip draws the states of the focus thread.
func (b *builder) strip() {
	r := b.v.Strip
	if r.Empty() || len(b.st.Focus.Threads) == 0 {
		return
	}
	l, fills := b.at(b.layer(r)), b.stateFills()
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y1 - .5*b.dp, Y1: r.Y1}, b.pal.Line)
	b.stateColumns(b.st.Focus.Threads[0], b.v.Axis.Span, r.W(),
		func(s wait.State, x0, x1 float32) {
			l.Fill(geom.Rect{X0: r.X0 + x0, X1: r.X0 + x1, Y0: r.Y1 - r.H()*stateHeights[s], Y1: r.Y1},
				fills[s])
		})
}

// ringStates draws the states of a section's thread, or threads, inside the zero radius.
func (b *builder) ringStates(l *scene.Layer, place int) {
	ring, fills, p := &b.v.Ring, b.stateFills(), &b.v.sections[place]
	width := float32(p.left-p.right) * ring.Zero
	if width < stateColumn*b.dp || !(p.view.Len() > 0) {
		return
	}
	arc := func(s wait.State, x0, x1, inner, outer float32) {
		l.Arcs = append(l.Arcs, scene.Arc{Centre: ring.Centre, U1: 1, Fill: fills[s],
			R0: ring.Zero - inner, R1: ring.Zero - outer,
			From: float32(p.left) - x1/ring.Zero, To: float32(p.left) - x0/ring.Zero})
	}
	if th := b.st.Sections[place].Threads; len(th) == 1 {
		b.stateColumns(th[0], p.view, width, func(s wait.State, x0, x1 float32) {
			arc(s, x0, x1, ringStrip*b.dp*stateHeights[s], 0)
		})
		return
	}
	b.roleColumns(place, width, func(shares [wait.NumStates]float64, x0, x1 float32) {
		outer := roleGap * b.dp
		for _, s := range stateOrder {
			if h := roleStrip * b.dp * float32(shares[s]); h > 0 {
				arc(s, x0, x1, outer+h, outer)
				outer += h
			}
		}
	})
}

// stateOrder is how states lie over each other where shares of threads are drawn.
var stateOrder = [wait.NumStates]wait.State{wait.Running, wait.Runnable, wait.InIO, wait.Blocked}

// roleColumns calls draw for each column of a section that several threads share, of width px in
// all, with the share of their time in it that the threads spend in each state. Columns of equal
// shares are joined.
func (b *builder) roleColumns(place int, width float32,
	draw func(shares [wait.NumStates]float64, x0, x1 float32)) {
	s, view, step := &b.st.Sections[place], b.st.view(place), stateColumn*b.dp
	nsPerPx := view.Len() / float64(width)
	b.spenders(s)
	var last [wait.NumStates]float64
	from := float32(0)
	for k := 0; ; k++ {
		x := float32(k) * step
		if x >= width {
			break
		}
		t0 := int64(view.Start + float64(x)*nsPerPx)
		t1 := t0 + int64(max(float64(step)*nsPerPx, 1))
		var shares [wait.NumStates]float64
		for state, ns := range b.spent(t0, t1) {
			shares[state] = float64(ns) / float64(t1-t0) / float64(len(s.Threads))
		}
		if shares != last && x > from {
			draw(last, from, x)
			from = x
		}
		last = shares
	}
	draw(last, from, width)
}

// spender is what spent adds up: the states of one or several threads, taken away if they are
// absent.
type spender struct {
	states wait.Cursor
	absent bool
}

// spenders fills the arena's list of what the threads of a section spend their time on.
func (b *builder) spenders(s *Section) {
	list := b.a.spenders[:0]
	if s.crowd == nil {
		for _, t := range s.Threads {
			list = append(list, spender{states: b.ready.states.Of(t).Cursor()})
		}
	} else {
		list = append(list, spender{states: s.crowd.states.Cursor()})
		if s.stuck {
			list = append(list, spender{states: s.crowd.asides.Cursor()})
		}
		for _, t := range s.absent {
			list = append(list, spender{b.ready.states.Of(t).Cursor(), true})
		}
	}
	b.a.spenders = list
}

// spent returns how long the threads of the spenders are in each state within [from, to), in ns,
// summed over the threads.
func (b *builder) spent(from, to int64) (sum [wait.NumStates]int64) {
	for k := range b.a.spenders {
		s := &b.a.spenders[k]
		for state, ns := range s.states.Within(from, to) {
			if s.absent {
				ns = -ns
			}
			sum[state] += ns
		}
	}
	return sum
}

// graph draws how many threads were in each state at once: upwards those that ran, could run, or
// did I/O, downwards those that waited. Both sides have the same scales, those of the most threads
// at any time.
func (b *builder) graph() {
	r := b.v.Graph
	if r.Empty() {
		return
	}
	l, fills, most := b.at(b.layer(r)), b.stateFills(), b.st.Prepared.mostAtOnce()
	line := r.Y0 + r.H()*graphUp
	up, down := (line-r.Y0)/max(float32(most.active), 1), (r.Y1-line)/max(float32(most.waiting), 1)
	step, ax, states := stateColumn*b.dp, b.v.Axis, b.ready.states.Cursor()
	for x := r.X0; x < r.X1; x += step {
		t0 := ax.T(x)
		mean := states.Mean(int64(t0), int64(t0+max(float64(step)*ax.NsPerPx(), 1)))
		y := line
		for _, s := range []wait.State{wait.Running, wait.Runnable, wait.InIO} {
			if h := float32(mean[s]) * up; h > 0 {
				l.Fill(geom.Rect{X0: x, X1: min(x+step, r.X1), Y0: y - h, Y1: y}, fills[s])
				y -= h
			}
		}
		if h := float32(mean[wait.Blocked]) * down; h > 0 {
			l.Fill(geom.Rect{X0: x, X1: min(x+step, r.X1), Y0: line, Y1: line + h}, fills[wait.Blocked])
		}
	}
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: line - .5*b.dp, Y1: line + .5*b.dp}, b.pal.Secondary)
	b.graphText(l, geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: line},
		"not waiting, up to "+geom.FormatWhole(int64(most.active)), wait.Running, wait.Runnable, wait.InIO)
	b.graphText(l, geom.Rect{X0: r.X0, X1: r.X1, Y0: line, Y1: r.Y1},
		"waiting, up to "+geom.FormatWhole(int64(most.waiting)), wait.Blocked)
}

// graphText says what the height of a half of the graph stands for: at the right border, or at the
// left one if fewer threads are in some states there; between them only where nearly none are.
func (b *builder) graphText(l *scene.Layer, r geom.Rect, text string, in ...wait.State) {
	size := float32(stateText) * b.dp
	w := typeface.Width(text, size, false) + 6*b.dp
	if w > r.W()/3 || r.H() < size {
		return
	}
	under := func(x float32) (n float64) {
		mean := b.ready.states.Mean(int64(b.v.Axis.T(x)), int64(b.v.Axis.T(x+w)))
		for _, s := range in {
			n += mean[s]
		}
		return n
	}
	best := r.X1 - w
	least := under(best)
	try := func(x float32, most float64) {
		if n := under(x); n < most {
			best, least = x, n
		}
	}
	try(r.X0, least)
	for x := r.X1 - 2*w; x > r.X0+w; x -= w {
		try(x, least/4)
	}
	r.X0, r.X1, r.Y1 = best, best+w, min(r.Y1, r.Y0+1.3*size)
	l.Quads = append(l.Quads, scene.Quad{Rect: r, Radius: 2 * b.dp, U1: 1,
		Fill: palette.WithAlpha(b.pal.Pane, nameBack)})
	l.Write(scene.Text{Rect: r, Text: text, Fill: b.pal.Secondary, Size: size,
		Align: scene.AlignCentre})
}

// atOnce is the most threads that were active, or waiting, at one time.
type atOnce struct{ active, waiting int }

// mostAtOnce returns the most of both sides.
func (p *Prepared) mostAtOnce() (most atOnce) {
	for s := range p.sides {
		if states := p.sides[s].states; states != nil {
			most.active = max(most.active, states.Active)
			most.waiting = max(most.waiting, states.Most[wait.Blocked])
		}
	}
	return most
}

// StatesAt returns how many threads of the side are in each state at the time under x, exactly, and
// what the focus thread does then; ok is false if it has no call there.
func (v *View) StatesAt(t float64) (n [wait.NumStates]int, focus wait.State, ok bool) {
	states := v.st.Prepared.sides[v.st.Side].states
	n = states.At(int64(t))
	if th := v.st.Focus.Threads; len(th) > 0 {
		focus, ok = mostOf(states.Share(th[0], int64(t), int64(t)+1))
	}
	return n, focus, ok
}

// pickStates picks the graph or the strip of the focus thread's states.
func (v *View) pickStates(p geom.Point, h *Hit) bool {
	if !v.Graph.Contains(p) && !v.Strip.Contains(p) {
		return false
	}
	v.hitPlace(h, OnStates, Main, p)
	h.At = v.Axis.T(p.X)
	return true
}
