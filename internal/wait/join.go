package wait

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Joining waits with releases takes three steps. joinWait counts the correspondences of a wait that
// follow from objects, and takes the last of them as the one that ended it. Two binary searches in
// the list of an object's releases (postings) answer how many lie within the wait; those of the
// waiting thread itself are taken off. adoptStated then lets what the recording states prevail, and
// adoptJoins and settleEndings deal with waits that have no release.
//
//	wait of t on m, [10, 40]      m is released at 5 (u)  12 (t)  20 (u)  33 (v)  50 (u)
//	3 of them in [10, 40], 1 by t itself: 2 correspondences; v's at 33 ended the wait

// How says what became of a wait.
type How uint8

const (
	// Passed: it ended, and no release is known. There was nothing to wait for, or what ended it
	// was not recorded.
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
	err := progress.Spread(ctx, chunks, func(c int) error {
		from, to := c*joinedAtOnce, min(n, (c+1)*joinedAtOnce)
		for w := from; w < to; w++ {
			a.joinWait(w)
		}
		return m.Add(ctx, int64(to-from))
	})
	if err != nil {
		return err
	}
	for w, n := range a.Waits.Count {
		if a.Counts(int(a.Waits.Thread[w])) {
			a.Correspondences += uint64(n)
		}
	}
	a.adoptStated()
	a.adoptJoins()
	a.settleEndings()
	return ctx.Err()
}

// joinWait counts the releases on other threads that share an object with wait w and lie within it,
// and notes that the last of them ended it. It also notes what the wait was on: the first of its
// objects that was released. A wait for a condition has two objects, the condition and its mutex;
// it is on the condition, although the mutex is released last.
func (a *Analysis) joinWait(w int) {
	ws, r, p := &a.Waits, &a.Releases, &a.byObject
	t, start, end, objects := ws.Thread[w], ws.Start[w], ws.End[w], a.ObjectsOf(w)
	own, last := r.someIn(t, start, end), int32(-1)
	for k, o := range objects {
		if !isFirst(objects, k) {
			continue
		}
		from, to := p.within(o, start, end)
		if from == to {
			continue
		}
		count := to - from
		if own {
			lo, hi := p.ofThread(r, o, t, start, end)
			count -= hi - lo
		}
		if k > 0 && p.several[o] {
			count -= a.counted(w, k, from, to)
		}
		ws.Count[w] += uint32(count)
		release, ok := p.lastOfOther(r, from, to, t)
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

// someIn reports whether thread t releases anything in [start, end].
func (r *Releases) someIn(t int32, start, end int64) bool {
	at := r.At[r.first[t]:r.first[t+1]]
	i := rank(at, start)
	return i < len(at) && at[i] <= end
}

// counted returns how many of the entries [from, to) of w's k-th object share an earlier object
// with w too, and so have been counted.
func (a *Analysis) counted(w, k, from, to int) int {
	n := 0
	for _, r := range a.byObject.release[from:to] {
		if a.Releases.Thread[r] != a.Waits.Thread[w] &&
			shares(a.ObjectsOf(w)[:k], a.Releases.objects.of(int(r))) {
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
		w := ws.Stated(c)
		more := uint64(1)
		if w >= 0 && a.derived(w, c.Release) {
			more = 0
		}
		if a.Counts(int(c.Wait.Thread)) {
			a.Stated++
			a.Correspondences += more
		}
		if w < 0 {
			continue
		}
		ws.Count[w] += uint32(more)
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
		shares(a.ObjectsOf(w), a.Releases.objects.of(r))
}

// settleEndings marks waits that never ended. A wait without a release that calls another wait, as
// a wrapper of a lock does, was ended by what ended the inner one.
func (a *Analysis) settleEndings() {
	ws := &a.Waits
	for w := range ws.Len() {
		if ws.unclosed[w] && ws.End[w] == a.Threads[ws.Thread[w]].EndNs { // it never ended
			ws.How[w], ws.By[w], ws.At[w], ws.On[w] = Unreleased, nobody, 0, trace.NoObject
			if a.Counts(int(ws.Thread[w])) {
				a.Unreleased = append(a.Unreleased, int32(w))
			}
		}
		outer := ws.Outer[w]
		bare := ws.Count[outer] == 0 && ws.How[outer] != Unreleased
		if bare && !ws.Outermost(w) && ws.By[w] != nobody && ws.At[w] >= ws.At[outer] {
			ws.How[outer], ws.By[outer] = ws.How[w], ws.By[w]
			ws.At[outer], ws.On[outer] = ws.At[w], ws.On[w]
		}
	}
}

// postings list the releases of each object twice: by time, to find those within a wait, and by
// thread, then time, to find those of the waiting thread itself. A release of several objects has
// an entry for each.
type postings struct {
	from []int32 // by object, and one more: its entries are [from[o], from[o+1])

	// By time, then thread and pre-order.
	at      []int64
	release []int32
	before  []int32 // the last entry before it of another thread, or −1

	byThread []int32 // releases by thread, then pre-order, which is by time
	several  []bool  // by object: some release of it is of others too
}

// index lists the releases by object.
func (a *Analysis) index(ctx context.Context, _ *progress.Meter) error {
	r := &a.Releases
	p := &a.byObject
	objects := len(a.Trace.Objects)
	p.from, p.several = make([]int32, objects+1), make([]bool, objects)
	a.eachReleased(func(i int, o trace.ObjectID) {
		p.from[o+1]++
		p.several[o] = p.several[o] || len(r.objects.of(i)) > 1
	})
	for o := range objects {
		p.from[o+1] += p.from[o]
	}
	n := p.from[objects]
	p.at, p.release = make([]int64, n), make([]int32, n)
	p.before, p.byThread = make([]int32, n), make([]int32, n)
	next := slices.Clone(p.from)
	a.eachReleased(func(i int, o trace.ObjectID) {
		p.byThread[next[o]] = int32(i)
		next[o]++
	})
	return progress.Spread(ctx, (objects+sortedAtOnce-1)/sortedAtOnce, func(c int) error {
		for o := c * sortedAtOnce; o < min(objects, (c+1)*sortedAtOnce); o++ {
			p.sort(r, p.from[o], p.from[o+1])
		}
		return nil
	})
}

// sortedAtOnce is how many objects have their releases sorted between two looks at the context.
const sortedAtOnce = 64

// eachReleased calls do for every release and each object of it.
func (a *Analysis) eachReleased(do func(release int, o trace.ObjectID)) {
	r := &a.Releases
	for i := range r.Len() {
		objects := r.objects.of(i)
		for k, o := range objects {
			if isFirst(objects, k) {
				do(i, o)
			}
		}
	}
}

// isFirst reports whether objects[k] does not occur before k. A call operates on a set of objects,
// but a recording may name one of them twice.
func isFirst(objects []trace.ObjectID, k int) bool {
	return !slices.Contains(objects[:k], objects[k])
}

// sort puts an object's entries in order of time. They come by thread, and those of a thread are
// in order: runs that are merged, two by two.
func (p *postings) sort(r *Releases, from, to int32) {
	list := p.release[from:to]
	copy(list, p.byThread[from:to])
	mergeRuns(list, r.compare)
	for i := from; i < to; i++ {
		p.at[i] = r.At[p.release[i]]
		p.before[i] = -1
		if i > from {
			p.before[i] = i - 1
			if r.Thread[p.release[i-1]] == r.Thread[p.release[i]] {
				p.before[i] = p.before[i-1]
			}
		}
	}
}

// within returns the range of o's entries by time in [start, end].
func (p *postings) within(o trace.ObjectID, start, end int64) (from, to int) {
	lo, hi := int(p.from[o]), int(p.from[o+1])
	from = lo + rank(p.at[lo:hi], start)
	return from, from + rank(p.at[from:hi], end+1)
}

// lastOfOther returns the last release among the entries [from, to) by time that is not of thread
// t.
func (p *postings) lastOfOther(r *Releases, from, to int, t int32) (release int32, ok bool) {
	i := int32(to - 1)
	if r.Thread[p.release[i]] == t {
		i = p.before[i]
	}
	if i < int32(from) {
		return 0, false
	}
	return p.release[i], true
}

// ofThread returns the releases of o by thread t in [start, end], as a range of byThread.
func (p *postings) ofThread(r *Releases, o trace.ObjectID, t int32, start, end int64) (from, to int) {
	list := p.byThread[p.from[o]:p.from[o+1]]
	before := func(x int32, at int64) int { // order by thread, then time
		return cmp.Or(cmp.Compare(r.Thread[x], t), cmp.Compare(r.At[x], at))
	}
	from, _ = slices.BinarySearchFunc(list, start, before)
	to, _ = slices.BinarySearchFunc(list, end+1, before)
	return int(p.from[o]) + from, int(p.from[o]) + to
}
