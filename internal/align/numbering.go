package align

import (
	"context"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Numbering goes through the calls of a thread with a stack of those around each. Of a subtree, it
// first asks the table whether it was met before, which takes no look at the calls below it
// (sums.go), and if so goes past it. Otherwise it numbers the callees, one after the other, and
// then the call itself by their classes:
//
//	f(g(h h) g(h h))    f and g are opened; the second g is the same as the first: 3 classes
//
// Programs repeat themselves, so most calls are in subtrees that are gone past. That one was met
// before is found by its sum and confirmed call by call; a large one is compared with the last one
// of its function and size (whole.go). Neither can be done with subtrees in which calls are set
// aside or passed through, whose class always comes from their callees'.

// numbering numbers the subtrees of the threads of one side.
type numbering struct {
	*classTable
	threads []*trace.Thread // so far; the last is the one at hand
	ids     []uint32        // identity by function
	anyOff  bool            // of some functions, calls are set aside
	// A subtree may be of a class that find does not know: another one of the class has functions
	// with the same identities, or calls that are set aside or passed through.
	unsure bool
	sums   sums
	wholes wholes
	read   uint32 // what lookAhead has read, of no meaning
	// How many slots a table has of which most are in no cache close by: then it looks ahead.
	aheadFrom int
	recent    [1 << recentBits]recentSubtree
	news      chan published // holds the last that was published, unless it was taken

	// Of the thread at hand.
	passed    Calls // through
	aside     int   // the next call that is set aside or passed through, or the number of calls
	someAside bool  // calls are set aside
	open      []openCall
	pending   []uint32 // the classes of callees so far, of the calls that are open
}

// openCall is a call whose callees are being numbered.
type openCall struct {
	sum     uint64 // of its subtree, or 0 if that comes from its callees
	fn      uint32 // identity
	root    int32  // the call
	end     int32  // of its subtree
	pending int32  // where the classes of its callees begin
	ahead   int32  // the callee up to which memory was asked for
	whole   bool   // the subtree is a large one, all calls of which are on levels
}

// recentSubtree is a subtree that was met not long ago, and its class. A later one takes the place
// of an earlier one. Most subtrees that were met before are among these few, which stay in the
// processor's cache, as do the calls in them.
type recentSubtree struct {
	subtree
	class uint32
}

const (
	recentBits = 12
	askedAhead = 8 // callees whose memory is read ahead at most

	usualAheadFrom = 1 << 17 // a megabyte
)

func newNumbering(ids []uint32, off []bool) *numbering {
	n := &numbering{classTable: newClassTable(off), ids: ids, anyOff: slices.Contains(off, true),
		news: make(chan published, 1), aheadFrom: usualAheadFrom}
	met := make([]bool, len(off))
	for _, id := range ids {
		n.unsure = n.unsure || met[id]
		met[id] = true
	}
	return n
}

// expectCalls makes room for the classes that the calls of some threads usually have.
func (n *numbering) expectCalls(tr *trace.Trace, threads []int) {
	calls := 0
	for _, k := range threads {
		calls += tr.Threads[k].Len()
	}
	n.expect(calls)
}

// numberThread returns the class of the virtual call over a thread's roots, and whether some calls
// are set aside.
func (n *numbering) numberThread(ctx context.Context, th *trace.Thread, passed Calls,
	m *progress.Meter) (root uint32, aside bool, err error) {
	n.threads, n.passed = append(n.threads, th), passed
	n.sums.start(th, n.ids)
	n.startWholes()
	n.aside, n.someAside = th.Len(), false
	if n.anyOff || len(passed) > 0 {
		n.unsure = true
		n.findAside(0)
	}
	n.open = append(n.open[:0], openCall{end: int32(th.Len()), fn: virtualFn})
	n.pending = n.pending[:0]
	reported := 0
	for i := 0; ; {
		if i-reported >= checkEvery || i == th.Len() && i > reported {
			if err := m.Add(ctx, int64(i-reported)); err != nil {
				return 0, false, err
			}
			reported = i
			n.publish()
		}
		top := &n.open[len(n.open)-1]
		if i < int(top.end) {
			i = n.goDown(i, int(top.end))
			continue
		}
		class := n.climb(n.close(top))
		top = &n.open[len(n.open)-1]
		n.keepWhole(top, class)
		n.pending = n.pending[:top.pending]
		n.open = n.open[:len(n.open)-1]
		if len(n.open) == 0 {
			return class, n.someAside, nil
		}
		n.pending = append(n.pending, class)
	}
}

// goDown numbers callees of the innermost open call, from call i on and up to the end of its
// subtree. A callee that was not met before is opened, and becomes the innermost. It returns where
// the subtree of the innermost ends, or, if calls are to be reported first, the call to go on
// with.
func (n *numbering) goDown(i, end int) int {
	th, limit := n.threads[len(n.threads)-1], i+checkEvery
	fns, kids := th.Fn, n.pending
	top := &n.open[len(n.open)-1]
	for end = min(end, limit); i < end; {
		if i == n.aside {
			i++
			n.findAside(i)
			continue
		}
		size, fn := int(th.Size(i)), n.ids[fns[i]]
		if size == 1 {
			class := n.leaf[fn]
			if class == noClass {
				class = n.leafClass(fn)
			}
			kids = append(kids, class)
			i++
			continue
		}
		var sum uint64
		if size <= mostSummed && i+size <= n.aside {
			if i >= int(top.ahead) && i+size < end && len(n.slots.words) >= n.aheadFrom {
				top.ahead = int32(n.lookAhead(i, end))
			}
			sum = n.sums.of(i, size)
			if class, ok := n.find(sum, th, i, size); ok {
				kids = append(kids, class)
				i += size
				continue
			}
		}
		whole := size > mostSummed && i+size <= n.aside
		if whole {
			if class, ok := n.findWhole(fn, th, i, size); ok {
				kids = append(kids, class)
				i += size
				continue
			}
		}
		n.open = append(n.open, openCall{sum, fn, int32(i), int32(i + size), int32(len(kids)), 0, whole})
		top = &n.open[len(n.open)-1]
		end = min(i+size, limit)
		i++
	}
	n.pending = kids
	return i
}

// lookAhead reads memory that find will ask for, of a few callees from i on and before end, and
// returns the callee with which to go on. Most of find's time is spent waiting for memory, and a
// processor waits for several words at once if where they are does not depend on one another: here
// it does not, while find must be done with one callee before the next.
func (n *numbering) lookAhead(i, end int) int {
	th, s := n.threads[len(n.threads)-1], &n.slots
	end = min(end, i+mostSummed, n.aside)
	var classes [askedAhead]uint32 // that may be those of callees
	found := 0
	for asked := 0; i < end && asked < askedAhead; {
		size := int(th.Size(i))
		if size > 1 && i+size <= end {
			sum := n.sums.of(i, size)
			if h := hash(sum); n.recent[h>>(64-recentBits)].sum != sum {
				asked++
				if word := s.words[h>>(s.shift&63)]; word>>32 == h>>32 {
					classes[found] = uint32(word) - 1
					found++
				}
			}
		}
		i += size
	}
	var met [askedAhead]subtree
	for k, class := range classes[:found] {
		met[k] = n.met[class]
	}
	for _, m := range met[:found] {
		if m.thread > 0 {
			o := n.threads[m.thread-1]
			n.read += uint32(o.Fn[m.root]) + o.Size(int(m.root))
		}
	}
	return i
}

// find returns the class of the subtree of so many calls from i on if it was met before.
func (n *numbering) find(sum uint64, th *trace.Thread, i, size int) (class uint32, ok bool) {
	h, here := hash(sum), subtree{sum, uint32(len(n.threads)), int32(i)}
	recent := &n.recent[h>>(64-recentBits)]
	if recent.sum == sum && recent.thread == here.thread &&
		sameSubtrees(th, i, th, int(recent.root), size) {
		recent.root = here.root
		return recent.class, true
	}
	for s := n.slots.search(h); ; {
		class, ok := s.next()
		if !ok {
			return 0, false
		}
		met := &n.met[class]
		if met.sum == sum && met.thread > 0 &&
			sameSubtrees(th, i, n.threads[met.thread-1], int(met.root), size) {
			met.thread, met.root = here.thread, here.root // the earlier is in no cache any more
			*recent = recentSubtree{here, class}
			return class, true
		}
	}
}

// sameSubtrees reports whether the subtree of so many calls from i on of one thread is of the same
// calls as that from j on of another.
func sameSubtrees(th *trace.Thread, i int, o *trace.Thread, j, size int) bool {
	return th.Fn[i] == o.Fn[j] && int(o.Size(j)) == size && th.SameCalls(i+1, o, j+1, size-1)
}

// close returns the class of an open call whose callees have theirs.
func (n *numbering) close(o *openCall) uint32 {
	kids := n.pending[o.pending:]
	switch {
	case o.sum != 0:
		class := n.classOfSummed(o, kids)
		// Its sum is there already, and may be read meanwhile (join.go).
		met := &n.met[class]
		met.thread, met.root = uint32(len(n.threads)), o.root
		n.recent[hash(o.sum)>>(64-recentBits)] = recentSubtree{*met, class}
		return class
	case len(kids) == 0 && o.fn != virtualFn:
		return n.leafClass(o.fn)
	}
	return n.intern(o.fn, kids)
}

// classOfSummed returns the class of a subtree that find did not know. All of its calls are on
// levels.
func (n *numbering) classOfSummed(o *openCall, kids []uint32) uint32 {
	size := uint32(o.end - o.root)
	if n.unsure {
		return n.internSum(o.fn, size, kids, o.sum)
	}
	return n.addNew(o.fn, size, kids, o.sum)
}

// climb closes the innermost open call, which has a class, and those around it of which it is the
// only callee, as long as their classes follow one another (see follows): most of a deep stack that
// is met again. It leaves the last of them open and returns its class.
func (n *numbering) climb(class uint32) uint32 {
	k := len(n.open) - 1
	for ; k > 0; k-- {
		inner, outer, next := &n.open[k], &n.open[k-1], class+1
		if inner.end != outer.end || inner.pending != outer.pending || outer.sum != 0 ||
			class != n.last || int(next) >= len(n.fn) || n.fn[next] != outer.fn {
			break
		}
		at := n.list[next]
		if at.n != 1 || n.kids[at.part][at.from] != class {
			break
		}
		class, n.last = next, next
	}
	n.open = n.open[:k+1]
	return class
}

// findAside finds the first call from i on that is set aside or passed through.
func (n *numbering) findAside(i int) {
	th := n.threads[len(n.threads)-1]
	for ; i < th.Len(); i++ {
		if n.passed.Has(int32(i)) {
			break
		}
		if n.off[n.ids[th.Fn[i]]] && th.Size(i) == 1 {
			n.someAside = true
			break
		}
	}
	n.aside = i
}
