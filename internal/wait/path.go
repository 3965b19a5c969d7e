package wait

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Segment is a stretch of the critical path on one thread.
type Segment struct {
	Thread   int32
	From, To int64 // ns
	Wait     int   // the wait whose release it begins at, or −1
	Release  int32 // the call that released the next segment, or −1
	WaitNs   int64 // time of it in which the thread waited for nobody that is known
	Part     int32 // the link to or from a part that it begins at, or −1
}

// Path is the critical path: the stretches of threads that the trace's duration depends on.
type Path struct {
	Segments []Segment // in order of time, each beginning where the one before ends
	Ns       int64     // their time
	WaitNs   int64     // of which spent in waits that nothing on the path explains
}

// Span returns when the path begins and ends, in ns. It begins later than the trace where nothing
// is known to have led to its first stretch, and ends earlier where asynchronous spans go on.
func (p *Path) Span() (from, to int64) {
	if len(p.Segments) == 0 {
		return 0, 0
	}
	return p.Segments[0].From, p.Segments[len(p.Segments)-1].To
}

// CriticalPath walks back from the last end in the trace. On each thread it goes back to the last
// wait that another thread ended, and continues on that other thread at the moment of the release.
// At a thread's first call it continues on the thread that started it, at that of a further lane
// on the thread itself. A release from outside the program, such as a timer's, does not move the
// path to another thread; nor does one by a thread that does not count. A language's runtime wakes
// threads for the program's sake, and its own threads mostly wait for work: a path that went on
// there would stay for good.
//
//	main    ──────┐wait       ┌──────    the path: main from 30 back to 20, worker from 20 back to
//	worker        └─────release          its start, then main from there on
//
// If several threads end last, the path begins at the first of them that is not still waiting.
// Lanes of asynchronous spans are not threads. Where calls have parts on other threads, the path
// goes through these, too; see parts.go. Cost is linear in the waits and, if functions that
// start threads occur, in the calls up to the start of the last thread.
func (a *Analysis) CriticalPath(ctx context.Context) (*Path, error) {
	starts, err := a.findStarts(ctx)
	if err != nil {
		return nil, err
	}
	p, parts := &Path{}, a.findHops()
	begun := make([]bool, len(a.Trace.Threads)) // the path reached the thread's first call
	s := Segment{Thread: a.lastThread(), Release: -1, Part: -1}
	if s.Thread >= 0 {
		s.To = a.Threads[s.Thread].EndNs
	}
	for s.Thread >= 0 && ctx.Err() == nil {
		h := parts.last(s.Thread, s.To)
		next := h.to
		s.Wait, s.WaitNs = a.backTo(s.Thread, s.To, h.at)
		if s.Wait >= 0 {
			next, s.From = a.Waits.By[s.Wait], a.Waits.At[s.Wait]
		} else if next != nobody {
			s.From, s.Part = h.at, parts.take(s.Thread)
		} else if s.From = min(s.To, a.Threads[s.Thread].StartNs); !begun[s.Thread] {
			begun[s.Thread] = true
			next.Thread = a.starter(starts, p.Segments, &s)
		}
		p.Segments = append(p.Segments, s)
		p.Ns += s.To - s.From
		p.WaitNs += s.WaitNs
		s = Segment{Thread: next.Thread, To: s.From, Release: next.Call, Part: -1}
	}
	slices.Reverse(p.Segments)
	return p, ctx.Err()
}

// starter returns the thread that started the one of a segment, or −1. If no call tells, it is a
// thread of the path so far that existed before: the thread that starts another often waits for it
// later.
func (a *Analysis) starter(known starts, path []Segment, s *Segment) int32 {
	if t := a.mainLane(s.Thread); t >= 0 && a.Threads[t].StartNs < s.From {
		return t
	}
	if t := known.creator(a, s.Thread); t >= 0 {
		return t
	}
	for _, later := range slices.Backward(path) {
		if later.Thread != s.Thread && a.Threads[later.Thread].StartNs < s.From {
			return later.Thread
		}
	}
	return -1
}

// mainLane returns the thread that another one is a further lane of, or −1. Lanes of spans that
// have parts are requests of their own.
func (a *Analysis) mainLane(t int32) int32 {
	lane := a.Trace.Threads[t]
	id, numbered := strings.CutSuffix(lane.ID, "."+strconv.Itoa(lane.Lane+1))
	if lane.Lane == 0 || !numbered || a.HasParts() {
		return -1
	}
	return int32(slices.IndexFunc(a.Trace.Threads, func(th *trace.Thread) bool {
		return th.ID == id && th.Lane == 0
	}))
}

// lastThread returns the thread the path ends on, or −1.
func (a *Analysis) lastThread() int32 {
	best, stuck := int32(-1), false
	for t, th := range a.Trace.Threads {
		if th.Len() == 0 || !th.Runs() || !a.Counts(t) {
			continue
		}
		waits := a.Threads[t].Unreleased > 0
		d := 0
		if best >= 0 {
			d = cmp.Compare(a.Threads[t].EndNs, a.Threads[best].EndNs)
		}
		if best < 0 || d > 0 || d == 0 && stuck && !waits {
			best, stuck = int32(t), waits
		}
	}
	return best
}

// backTo returns the last wait of a thread that another thread ended before ns and not before
// least, or −1, and how long the thread spent after that in waits that no other thread ended.
func (a *Analysis) backTo(t int32, ns, least int64) (wait int, waited int64) {
	ws := &a.Waits
	from, to := ws.OnThread(int(t))
	for w := from + rank(ws.Start[from:to], ns) - 1; w >= from; w-- {
		if !ws.Outermost(w) {
			continue
		}
		by, at := ws.By[w], ws.At[w]
		if by != nobody && by.Thread != t && a.Counts(int(by.Thread)) && at < ns && at <= ws.End[w] &&
			at >= least && !a.outside(w) {
			return w, waited
		}
		if ws.End[w] <= least {
			break
		}
		waited += min(ns, ws.End[w]) - max(ws.Start[w], least)
	}
	return -1, waited
}

// starts are the calls that start threads, by time.
type starts []start

type start struct {
	at     int64
	thread int32
	forks  bool // it starts a process
}

// creators are the beginnings of names of functions that start a thread, in lower case.
var creators = []string{"pthread_create", "thrd_create", "createthread", "_beginthread",
	"std::thread::thread", "std::jthread::jthread", "std::thread::_m_start_thread",
	"java.lang.thread.start"}

// forks start a process, and its first thread.
var forks = []string{"fork", "vfork", "__fork", "posix_spawn", "posix_spawnp"}

// findStarts finds the calls that start threads.
func (a *Analysis) findStarts(ctx context.Context) (starts, error) {
	is, isFork := make([]bool, len(a.Trace.Functions)), make([]bool, len(a.Trace.Functions))
	some := false
	for f := range is {
		name, _, _ := strings.Cut(strings.ToLower(a.Trace.Functions[f].Name), "@")
		isFork[f] = slices.Contains(forks, name)
		is[f] = isFork[f] || slices.ContainsFunc(creators, func(c string) bool {
			return strings.HasPrefix(name, c)
		})
		some = some || is[f]
	}
	if !some {
		return nil, ctx.Err()
	}
	last := int64(0) // when a thread starts: later calls started none
	for t := range a.Threads {
		last = max(last, a.Threads[t].StartNs)
	}
	found := make([]starts, len(a.Trace.Threads))
	err := progress.Spread(ctx, len(found), func(t int) error {
		th := a.Trace.Threads[t]
		for i, f := range th.Fn[:th.FirstFrom(last+1, 0, th.Len())] {
			if is[f] {
				found[t] = append(found[t], start{th.Start(i), int32(t), isFork[f]})
			}
		}
		return nil
	})
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(x, y start) int { return cmp.Compare(x.at, y.at) })
	return all, err
}

// creator returns which thread most likely started thread t: that of the last call that starts
// threads before t's first; or −1. A fork starts the first thread of another process.
func (s starts) creator(a *Analysis, t int32) int32 {
	n, _ := slices.BinarySearchFunc(s, a.Threads[t].StartNs+1, func(x start, at int64) int {
		return cmp.Compare(x.at, at)
	})
	for _, by := range slices.Backward(s[:n]) {
		if by.thread != t && by.forks != a.sameProcess(by.thread, t) && a.begets(by, t) {
			return by.thread
		}
	}
	return -1
}

// begets reports whether a start can be that of thread t as far as processes tell: a forked process
// is a child of the one that forked it, where the recording knows.
func (a *Analysis) begets(by start, t int32) bool {
	own, child := a.Trace.Threads[by.thread].Process, a.Trace.Threads[t].Process
	if !by.forks || own < 0 || child < 0 {
		return !by.forks
	}
	parent := a.Trace.Processes[child].Parent
	return parent == "" || parent == a.Trace.Processes[own].ID
}

// Link is one step of a wait-for chain.
type Link struct {
	Wait     int   // index in Waits
	From, To int64 // the time in which it held up the link before it, ns
}

// Chain says why a wait took as long as it did. Its first link is the wait itself, until its
// release. The second is the wait that the releasing thread spent most of that time in, the later
// one if two are equal; the third what that one waited for, and so on. The chain ends at a thread
// that did not wait in that time, before a wait would come twice, or with that many links:
// thousands of threads can queue for one mutex. Cost is linear in the waits of the releasing
// threads in that time, and square in the links.
func (a *Analysis) Chain(w, most int) []Link {
	ws := &a.Waits
	link := Link{w, ws.Start[w], ws.End[w]}
	var chain []Link
	for {
		if ws.By[link.Wait] != nobody {
			link.To = min(link.To, max(link.From, ws.At[link.Wait]))
		}
		chain = append(chain, link)
		if len(chain) == most || ws.By[link.Wait] == nobody || a.outside(link.Wait) {
			return chain
		}
		next, ok := a.longest(int(ws.By[link.Wait].Thread), link.From, link.To)
		if !ok || slices.ContainsFunc(chain, func(l Link) bool { return l.Wait == next.Wait }) {
			return chain
		}
		link = next
	}
}

// longest returns the outermost wait of a thread that takes most of [from, to].
func (a *Analysis) longest(thread int, from, to int64) (Link, bool) {
	best, found := Link{}, false
	for w := range a.WaitsIn(thread, from, to) {
		if !a.Waits.Outermost(w) {
			continue
		}
		l := Link{w, max(from, a.Waits.Start[w]), min(to, a.Waits.End[w])}
		if l.To > l.From && l.To-l.From >= best.To-best.From {
			best, found = l, true
		}
	}
	return best, found
}

// outside reports whether wait w was ended from outside the program, for example by a timer or the
// network. Such a release is a root call of no length.
func (a *Analysis) outside(w int) bool {
	by := a.Waits.By[w]
	if by.Call < 0 {
		return false
	}
	th := a.Trace.Threads[by.Thread]
	return th.Parent(int(by.Call)) < 0 && th.Dur(int(by.Call)) == 0
}
