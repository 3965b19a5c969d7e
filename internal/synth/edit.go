package synth

// maxEdited bounds the subtree of a structural edit, so that a rate per call stays a small part
// of the trace although every call has many callers.
const (
	maxEdited = 200
	maxPaying = 8 // calls of a subtree that takes an owed edit: else edits gather high in the tree
)

// editor turns the forests of one thread of side A into those of side B, and writes each edit to
// the truth.
//
// Every call draws at most one edit. If the kind drawn does not fit the call (the call lies in an
// edited subtree, has nothing to swap with, or has a subtree larger than maxEdited), the edit is
// owed: the next small call that it fits takes it. Operations on mutexes and semaphores are never
// edited alone, nor does anything move past them: each section stays whole, so side B cannot
// deadlock.
type editor struct {
	truth     *truthWriter
	thread    int
	dice      dice
	threshold [kinds]uint64 // cumulative
	owed      [kinds]int
	debts     int    // sum of owed
	hold      dice   // for Contend
	contend   uint64 // threshold
	inSection bool   // the next call is the first of a section that is to take longer
	fresh     grower // of inserted subtrees; appends to out
	in        []node
	a, b      int      // calls of the thread before the forest, on either side
	edits     []change // of the forest
}

func newEditor(s *side, o Options, thread int) *editor {
	d := newDice(o.Seed, streamEdits+uint64(thread))
	e := &editor{truth: s.truth, thread: thread, dice: d}
	e.fresh = grower{prog: s.prog, thread: thread, dice: d}
	e.hold, e.contend = newDice(o.Seed, streamHold+uint64(thread)), share(o.Edits[Contend])
	var sum uint64
	for k := range kinds {
		if k.perCall() {
			sum += share(o.Edits[k])
		}
		e.threshold[k] = sum
	}
	return e
}

// pass takes note of a call that is the same on both sides.
func (e *editor) pass(fn uint32) {
	e.a++
	e.b++
	e.meet(opOf(fn))
}

// meet notes an operation. After one that takes a mutex or semaphore, a section begins.
func (e *editor) meet(o op) {
	e.inSection = (o == opLock || o == opSemWait) && e.contend > 0 && e.hold.hits(e.contend)
}

// forest returns the edited forest, valid until the next call.
func (e *editor) forest(in []node) []node {
	e.in, e.fresh.forest, e.edits = in, e.fresh.forest[:0], e.edits[:0]
	e.siblings(0, len(in))
	e.truth.addEdits(e.edits, in)
	e.a += len(in)
	e.b += len(e.fresh.forest)
	return e.fresh.forest
}

// siblings edits the calls of in[lo:hi], which have one caller. Stacks are at most maxDepth deep
// here.
func (e *editor) siblings(lo, hi int) {
	moved, target := -1, 0 // a call taken out, and the sibling that it goes behind
	for i := lo; i < hi; {
		k := e.draw(i, hi, moved >= 0)
		next := i + int(e.in[i].size)
		switch k {
		case Insert:
			e.insert(i)
			e.descend(i)
		case Delete:
			e.record(change{kind: Delete, a: e.a + i, b: none, size: e.size(i), delta: -e.self(i)}, i)
		case Move:
			moved, target = i, e.target(i, hi)
		case Swap:
			next = e.swap(i)
		case Slow:
			e.slow(i, Slow, uint32(2+e.dice.below(15)))
		case Contend:
			e.slow(i, Contend, uint32(8+e.hold.below(57)))
		case Repeat:
			e.repeat(i)
		default:
			e.descend(i)
		}
		if k != kinds && k != Insert && k != Slow && k != Contend {
			for range next - i - 1 {
				e.owe(e.roll())
			}
		}
		if moved >= 0 && next > target {
			e.record(change{kind: Move, a: e.a + moved, b: e.here(), size: e.size(moved)}, moved)
			e.verbatim(moved)
			moved = -1
		}
		i = next
	}
}

// pickiest lists the kinds by how few calls they fit.
var pickiest = [...]Kind{Move, Swap, Repeat, Delete, Slow, Insert}

// draw decides what happens to the call i: kinds for nothing.
func (e *editor) draw(i, hi int, moving bool) Kind {
	if o := opOf(e.in[i].fn); o.syncs() {
		e.meet(o)
		return kinds
	}
	if e.inSection {
		e.inSection = false
		return Contend
	}
	k := e.roll()
	if k < kinds && e.fits(k, i, hi, moving) {
		return k
	}
	e.owe(k)
	if e.debts == 0 || e.size(i) > maxPaying {
		return kinds
	}
	for _, k := range pickiest {
		if e.owed[k] > 0 && e.fits(k, i, hi, moving) {
			e.owed[k]--
			e.debts--
			return k
		}
	}
	return kinds
}

// roll draws the edit of one call, kinds for none.
func (e *editor) roll() Kind {
	if e.threshold[kinds-1] == 0 {
		return kinds
	}
	u := e.dice.Uint64() >> 11
	for k := range kinds {
		if u < e.threshold[k] {
			return k
		}
	}
	return kinds
}

func (e *editor) owe(k Kind) {
	if k < kinds {
		e.owed[k]++
		e.debts++
	}
}

func (e *editor) fits(k Kind, i, hi int, moving bool) bool {
	if k == Slow || k == Insert {
		return true
	}
	if e.size(i) > maxEdited {
		return false
	}
	switch k {
	case Swap:
		j := i + e.size(i)
		return !moving && j < hi && e.size(j) <= maxEdited && !opOf(e.in[j].fn).syncs() &&
			(e.in[j].fn != e.in[i].fn || e.size(j) != e.size(i))
	case Move:
		return !moving && e.target(i, hi) >= 0
	}
	return true
}

// target is the sibling that a moved call i goes behind, −1 where there is none: two to five places
// further, in the same section, past a call of another function and before one.
func (e *editor) target(i, hi int) int {
	j, fn := i+e.size(i), e.in[i].fn
	for n := 0; j < hi && n < 5 && !opOf(e.in[j].fn).syncs(); n++ {
		if n >= 1 && e.in[j].fn != fn {
			return j
		}
		j += e.size(j)
	}
	return -1
}

func (e *editor) insert(i int) {
	g := &e.fresh
	level := calm + g.dice.below(levels-calm)
	at, b := len(g.forest), e.here()
	fn := g.prog.byLevel[level][g.prog.ranks[level].draw(g.dice)]
	g.left = 1 + g.dice.below(24)
	g.call(fn, g.prog.functions[fn].object, e.in[i].depth)
	added := g.forest[at:]
	e.edits = append(e.edits, change{kind: Insert, thread: e.thread, a: none, b: b, size: len(added),
		to: fn, delta: selfTime(added)})
}

func (e *editor) swap(i int) (next int) {
	j := i + e.size(i)
	e.verbatim(j)
	e.record(change{kind: Swap, a: e.a + i, b: e.here(), size: e.size(i), other: e.size(j)}, i)
	e.edits[len(e.edits)-1].to = e.in[j].fn
	e.verbatim(i)
	return j + e.size(j)
}

func (e *editor) slow(i int, kind Kind, factor uint32) {
	self := e.in[i].self
	e.record(change{kind: kind, a: e.a + i, b: e.here(), size: 1, times: int(factor),
		delta: int64(self) * int64(factor-1)}, i)
	at := len(e.fresh.forest)
	e.descend(i)
	e.fresh.forest[at].self = self * factor // logNormal leaves room: no self time is near 2^28 ns
}

func (e *editor) repeat(i int) {
	times := 1 + e.dice.below(3)
	e.record(change{kind: Repeat, a: e.a + i, b: e.here(), size: e.size(i), times: times,
		delta: int64(times) * e.self(i)}, i)
	for range 1 + times {
		e.verbatim(i)
	}
}

// descend copies the call and edits what it calls.
func (e *editor) descend(i int) {
	at := len(e.fresh.forest)
	e.fresh.forest = append(e.fresh.forest, e.in[i])
	if e.size(i) > 1 {
		e.siblings(i+1, i+e.size(i))
		closeNode(e.fresh.forest, at)
	}
}

// verbatim copies the subtree.
func (e *editor) verbatim(i int) {
	e.fresh.forest = append(e.fresh.forest, e.in[i:i+e.size(i)]...)
}

// record notes an edit of the call i of A.
func (e *editor) record(t change, i int) {
	t.thread, t.from, t.to = e.thread, e.in[i].fn, e.in[i].fn
	e.edits = append(e.edits, t)
}

func (e *editor) here() int        { return e.b + len(e.fresh.forest) }
func (e *editor) size(i int) int   { return int(e.in[i].size) }
func (e *editor) self(i int) int64 { return selfTime(e.in[i : i+e.size(i)]) }

func selfTime(forest []node) (ns int64) {
	for i := range forest {
		ns += int64(forest[i].self)
	}
	return ns
}
