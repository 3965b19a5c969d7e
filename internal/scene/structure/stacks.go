package structure

import (
	"image/color"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// stacksKey is what the geometry of a side's stacks and their labels depend on.
type stacksKey struct {
	side       pair.Side
	tree       *structure.Tree
	trace      *trace.Trace
	headers    bool
	focus      geom.Span
	scroll     float32
	levels     int
	deeper     *icicle.Deeper
	view       geom.Rect
	row, strip float32
	fold       int
	dp         float32
	palette    palette.Palette
}

// stacks is one side's icicle as it was drawn last; only its colours depend on the pointer.
type stacks struct {
	key     stacksKey
	tracks  []int
	arena   icicle.Arena
	base    scene.Scene
	drawing *icicle.Drawing
	shapes  []shape
	heads   []scene.Quad  // of tracks
	samples []int32       // functions of runs, as nodes
	drawn   int           // how often they were drawn anew
	tints   []color.NRGBA // by shape: its colour outside the focus
	tinted  fillKey
	absent  bool // some shapes are tinted as without data
}

// shape is a cell of an icicle: a call, or one level of a run of narrow calls.
type shape struct {
	quad     *scene.Quad
	thread   int32
	from, to int32 // the calls it stands for
	call     int32 // the call alone; of a run the first on the level
	level    int32
	node     int32 // the call's function, or structure.None
	s0, s1   int32 // samples of a run, with its uppermost level only
	run      bool
}

// maxSamples is how many functions of runs are looked up on a side.
const maxSamples = 1 << 15

// draw draws the stacks, unless they are drawn already.
func (x *stacks) draw(k stacksKey, p *icicle.Plot) {
	if x.drawing != nil && x.key == k && slices.Equal(x.tracks, p.Threads) {
		return
	}
	x.key, x.tracks = k, append(x.tracks[:0], p.Threads...)
	x.drawn++
	x.base.Reset(geom.Size{})
	l := x.base.Layer(geom.Rect{})
	x.drawing = p.Draw(l, &x.arena)
	x.shapes, x.heads, x.samples = x.shapes[:0], x.heads[:0], x.samples[:0]
	at := 0
	for c, q := range x.drawing.Shapes {
		for &l.Quads[at] != q {
			x.heads = append(x.heads, l.Quads[at])
			at++
		}
		at++
		x.add(c, q)
	}
	x.heads = append(x.heads, l.Quads[at:]...)
	x.sample()
}

// add adds the shape of a cell.
func (x *stacks) add(c icicle.Cell, q *scene.Quad) {
	th := x.key.trace.Threads[c.Thread]
	s := shape{quad: q, thread: int32(c.Thread), from: int32(c.From), to: int32(c.To),
		call: int32(c.From), level: int32(th.Depth(c.From)), run: c.Run}
	if c.Run {
		s.level = x.levelOf(c, q.Rect, s.level)
		if i := th.NextDeep(c.From, c.To, int(s.level)); i < c.To && int32(th.Depth(i)) >= s.level {
			s.call = int32(i)
		}
	}
	s.node = x.nodeOf(c.Thread, int(s.call))
	x.shapes = append(x.shapes, s)
}

// levelOf returns the stack level that a box of a run is on; top is that of its first call.
func (x *stacks) levelOf(c icicle.Cell, r geom.Rect, top int32) int32 {
	first, _ := x.drawing.CallRect(trace.CallRef{Thread: int32(c.Thread), Call: int32(c.From)})
	off := r.Y0 - first.Y0
	if x.drawing.Dir == icicle.Up {
		off = first.Y1 - r.Y1
	}
	return top + int32(math.Round(float64(off/x.drawing.Row)))
}

func (x *stacks) nodeOf(thread, call int) int32 {
	return int32(x.key.tree.NodeOf(x.key.side, thread, call))
}

// sample looks up some functions of each run, evenly over its calls: so many that a picture full of
// runs takes no longer than maxSamples look-ups.
func (x *stacks) sample() {
	runs := 0
	for i := range x.shapes {
		if x.firstOfRun(i) {
			runs++
		}
	}
	if runs == 0 {
		return
	}
	each := min(max(maxSamples/runs, 1), 256)
	for i := range x.shapes {
		s := &x.shapes[i]
		s.s0 = int32(len(x.samples))
		if x.firstOfRun(i) {
			n := min(each, int(s.to-s.from))
			for k := range n {
				call := int(s.from) + int(int64(s.to-s.from)*int64(k)/int64(n))
				x.samples = append(x.samples, x.nodeOf(int(s.thread), call))
			}
		}
		s.s1 = int32(len(x.samples))
	}
}

func (x *stacks) firstOfRun(i int) bool {
	s := &x.shapes[i]
	return s.run && (i == 0 || x.shapes[i-1].thread != s.thread || x.shapes[i-1].from != s.from)
}
