package threads

import (
	"context"
	"image"
	"path/filepath"
	"strings"
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
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/traceio"
	loading "diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// bench is a pane of the view with the table of waits beside it, in frames of an event router: a
// window without any of its other parts.
type bench struct {
	view.Window // what the view must not ask for

	t      testing.TB
	c      *view.Context
	row    view.Row
	pane   *Pane
	waits  *Waits
	area   image.Rectangle // of the pane
	router input.Router
	now    time.Duration
	aim    pair.Side
	dirty  bool
	builds int
	hasty  bool   // goes on before anything has come to rest
	tab    string // that was asked for last
}

// newBench shows the threads of files of testdata.
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
	return benchOf(t, s)
}

// benchOf shows the threads of a session.
func benchOf(t testing.TB, s *session.Session) *bench {
	b := &bench{t: t, row: Row(), waits: &Waits{}, area: image.Rect(12, 80, 890, 770)}
	b.pane = b.row.New().(*Pane)
	b.c = &view.Context{S: s, Kit: kit.New(), Window: b}
	s.Register(b.row.Kind)
	s.SetView(session.Threads)
	b.settle()
	return b
}

// circles shows the threads of the queue pair.
func circles(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	if b.state().ComparedWaits() == nil {
		t.Fatal("the threads are not shown")
	}
	return b
}

func (b *bench) state() *session.State { return b.c.S.State() }

// What the view asks of its window.

func (b *bench) Aim() pair.Side          { return b.aim }
func (b *bench) SetAim(side pair.Side)   { b.aim = side }
func (b *bench) Dirty()                  { b.dirty = true }
func (b *bench) Rebuild(layout.Context)  { b.dirty = true }
func (b *bench) Covered() bool           { return false }
func (b *bench) Card(image.Rectangle)    {}
func (b *bench) ShowTab(id string)       { b.tab = id }
func (b *bench) TurnToDetails()          {}
func (b *bench) Panel(string) view.Panel { return b.waits }
func (b *bench) Pane() view.View         { return b.pane }
func (b *bench) Can(command.ID) bool     { return true }
func (b *bench) Command(id command.ID) *command.Command {
	for i := range b.row.Commands {
		if c := &b.row.Commands[i]; c.ID == id {
			return c
		}
	}
	for i := range command.Shell {
		if c := &command.Shell[i]; c.ID == id {
			return c
		}
	}
	b.t.Fatalf("there is no command %q", id)
	return nil
}

// Perform carries out the commands of the view and those of the window that it goes on to.
func (b *bench) Perform(gtx layout.Context, id command.ID) {
	if move := b.row.Moves[id]; move != nil && move(b.c, gtx, b.pane) {
		return
	}
	if act := b.row.Actions[id]; act != nil {
		act(b.c, gtx)
		return
	}
	s := b.c.S
	if do := map[command.ID]func(){command.SwapSides: s.Swap, command.CloseTrace: s.Close,
		command.Back: func() { s.Back() }, command.Forward: func() { s.Forward() }, command.ShowAll: s.ShowAll,
		command.FitSelection: s.FitSelection}[id]; do != nil {
		do()
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
	b.c.S.Animate(gtx.Now)
	b.pane.Update(b.c, gtx)
	for range 2 {
		rev := b.state().Rev
		b.dirty = false
		b.pane.Build(b.c, gtx, b.area)
		b.builds++
		b.pane.Aim(b.c)
		if !b.dirty && b.state().Rev == rev {
			break
		}
	}
	if b.state().Any() {
		b.pane.Layout(b.c, gtx)
		kit.At(gtx, image.Rect(900, 80, 1270, 770), func(gtx layout.Context) {
			b.waits.Layout(b.c, gtx, b.state())
		})
	}
	b.router.Frame(&ops)
}

// show shows as many pictures as it takes for everything to come to rest.
func (b *bench) show() {
	for range 2 {
		b.frame(time.Second)
	}
}

// settle waits for all jobs and shows pictures.
func (b *bench) settle() {
	if b.hasty {
		b.frame(time.Second / 60)
		return
	}
	b.frame(0)
	b.c.S.Settle(context.Background())
	b.show()
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
		e := pointer.Event{Kind: pointer.Move, Source: pointer.Mouse, Time: b.now, Modifiers: mods,
			Buttons:  pointer.ButtonPrimary,
			Position: f32.Pt(float32(from.X+(to.X-from.X)*k/4), float32(from.Y+(to.Y-from.Y)*k/4))}
		b.queue(e)
	}
	b.point(pointer.Release, to, mods)
	b.settle()
}

func (b *bench) scroll(at image.Point, notches float32, mods key.Modifiers) {
	b.point(pointer.Move, at, mods)
	b.queue(pointer.Event{Kind: pointer.Scroll, Source: pointer.Mouse, Time: b.now, Modifiers: mods,
		Position: f32.Pt(float32(at.X), float32(at.Y)), Scroll: f32.Pt(0, notches*kit.Notch)})
	b.settle()
}

// press carries out the command of a key.
func (b *bench) press(keys string) {
	b.t.Helper()
	for _, list := range [][]command.Command{b.row.Commands, command.Shell} {
		for i := range list {
			for _, k := range list[i].Keys {
				if k == keys {
					b.perform(list[i].ID)
					return
				}
			}
		}
	}
	b.t.Fatalf("no command has the key %q", keys)
}

func (b *bench) perform(id command.ID) {
	var ops op.Ops
	b.Perform(layout.Context{Ops: &ops, Source: b.router.Source(), Now: time.Unix(0, 0).Add(b.now)}, id)
	b.settle()
}

// labels returns the names of all controls.
func (b *bench) labels() (names []string) {
	for _, n := range b.router.AppendSemantics(nil) {
		if n.Desc.Label != "" {
			names = append(names, n.Desc.Label)
		}
	}
	return names
}

// click clicks the control of that name.
func (b *bench) click(name string) {
	b.t.Helper()
	for _, n := range b.router.AppendSemantics(nil) {
		if n.Desc.Label == name {
			b.clickAt(n.Desc.Bounds.Min.Add(n.Desc.Bounds.Max).Div(2))
			return
		}
	}
	b.t.Fatalf("there is no %q among %q", name, strings.Join(b.labels(), "\n"))
}
