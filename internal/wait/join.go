package wait

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// How says what became of a wait.
type How uint8

const (
	// Passed: it ended, and nothing released it meanwhile. There was nothing to wait for, or what
	// ended it was not recorded.
	Passed How = iota
	// Released: a release of an object it waited for ended it.
	Released
	// Stated: the recording itself says what ended it.
	Stated
	// Joined: it joined a thread whose end ended it.
	Joined
	// Unreleased: the end of the recording found it waiting.
	Unreleased
)

func (h How) String() string {
	return [...]string{"passed", "released", "stated", "joined", "unreleased"}[h]
}

var nobody = trace.CallRef{Thread: -1, Call: -1}

// joinedAtOnce is the number of waits between two looks at the context.
const joinedAtOnce = 1 << 12

// join counts the correspondences of each wait and finds the release that ended it.
func (a *Analysis) join(ctx context.Context, m *progress.Meter) error {
	n := a.Waits.Len()
	chunks := (n + joinedAtOnce - 1) / joinedAtOnce
	err := spread(ctx, chunks, func(c int) error {
		from, to := c*joinedAtOnce, min(n, (c+1)*joinedAtOnce)
		for w := from; w < to; w++ {
			a.joinWait(w)
		}
		return m.Add(ctx, int64(to-from))
	})
	if err != nil {
		return err
	}
	for _, n := range a.Waits.Count {
		a.Correspondences += uint64(n)
	}
	a.adoptStated()
	a.adoptJoins()
	a.settle()
	return ctx.Err()
}

// joinWait counts the releases on other threads that share an object with wait w and lie in it, and
// makes the last of them the one that ended it. What it was on is the first of its objects that was
// released: a wait for a condition is for that, though what is let go of last is the mutex.
func (a *Analysis) joinWait(w int) {
	ws, r, p := &a.Waits, &a.Releases, &a.byObject
	t, start, end, objects := ws.Thread[w], ws.Start[w], ws.End[w], ws.Objects[w]
	own, last := r.any(t, start, end), int32(-1)
	for k, o := range objects {
		if !first(objects, k) {
			continue
		}
		from, to := p.within(o, start, end)
		if from == to {
			continue
		}
		count := to - from
		if own {
			lo, hi := p.on(r, o, t, start, end)
			count -= hi - lo
		}
		if k > 0 && p.several[o] {
			count -= a.counted(w, k, from, to)
		}
		ws.Count[w] += uint32(count)
		release, ok := p.last(r, from, to, t)
		switch {
		case !ok:
		case last < 0:
			last, ws.On[w] = release, o
		case r.later(release, last):
			last = release
		}
	}
	if last >= 0 {
		ws.How[w], ws.By[w], ws.At[w] = Released, r.Ref(int(last)), r.At[last]
	}
}

// any reports whether thread t releases anything in [start, end].
func (r *Releases) any(t int32, start, end int64) bool {
	at := r.At[r.first[t]:r.first[t+1]]
	i := rank(at, start)
	return i < len(at) && at[i] <= end
}

// counted returns how many entries [from, to) of the k-th object of w were counted with an object
// before it.
func (a *Analysis) counted(w, k, from, to int) int {
	n := 0
	for _, r := range a.byObject.release[from:to] {
		if a.Releases.Thread[r] != a.Waits.Thread[w] &&
			shares(a.Waits.Objects[w][:k], a.Releases.Objects[r]) {
			n++
		}
	}
	return n
}

func shares(x, y []trace.ObjectID) bool {
	return slices.ContainsFunc(x, func(o trace.ObjectID) bool { return slices.Contains(y, o) })
}

// later orders releases by time, then thread and pre-order.
func (r *Releases) later(x, y int32) bool { return r.compare(x, y) > 0 }

func (r *Releases) compare(x, y int32) int {
	return cmp.Or(cmp.Compare(r.At[x], r.At[y]), cmp.Compare(x, y))
}

// adoptStated takes over what the recording states.
func (a *Analysis) adoptStated() {
	list := a.Trace.Correspondences
	a.Stated = uint64(len(list))
	a.stated = make([]int32, len(list))
	for i := range a.stated {
		a.stated[i] = int32(i)
	}
	slices.SortStableFunc(a.stated, func(x, y int32) int {
		return byCall(list[x].Wait, list[y].Wait)
	})
	ws := &a.Waits
	for _, i := range a.stated { // by time: the last one stays
		c := &list[i]
		w := ws.Find(c.Wait)
		if w < 0 {
			a.Correspondences++
			continue
		}
		if !a.derived(w, c.Release) {
			ws.Count[w]++
			a.Correspondences++
		}
		ws.How[w], ws.By[w], ws.At[w], ws.On[w] = Stated, c.Release, c.At, c.Object
	}
}

func byCall(x, y trace.CallRef) int {
	return cmp.Or(cmp.Compare(x.Thread, y.Thread), cmp.Compare(x.Call, y.Call))
}

// derived reports whether a call corresponds with wait w by the objects they share.
func (a *Analysis) derived(w int, c trace.CallRef) bool {
	r := a.Releases.Find(c)
	return r >= 0 && a.Releases.Thread[r] != a.Waits.Thread[w] &&
		a.Waits.Start[w] <= a.Releases.At[r] && a.Releases.At[r] <= a.Waits.End[w] &&
		shares(a.Waits.Objects[w], a.Releases.Objects[r])
}

// settle says which waits never ended, and gives waits that only call others that wait, such as a
// lock's wrapper, what ended those.
func (a *Analysis) settle() {
	ws := &a.Waits
	for w := range ws.Len() {
		if a.neverEnds(w) {
			ws.How[w], ws.By[w], ws.At[w], ws.On[w] = Unreleased, nobody, 0, trace.NoObject
			a.Unreleased = append(a.Unreleased, int32(w))
		}
		outer := ws.Outer[w]
		bare := ws.Count[outer] == 0 && ws.How[outer] != Unreleased
		if bare && !ws.Outermost(w) && ws.By[w] != nobody && ws.At[w] >= ws.At[outer] {
			ws.How[outer], ws.By[outer] = ws.How[w], ws.By[w]
			ws.At[outer], ws.On[outer] = ws.At[w], ws.On[w]
		}
	}
}

// neverEnds reports whether a wait has no recorded end and lasts until its thread's end.
func (a *Analysis) neverEnds(w int) bool {
	ws := &a.Waits
	t := ws.Thread[w]
	unclosed := a.Trace.Threads[t].Flags(int(ws.Call[w]))&trace.Unclosed != 0
	return unclosed && ws.End[w] == a.Threads[t].EndNs
}
