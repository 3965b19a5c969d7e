package structure

import (
	"context"
	"image"
	"path/filepath"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/traceio"
	loading "diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// bench is a pane of the view with the table beside it, in frames of an event router: a window
// without any of its other parts.
type bench struct {
	view.Window // what the view must not ask for

	t      testing.TB
	c      *view.Context
	row    view.Row
	pane   *Pane
	table  *Table
	area   image.Rectangle // of the pane
	router input.Router
	now    time.Duration
	aim    pair.Side
	dirty  bool
	tab    string           // that was asked for last
	folder func(dir string) // that a folder was asked for
}

// The files of testdata that tests show.
var (
	queue    = []string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	pipeline = []string{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"}
)

// newBench shows files of testdata.
func newBench(t testing.TB, files ...string) *bench {
	t.Helper()
	s := session.New(func() {})
	for i, f := range files {
		path := filepath.Join("../../../testdata", f)
		tr, err := traceio.Load(context.Background(), path, loading.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(i), path, tr)
	}
	b := &bench{t: t, row: Row(), table: newTable(), area: image.Rect(12, 80, 890, 770)}
	b.pane = b.row.New().(*Pane)
	b.c = &view.Context{S: s, Kit: kit.New(), Window: b}
	s.Register(b.row.Kind)
	s.SetView(View)
	b.settle()
	return b
}

func (b *bench) state() *session.State { return b.c.S.State() }
func (b *bench) own() *Own             { return ownOf(b.state()) }

// tree returns the tree that is shown.
func (b *bench) tree() *structure.Tree {
	b.t.Helper()
	t := treeIn(b.state())
	if t == nil {
		b.t.Fatal("there is no tree")
	}
	return t
}

// What the view asks of its window.

func (b *bench) Aim() pair.Side             { return b.aim }
func (b *bench) SetAim(side pair.Side)      { b.aim = side }
func (b *bench) Dirty()                     { b.dirty = true }
func (b *bench) Rebuild(layout.Context)     { b.dirty = true }
func (b *bench) Moving(layout.Context) bool { return false }
func (b *bench) Covered() bool              { return false }
func (b *bench) Card(image.Rectangle)       {}
func (b *bench) ShowTab(id string)          { b.tab = id }
func (b *bench) TurnToDetails()             { b.tab = "details" }
func (b *bench) Panel(string) view.Panel    { return b.table }
func (b *bench) Pane() view.View            { return b.pane }
func (b *bench) Can(command.ID) bool        { return true }
func (b *bench) ChooseFolder(_ string, use func(string)) {
	b.folder = use
}

func (b *bench) Command(id command.ID) *command.Command {
	for _, list := range [][]command.Command{b.row.Commands, command.Shell} {
		for i := range list {
			if list[i].ID == id {
				return &list[i]
			}
		}
	}
	b.t.Fatalf("there is no command %q", id)
	return nil
}

// Perform carries out the commands of the view.
func (b *bench) Perform(gtx layout.Context, id command.ID) {
	if move := b.row.Moves[id]; move != nil && move(b.c, gtx, b.pane) {
		return
	}
	if act := b.row.Actions[id]; act != nil {
		act(b.c, gtx)
	}
}

// frame shows one picture.
func (b *bench) frame(after time.Duration) {
	var ops op.Ops
	b.now += after
	metric, size := unit.Metric{PxPerDp: 1, PxPerSp: 1}, image.Pt(1280, 800)
	gtx := layout.Context{Ops: &ops, Source: b.router.Source(), Metric: metric,
		Now: time.Unix(0, 0).Add(b.now), Constraints: layout.Exact(size)}
	b.c.Kit.Begin(metric, size)
	b.c.S.Drain()
	b.pane.Update(b.c, gtx)
	for range 2 {
		rev := b.state().Rev
		b.dirty = false
		b.pane.Build(b.c, gtx, b.area)
		b.pane.Aim(b.c)
		if !b.dirty && b.state().Rev == rev {
			break
		}
	}
	if b.state().Any() {
		b.pane.Layout(b.c, gtx)
		kit.At(gtx, image.Rect(900, 80, 1270, 770), func(gtx layout.Context) {
			b.table.Layout(b.c, gtx, b.state())
		})
	}
	b.router.Frame(&ops)
}

// settle waits for all jobs and shows pictures.
func (b *bench) settle() {
	b.frame(0)
	b.c.S.Settle(context.Background())
	b.frame(time.Second)
	b.frame(time.Second)
}

// point has the pointer do something, at one moment with what it did before.
func (b *bench) point(kind pointer.Kind, at image.Point, mods key.Modifiers) {
	e := pointer.Event{Kind: kind, Source: pointer.Mouse, Time: b.now, Modifiers: mods,
		Position: f32.Pt(float32(at.X), float32(at.Y))}
	if kind == pointer.Press {
		e.Buttons = pointer.ButtonPrimary
	}
	b.queue(e)
}

func (b *bench) queue(events ...event.Event) {
	b.router.Queue(events...)
	b.frame(0)
	b.frame(0)
}

func (b *bench) move(at image.Point) {
	b.point(pointer.Move, at, 0)
	b.settle()
}

func (b *bench) clickAt(at image.Point) {
	b.point(pointer.Move, at, 0)
	b.point(pointer.Press, at, 0)
	b.point(pointer.Release, at, 0)
	b.settle()
}

func (b *bench) doubleClick(at image.Point) {
	for range 2 {
		b.point(pointer.Press, at, 0)
		b.point(pointer.Release, at, 0)
	}
	b.settle()
}

func (b *bench) drag(from, to image.Point, mods key.Modifiers) {
	b.point(pointer.Move, from, mods)
	b.point(pointer.Press, from, mods)
	for k := 1; k <= 4; k++ {
		at := from.Add(to.Sub(from).Mul(k).Div(4))
		b.queue(pointer.Event{Kind: pointer.Move, Source: pointer.Mouse, Time: b.now, Modifiers: mods,
			Buttons: pointer.ButtonPrimary, Position: f32.Pt(float32(at.X), float32(at.Y))})
	}
	b.point(pointer.Release, to, mods)
	b.settle()
}

func (b *bench) scroll(at image.Point, notches f32.Point, mods key.Modifiers) {
	b.point(pointer.Move, at, mods)
	b.queue(pointer.Event{Kind: pointer.Scroll, Source: pointer.Mouse, Time: b.now, Modifiers: mods,
		Position: f32.Pt(float32(at.X), float32(at.Y)), Scroll: notches.Mul(kit.Notch)})
	b.settle()
}

func (b *bench) perform(id command.ID) {
	var ops op.Ops
	b.Perform(layout.Context{Ops: &ops, Source: b.router.Source(), Now: time.Unix(0, 0).Add(b.now)}, id)
	b.settle()
}

// find returns where the control of that name is.
func (b *bench) find(name string) (image.Rectangle, bool) {
	for _, n := range b.router.AppendSemantics(nil) {
		if n.Desc.Label == name {
			return n.Desc.Bounds, true
		}
	}
	return image.Rectangle{}, false
}

// click clicks the control of that name.
func (b *bench) click(name string) {
	b.t.Helper()
	r, ok := b.find(name)
	if !ok {
		b.t.Fatalf("there is no %q", name)
	}
	b.clickAt(r.Min.Add(r.Max).Div(2))
}

// in returns a point of the pane in the window.
func (b *bench) in(at geom.Point) image.Point {
	return image.Pt(int(at.X), int(at.Y)).Add(b.pane.Area().Min)
}

func middle(r geom.Rect) geom.Point { return geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2} }

// free returns a function whose cell shows beside the stacks, and a point over it.
func (b *bench) free() (node int, at image.Point) {
	b.t.Helper()
	t, v := b.tree(), b.pane.Shown()
	for n := range t.Nodes {
		r := v.NodeRect(n)
		if t.Nodes[n].Kind != structure.Function || r.W() < 4 || r.H() < 4 || t.Nodes[n].Depth < 3 {
			continue
		}
		if hit, ok := v.Pick(middle(r)); ok && hit.Side < 0 && hit.Node == n {
			return n, b.in(middle(r))
		}
	}
	b.t.Fatal("no cell is free")
	return 0, image.Point{}
}

// set carries out a setting.
func (b *bench) set(k, v string) {
	b.t.Helper()
	for _, x := range b.row.Settings {
		if x.Key == k {
			if err := x.Apply(b.c.S, v); err != nil {
				b.t.Fatalf("%s=%s: %v", k, v, err)
			}
			b.settle()
			return
		}
	}
	b.t.Fatalf("there is no setting %q", k)
}
