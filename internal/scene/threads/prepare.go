package threads

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// Prepared is what a frame looks up about the threads of one or two sides and their waits, so that
// it costs what is visible. A job makes it; it is immutable.
type Prepared struct {
	Pair  *pair.Pair
	Sides [2]*wait.Analysis // by pair.Side; nil where it is not known yet

	sides  [2]preparedSide
	lines  []threadLine
	active []int32 // lines that are not idle
	idle   [2]int  // by side: threads of lines that are idle
	roles  []role
}

// threadLine is what Arrange needs of a pair of threads. A line's index is that in Pair.Threads.
type threadLine struct {
	role     int32  // index into roles; −1 if the threads have only a number
	idle     bool   // no thread of it calls anything that waits or releases
	stuck    bool   // all that its threads do is wait for what never comes
	dealings uint64 // how often they release and are released
}

// role is several lines whose threads are the same to their program.
type role struct {
	name   string
	lines  int
	crowds [2]crowd // by side; empty for fewer than leastGroup lines
}

// crowd is the waits of all threads of a role, which may share a section.
type crowd struct {
	free  *strand // that threads of other roles ended, and those that never ended
	knots *strand // that threads of the same role ended
	stuck *strand // of lines that are stuck
	// by is the knots again, by the thread that ended them: if that one thread lies elsewhere, its
	// knots are none.
	by map[int32]*strand
}

// preparedSide is what is looked up by thread of one side.
type preparedSide struct {
	strands []*strand
	trunks  []int32 // stack levels that are one call for most of the thread's time
	// ended are the outermost waits that a release ended, by thread, then releasing thread, then
	// start: those of thread t are [first[t], first[t+1]).
	ended []int32
	first []int32
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
		if err := out.sides[s].prepare(ctx, a); err != nil {
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
			continue
		}
		out.eachThread(k, func(s, _ int) { out.idle[s]++ })
	}
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

// releasing returns by thread whether it releases anything.
func releasing(a *wait.Analysis) []bool {
	out := make([]bool, len(a.Trace.Threads))
	for t := range out {
		out[t] = a.Threads[t].Releases > 0
	}
	for k := range a.Trace.Correspondences {
		out[a.Trace.Correspondences[k].Release.Thread] = true
	}
	return out
}

// describe looks at the threads of a line, but for their role.
func (p *Prepared) describe(k int, releases [2][]bool) threadLine {
	l := threadLine{idle: true, stuck: true}
	p.eachThread(k, func(s, t int) {
		a := p.Sides[s]
		if a == nil {
			return
		}
		sum := &a.Threads[t]
		l.dealings += sum.Released + sum.Releases
		l.idle = l.idle && sum.Waits == 0 && !releases[s][t]
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
func (p *Prepared) RoleOf(k int) string { return RoleOf(p.Pair, k) }

// RoleOf returns what the threads of a line are to their program, or "" if they have only a number.
func RoleOf(p *pair.Pair, k int) string {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if t := p.Threads[k].On(side); t >= 0 {
			if role := p.Trace(side).Threads[t].Role; role != "" {
				return role
			}
		}
	}
	return ""
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
	d.first = make([]int32, len(threads)+1)
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
	}
	of := make([]lists, len(p.roles))
	for t := range a.Trace.Threads {
		l := &p.lines[p.Pair.Of(pair.Side(s), t)]
		if l.role < 0 || p.roles[l.role].lines < leastGroup {
			continue
		}
		to := &of[l.role]
		for _, w := range p.sides[s].strands[t].waits {
			by := a.Waits.By[w].Thread
			switch {
			case l.stuck:
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
		c := crowd{newCrowd(&a.Waits, of[r].free), newCrowd(&a.Waits, of[r].knots),
			newCrowd(&a.Waits, of[r].stuck), map[int32]*strand{}}
		for by, waits := range of[r].by {
			c.by[by] = newCrowd(&a.Waits, waits)
		}
		p.roles[r].crowds[s] = c
	}
}

// endedOn returns the outermost waits of a thread that a release of one thread ended and whose
// calls are among [from, to), and where in ended those of the next releasing thread begin. at is an
// index into ended.
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
