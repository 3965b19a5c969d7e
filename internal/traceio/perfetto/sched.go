package perfetto

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// schedule gathers which threads had a processor when. Processors are recorded apart from each
// other, so calls are made once all is known.
type schedule struct {
	changes map[uint64][]change // by processor
	wakings []waking
	onCPU   map[uint64][]waking // by processor: those whose waker is who ran there
	names   map[int64]string    // that the scheduler has for threads
}

// change is a moment at which a processor goes from one thread to another. Thread 0 is the
// processor's idle one.
type change struct {
	at       int64
	from, to int64
	ready    bool // from could have gone on: it was pre-empted
	over     bool // from has ended
}

// waking is a moment at which a thread is made ready by another.
type waking struct {
	at        int64
	by, woken int64
}

// inferred stands for the thread that the change before brought to the processor.
const inferred = -1 << 40

func newSchedule() schedule {
	return schedule{changes: map[uint64][]change{}, onCPU: map[uint64][]waking{},
		names: map[int64]string{}}
}

func (s *schedule) change(cpu uint64, c change)   { s.changes[cpu] = append(s.changes[cpu], c) }
func (s *schedule) wake(w waking)                 { s.wakings = append(s.wakings, w) }
func (s *schedule) wakeFrom(cpu uint64, w waking) { s.onCPU[cpu] = append(s.onCPU[cpu], w) }

// name takes over the name that the kernel has for a thread by now, if it tells one.
func (s *schedule) name(tid int64, comm string) {
	if comm != "" && s.names[tid] != comm {
		s.names[tid] = comm
	}
}

// resolve finds the threads that are inferred, and orders everything by time. If the thread that
// leaves is not known, as in the first change of a processor, it is 0.
func (s *schedule) resolve() []change {
	var all []change
	for _, cpu := range slices.Sorted(maps.Keys(s.changes)) {
		here := s.changes[cpu]
		slices.SortStableFunc(here, func(a, b change) int { return cmp.Compare(a.at, b.at) })
		running := int64(0)
		for i := range here {
			if here[i].from == inferred {
				here[i].from = running
			}
			running = here[i].to
		}
		all = append(all, here...)
	}
	for _, cpu := range slices.Sorted(maps.Keys(s.onCPU)) {
		here := s.changes[cpu]
		for _, w := range s.onCPU[cpu] {
			w.by = 0
			if i := sort.Search(len(here), func(i int) bool { return here[i].at > w.at }); i > 0 {
				w.by = here[i-1].to
			} else if len(here) > 0 {
				w.by = here[0].from
			}
			s.wakings = append(s.wakings, w)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(s.wakings, func(a, b waking) int { return cmp.Compare(a.at, b.at) })
	return all
}

// absence is the time that a thread has no processor, so far.
type absence struct {
	since int64
	ready bool
	woken *waking // the last one
}

// reschedule makes a call of each time from when a thread leaves a processor to when it is back. If
// the thread gave the processor up, it waited, and the last waking ended the wait: the release is
// what the waker was calling then. A thread that does not come back is away to the last
// change of any processor, if anything else is known of it.
func (f *feed) reschedule() {
	changes := f.schedule.resolve()
	maps.Copy(f.kernelNames, f.schedule.names)
	wakings := f.schedule.wakings
	away := map[int64]*absence{}
	recorded := maps.Clone(f.threads)
	for _, c := range changes {
		for len(wakings) > 0 && wakings[0].at <= c.at {
			if a := away[wakings[0].woken]; a != nil {
				a.woken = &wakings[0]
			}
			wakings = wakings[1:]
		}
		if a := away[c.to]; a != nil {
			f.absent(c.to, a, c.at, recorded)
			delete(away, c.to)
		}
		if c.from != 0 && c.from != c.to && !c.over {
			away[c.from] = &absence{since: c.at, ready: c.ready}
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(away)) {
		until := changes[len(changes)-1].at
		if away[tid].since < until && f.threads[threadKey{f.processOf[tid], tid}] != nil {
			th, call := f.absent(tid, away[tid], until, recorded)
			if away[tid].woken == nil {
				th.Flag(call, trace.Unclosed)
			}
		}
	}
	f.schedule = newSchedule()
}

// absent makes a call of a thread's time without a processor. A waker that has no events of its
// own, and so is not among the recorded threads, shows nothing that could be the release.
func (f *feed) absent(
	tid int64, a *absence, until int64, recorded map[threadKey]*thread,
) (th *thread, call trace.Ref) {
	th = f.kernelThread(tid)
	call = th.Complete(a.since, until, f.b.Function(spans.Schedule(a.ready)))
	if a.ready {
		return th, call
	}
	th.Block(call, trace.Wait)
	w := a.woken
	if w == nil || w.by == 0 || w.by == tid {
		return th, call
	}
	if by := recorded[threadKey{f.processOf[w.by], w.by}]; by != nil {
		f.b.Flow(trace.Moment{Thread: by.ThreadBuilder, At: w.at}, trace.Moment{
			Thread: th.ThreadBuilder, At: until, Call: call})
	}
	return th, call
}

// kernelThread returns the thread that the kernel has a number for.
func (f *feed) kernelThread(tid int64) *thread {
	k := threadKey{f.processOf[tid], tid}
	before := len(f.threads)
	t := f.thread(k)
	t.unclaimed = t.unclaimed || k.process == 0 && len(f.threads) > before
	return t
}

// claim gives threads that only the kernel had events of to the processes that were told since.
func (f *feed) claim() {
	for _, k := range slices.SortedFunc(maps.Keys(f.threads), byNumber) {
		if f.threads[k].unclaimed && f.processOf[k.thread] != 0 {
			f.kernelThread(k.thread)
		}
	}
}
