package align

import "diptych/internal/trace"

// Subtrees that are too large for a sum of their calls (sums.go) are compared with the last one of
// their function and size. So a stack of a hundred thousand calls that is met again is gone past as
// a whole, and need not be opened and closed call by call.
//
// Comparing must stay linear, however deep calls nest. Where a comparison has failed, so would that
// of every subtree around the same two calls, and it is not tried:
//
//	was  f(g(h(…1,000,000 calls… x)))    f is compared up to y; g and h are not compared
//	now  f(g(h(…1,000,000 calls… y)))
//
// Other failures are paid for by the calls that the thread has before the subtree.

const wholeBits = 8

// wholes are large subtrees that were met not long ago, by function and size.
type wholes struct {
	met    [1 << wholeBits]wholeSubtree
	differ difference
	spent  int // calls of the thread at hand that were compared in vain
}

// wholeSubtree is a large subtree, all calls of which are on levels, and its class.
type wholeSubtree struct {
	fn, size, class uint32 // size 0 for none
	thread          uint32 // the number of the thread plus one
	root            int32
}

// difference is two calls that are not alike: of the thread at hand, and of another thread or
// earlier.
type difference struct {
	at, other int
	thread    uint32 // of other
}

func (w *wholes) of(fn, size uint32) *wholeSubtree {
	return &w.met[hash(sumOfCall(fn, size))>>(64-wholeBits)]
}

// startWholes begins with another thread.
func (n *numbering) startWholes() { n.wholes.differ, n.wholes.spent = difference{}, 0 }

// findWhole returns the class of the large subtree from call i on if it is like the last one of its
// function and size.
func (n *numbering) findWhole(fn uint32, th *trace.Thread, i, size int) (class uint32, ok bool) {
	w := &n.wholes
	met := w.of(fn, uint32(size))
	if met.size != uint32(size) || met.fn != fn || w.spent > i {
		return 0, false
	}
	j, d := int(met.root), &w.differ
	if d.thread == met.thread && d.at-d.other == i-j && i <= d.at && d.at < i+size {
		return 0, false
	}
	same := sameLength(th, i, n.threads[met.thread-1], j, size)
	if same < size {
		w.spent += same
		*d = difference{i + same, j + same, met.thread}
		return 0, false
	}
	met.thread, met.root = uint32(len(n.threads)), int32(i)
	return met.class, true
}

// keepWhole notes the class of a subtree if it is a large one.
func (n *numbering) keepWhole(o *openCall, class uint32) {
	if !o.whole {
		return
	}
	size := uint32(o.end - o.root)
	*n.wholes.of(o.fn, size) = wholeSubtree{o.fn, size, class, uint32(len(n.threads)), o.root}
}

// sameLength returns how many of n calls from i on are of the same functions as those from j on of
// another thread, and have subtrees of the same sizes, up to the first that has not.
func sameLength(th *trace.Thread, i int, o *trace.Thread, j, n int) int {
	const atOnce = 512
	for k := 0; k < n; {
		end := min(k+atOnce, n)
		if k > 0 && th.SameCalls(i+k, o, j+k, end-k) { // the first calls may have other callers
			k = end
			continue
		}
		for ; k < end; k++ {
			if th.Fn[i+k] != o.Fn[j+k] || th.Size(i+k) != o.Size(j+k) {
				return k
			}
		}
	}
	return n
}
