package ui

import (
	"context"
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	alignview "diptych/internal/ui/aligned"
	matchview "diptych/internal/ui/matches"
	"diptych/internal/ui/uitest/viewtest"
)

// bench is an App in a picture that a test drives as a user would.
type bench struct {
	t   *testing.T
	app *App
	pic *host.Picture
}

const testdata = "../../testdata"

// opened returns a session with the given files of testdata.
func opened(t testing.TB, files ...string) *session.Session {
	t.Helper()
	s := viewtest.Opened(t, files...)
	s.Settle(context.Background())
	return s
}

// newBench shows the given files of testdata.
func newBench(t *testing.T, files ...string) *bench {
	t.Helper()
	b := benchOf(t, New(opened(t, files...)), image.Pt(1280, 800))
	b.pic.Settle()
	return b
}

// benchOf shows an app in a window of size px.
func benchOf(t *testing.T, app *App, size image.Point) *bench {
	t.Helper()
	share(t, app)
	pic, err := host.NewPicture(app, size, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pic.Close)
	return &bench{t, app, pic}
}

// share gives an app a kit that knows the labels which other tests have shown.
func share(t testing.TB, app *App) {
	app.kit = viewtest.Kit(t)
	app.context.Kit = app.kit
}

func queuePair(t *testing.T) *bench {
	return newBench(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
}

func (b *bench) state() *session.State { return b.app.S.State() }

// main returns the active pane, which must show matches.
func (b *bench) main() *matchview.Pane { return b.app.Pane().(*matchview.Pane) }

// align returns the active pane, which must show the alignment.
func (b *bench) align() *alignview.Pane { return b.app.Pane().(*alignview.Pane) }

// rest settles until no jobs are left: a frame starts some, and their results lead to others.
func (b *bench) rest() {
	b.pic.Settle()
	for n := 0; n < 8 && len(b.app.S.Jobs()) > 0; n++ {
		b.settle()
	}
	b.settle() // what they have found is laid out
}

// settle waits for background jobs and lays out until nothing changes.
func (b *bench) settle() {
	b.app.S.Settle(context.Background())
	b.pic.Settle()
}

// follow waits for the jobs that an act of the user has started and lays out what they have found. The
// act itself has been laid out.
func (b *bench) follow() {
	jobs, rev := len(b.app.S.Jobs()), b.state().Rev
	b.app.S.Settle(context.Background())
	if jobs > 0 || b.state().Rev != rev {
		b.pic.Settle()
	}
}

func (b *bench) press(name key.Name, mods key.Modifiers) {
	b.pic.Press(name, mods)
	b.follow()
}

func (b *bench) write(text string) {
	b.pic.Type(text)
	b.follow()
}

func (b *bench) move(at image.Point) {
	b.pic.Move(at, 0)
	b.follow()
}

func (b *bench) drag(from, to image.Point, mods key.Modifiers) {
	b.pic.Drag(from, to, pointer.ButtonPrimary, mods)
	b.follow()
}

func (b *bench) clickAt(at image.Point) {
	b.pic.Click(at, pointer.ButtonPrimary, 0)
	b.follow()
}

// rightClick clicks with the secondary button.
func (b *bench) rightClick(at image.Point) {
	b.pic.Click(at, pointer.ButtonSecondary, 0)
	b.follow()
}

// click clicks the control with the given accessible label.
func (b *bench) click(label string) {
	b.t.Helper()
	r, ok := b.pic.Find(label)
	if !ok {
		b.t.Fatalf("there is no control called %q; there are %q", label, b.pic.Labels())
	}
	b.clickAt(middle(r))
}

func middle(r image.Rectangle) image.Point {
	return r.Min.Add(r.Max).Div(2)
}

// clickBeginning clicks the first control whose accessible label begins so.
func (b *bench) clickBeginning(beginning string) {
	b.t.Helper()
	for _, l := range b.pic.Labels() {
		if strings.HasPrefix(l, beginning) {
			b.click(l)
			return
		}
	}
	b.t.Fatalf("there is no control called %q…; there are %q", beginning, b.pic.Labels())
}

// longCall returns the longest call on a stack level of the first thread shown on a side.
func (b *bench) longCall(side pair.Side, depth int) trace.CallRef {
	th := b.state().Tracks[side][0]
	tr := b.state().Sides[side].Trace.Threads[th]
	best, width := -1, int64(-1)
	for i := range tr.Len() {
		if int(tr.Depth(i)) == depth && tr.Dur(i) > width {
			best, width = i, tr.Dur(i)
		}
	}
	return refOf(th, best)
}

// callAt returns the window position of the middle of a drawn call of a side.
func (b *bench) callAt(side pair.Side, depth int) image.Point {
	b.t.Helper()
	m := b.main()
	d := m.Shown().Sides[side].Drawing
	r, ok := d.CallRect(b.longCall(side, depth))
	if !ok {
		b.t.Fatal("the call is not drawn")
	}
	r = r.Intersect(d.View)
	return image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2).Add(m.Area().Min)
}
