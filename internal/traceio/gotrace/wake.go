package gotrace

import (
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// A goroutine that waits is made runnable by another, whose event it is: that moment is a
// zero-length call there and the release of the wait. Timers, the network poller and returns from
// system calls make goroutines runnable without one; their releases are on a thread named runtime,
// so that every wait has its release.

// wake ends the wait of g.
func (l *loader) wake(e *xtrace.Event, g *goroutine) {
	a := l.actor(e.Goroutine())
	if a != l.runtime {
		a.settle(l.now, l.stacks.of(e.Stack()))
		a.beginUnknown()
	}
	ref := a.thread.Begin(l.now, l.fns.named("unblock", trace.Event))
	a.thread.End(l.now)
	a.thread.Block(ref, trace.Release)
	if g.idle && g.state.kind == xtrace.GoWaiting {
		g.state.released, g.state.release = true, ref
	}
	g.enter(xtrace.GoRunnable, "", l.now)
}

// actor returns the goroutine that acts, or the runtime where there is none or it does not run.
func (l *loader) actor(id xtrace.GoID) *goroutine {
	if id != xtrace.NoGoroutine {
		if g := l.goroutine(id); !g.idle {
			return g
		}
	}
	if l.runtime == nil {
		l.runtime = &goroutine{l: l, begun: true, thread: l.b.Thread("runtime", -1)}
		l.runtime.thread.SetKind(trace.Runtime)
	}
	return l.runtime
}
