package trace

import (
	"errors"
	"fmt"
	"slices"
)

// Form is a Trace laid open, for whoever keeps traces elsewhere: the Trace with its exported
// fields, and as plain columns what it hides or holds as slices of slices. It shares the Trace's
// columns, which are read-only.
type Form struct {
	Trace              *Trace
	LinksFrom, LinksTo []int32 // indices into Trace.Links, sorted by the calls at these ends
	Threads            []ThreadForm
}

// ThreadForm is the part of a Form that belongs to one of Trace.Threads.
type ThreadForm struct {
	// The columns of calls, see columns.go.
	Base   []int64
	Spans  []span
	Places []place
	Depth  []uint8
	// Large numbers that do not fit into these.
	Times       []int64
	LargePlaces []largePlace
	LargeDepth  []uint32

	Levels []LevelForm // of the Pyramid, the finest first; none for few calls
	Flags  []Flags     // by call, or none
	Stalls []Stall     // by time
	Args   []arg       // stretches of Texts, by call
	Texts  [][]byte
	Blocks BlockForm
}

// LevelForm is a level of a Pyramid, an entry for every block of calls.
type LevelForm struct {
	Reach []float32 // greatest duration and leading gap, ns
	Depth []uint32  // greatest stack level
}

// BlockForm is a thread's Blocks as columns. The objects of block k are those up to Ends[k].
type BlockForm struct {
	Calls   []int32
	Kinds   []BlockKind
	Ends    []uint32
	Objects []ObjectID
}

// Form lays a trace open. All but the blocks' calls, kinds and ends is shared and not copied.
func (t *Trace) Form() *Form {
	f := &Form{Trace: t, LinksFrom: t.links.from, LinksTo: t.links.to,
		Threads: make([]ThreadForm, len(t.Threads))}
	for k, th := range t.Threads {
		x := &f.Threads[k]
		x.Base, x.Spans, x.Places, x.Depth = th.base, th.spans, th.places, th.depth
		if th.large != nil {
			x.Times, x.LargePlaces, x.LargeDepth = th.large.times, th.large.places, th.large.depth
		}
		x.Flags, x.Blocks = th.flags, blockForm(th.Blocks)
		if d := th.details; d != nil {
			x.Stalls, x.Args, x.Texts = d.stalls, d.args, d.texts.pieces
			x.Blocks.Objects = d.objects
		}
		if th.LOD != nil {
			for _, l := range th.LOD.levels {
				x.Levels = append(x.Levels, LevelForm{l.reach, l.depth})
			}
		}
	}
	return f
}

func blockForm(blocks []Block) (f BlockForm) {
	for _, b := range blocks {
		f.Calls, f.Kinds = append(f.Calls, b.Call), append(f.Kinds, b.Kind)
		f.Ends = append(f.Ends, b.Objects.to)
	}
	return f
}

// ErrForm is the cause of every error of Form.Build.
var ErrForm = errors.New("not a trace")

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrForm}, args...)...)
}

// Build makes the trace that was laid open, and changes Form.Trace into it. The columns may come
// from anywhere: Build checks everything that is an index, a length or a kind, and that calls nest,
// so that whatever it accepts can be looked at without a fault. It does not check that times and
// texts are those that were recorded. It calls parallel once with the checks of all threads, which
// may run at once: parallel returns the first of their errors.
func (f *Form) Build(parallel func(n int, check func(k int) error) error) (*Trace, error) {
	t := f.Trace
	if len(f.Threads) != len(t.Threads) || len(t.Threads) > maxIndex {
		return nil, wrong("%d threads", len(f.Threads))
	}
	if err := t.checkNames(); err != nil {
		return nil, err
	}
	err := parallel(len(t.Threads), func(k int) error {
		t.Threads[k].index = int32(k)
		if err := t.Threads[k].take(&f.Threads[k], t); err != nil {
			return fmt.Errorf("thread %d: %w", k, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.links = linkIndex{f.LinksFrom, f.LinksTo}
	return t, t.checkEdges()
}

// maxIndex is the greatest number of calls of a thread, and of threads.
const maxIndex = 1<<31 - 2

// checkNames checks kinds, the counters, and what is counted of calls.
func (t *Trace) checkNames() error {
	if t.Kind > Profile || t.Duration < 0 {
		return wrong("kind %d, %d ns", t.Kind, t.Duration)
	}
	for i := range t.Functions {
		if f := &t.Functions[i]; f.Kind > Event || f.Off > Ready {
			return wrong("function %d", i)
		}
	}
	for i := range t.Counters {
		if c := &t.Counters[i]; len(c.At) != len(c.Value) || !t.hasProcess(c.Process) {
			return wrong("counter %d", i)
		}
	}
	return t.checkCallCounts()
}

func (t *Trace) hasProcess(p int32) bool { return p >= -1 && int(p) < len(t.Processes) }

func (t *Trace) hasCall(c CallRef) bool {
	return c.Thread >= 0 && int(c.Thread) < len(t.Threads) &&
		c.Call >= 0 && int(c.Call) < t.Threads[c.Thread].Len()
}

func (t *Trace) hasObject(o ObjectID) bool { return o == NoObject || int(o) < len(t.Objects) }

// checkEdges checks correspondences and links.
func (t *Trace) checkEdges() error {
	for i := range t.Correspondences {
		c := &t.Correspondences[i]
		if !t.hasCall(c.Wait) || !t.hasCall(c.Release) || !t.hasObject(c.Object) {
			return wrong("correspondence %d", i)
		}
	}
	for i := range t.Links {
		if l := &t.Links[i]; !t.hasCall(l.From) || !t.hasCall(l.To) {
			return wrong("link %d", i)
		}
	}
	for _, list := range [][]int32{t.links.from, t.links.to} {
		if len(list) != len(t.Links) || !inRange(list, len(t.Links)) {
			return wrong("order of links")
		}
	}
	return nil
}

// inRange reports whether all values are at least 0 and less than n.
func inRange[T int32 | uint32](list []T, n int) bool {
	return len(list) == 0 || slices.Min(list) >= 0 && int64(slices.Max(list)) < int64(n)
}

// take completes a thread that has its exported columns with the others.
func (t *Thread) take(f *ThreadForm, tr *Trace) error {
	t.columns = columns{f.Base, f.Spans, f.Places, f.Depth, &large{times: f.Times, places: f.LargePlaces, depth: f.LargeDepth}}
	if len(f.Times)+len(f.LargePlaces)+len(f.LargeDepth) == 0 {
		t.large = nil
	}
	switch {
	case t.Len() > maxIndex || !t.complete(t.Len()):
		return wrong("columns do not fit each other")
	case !tr.hasProcess(t.Process) || t.Kind > Samples || t.Lane < 0:
		return wrong("process %d, kind %d, lane %d", t.Process, t.Kind, t.Lane)
	}
	if err := t.checkNesting(len(tr.Functions)); err != nil {
		return err
	}
	for _, i := range t.Instants {
		if int(i.Fn) >= len(tr.Functions) {
			return wrong("function of an instant")
		}
	}
	if err := t.takeLevels(f.Levels); err != nil {
		return err
	}
	if err := t.takeDetails(f); err != nil {
		return err
	}
	return t.takeBlocks(&f.Blocks, tr)
}

// checkNesting checks that the columns are a forest in pre-order whose calls lie within their
// callers and do not overlap, and finds the number of stack levels. Each call but a first child
// must begin where the subtree of its elder sibling ends, which with the bounds of its caller
// leaves one tree for all sizes, parents and depths.
func (t *Thread) checkNesting(functions int) error {
	n := t.Len()
	last := []int32(nil) // by depth: the call that was seen last there
	for i := range n {
		d, p, next := int(t.Depth(i)), int(t.Parent(i)), t.Next(i)
		if d > len(last) || int(t.Fn[i]) >= functions || next <= i || next > n || t.Start(i) > t.End(i) {
			return wrong("call %d", i)
		}
		up := -1
		if d > 0 {
			up = int(last[d-1])
			if next > t.Next(up) || t.Start(i) < t.Start(up) || t.End(i) > t.End(up) {
				return wrong("call %d is not within its caller", i)
			}
		}
		if d == len(last) {
			last = append(last, -1)
		}
		if s := int(last[d]); s > up && (t.Next(s) != i || t.End(s) > t.Start(i)) ||
			s <= up && i != up+1 {
			return wrong("call %d does not follow its sibling", i)
		}
		if p != up {
			return wrong("caller of call %d", i)
		}
		last[d] = int32(i)
	}
	t.maxDepth = int32(len(last))
	return nil
}

// takeLevels makes the pyramid. The lengths of its levels follow from the number of calls.
func (t *Thread) takeLevels(levels []LevelForm) error {
	t.LOD = nil
	if t.Len() > fan {
		t.LOD = &Pyramid{}
	}
	for n := t.Len(); t.LOD != nil && n > 1; {
		n = (n + fan - 1) >> fanShift
		k := len(t.LOD.levels)
		if k >= len(levels) || len(levels[k].Reach) != n || len(levels[k].Depth) != n ||
			!inRange(levels[k].Depth, int(t.maxDepth)) {
			return wrong("level %d", k)
		}
		t.LOD.levels = append(t.LOD.levels, lodLevel{levels[k].Reach, levels[k].Depth})
	}
	if t.LOD == nil && len(levels) > 0 || t.LOD != nil && len(levels) > len(t.LOD.levels) {
		return wrong("%d levels", len(levels))
	}
	return nil
}

func (t *Thread) takeDetails(f *ThreadForm) error {
	t.details = nil
	if len(f.Flags) != 0 && len(f.Flags) != t.Len() {
		return wrong("%d flags", len(f.Flags))
	}
	last, texts := int32(0), textList{f.Texts}
	for _, a := range f.Args {
		if a.call < last || int(a.call) >= t.Len() || !texts.holds(a.from, a.to) {
			return wrong("arguments of call %d", a.call)
		}
		last = a.call
	}
	if t.flags = nil; len(f.Flags) > 0 {
		t.flags = f.Flags
	}
	if len(f.Args)+len(f.Stalls) > 0 {
		t.details = &details{args: f.Args, texts: texts, stalls: f.Stalls}
	}
	return nil
}

func (t *Thread) takeBlocks(f *BlockForm, tr *Trace) error {
	n := len(f.Calls)
	if len(f.Kinds) != n || len(f.Ends) != n || !inRange(f.Calls, t.Len()) {
		return wrong("%d blocks", n)
	}
	t.Blocks = slices.Grow([]Block(nil), n)
	if len(f.Objects) > 0 {
		t.detailed().objects = f.Objects
	}
	from := uint32(0)
	for k, to := range f.Ends {
		if to < from || int64(to) > int64(len(f.Objects)) || f.Kinds[k] < Wait || f.Kinds[k] > IO ||
			k > 0 && f.Calls[k] < f.Calls[k-1] {
			return wrong("block %d", k)
		}
		t.Blocks = append(t.Blocks, Block{f.Calls[k], f.Kinds[k], ObjectSpan{from, to}})
		from = to
	}
	for _, o := range f.Objects {
		if !tr.hasObject(o) {
			return wrong("object %d", o)
		}
	}
	return nil
}
