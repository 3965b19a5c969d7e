package stacks

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
)

// A sample shows the stack of a thread at one moment. Between two samples nothing is known, so a
// stack is taken to hold from its sample to the next one of its thread, and a frame is one call
// over all consecutive samples that agree on it and on all its callers:
//
//	sample at    0        1        2        3
//	shows        main a   main a   main b   main b a
//	calls        main from 0 on; a from 0 to 2; b from 2 on, and another a in it from 3 on
//
// So a call begins with the first sample that shows it. Two calls of one function in a row look
// like one, and a call that no sample meets is not seen at all: the number of calls says little,
// while the time that a function is shown is close to what it took if it has many samples. All
// threads that are made here are marked as sampled (trace.Thread.Sampled).
//
// A sampler that counts processor time takes no samples of a thread that waits. If the next sample
// is more than gapFactor times the usual interval later, the thread was elsewhere meanwhile: its
// calls end one usual interval after the last sample, and new ones begin at the next. The other
// way, to let calls go on, would claim that a thread ran what it ran last for as long as it slept.

// gapFactor is how many usual intervals without a sample end all calls. A sampler that is driven by
// events or by a clock that is busy misses its moment by up to a few intervals.
const gapFactor = 4

// Timeline is the samples of all threads of a recording, in time.
type Timeline struct {
	*Tree
	// Interval is the usual time between two samples of a thread that runs, ns. If it is 0, it is
	// the median of the times between all samples.
	Interval int64
	// Whole says that a stack holds until the next sample of its thread however late that comes:
	// the recording has samples for the time in which a thread is idle, too, or states how long
	// each sample lasts.
	Whole bool
	// Aside says that the samples lie beside a trace's events, which alone say how far it extends
	// while threads are idle.
	Aside bool
	// Weights are for how long samples hold. A loader that leaves out samples adds them itself;
	// else they are those between all samples.
	Weights Weights

	b       *trace.Builder
	threads []*Thread
}

// NewTimeline returns an empty timeline. It takes as much memory as the Builder may, see
// trace.Builder.Weigh.
func NewTimeline(b *trace.Builder) *Timeline { return &Timeline{Tree: NewTree(), b: b} }

// Thread is the samples of one thread.
type Thread struct {
	line     *Timeline
	to       *trace.ThreadBuilder
	samples  []sample
	disorder uint64 // samples that are earlier than the one before
}

type sample struct {
	at   int64
	node Node
	// shared is the depth of what the stack has in common with the one that is open before, once
	// that was found, and the mark holds.
	shared uint32
}

// holds marks a sample that holds until the next one, however late that comes.
const holds = 1 << 31

// Thread adds a thread, whose calls are all made from samples.
func (l *Timeline) Thread(to *trace.ThreadBuilder) *Thread {
	to.SetSampled()
	t := &Thread{line: l, to: to}
	l.threads = append(l.threads, t)
	return t
}

// NameBeside names a thread of samples that lies beside the one whose stacks they are, by the id
// and the name of that one: "main JavaScript" beside "main".
func NameBeside(to *trace.ThreadBuilder, id, name, what string) {
	role, numbered := trace.DeriveRole(id, name, 0)
	to.SetName(name + " " + what)
	to.SetRole(strings.TrimSpace(role+" "+what), numbered)
}

// Sample adds a sample taken at a time, ns. The Root as the stack says that the thread runs nothing
// from then on: it is idle, or the recording of it ends.
func (t *Thread) Sample(at int64, stack Node) { t.add(sample{at: at, node: stack}) }

// Hold adds a sample that is known to hold until the next one, such as of a thread that has no
// processor.
func (t *Thread) Hold(at int64, stack Node) { t.add(sample{at, stack, holds}) }

func (t *Thread) add(s sample) {
	at := s.at
	if at > trace.Limit || at < -trace.Limit {
		t.line.b.Diagnose(trace.BadRecord, 1, "thread %s: a sample at %d ns", t.to.ID(), at)
		return
	}
	if n := len(t.samples); n > 0 && at < t.samples[n-1].at {
		t.disorder++
	}
	t.samples = append(t.samples, s)
}

// Grow makes room for n more samples, which have been read.
func (t *Thread) Grow(n int) { t.samples = slices.Grow(t.samples, n) }

// Len returns the number of samples.
func (t *Thread) Len() int { return len(t.samples) }

// Write makes calls of the samples. It frees them on the way.
func (l *Timeline) Write(ctx context.Context) error {
	for _, t := range l.threads {
		if t.disorder > 0 {
			l.b.Diagnose(trace.Reordered, t.disorder, "thread %s: %s out of order", t.to.ID(),
				plural.Of(t.disorder, "sample"))
			slices.SortStableFunc(t.samples, func(x, y sample) int { return cmp.Compare(x.at, y.at) })
		}
	}
	if l.Interval <= 0 {
		l.Interval = l.usual()
	}
	l.Interval = min(l.Interval, trace.Limit)
	if l.Weights == (Weights{}) {
		l.Weights.addAll(l)
	}
	l.Weights.tell(l.b)
	for _, t := range l.threads {
		t.to.Holds(cap(t.samples) * sampleBytes)
	}
	if err := l.expect(ctx); err != nil {
		return err
	}
	for _, t := range l.threads {
		if err := l.write(ctx, t); err != nil {
			return err
		}
		t.to.Holds(-cap(t.samples) * sampleBytes)
		t.samples = nil
	}
	return nil
}

// mostIntervals is how many intervals decide which is usual.
const mostIntervals = 1 << 16

// usual returns the median of the times between samples of running threads, 0 if there is none.
// Where there are very many, an even choice of them decides.
func (l *Timeline) usual() int64 {
	n := 0
	for _, t := range l.threads {
		n += len(t.samples)
	}
	step := n/mostIntervals + 1
	var all []int64
	k := 0
	for _, t := range l.threads {
		for i := 1; i < len(t.samples); i++ {
			from, to := t.samples[i-1], t.samples[i]
			if from.node == Root || from.shared&holds != 0 || from.at == to.at {
				continue
			}
			if k++; k%step == 0 {
				all = append(all, to.at-from.at)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

const (
	// checkEvery is how many calls are found, or samples seen, before the context is asked again.
	checkEvery = 1 << 12
	// mostUnasked is how many calls are found before it is asked whether there is memory for them.
	// To count so many takes a second or two; if there are fewer, an error says how much memory
	// all of them take.
	mostUnasked = 1 << 28
)

// expect counts the calls of all threads, and asks whether there is memory for them.
func (l *Timeline) expect(ctx context.Context) error {
	unasked := 0
	for _, t := range l.threads {
		calls, levels := 0, 0
		tell := func() error {
			t.to.Expect(calls, levels)
			unasked += calls
			if calls = 0; unasked > mostUnasked {
				unasked = 0
				return cmp.Or(ctx.Err(), l.b.AffordExpected())
			}
			return ctx.Err()
		}
		err := l.changes(t, false, func(c change) error {
			calls, levels = calls+c.begins, max(levels, l.Depth(c.stack))
			if calls > checkEvery {
				return tell()
			}
			return nil
		}, tell)
		if err := cmp.Or(err, tell()); err != nil {
			return err
		}
	}
	return l.b.AffordExpected()
}

// write makes the calls of one thread, of which it is known how many they are.
func (l *Timeline) write(ctx context.Context, t *Thread) error {
	check := func() error { return cmp.Or(ctx.Err(), l.b.Refused()) }
	path, calls := make([]trace.FuncID, 0, 64), 0
	return l.changes(t, true, func(c change) error {
		path = l.pathTo(path, c.stack, c.begins)
		t.to.Turn(c.at, c.ends, path)
		if calls += c.begins; calls > checkEvery {
			calls = 0
			return check()
		}
		return nil
	}, check)
}

// change is where a thread shows another stack than before: how many calls end, and how many begin.
type change struct {
	at           int64
	stack        Node
	ends, begins int
}

// changes calls yield for each change of a thread's stack, and check from time to time, until
// either returns an error. Known says that it is not the first time.
func (l *Timeline) changes(t *Thread, known bool, yield func(change) error, check func() error) error {
	open, depth, last := Root, 0, len(t.samples)-1
	for i := range t.samples {
		s := &t.samples[i]
		if i%checkEvery == 0 {
			if err := check(); err != nil {
				return err
			}
		}
		if s.node != open {
			if !known {
				s.shared |= uint32(l.Depth(l.common(open, s.node)))
			}
			shared, was := int(s.shared&^holds), depth
			open, depth = s.node, l.Depth(s.node)
			if err := yield(change{s.at, open, was - shared, depth - shared}); err != nil {
				return err
			}
		}
		if open != Root && (i == last || s.shared&holds == 0 && l.Late(t.samples[i+1].at-s.at)) {
			end := min(s.at+l.Interval, trace.Limit)
			if err := yield(change{end, Root, depth, 0}); err != nil {
				return err
			}
			open, depth = Root, 0
		}
		if s.node == Root && !l.Aside {
			l.b.Observe(s.at)
		}
	}
	return nil
}

// Late reports whether a sample that is so much later than the one before it leaves a gap, in which
// calls end. Until the usual interval is known, none does.
func (l *Timeline) Late(ns int64) bool {
	return !l.Whole && l.Interval > 0 && ns/gapFactor > l.Interval
}

// pathTo returns the n innermost functions of a stack, outermost first. It uses path again.
func (l *Timeline) pathTo(path []trace.FuncID, stack Node, n int) []trace.FuncID {
	path = slices.Grow(path[:0], n)[:n]
	for ; n > 0; n-- {
		path[n-1] = l.Function(stack)
		stack = l.Caller(stack)
	}
	return path
}
