package threads

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// Prepared is what Arrange and Build look up about the threads of one or two sides and their waits.
// It takes time linear in the waits to make, which is a job's business; with it, a frame costs what
// is visible. It is immutable. It takes about 10 bytes a wait, and 4 bytes a causal link. Of
// threads that have their role in common with others it takes 21 bytes more a wait, and what
// wait.States takes once more.
type Prepared struct {
	Pair  *pair.Pair
	Sides [2]*wait.Analysis // by pair.Side; nil where it is not known yet

	Total wait.ThreadTotal // of both sides: times and what became of waits
	Alone bool             // of the threads that have a section, some have no partner

	sides  [2]preparedSide
	lines  []threadLine
	active []int32   // lines that are not idle
	idle   [2]Folded // by side: threads of lines that are idle
	roles  []role
	hues   []float64 // by line: of its colour, degrees
}

// threadLine is what Arrange needs of a pair of threads. A line's index is that in Pair.Threads.
type threadLine struct {
	role     int32  // index into roles; −1 if the threads have only a number
	idle     bool   // its threads never wait or release anything, or only the runtime's own
	stuck    bool   // its threads only wait, until the end of the recording, and release nothing
	dealings uint64 // how often they release and are released
}

// asides reports whether a line never shares a section unless idle threads are shown.
func (l *threadLine) asides() bool { return l.idle || l.stuck }

// role is the lines whose threads have the same role: "worker" for worker#1 to worker#40.
type role struct {
	name   string
	lines  int
	hue    float64  // of the section that its threads share, degrees
	crowds [2]crowd // by side; empty for fewer than leastGroup lines
}

// crowd is the waits of all threads of a role. Such threads may share a section, and then these are
// looked up instead of the waits of each thread.
type crowd struct {
	free  *strand // that threads of other roles ended, and those that never ended
	knots *strand // that threads of the same role ended
	stuck *strand // of lines that are idle or stuck
	// by is the knots again, by the thread that ended them. A worker in the middle of the view does
	// not share the section of the other workers: what it ended there is looked for by itself.
	by map[int32]*strand

	role  int32     // index into Prepared.roles
	ended []endings // free and knots, by what ended them
	// What the threads did over time: those of lines that are neither idle nor stuck, and others.
	states, asides *wait.Presence
}

// preparedSide is what is looked up by thread of one side.
type preparedSide struct {
	strands []*strand
	trunks  []int32 // stack levels that are one call for most of the thread's time
	// ended are the outermost waits that a release ended. They are sorted by thread, then by
	// releasing thread, then by start; those of thread t are ended[first[t]:first[t+1]].
	ended []int32
	first []int32
	lanes []lane // causal links, most first

	states *wait.States
}

// On returns the analysis of a side, 0 for A and 1 for B, or nil.
func (p *Prepared) On(side int) *wait.Analysis {
	if p == nil {
		return nil
	}
	return p.Sides[side]
}

// Prepare looks at all threads and waits. sides are the analyses of p.A and p.B; either may be nil.
// It fails only when ctx is done.
func Prepare(ctx context.Context, p *pair.Pair, sides [2]*wait.Analysis) (*Prepared, error) {
	out := &Prepared{Pair: p, Sides: sides, lines: make([]threadLine, len(p.Threads))}
	var releases [2][]bool
	for s, a := range sides {
		if a == nil {
			continue
		}
		releases[s] = releasing(a)
		out.sum(a)
		if err := out.sides[s].prepare(ctx, a); err != nil {
			return nil, err
		}
		var err error
		if out.sides[s].states, err = a.FindStates(ctx); err != nil {
			return nil, err
		}
	}
	at := map[string]int32{}
	for k := range out.lines {
		l := out.describe(k, releases)
		name := out.RoleOf(k)
		l.role = out.roleNamed(at, name)
		out.lines[k] = l
		if !l.idle {
			out.active = append(out.active, int32(k))
			out.Alone = out.Alone || sides[0] != nil && sides[1] != nil &&
				(p.Threads[k].A < 0 || p.Threads[k].B < 0)
			continue
		}
		out.countFolded(k, &out.idle, 1)
	}
	out.colour()
	for s, a := range sides {
		if a != nil {
			out.gatherCrowds(s, a)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return out, ctx.Err()
}

func (p *Prepared) sum(a *wait.Analysis) {
	for t := range a.Threads {
		of := &a.Threads[t]
		p.Total.WaitNs += of.WaitNs
		p.Total.IONs += of.IONs
		p.Total.OffCPUNs += of.OffCPUNs
		p.Total.Released += of.Released
		p.Total.Unreleased += of.Unreleased
	}
}

// releasing returns by thread whether it releases anything; of the runtime's threads, whether it
// let one of the program go on.
func releasing(a *wait.Analysis) []bool {
	out := make([]bool, len(a.Trace.Threads))
	for t := range out {
		out[t] = a.Threads[t].Releases > 0 && a.Counts(t)
	}
	for k := range a.Trace.Correspondences {
		if c := &a.Trace.Correspondences[k]; a.Counts(int(c.Wait.Thread)) {
			out[c.Release.Thread] = true
		}
	}
	return out
}

// describe says all of a line but its role.
func (p *Prepared) describe(k int, releases [2][]bool) threadLine {
	l := threadLine{idle: true, stuck: true}
	p.eachThread(k, func(s, t int) {
		a := p.Sides[s]
		if a == nil {
			return
		}
		sum := &a.Threads[t]
		l.dealings += sum.Released + sum.Releases
		l.idle = l.idle && (sum.Waits == 0 || !a.Counts(t)) && !releases[s][t]
		l.stuck = l.stuck && !releases[s][t] && neverEnd(a, t)
	})
	return l
}

// neverEnd reports whether all outermost waits of a thread last until the end of the recording.
func neverEnd(a *wait.Analysis, t int) bool {
	from, to := a.Waits.OnThread(t)
	for w := from; w < to; w++ {
		if a.Waits.Outermost(w) && a.Waits.How[w] != wait.Unreleased {
			return false
		}
	}
	return true
}

// eachThread calls do for the threads that a line has.
func (p *Prepared) eachThread(k int, do func(side, thread int)) {
	for s := range p.Sides {
		if t := p.Pair.Threads[k].On(pair.Side(s)); t >= 0 {
			do(s, t)
		}
	}
}

// RoleOf returns what the threads of a line are to their program, or "" if they have only a number.
func (p *Prepared) RoleOf(k int) string {
	role := ""
	p.eachThread(k, func(s, t int) {
		role = cmp.Or(role, p.Pair.Trace(pair.Side(s)).Threads[t].Role)
	})
	return role
}

// roleNamed returns the index of a role, or −1 for none.
func (p *Prepared) roleNamed(at map[string]int32, name string) int32 {
	if name == "" {
		return -1
	}
	k, ok := at[name]
	if !ok {
		k = int32(len(p.roles))
		at[name] = k
		p.roles = append(p.roles, role{name: name})
	}
	p.roles[k].lines++
	return k
}

// prepare lists the waits of each thread.
func (d *preparedSide) prepare(ctx context.Context, a *wait.Analysis) error {
	threads, ws := a.Trace.Threads, &a.Waits
	d.strands, d.trunks = make([]*strand, len(threads)), make([]int32, len(threads))
	d.first, d.lanes = make([]int32, len(threads)+1), lanes(a)
	for t, th := range threads {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.trunks[t] = int32(th.Trunk(trunkShare))
		var told []int32
		from, to := ws.OnThread(t)
		for w := from; w < to; w++ {
			if !ws.Outermost(w) || ws.How[w] == wait.Passed {
				continue
			}
			told = append(told, int32(w))
			if ws.By[w].Call >= 0 {
				d.ended = append(d.ended, int32(w))
			}
		}
		d.strands[t] = newStrand(ws, told)
		d.first[t+1] = int32(len(d.ended))
		slices.SortStableFunc(d.ended[d.first[t]:], func(x, y int32) int {
			return cmp.Compare(ws.By[x].Thread, ws.By[y].Thread)
		})
	}
	return nil
}

// gatherCrowds brings together the waits of threads that may share a section.
func (p *Prepared) gatherCrowds(s int, a *wait.Analysis) {
	type lists struct {
		free, knots, stuck []int32
		by                 map[int32][]int32
		threads, asides    []int
	}
	of := make([]lists, len(p.roles))
	for t := range a.Trace.Threads {
		l := &p.lines[p.Pair.Of(pair.Side(s), t)]
		if l.role < 0 || p.roles[l.role].lines < leastGroup {
			continue
		}
		to := &of[l.role]
		if l.asides() {
			to.asides = append(to.asides, t)
		} else {
			to.threads = append(to.threads, t)
		}
		for _, w := range p.sides[s].strands[t].waits {
			by := a.Waits.By[w].Thread
			switch {
			case l.asides():
				to.stuck = append(to.stuck, w)
			case by < 0 || p.lines[p.Pair.Of(pair.Side(s), int(by))].role != l.role:
				to.free = append(to.free, w)
			default:
				to.knots = append(to.knots, w)
				if to.by == nil {
					to.by = map[int32][]int32{}
				}
				to.by[by] = append(to.by[by], w)
			}
		}
	}
	for r := range of {
		if p.roles[r].lines < leastGroup {
			continue
		}
		l, states := &of[r], p.sides[s].states
		c := crowd{free: newCrowd(&a.Waits, l.free), knots: newCrowd(&a.Waits, l.knots),
			stuck: newCrowd(&a.Waits, l.stuck), by: map[int32]*strand{}, role: int32(r),
			ended:  p.endingsOf(s, slices.Concat(l.free, l.knots)),
			states: states.Join(l.threads), asides: states.Join(l.asides)}
		for by, waits := range l.by {
			c.by[by] = newCrowd(&a.Waits, waits)
		}
		p.roles[r].crowds[s] = c
	}
}

// endedOn returns those waits of a thread that one other thread ended and whose calls are among
// [from, to). at is where in ended the waits that this other thread ended begin, and next where
// those of the next one do.
func (d *preparedSide) endedOn(ws *wait.Waits, thread, at int, from, to int32) (waits []int32, next int) {
	rest := d.ended[at:d.first[thread+1]]
	by := ws.By[rest[0]].Thread
	n, _ := slices.BinarySearchFunc(rest, by+1, func(w int32, t int32) int {
		return cmp.Compare(ws.By[w].Thread, t)
	})
	list := rest[:n]
	call := func(w int32, c int32) int { return cmp.Compare(ws.Call[w], c) }
	lo, _ := slices.BinarySearchFunc(list, from, call)
	hi, _ := slices.BinarySearchFunc(list, to, call)
	return list[lo:hi], at + n
}
