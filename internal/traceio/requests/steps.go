package requests

import (
	"time"

	"diptych/internal/trace"
)

// Some recorders read the time from a clock that goes in steps, and measure only the rest of a span
// with a finer one. OpenTelemetry for JavaScript rounds each start down to a millisecond, and the
// end is the start and the exact duration; Jaeger rounds both to microseconds. So a span can seem
// to lie up to a step beyond its parent, or in the span before it:
//
//	recorded  parent [100, 110.4]   b [100, 105.7]   c [105, 110.8]
//	true      parent [100.5, 110.9]  b [100.6, 106.3]  c [106.3, 110.9], say
//
// If b and c went to different lanes for that, the lanes would depend on chance. So where all
// starts of a service are multiples of a step, what is less than that is no overlap; and a span
// that still does not fit is moved by less than a step, or cut where that does not do. Each such
// span is counted, and says in its arguments by how much.

// stepsOf returns the steps of the clocks by which spans were recorded.
func stepsOf(spans []Span) []int64 {
	steps, of := map[string]int64{}, make([]int64, len(spans))
	for i := range spans {
		id, step := spans[i].Resource.id(), stepIn(spans[i].Start)
		if known, ok := steps[id]; ok {
			step = min(step, known)
		}
		steps[id] = step
	}
	for i := range spans {
		of[i] = steps[spans[i].Resource.id()]
	}
	return of
}

// stepIn returns the largest step that a time is a multiple of.
func stepIn(ns int64) int64 {
	for _, step := range []time.Duration{time.Millisecond, time.Microsecond} {
		if ns%int64(step) == 0 {
			return int64(step)
		}
	}
	return 0
}

// settle moves the spans of a list, which follow each other between two times, so that they lie
// between them and none lies in another. Below are the spans that stay with them; they are settled
// in the same way.
func (l *layout) settle(list []int32) {
	type part struct {
		list     []int32
		from, to int64
	}
	const never = trace.Limit + int64(time.Hour)
	for parts := []part{{list, 0, never}}; len(parts) > 0; {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		for k, i := range p.list {
			x := &l.spans[i]
			start := max(x.Start, p.from)
			start = min(start+min(l.beyond(i), max(x.Start+l.step[i]-1-start, 0)), p.to)
			end := min(x.End+start-x.Start, p.to)
			if k+1 < len(p.list) {
				end = min(end, l.spans[p.list[k+1]].Start+max(l.step[i]-1, 0))
			}
			p.from = max(start, end)
			l.move(i, start, p.from)
			if len(l.below[i]) > 0 {
				parts = append(parts, part{l.below[i], start, p.from})
			}
		}
	}
}

// beyond returns by how much the spans that stay with span i would end after it, if it stood as
// recorded.
func (l *layout) beyond(i int32) int64 {
	list, end := l.below[i], l.spans[i].Start
	for k, j := range list {
		y := &l.spans[j]
		end = max(y.Start, end) + y.End - y.Start
		if k+1 < len(list) {
			end = min(end, l.spans[list[k+1]].Start+max(l.step[j]-1, 0))
		}
	}
	return max(end-l.spans[i].End, 0)
}

// moved is by how much a span was moved, and cut at its end, in ns.
type moved struct{ by, cut int64 }

// move gives a span other times, and notes that.
func (l *layout) move(i int32, start, end int64) {
	x := &l.spans[i]
	if start == x.Start && end == x.End {
		return
	}
	m := moved{start - x.Start, x.End + start - x.Start - end}
	l.moved[i] = m
	l.b.Diagnose(trace.ClockSteps, 1, "span %s, %s, was moved by %v and cut by %v", x.ID,
		l.name[i], trace.Length(m.by), trace.Length(m.cut))
	x.Start, x.End = start, end
}
