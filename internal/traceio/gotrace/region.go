package gotrace

import (
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// region begins or ends a user region.
func (l *loader) region(e *xtrace.Event) {
	r, ok := ask(&l.guard, e.Region)
	if !ok {
		return
	}
	g := l.goroutine(e.Goroutine())
	g.leave(l.now) // it acts, so it runs
	stack := l.stacks.of(e.Stack())
	g.settle(l.now, stack)
	g.beginUnknown()
	if e.Kind() == xtrace.EventRegionBegin {
		g.beginRegion(r, stack)
	} else if g.endRegion(r) {
		g.settle(l.now, stack) // frames that had to end with the region go on outside it
	}
}

func (g *goroutine) beginRegion(r xtrace.Region, stack []trace.FuncID) {
	pkg := ""
	if n := len(stack); n > 0 {
		pkg = qualified.Package(g.l.b.FunctionName(stack[n-1]))
	}
	fn := g.l.fns.region(r.Type, pkg)
	ref := g.thread.Begin(g.l.now, fn)
	g.shown = append(g.shown, shown{fn, ref, true, r.Task})
}

// endRegion ends the innermost open region of r's type and task, and with it any other region
// within.
func (g *goroutine) endRegion(r xtrace.Region) bool {
	fn := g.l.fns.region(r.Type, "")
	for i := len(g.shown) - 1; i >= 0; i-- {
		if s := &g.shown[i]; s.region && s.fn == fn && s.task == r.Task {
			g.diagnoseOpen(i + 1)
			g.closeTo(i, g.l.now)
			return true
		}
	}
	g.l.b.Diagnose(trace.UnmatchedEnd, 1,
		"goroutine %s: end of region %s at %d ns closes nothing", g.id, r.Type, g.l.now-g.l.born)
	return false
}

// abandon closes the regions that are open when their goroutine ends.
func (g *goroutine) abandon(at int64) {
	g.diagnoseOpen(0)
	g.closeTo(0, at)
}

// diagnoseOpen marks the shown regions from the i-th call on as having no end of their own.
func (g *goroutine) diagnoseOpen(i int) {
	for _, s := range g.shown[i:] {
		if s.region {
			g.thread.Flag(s.ref, trace.Unclosed)
			g.l.b.Diagnose(trace.UnmatchedBegin, 1,
				"goroutine %s: region %s has no end", g.id, g.l.b.FunctionName(s.fn))
		}
	}
}
