package match

import (
	"context"
	"slices"
	"sort"

	"diptych/internal/huge"
	"diptych/internal/trace"
)

// Repeats are the repetitions within one side. A repetition is a run of two or more consecutive
// siblings that are similar to the run's first, as the rounds of a loop are: s ≥ ρ. Where a run
// ends, the next begins. The roots of a thread are siblings. A view asks for the runs in a window
// that are long enough to be seen. Each takes 8.1 bytes.
type Repeats struct {
	calls   *Classes
	threads []repeats
}

// repeats are those of one thread.
type repeats struct {
	runs    []run   // by parent, roots first; then by time
	longest []int64 // duration of the longest run of each block, ns
}

// run is a repetition's first and last call, numbered from the thread's first.
type run struct{ first, last uint32 }

// block is how many runs share one number of longest.
const block = 64

// Repeats finds the repetitions.
func (c *Classes) Repeats(ctx context.Context, rho Tau) (*Repeats, error) {
	r, l := &Repeats{c, make([]repeats, len(c.Threads))}, newLikeness(c, rho)
	for k, th := range c.Threads {
		l.runs = l.runs[:0]
		if err := l.runsInThread(ctx, th, c.First[k]); err != nil {
			return nil, err
		}
		of := repeats{runs: slices.Clone(l.runs)} // without room to grow
		of.longest = make([]int64, (len(of.runs)+block-1)/block)
		for i, run := range of.runs {
			l := &of.longest[i/block]
			*l = max(*l, th.End(int(run.last))-th.Start(int(run.first)))
		}
		r.threads[k] = of
	}
	return r, ctx.Err()
}

// likeness decides whether two classes of one side are similar, and remembers it.
type likeness struct {
	classes *Classes
	rho     Tau
	known   memo
	stamps  map[uint32]uint32 // by identity: 1 + the class it was last met in
	stamped uint32            // 1 + that class
	runs    []run             // of a thread
}

func newLikeness(c *Classes, rho Tau) *likeness {
	return &likeness{classes: c, rho: rho, stamps: map[uint32]uint32{}}
}

// runsInThread finds the runs in a thread, of whose calls first is the index of the first.
func (l *likeness) runsInThread(ctx context.Context, th *trace.Thread, first int) error {
	l.runsAmong(0, th.Len(), th, first)
	for i := range th.Len() {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if th.Size(i) > 2 { // two children at least
			l.runsAmong(i+1, th.Next(i), th, first)
		}
	}
	return nil
}

// runsAmong finds the runs among the siblings in [from, to) of the thread.
func (l *likeness) runsAmong(from, to int, th *trace.Thread, first int) {
	c := l.classes
	for from < to {
		last, next := from, th.Next(from)
		for next < to && l.alike(c.Class(first+from), c.Class(first+next)) {
			last, next = next, th.Next(next)
		}
		if last > from {
			l.runs = append(l.runs, run{uint32(from), uint32(last)})
		}
		from = next
	}
}

func (l *likeness) alike(x, y uint32) bool {
	if x == y {
		return true
	}
	key := uint64(min(x, y))<<32 | uint64(max(x, y))
	answer, ok := l.known.lookUp(key)
	if !ok {
		if l.compareMembers(x, y) {
			answer = 1
		}
		l.known.store(key, answer)
	}
	return answer == 1
}

// compareMembers stamps the members of x, unless the last comparison did, and counts how many
// members of y are stamped.
func (l *likeness) compareMembers(x, y uint32) bool {
	if l.stamped != x+1 {
		l.stamped = x + 1
		l.classes.Members(int(x), func(id uint32) bool {
			l.stamps[id] = l.stamped
			return true
		})
	}
	common := uint32(0)
	l.classes.Members(int(y), func(id uint32) bool {
		if l.stamps[id] == l.stamped {
			common++
		}
		return true
	})
	return l.rho.Reached(common, l.classes.Size[x], l.classes.Size[y])
}

// Len returns the number of repetitions.
func (r *Repeats) Len() (n int) {
	for _, t := range r.threads {
		n += len(t.runs)
	}
	return n
}

// In calls yield, until it returns false, for each run that intersects the window and lasts at
// least its Least, with the run's first and last call as indices in the scope. The cost is the
// number of runs in the window, of which blocks of runs that are all too short count as one.
func (r *Repeats) In(w Window, yield func(first, last int) bool) {
	if w.From > w.To {
		return
	}
	for k, th := range r.calls.Threads {
		from := r.calls.First[k]
		shown := func(i run) bool { return yield(from+int(i.first), from+int(i.last)) }
		if !r.threads[k].runsIn(th, w, shown) {
			return
		}
	}
}

// runsIn calls yield for the runs in a window. Runs are sorted by parent, and those of one parent
// by time. So the runs under each call that began before the window are searched by time, and the
// runs under calls that begin in the window follow each other.
func (t *repeats) runsIn(th *trace.Thread, w Window, yield func(run) bool) bool {
	v := Window{From: w.From, To: w.To}.viewOf(th)
	parent := func(i int) int { return int(th.Parent(int(t.runs[i].first))) }
	search := func(is func(i int) bool) int { return sort.Search(len(t.runs), is) }
	for _, p := range append([]int{none}, v.before...) {
		from := search(func(i int) bool {
			return parent(i) > p || parent(i) == p && th.End(int(t.runs[i].last)) >= w.From
		})
		to := search(func(i int) bool {
			return parent(i) > p || parent(i) == p && th.Start(int(t.runs[i].first)) > w.To
		})
		if !t.longRuns(th, from, to, w, yield) {
			return false
		}
	}
	from := search(func(i int) bool { return parent(i) >= v.from })
	to := search(func(i int) bool { return parent(i) >= v.to })
	return t.longRuns(th, from, to, w, yield)
}

// longRuns calls yield for those of the runs [from, to) that are long enough and begin before the
// window ends.
func (t *repeats) longRuns(th *trace.Thread, from, to int, w Window, yield func(run) bool) bool {
	for i := from; i < to; i++ {
		if i%block == 0 && t.longest[i/block] < w.Least {
			i += block - 1
			continue
		}
		start := th.Start(int(t.runs[i].first))
		if start <= w.To && th.End(int(t.runs[i].last))-start >= w.Least && !yield(t.runs[i]) {
			return false
		}
	}
	return true
}

// memo is a hash table from non-zero keys to numbers: open addressing in one array, at most three
// quarters full, since memory that is touched for the first time costs more than longer searches.
type memo struct {
	slots []slot
	n     int
}

type slot struct {
	key   uint64
	value uint32
}

func (m *memo) lookUp(key uint64) (uint32, bool) {
	if m.n == 0 {
		return 0, false
	}
	at := m.slotOf(key)
	return m.slots[at].value, m.slots[at].key == key
}

func (m *memo) store(key uint64, value uint32) {
	if 4*m.n >= 3*len(m.slots) {
		m.grow()
	}
	m.slots[m.slotOf(key)] = slot{key, value}
	m.n++
}

// slotOf returns the slot of key, or the free slot where it is to be stored.
func (m *memo) slotOf(key uint64) int {
	mask := uint64(len(m.slots) - 1)
	at := key * 0x9e3779b97f4a7c15
	at = (at ^ at>>32) & mask
	for m.slots[at].key != 0 && m.slots[at].key != key {
		at = (at + 1) & mask
	}
	return int(at)
}

func (m *memo) grow() {
	old := m.slots
	m.slots = huge.Make[slot](max(1024, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			m.slots[m.slotOf(s.key)] = s
		}
	}
}
