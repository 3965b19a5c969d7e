package dock

import (
	"image"
	"testing"
	"time"

	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest"
	"diptych/internal/ui/view"
)

// Two runs of a small program. In B the producer parses once more, for longer, and does not log.
const (
	runA = `trace text
func open package=os
thread 1 name=Producer
  0+9000 main
    0+1000 open args=a.txt
    1000+4000 parse
      1500+3000 lock wait=mutex
    5000+500 post
    6000+500 log
thread 2 name=consumer
  0+9000 run
    500+5500 wait
    7000+1000 use
diagnostic reordered 3
`
	runB = `trace text
thread 1 name=Producer
  0+12000 main
    0+1000 open
      100+300 stat
    1000+6000 parse
    7500+500 post
    8000+1000 parse
thread 2 name=consumer
  0+12000 run
    500+8000 wait
    9000+1000 use
thread 3 name=helper
  0+9000 help
`
)

// bench is a dock beside a view, in frames of an event router, with a window that only notes what it
// is asked for.
type bench struct {
	view.Window // what the dock must not ask for
	uitest.User

	c         *view.Context
	dock      *Dock
	row       *view.Row
	beside    view.View // in the active pane; may be nil
	performed []command.ID
}

// plain is the row of a view that brings the tab of groups.
func plain(v session.View) *view.Row {
	return &view.Row{Kind: session.Kind{View: v, Wants: Wants()}, Tabs: []view.Tab{GroupsTab()}}
}

// newBench shows a dock beside the view of the matches; src are the traces.
func newBench(t testing.TB, src ...string) *bench {
	b := &bench{dock: New(), row: plain(session.Matches)}
	b.User = uitest.User{T: t, Show: b.frame, Settle: b.settle}
	b.c = &view.Context{S: session.New(func() {}), Kit: kit.New(), Window: b}
	b.c.S.Register(b.row.Kind)
	for side, x := range src {
		b.put(pair.Side(side), x)
	}
	b.Settle()
	return b
}

// put opens a trace.
func (b *bench) put(side pair.Side, src string) {
	b.T.Helper()
	b.c.S.Put(side, side.String()+".txt", texttest.Parse(b.T, src))
}

func (b *bench) ShowTab(id string)                         { b.dock.Show(id) }
func (b *bench) Panel(id string) view.Panel                { return b.dock.Panel(id, b.row) }
func (b *bench) Command(id command.ID) *command.Command    { return command.NewTable().Get(id) }
func (b *bench) Perform(gtx layout.Context, id command.ID) { b.performed = append(b.performed, id) }

func (b *bench) Pane() view.View { return b.beside }

func (b *bench) state() *session.State { return b.c.S.State() }

// settle waits for all jobs and lays out.
func (b *bench) settle() {
	b.c.S.Settle(b.T.Context())
	b.frame()
}

// frame lays the dock out twice: what an event changes is drawn in the frame after it.
func (b *bench) frame() {
	size := image.Pt(384, 700)
	for range 2 {
		b.Now += time.Second / 60
		b.c.Kit.Begin(uitest.Metric, size)
		b.LayOut(layout.Constraints{Max: size}, func(gtx layout.Context) {
			b.dock.Layout(b.c, gtx, b.state(), b.row)
		})
	}
}

// selectCall selects the n-th call of a function.
func (b *bench) selectCall(side pair.Side, function string, n int) session.Target {
	b.T.Helper()
	tr := b.state().Sides[side].Trace
	for k, th := range tr.Threads {
		for i := range th.Len() {
			if tr.FunctionOf(th, i).Name != function {
				continue
			}
			if n == 0 {
				t := session.Target{Side: side, Ref: trace.CallRef{Thread: int32(k), Call: int32(i)}, OK: true}
				b.c.S.Select(t)
				b.Settle()
				return t
			}
			n--
		}
	}
	b.T.Fatalf("%s has no call of %s", side, function)
	return session.Target{}
}

func (b *bench) details() *details        { return b.dock.own(Details).(*details) }
func (b *bench) findings() *findingList   { return b.dock.own(Findings).(*findingList) }
func (b *bench) functions() *functionList { return b.dock.own(Functions).(*functionList) }
func (b *bench) problems() *problemList   { return b.dock.own(Problems).(*problemList) }
func (b *bench) runs() *runList           { return b.dock.own(Runs).(*runList) }
func (b *bench) threads() *ThreadList     { return b.dock.own(Threads).(*ThreadList) }

// fact returns what the details say under a name.
func (b *bench) fact(name string) string {
	for _, f := range b.details().facts {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// roomOf is room of so many px.
func roomOf(wide, high int) layout.Constraints { return layout.Constraints{Max: image.Pt(wide, high)} }
