package wait

import (
	"cmp"
	"context"
	"slices"
)

// Segment is a stretch of the critical path on one thread.
type Segment struct {
	Thread   int32
	From, To int64 // ns
	Wait     int   // the wait whose release it begins at, or −1
	Release  int32 // the call that released the next segment, or −1
	WaitNs   int64 // time of it in which the thread waited for nobody that is known
}

// Path is the critical path: what the trace's duration hung on.
type Path struct {
	Segments []Segment // in order of time, each beginning where the one before ends
	Ns       int64     // their time
	WaitNs   int64     // of which spent in waits that nothing on the path explains
}

// CriticalPath walks back from the last end in the trace. On a thread it goes back to the last wait
// that something ended, and from there on along the releasing thread, at the moment of the release;
// at a thread's first call along the thread that started it. A release from outside the program,
// such as a timer's, leaves the path where it is.
//
// Of several threads that end last the first counts that was not left waiting. Lanes of spans are
// no threads. Cost is linear in the waits, and in the calls where functions start threads.
func (a *Analysis) CriticalPath(ctx context.Context) (*Path, error) {
	starts, err := a.findStarts(ctx)
	if err != nil {
		return nil, err
	}
	p := &Path{}
	begun := make([]bool, len(a.Trace.Threads)) // the path reached the thread's first call
	s := Segment{Thread: a.lastThread(), Release: -1}
	if s.Thread >= 0 {
		s.To = a.Threads[s.Thread].EndNs
	}
	for s.Thread >= 0 && ctx.Err() == nil {
		next := nobody
		s.Wait, s.WaitNs = a.backTo(s.Thread, s.To)
		if s.Wait >= 0 {
			next, s.From = a.Waits.By[s.Wait], a.Waits.At[s.Wait]
		} else if s.From = min(s.To, a.Threads[s.Thread].StartNs); !begun[s.Thread] {
			begun[s.Thread] = true
			next.Thread = a.starter(starts, p.Segments, &s)
		}
		p.Segments = append(p.Segments, s)
		p.Ns += s.To - s.From
		p.WaitNs += s.WaitNs
		s = Segment{Thread: next.Thread, To: s.From, Release: next.Call}
	}
	slices.Reverse(p.Segments)
	return p, ctx.Err()
}

// starter returns the thread that started the one of a segment, or −1: as a call tells; else the
// one on the path so far that was there already, for who starts a thread often waits for it.
func (a *Analysis) starter(known starts, path []Segment, s *Segment) int32 {
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

// lastThread returns the thread the path ends on, or −1.
func (a *Analysis) lastThread() int32 {
	best, stuck := int32(-1), false
	for t, th := range a.Trace.Threads {
		if th.Len() == 0 || !th.Runs() {
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

// backTo returns the last wait of a thread that something on another thread ended before ns, or −1,
// and how long the thread waited after that without.
func (a *Analysis) backTo(t int32, ns int64) (wait int, waited int64) {
	ws := &a.Waits
	from, to := ws.OnThread(int(t))
	for w := from + rank(ws.Start[from:to], ns) - 1; w >= from; w-- {
		if !ws.Outermost(w) {
			continue
		}
		by, at := ws.By[w], ws.At[w]
		if by != nobody && by.Thread != t && at < ns && at <= ws.End[w] && !a.outside(w) {
			return w, waited
		}
		waited += min(ns, ws.End[w]) - ws.Start[w]
	}
	return -1, waited
}
