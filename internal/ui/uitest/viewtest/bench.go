// Package viewtest shows one view with a tab of the dock beside it, in frames of an event router: a
// window without any of its other parts, for the tests that a view has in its own package. Only
// tests import it, and it knows no view.
package viewtest

import (
	"context"
	"image"
	"testing"
	"time"

	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest"
	"diptych/internal/ui/view"
)

// Bench shows a view and a tab.
type Bench struct {
	view.Window // what a view must not ask for here
	uitest.User

	C       *view.Context
	Row     view.Row
	Content view.View
	Beside  view.Panel      // may be nil
	Area    image.Rectangle // of the view

	Over    pair.Side        // the side that keys act on
	Turned  string           // the tab of the dock that was asked for last
	Use     func(dir string) // what is to be done with a folder that was asked for
	Dirtied bool             // since the last frame was built
	Builds  int
	Hasty   bool // goes on before anything has come to rest
}

// The window, the places of the view and of the tab in it.
var (
	window = image.Pt(1280, 800)
	left   = image.Rect(12, 80, 890, 770)
	right  = image.Rect(900, 80, 1270, 770)
)

// New returns a bench that shows nothing yet.
func New(t testing.TB, s *session.Session, row view.Row, content view.View, beside view.Panel) *Bench {
	b := &Bench{Row: row, Content: content, Beside: beside, Area: left}
	b.C = &view.Context{S: s, Kit: Kit(t), Window: b}
	b.User = uitest.User{T: t, Settle: b.settle, Show: func() { b.Frame(0) }}
	return b
}

// Start shows the view, and waits for all that it needs.
func (b *Bench) Start() {
	b.C.S.Register(b.Row.Kind)
	b.C.S.SetView(b.Row.View)
	b.Settle()
}

// State returns the session's state.
func (b *Bench) State() *session.State { return b.C.S.State() }

// Frame shows one picture, some time after the one before.
func (b *Bench) Frame(after time.Duration) {
	b.Now += after
	b.LayOut(layout.Exact(window), b.show)
}

func (b *Bench) show(gtx layout.Context) {
	b.C.Kit.Begin(uitest.Metric, window)
	b.C.S.Drain()
	b.C.S.Animate(gtx.Now)
	b.Content.Update(b.C, gtx)
	for range 2 {
		rev := b.State().Rev
		b.Dirtied = false
		b.Content.Build(b.C, gtx, b.Area)
		b.Builds++
		view.RaiseSought(b.C, func(f func(view.View)) { f(b.Content) })
		b.Content.Aim(b.C)
		if !b.Dirtied && b.State().Rev == rev {
			break
		}
	}
	if b.State().Any() {
		b.Content.Layout(b.C, gtx)
		if b.Beside != nil {
			kit.At(gtx, right, func(gtx layout.Context) { b.Beside.Layout(b.C, gtx, b.State()) })
		}
	}
}

// settle waits for all jobs, and for what glides to arrive.
func (b *Bench) settle() {
	if b.Hasty {
		b.Frame(time.Second / 60)
		return
	}
	b.Frame(0)
	b.C.S.Settle(context.Background())
	b.Frame(time.Second)
}

// Do carries out a command.
func (b *Bench) Do(id command.ID) {
	var ops op.Ops
	b.Perform(layout.Context{Ops: &ops, Source: b.Router.Source(), Now: time.Unix(0, 0).Add(b.Now)}, id)
	b.Settle()
}

// Strike carries out the command of a key.
func (b *Bench) Strike(keys string) {
	b.T.Helper()
	for c := range b.commands {
		for _, k := range c.Keys {
			if k == keys {
				b.Do(c.ID)
				return
			}
		}
	}
	b.T.Fatalf("no command has the key %q", keys)
}

// Set carries out a setting of the view, and does not wait for what it leads to.
func (b *Bench) Set(key, value string) error {
	b.T.Helper()
	for _, x := range b.Row.Settings {
		if x.Key == key {
			return x.Apply(b.C.S, value)
		}
	}
	b.T.Fatalf("there is no setting %q", key)
	return nil
}

// commands yields those of the view, then those of the window.
func (b *Bench) commands(yield func(*command.Command) bool) {
	for _, list := range [][]command.Command{b.Row.Commands, command.Shell} {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// What a view asks of its window.

func (b *Bench) Aim() pair.Side             { return b.Over }
func (b *Bench) SetAim(side pair.Side)      { b.Over = side }
func (b *Bench) Dirty()                     { b.Dirtied = true }
func (b *Bench) Rebuild(layout.Context)     { b.Dirtied = true }
func (b *Bench) Moving(layout.Context) bool { return false }
func (b *Bench) Quiet() bool                { return false }
func (b *Bench) Card(image.Rectangle)       {}
func (b *Bench) ShowTab(id string)          { b.Turned = id }
func (b *Bench) TurnToDetails()             { b.Turned = "details" }
func (b *Bench) Panel(string) view.Panel    { return b.Beside }
func (b *Bench) Pane() view.View            { return b.Content }
func (b *Bench) Can(command.ID) bool        { return true }

func (b *Bench) ChooseFolder(_ string, use func(string)) { b.Use = use }

func (b *Bench) Command(id command.ID) *command.Command {
	for c := range b.commands {
		if c.ID == id {
			return c
		}
	}
	b.T.Fatalf("there is no command %q", id)
	return nil
}

// Perform carries out the commands of the view and those of the window that it goes on to.
func (b *Bench) Perform(gtx layout.Context, id command.ID) {
	if move := b.Row.Moves[id]; move != nil && move(b.C, gtx, b.Content) {
		return
	}
	if act := b.Row.Actions[id]; act != nil {
		act(b.C, gtx)
		return
	}
	s := b.C.S
	if do := map[command.ID]func(){command.SwapSides: s.Swap, command.CloseTrace: s.Close,
		command.Back: func() { s.Back() }, command.Forward: func() { s.Forward() },
		command.ShowAll: s.ShowAll, command.FitSelection: s.FitSelection}[id]; do != nil {
		do()
	}
}
