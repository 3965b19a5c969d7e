package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Folded stacks and pprof profiles have no time axis: they say of each distinct stack how much time
// was spent in it. This file adds that up, for both sides at once, so that a stack of A and the
// same stack of B are one line whose difference can be shown:
//
//	A  main [0 10), f [2 4)              main    8 in A, 5 in B
//	B  main [0 12), f [3 6), f [7 11)    main;f  2 in A, 7 in B
//
// Functions are the same if comparison takes them for the same, and so are threads: those of a
// pair, and all whose names differ only in a number that means nothing in another run.

// Sides says which side's stacks are written: one, or both as a difference.
type Sides uint8

const (
	Difference Sides = iota
	OnlyA
	OnlyB
)

var sideNames = [...]string{"diff", "a", "b"}

func (s Sides) String() string { return sideNames[s] }

// SideNames returns the names of all Sides.
func SideNames() []string { return sideNames[:] }

// SidesNamed returns the Sides of that name.
func SidesNamed(name string) (Sides, error) {
	if k := slices.Index(sideNames[:], name); k >= 0 {
		return Sides(k), nil
	}
	return 0, fmt.Errorf("%q: want diff, a or b", name)
}

// has reports whether calls of a side are to be written.
func (s Sides) has(side pair.Side) bool {
	return s == Difference || s == OnlyA && side == pair.A || s == OnlyB && side == pair.B
}

// Loss is what an export could not hold, as counts with their meanings.
type Loss []string

// add says that there are n of something.
func (l *Loss) add(n int, one, many string) {
	if n > 0 {
		*l = append(*l, plural.Of(n, one, many))
	}
}

// deepest is how many frames a stack has at most. A recursion of a hundred thousand calls would
// have as many stacks, together five thousand million frames. Time below counts for the last one.
const deepest = 1000

// stacksPerCheck is how many stacks are written between two looks at the context.
const stacksPerCheck = 1 << 8

// threadGroup is threads that an export without threads cannot tell apart.
type threadGroup struct {
	process, thread string
	results         []*align.Result
}

// threadGroups brings together the pairs of threads of one name, in order of their names. Tracks of
// sums are left out where there is anything else, since their time is that of the other threads.
func threadGroups(results []*align.Result, lost *Loss) []*threadGroup {
	kept := slices.DeleteFunc(slices.Clone(results), isSums)
	if len(kept) == 0 {
		kept = results
	}
	sums := len(results) - len(kept)
	lost.add(sums, "track of sums is left out: its time is that of the other threads",
		"tracks of sums are left out: their time is that of the other threads")
	byName := map[[2]string]*threadGroup{}
	var groups []*threadGroup
	for _, r := range kept {
		name := [2]string{commonName(r, processName), commonName(r, threadName)}
		g := byName[name]
		if g == nil {
			g = &threadGroup{process: name[0], thread: name[1]}
			byName[name] = g
			groups = append(groups, g)
		}
		g.results = append(g.results, r)
	}
	slices.SortFunc(groups, func(x, y *threadGroup) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.thread, y.thread))
	})
	return groups
}

func isSums(r *align.Result) bool {
	for s, k := range r.Indices {
		if k >= 0 && r.Threads[s].Kind != trace.Sums {
			return false
		}
	}
	return true
}

// commonName names a pair of threads by what both are called, or by both names.
func commonName(r *align.Result, name func(*trace.Trace, *trace.Thread) string) string {
	var names []string
	for s, k := range r.Indices {
		if k < 0 {
			continue
		}
		n := name(r.Pair.Trace(pair.Side(s)), r.Threads[s])
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) == 2 {
		return names[0] + " ↔ " + names[1]
	}
	return names[0]
}

// threadName returns what a thread is called in every run of its program.
func threadName(_ *trace.Trace, th *trace.Thread) string {
	return cmp.Or(th.CommonName(), "thread")
}

func processName(tr *trace.Trace, th *trace.Thread) string {
	if th.Process < 0 {
		return ""
	}
	return cmp.Or(tr.Processes[th.Process].Name, "process")
}

// stackTree is distinct stacks: each node is a frame below its caller's.
type stackTree struct {
	parent []int32  // −1 for an outermost frame
	frame  []uint32 // identity
	self   [2][]int64
	calls  [2][]int64
	nodes  map[stackKey]int32
	at     []int32 // the nodes of the calls around the one that is met, by depth
	cut    int     // calls deeper than deepest
}

type stackKey struct {
	parent int32
	frame  uint32
}

// gatherStacks adds up the stacks of a group of threads.
func gatherStacks(g *threadGroup, sides Sides, p *pass) (*stackTree, error) {
	t := &stackTree{nodes: map[stackKey]int32{}}
	for _, r := range g.results {
		for _, s := range []pair.Side{pair.A, pair.B} {
			if !sides.has(s) {
				if err := p.step(int64(r.Threads[s].Len())); err != nil {
					return nil, err
				}
				continue
			}
			if err := t.add(r, s, p); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// add adds the calls of a thread. A call's duration counts for its stack and is taken from its
// caller's, so that self times add up to the time of the roots exactly.
func (t *stackTree) add(r *align.Result, s pair.Side, p *pass) error {
	th := r.Threads[s]
	for i := range th.Len() {
		depth := int(th.Depth(i))
		if depth >= deepest {
			t.cut++
			t.calls[s][t.at[deepest-1]]++
		} else {
			t.at = t.at[:depth]
			caller := int32(-1)
			if depth > 0 {
				caller = t.at[depth-1]
			}
			node := t.node(stackKey{caller, r.ID(s, i)})
			t.at = append(t.at, node)
			t.calls[s][node]++
			t.self[s][node] += th.Dur(i)
			if caller >= 0 {
				t.self[s][caller] -= th.Dur(i)
			}
		}
		if err := p.step(1); err != nil {
			return err
		}
	}
	return nil
}

func (t *stackTree) node(k stackKey) int32 {
	n, ok := t.nodes[k]
	if !ok {
		n = int32(len(t.frame))
		t.nodes[k] = n
		t.parent, t.frame = append(t.parent, k.parent), append(t.frame, k.frame)
		for s := range t.self {
			t.self[s], t.calls[s] = append(t.self[s], 0), append(t.calls[s], 0)
		}
	}
	return n
}

// stack puts the frames of a node, the innermost first, into frames.
func (t *stackTree) stack(node int32, frames []uint32) []uint32 {
	frames = frames[:0]
	for ; node >= 0; node = t.parent[node] {
		frames = append(frames, t.frame[node])
	}
	return frames
}

// stacksLost says what a tree could not hold.
func stacksLost(cut int, lost *Loss) {
	lost.add(cut, fmt.Sprintf("call is deeper than %d frames: its time counts for its caller there", deepest),
		fmt.Sprintf("calls are deeper than %d frames: their time counts for their callers there", deepest))
}

// idle counts the stacks that take no time, nor do any that they call.
func (t *stackTree) idle() (n int) {
	busy := make([]bool, len(t.frame))
	for node := len(busy) - 1; node >= 0; node-- { // callees come after their callers
		if busy[node] = busy[node] || t.self[pair.A][node] != 0 || t.self[pair.B][node] != 0; !busy[node] {
			n++
		} else if caller := t.parent[node]; caller >= 0 {
			busy[caller] = true
		}
	}
	return n
}

// sources are the places of functions in the source code, by identity; "" and 0 where no side knows
// it. If the sides differ, it is the place in the newer version, B.
type sources struct {
	file []string
	line []int32
}

func sourcesOf(p *pair.Pair) *sources {
	f := &sources{make([]string, len(p.Names)), make([]int32, len(p.Names))}
	for _, s := range []pair.Side{pair.A, pair.B} {
		tr := p.Trace(s)
		if tr == nil {
			continue
		}
		for fn, id := range p.IDs(s) {
			if known := &tr.Functions[fn]; known.File != "" {
				f.file[id], f.line[id] = known.File, known.Line
			}
		}
	}
	return f
}

// passOver begins a run over the calls of groups, each of which it meets once.
func passOver(ctx context.Context, groups []*threadGroup, report progress.Func) *pass {
	var all []*align.Result
	for _, g := range groups {
		all = append(all, g.results...)
	}
	return newPass(ctx, all, 1, report)
}
