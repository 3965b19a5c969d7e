package report

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// An exported trace shows two aligned threads as three tracks of nested slices on virtual time: the
// calls of A, those of B, and the status, which has one slice for each pair and each call without a
// partner. Real times are arguments of the slices. This file says what the slices are; how they are
// written is up to the format.

// layout is two aligned threads laid out in virtual time.
type layout struct {
	*align.Virtual
	flows [2]map[int32]uint64 // by side: links of the roots of moved subtrees, from 1
}

// slice is a call, or a pair of calls, on a track.
type slice struct {
	at, end int64 // virtual time, ns
	depth   uint32
	name    label
	shown   frame  // its name where it has no arguments
	args    []arg  // valid until the next slice
	flow    uint64 // links slices that stand for the same subtree elsewhere; 0 for none
	calls   int64  // how many calls it stands for
}

// label is what a slice is called, or says of a call: a state, or a function by identity.
type label uint32

const states = 4

func stateLabel(s align.State) label { return label(s) }

func (l *layout) function(s pair.Side, call int32) label {
	return states + label(l.ID(s, int(call)))
}

// text returns a label's text; names are those of the identities.
func (n label) text(names []string) string {
	if n < states {
		return stateWord(align.State(n))
	}
	return names[n-states]
}

// stateWord returns what exports call a state: a call without a partner by the side that has it.
func stateWord(s align.State) string {
	return [...]string{align.Equal: "equal", align.Different: "different", align.GapA: "onlyB",
		align.GapB: "onlyA"}[s]
}

// frame is what a slice is called in a format that knows slices by their names alone: a function,
// or in the status also two functions that are paired, or a function that only one side calls.
type frame struct {
	state    align.State
	id, with uint32 // with is B's identity if the state is Different
}

// name returns the words of a frame.
func (f frame) name(names []string) string {
	switch f.state {
	case align.Different:
		return names[f.id] + " ↔ " + names[f.with]
	case align.GapA:
		return names[f.id] + " (only in B)"
	case align.GapB:
		return names[f.id] + " (only in A)"
	}
	return names[f.id]
}

// frameOf returns the frame of a call on the track of its side, or in the status.
func frameOf(r *align.Result, s pair.Side, i int, status bool) frame {
	f := frame{id: r.ID(s, i)}
	if !status {
		return f
	}
	if f.state = r.StateOf(s, i); f.state == align.Different {
		with := r.ID(s.Other(), int(r.Partner[s][i]))
		if f.with = with; s == pair.B {
			f.id, f.with = with, f.id
		}
	}
	return f
}

// key is the name of an argument.
type key uint8

const (
	startKey    key = iota // real start, ns since the trace's first event
	durationKey            // real duration, ns
	partnerNsKey
	durationAKey
	durationBKey
	stateKey // from here on the value is a label
	functionKey
	partnerKey // the function that it is paired with, if another
)

var keyNames = [...]string{"startNs", "durationNs", "partnerDurationNs", "aDurationNs",
	"bDurationNs", "state", "function", "partner"}

// arg is an argument of a slice.
type arg struct {
	key   key
	value int64
}

// labels reports whether the argument's value is a label.
func (a arg) labels() bool { return a.key >= stateKey }

// link links moved calls by numbers, which go on from those given out so far.
func (l *layout) link(ctx context.Context, links *uint64) error {
	moves, err := l.Moved(ctx)
	l.flows = [2]map[int32]uint64{{}, {}}
	for _, m := range moves {
		*links++
		l.flows[pair.A][m.A], l.flows[pair.B][m.B] = *links, *links
	}
	return err
}

// tracks returns the slices of A, of B and of the status. Those of a track come with their callers
// before them and in order of time, and nest.
func (l *layout) tracks() [3]iter.Seq[*slice] {
	return [3]iter.Seq[*slice]{l.side(pair.A), l.side(pair.B), l.status()}
}

var trackNames = [3]string{"A", "B", "status"}

// side yields the calls of a side.
func (l *layout) side(s pair.Side) iter.Seq[*slice] {
	return func(yield func(*slice) bool) {
		th, other := l.Threads[s], l.Threads[s.Other()]
		sl := slice{calls: 1}
		var open nest
		for i, j := range l.Partner[s] {
			state := l.StateOf(s, i)
			sl.at, sl.end, sl.depth = l.Start[s][i], l.End[s][i], th.Depth(i)
			sl.name, sl.flow = l.function(s, int32(i)), l.flows[s][int32(i)]
			sl.shown = frameOf(l.Result, s, i, false)
			sl.args = append(sl.args[:0], arg{startKey, th.Start(i)}, arg{durationKey, th.Dur(i)},
				arg{stateKey, int64(stateLabel(state))})
			if j != align.None {
				sl.args = append(sl.args, arg{partnerNsKey, other.Dur(int(j))})
			}
			if state == align.Different {
				sl.args = append(sl.args, arg{partnerKey, int64(l.function(s.Other(), j))})
			}
			open.fit(&sl)
			if !yield(&sl) {
				return
			}
		}
	}
}

// status yields the pairs and the calls without a partner, in virtual order, at the depth that they
// have in the walk: below a level that only one side has, the calls of a pair are at different
// ones.
func (l *layout) status() iter.Seq[*slice] {
	return func(yield func(*slice) bool) {
		var (
			sl     slice
			open   nest
			around []int // numbers of the nodes around the one that is met, by depth
			number int
		)
		for n := range l.Walk {
			for len(around) > 0 && around[len(around)-1] != n.Parent {
				around = around[:len(around)-1]
			}
			s, i := pair.A, n.A
			if i == align.None {
				s, i = pair.B, n.B
			}
			sl.at, sl.end, sl.depth = l.Start[s][i], l.End[s][i], uint32(len(around))
			around = append(around, number)
			number++
			sl.name, sl.calls = stateLabel(n.State), 0
			sl.args = append(sl.args[:0], arg{functionKey, int64(l.function(s, i))})
			if n.State == align.Different {
				sl.args = append(sl.args, arg{partnerKey, int64(l.function(pair.B, n.B))})
			}
			if n.A != align.None {
				sl.args = append(sl.args, arg{durationAKey, l.Threads[pair.A].Dur(int(n.A))})
				sl.calls++
			}
			if n.B != align.None {
				sl.args = append(sl.args, arg{durationBKey, l.Threads[pair.B].Dur(int(n.B))})
				sl.calls++
			}
			open.fit(&sl)
			sl.shown = frameOf(l.Result, s, int(i), true)
			if !yield(&sl) {
				return
			}
		}
	}
}

// samplesPerCall bounds how many samples of its timeline a short thread gets, so that the output
// for thousands of short threads grows with their calls, not with their number.
const samplesPerCall = 4

// timeline samples how the pair differs over virtual time.
func (l *layout) timeline(ctx context.Context) (*align.Timeline, error) {
	return l.Timeline(ctx, l.samples())
}

func (l *layout) samples() int {
	calls := l.Threads[pair.A].Len() + l.Threads[pair.B].Len()
	return min(align.Samples, samplesPerCall*calls)
}

// sampled returns the virtual time of the k-th sample of the timeline.
func (l *layout) sampled(k int) int64 {
	hi, lo := bits.Mul64(uint64(2*k+1), uint64(l.Length))
	at, _ := bits.Div64(hi, lo, uint64(2*l.samples()))
	return int64(at)
}

// title names two aligned threads, uniquely among the pairs of two traces.
func title(r *align.Result) string {
	a, b := r.Threads[pair.A], r.Threads[pair.B]
	switch {
	case r.Indices[pair.B] < 0:
		return fmt.Sprintf("%s (%s, only in A)", a.Name, a.ID)
	case r.Indices[pair.A] < 0:
		return fmt.Sprintf("%s (%s, only in B)", b.Name, b.ID)
	case a.Name == b.Name:
		return fmt.Sprintf("%s (%s:%s)", a.Name, a.ID, b.ID)
	}
	return fmt.Sprintf("%s ↔ %s (%s:%s)", a.Name, b.Name, a.ID, b.ID)
}

// Trace formats know calls only by their begin and end, so the slices of a track must nest and come
// in order of time. Calls always do. Levels that are passed through may not: if one of A and one of
// B overlap in part, the status cuts the later one at the end of the earlier (align.Walk).

// nest fits slices into one another. It is a stack of those that are open.
type nest struct {
	ends []int64 // virtual, by depth; they never rise
	now  int64   // the last time at which something began or ended
}

// fit cuts sl, which comes after all that have been fitted, so that it lies in the slice around it
// and begins when what came before it at its depth or below has ended.
func (n *nest) fit(sl *slice) {
	for len(n.ends) > int(sl.depth) {
		last := len(n.ends) - 1
		n.now, n.ends = max(n.now, n.ends[last]), n.ends[:last]
	}
	if sl.depth = uint32(len(n.ends)); sl.depth > 0 {
		around := n.ends[sl.depth-1]
		sl.at, sl.end = min(sl.at, around), min(sl.end, around)
	}
	sl.at = max(sl.at, n.now)
	sl.end = max(sl.end, sl.at)
	n.now, n.ends = sl.at, append(n.ends, sl.end)
}

// pass is a run over the calls of alignments. It says how far it has come, and ends early when its
// context is done.
type pass struct {
	ctx   context.Context
	meter *progress.Meter
	calls progress.Ticker
	left  int64 // calls
}

// sayEvery is the number of calls between two reports.
const sayEvery = 1 << 14

// newPass begins a run that meets each call of results so many times.
func newPass(ctx context.Context, results []*align.Result, times int64,
	report progress.Func) *pass {
	p := &pass{ctx: ctx, meter: progress.NewMeter(report, 0)}
	p.calls = progress.Ticker{Meter: p.meter, Every: sayEvery}
	for _, r := range results {
		p.left += times * int64(r.Threads[pair.A].Len()+r.Threads[pair.B].Len())
	}
	p.meter.Expect(p.left)
	return p
}

// step counts n calls.
func (p *pass) step(n int64) error {
	err := p.calls.Add(p.ctx, n)
	if p.left -= n; p.left > 0 || err != nil {
		return err
	}
	return p.calls.Flush(p.ctx)
}
