package pair

import (
	"math/bits"
	"slices"

	"diptych/internal/trace"
)

// profile is what threads are compared by: which identities they call, and how often.
type profile struct {
	stem   []uint32 // by level from the roots on, while a level calls a single identity
	fork   []uint32 // at the level below the stem, ascending
	calls  []uint32 // at all levels, ascending
	counts []uint32 // by calls; nil where only the sets count
}

// maxStem bounds the levels of a stem: deep recursion has no end of them.
const maxStem = 64

// profiler describes the threads of one side.
type profiler struct {
	t      *trace.Trace
	ids    []uint32
	called []uint32 // calls by function, of the thread that is being described; else 0
	tally  []uint32 // calls by identity; 0 between calls of countIdentities

	// There can be tens of thousands of threads, so profiles share pieces of memory, and whatever a
	// thread is described with is used for the next one again.
	piece []uint32       // of profiles: what is left of the last one
	set   idSet          // identities while they are gathered
	list  []uint32       // the same as a list
	at    []int32        // see placesOf
	met   []trace.FuncID // functions that a thread calls
	below []trace.FuncID // the same of one level
}

// pieceLen is how many numbers a piece has that profiles share.
const pieceLen = 1 << 12

// cut returns room for so many numbers of a profile.
func (r *profiler) cut(n int) []uint32 {
	if n > len(r.piece) {
		r.piece = make([]uint32, max(n, pieceLen))
	}
	out := r.piece[:n:n]
	r.piece = r.piece[n:]
	return out
}

// keep returns a copy of a list that is used for the next one.
func (r *profiler) keep(list []uint32) []uint32 {
	out := r.cut(len(list))
	copy(out, list)
	return out
}

func (p *Pair) profiler(s Side) *profiler {
	t := p.Trace(s)
	return &profiler{t: t, ids: p.IDs(s), called: make([]uint32, len(t.Functions)),
		tally: make([]uint32, len(p.Names)), set: newIDSet(len(p.Names))}
}

// placesOf returns where each thread of a crew stands in it, by thread. It is right for these
// threads only, and until the next crew's are asked for.
func (r *profiler) placesOf(threads []int32) []int32 {
	if r.at == nil {
		r.at = make([]int32, len(r.t.Threads))
	}
	for k, i := range threads {
		r.at[i] = int32(k)
	}
	return r.at
}

// everything describes a thread by all that it calls.
func (r *profiler) everything(thread int32) (f profile) {
	met := r.countCalls(r.t.Threads[thread])
	f.calls, f.counts = r.countIdentities(met, anyFunction)
	r.forget(met)
	return f
}

func anyFunction(trace.FuncID) bool { return true }

// work describes a thread by its work, from the first level at which it can differ from other
// threads. What the system does with a thread, such as scheduling or blocking it, counts only if
// the thread has nothing else.
//
// It reads the functions of all calls once. The stem and the fork need only the calls above them.
func (r *profiler) work(thread int32) (f profile) {
	th, counts := r.t.Threads[thread], r.program
	met := r.countCalls(th)
	if !slices.ContainsFunc(met, counts) {
		counts = anyFunction
	}
	f.calls, f.counts = r.countIdentities(met, counts)
	r.forget(met)
	f.stem = r.stem(th, counts)
	f.fork = r.level(th, len(f.stem), counts)
	return f
}

// program reports whether a function is the program's rather than the system's.
func (r *profiler) program(fn trace.FuncID) bool {
	k := r.t.Functions[fn].Kind
	return k != trace.State && k != trace.Event
}

// works reports whether a thread calls functions of the program.
func (r *profiler) works(thread int32) bool {
	return slices.ContainsFunc(r.t.Threads[thread].Fn, r.program)
}

// countCalls counts a thread's calls by function, and returns the functions that it calls.
func (r *profiler) countCalls(th *trace.Thread) []trace.FuncID {
	called, met := r.called, r.met[:0]
	for _, fn := range th.Fn {
		if called[fn] == 0 {
			met = append(met, fn)
		}
		called[fn]++
	}
	r.met = met
	return met
}

func (r *profiler) forget(met []trace.FuncID) {
	for _, fn := range met {
		r.called[fn] = 0
	}
}

// countIdentities returns the identities of those functions that count, ascending, and how often
// each is called. Functions that do not count may share an identity with one that does.
func (r *profiler) countIdentities(met []trace.FuncID, counts func(trace.FuncID) bool) (
	ids, calls []uint32) {
	for _, fn := range met {
		if r.tally[r.ids[fn]] += r.called[fn]; counts(fn) {
			r.set.add(r.ids[fn])
		}
	}
	r.list = r.set.take(r.list[:0])
	ids = r.keep(r.list)
	calls = r.cut(len(ids))
	for k, id := range ids {
		calls[k] = r.tally[id]
	}
	for _, fn := range met {
		r.tally[r.ids[fn]] = 0
	}
	return ids, calls
}

// idSet is a set of identities. To gather and to list them takes less time than to sort a list.
type idSet struct {
	words   []uint64 // a bit for each identity
	touched []int32  // the words that are not 0
}

func newIDSet(ids int) idSet { return idSet{words: make([]uint64, (ids+63)/64)} }

func (s *idSet) add(id uint32) {
	word := &s.words[id/64]
	if *word == 0 {
		s.touched = append(s.touched, int32(id/64))
	}
	*word |= 1 << (id % 64)
}

// take appends the identities to a list, ascending, and leaves the set empty.
func (s *idSet) take(list []uint32) []uint32 {
	slices.Sort(s.touched)
	for _, at := range s.touched {
		for word := s.words[at]; word != 0; word &= word - 1 {
			list = append(list, uint32(at)*64+uint32(bits.TrailingZeros64(word)))
		}
		s.words[at] = 0
	}
	s.touched = s.touched[:0]
	return list
}

// level returns the identities of the calls at a depth that count, ascending.
func (r *profiler) level(th *trace.Thread, depth int, counts func(trace.FuncID) bool) []uint32 {
	met := r.below[:0]
	for i := 0; i < th.Len(); {
		if int(th.Depth(i)) < depth {
			i++
			continue
		}
		if fn := th.Fn[i]; r.called[fn] == 0 && counts(fn) {
			r.called[fn] = 1
			met = append(met, fn)
		}
		i = th.Next(i)
	}
	ids, _ := r.countIdentities(met, anyFunction)
	r.forget(met)
	r.below = met
	return ids
}

// stem returns the identities of the levels that call a single one each.
func (r *profiler) stem(th *trace.Thread, counts func(trace.FuncID) bool) []uint32 {
	stem := r.list[:0]
	limit := maxStem
	for i := 0; i < th.Len(); {
		fn, d := th.Fn[i], int(th.Depth(i))
		switch {
		case d >= limit:
			i = th.Next(i)
			continue
		case !counts(fn):
		case d > len(stem): // below a call that does not count
			limit = len(stem)
		case d == len(stem):
			stem = append(stem, r.ids[fn])
		case stem[d] != r.ids[fn]:
			stem, limit = stem[:d], d
		}
		i++
	}
	r.list = stem
	return r.keep(stem)
}

// level returns what is called at level d, which is none below the fork.
func (f *profile) level(d int) []uint32 {
	if d < len(f.stem) {
		return f.stem[d : d+1]
	}
	return f.fork
}

// likeness is how alike two threads or processes are, in thousandths: 0 for nothing in common, 1000
// for the same profile.
type likeness uint16

// compare returns the likeness of a and b: the mean of two Jaccard coefficients, rounded down. One
// is of all identities called. The other is of those called at the first level where the two do not
// both call the same single function; it is 1 if one thread ends above that level:
//
//	main → run → {f g} and main → run → {f h}: the first level is that of {f g} and {f h}.
//
// common is how many identities both call.
func compare(a, b *profile, common int) likeness {
	if common == 0 {
		return 0
	}
	d := 0
	for d < min(len(a.stem), len(b.stem)) && a.stem[d] == b.stem[d] {
		d++
	}
	first, all := 1, len(a.calls)+len(b.calls)-common // unions
	both := 1
	if x, y := a.level(d), b.level(d); len(x) > 0 && len(y) > 0 {
		both = overlap(x, y)
		first = len(x) + len(y) - both
	}
	return max(1, likeness(500*(both*all+common*first)/(first*all)))
}

// overlap counts what two ascending sets have in common.
func overlap(x, y []uint32) int {
	n := 0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			n, x, y = n+1, x[1:], y[1:]
		}
	}
	return n
}

// compareContent returns the likeness of two processes: the mean of the Jaccard coefficients of
// what they call and of how often, rounded down.
func compareContent(a, b *profile) likeness {
	common := overlap(a.calls, b.calls)
	if common == 0 {
		return 0
	}
	all := likeness(1000 * common / (len(a.calls) + len(b.calls) - common))
	return max(1, (all+compareCounts(a, b))/2)
}

// compareCounts returns the Jaccard coefficient of how often two call each identity, in thousandths
// rounded down. A count stands for its number of binary digits, so that a function that is called
// ten thousand times does not outweigh all others, and a page with four times the rows is still the
// same page:
//
//	{f: 1000, g: 2} and {f: 4000, h: 1} have 10 + 2 and 12 + 1 digits, so 10 of 12 + 2 + 1.
func compareCounts(a, b *profile) likeness {
	common, union := 0, 0
	for i, j := 0, 0; i < len(a.calls) || j < len(b.calls); {
		x, y := 0, 0
		if j == len(b.calls) || i < len(a.calls) && a.calls[i] <= b.calls[j] {
			x = bits.Len32(a.counts[i])
		}
		if i == len(a.calls) || j < len(b.calls) && b.calls[j] <= a.calls[i] {
			y = bits.Len32(b.counts[j])
		}
		if x > 0 {
			i++
		}
		if y > 0 {
			j++
		}
		common, union = common+min(x, y), union+max(x, y)
	}
	return likeness(1000 * common / max(1, union))
}
