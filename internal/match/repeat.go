package match

import "context"

// Repetition is a maximal run of two or more consecutive siblings whose Γ has a Jaccard coefficient
// of at least ρ with that of the run's first.
type Repetition struct {
	Parent      int // −1 for the roots of a thread
	First, Last int // pre-order indices in the scope
	Count       int
}

// Repetitions finds the runs within one side. A run takes siblings as long as they are like its
// first; the next run begins where it ends. Roots are siblings within their thread. The order is by
// parent, a thread's roots before all others.
func (c *Classes) Repetitions(ctx context.Context, rho Tau) ([]Repetition, error) {
	var out []Repetition
	l := newLikeness(c, rho)
	for k := range c.Threads {
		if err := l.thread(ctx, k, func(r Repetition) { out = append(out, r) }); err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// likeness decides whether two classes of one side are alike, each pair once.
type likeness struct {
	classes *Classes
	rho     Tau
	known   memo
	stamps  map[uint32]uint32 // by identity: 1 + the class it was last met in
	stamped uint32            // 1 + that class
	yield   func(Repetition)
}

func newLikeness(c *Classes, rho Tau) *likeness {
	return &likeness{classes: c, rho: rho, stamps: map[uint32]uint32{}}
}

// thread calls yield for the runs within a thread.
func (l *likeness) thread(ctx context.Context, thread int, yield func(Repetition)) error {
	th, first := l.classes.Threads[thread], l.classes.First[thread]
	l.yield = yield
	l.runs(none, first, first+th.Len(), th.Size, first)
	for i, size := range th.Size {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if size > 2 { // two children at least
			l.runs(first+i, first+i+1, first+i+int(size), th.Size, first)
		}
	}
	return nil
}

// runs lists the runs among the siblings in [from, to), whose sizes are those of the thread that
// begins at first.
func (l *likeness) runs(parent, from, to int, sizes []uint32, first int) {
	c := l.classes
	for from < to {
		run := Repetition{Parent: parent, First: from, Last: from, Count: 1}
		next := from + int(sizes[from-first])
		for next < to && l.alike(c.Class(from), c.Class(next)) {
			run.Last = next
			run.Count++
			next += int(sizes[next-first])
		}
		if run.Count > 1 {
			l.yield(run)
		}
		from = next
	}
}

func (l *likeness) alike(x, y uint32) bool {
	if x == y {
		return true
	}
	key := uint64(min(x, y))<<32 | uint64(max(x, y))
	answer, ok := l.known.get(key)
	if !ok {
		if l.compare(x, y) {
			answer = 1
		}
		l.known.put(key, answer)
	}
	return answer == 1
}

// compare stamps x's members, if the last call did not, and counts those of y among them.
func (l *likeness) compare(x, y uint32) bool {
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
