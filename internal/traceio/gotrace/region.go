package gotrace

import (
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// User regions: calls that a program begins and ends itself, in the stack it is in (stack.go).

// region is a user region that is open on a goroutine.
type region struct {
	shown int    // its place among the shown calls
	call  uint32 // its number
	fn    trace.FuncID
	task  xtrace.TaskID
}

// regionMark stands for a region among the shown calls. No function has such an id.
const regionMark trace.FuncID = 1<<32 - 1

// withRegion is the function that runs another in a region.
const withRegion = "runtime/trace.WithRegion"

// region begins or ends a user region.
func (l *loader) region(e *xtrace.Event, kind xtrace.EventKind) {
	r := ask(&l.guard, e.Region)
	g := l.goroutine(e.Goroutine())
	g.leave(l.now) // it acts, so it runs
	stack := l.stacks.of(e.Stack(), g.seen)
	g.showStack(l.now, stack)
	g.beginUnknown()
	if kind == xtrace.EventRegionBegin {
		g.beginRegion(r, stack.fns)
	} else if g.endRegion(r) {
		g.showStack(l.now, stack) // frames that had to end with the region go on outside it
	}
}

func (g *goroutine) beginRegion(r xtrace.Region, stack []trace.FuncID) {
	fn := g.l.fns.region(r.Type, stack)
	g.open = append(g.open, region{len(g.shown), g.enterCall(g.l.now, fn, 0), fn, r.Task})
	g.shown = append(g.shown, regionMark)
}

// endRegion ends the innermost open region of r's type and task, and with it any other region
// within.
func (g *goroutine) endRegion(r xtrace.Region) bool {
	fn := g.l.fns.region(r.Type, nil)
	for i := len(g.open) - 1; i >= 0; i-- {
		if o := &g.open[i]; o.fn == fn && o.task == r.Task {
			g.diagnoseOpen(i + 1)
			g.closeTo(o.shown, g.l.now)
			g.seen = nil // not all of that stack is shown any more
			return true
		}
	}
	g.l.b.Diagnose(trace.UnmatchedEnd, 1,
		"goroutine %s: end of region %s at %v closes nothing", g.id, r.Type, trace.Since(g.l.now))
	return false
}

// abandon closes the regions that are open when their goroutine ends.
func (g *goroutine) abandon(at int64) {
	g.diagnoseOpen(0)
	g.closeTo(0, at)
}

// diagnoseOpen marks the open regions from the i-th on as having no end of their own.
func (g *goroutine) diagnoseOpen(i int) {
	for _, o := range g.open[i:] {
		g.flag(o.call, trace.Unclosed)
		g.l.b.Diagnose(trace.UnmatchedBegin, 1,
			"goroutine %s: region %s has no end", g.id, g.l.b.FunctionName(o.fn))
	}
}
