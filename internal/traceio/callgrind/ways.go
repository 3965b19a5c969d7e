package callgrind

import "slices"

// What an entry into a cycle costs is more in some members than in others, and in which ones
// depends on where the cycle is entered. For example, of a database that prepares statements and
// steps through them, and on either way reads its schema, for which it does both:
//
//	prepare 2 → parse 40 → schema 1 → prepare, step        entered at prepare with 42
//	step 5 → run 480 → schema                              entered at step with 486
//
// Next to nothing of run belongs to the entry at prepare. The file says what the calls
// within the cycle cost, too, at each level of recursion anew. So all calls of a member cost
// together what it costs by itself and what its calls cost, and what enters a member can be
// followed on, in the ratio of these. What comes through each member solves linear equations: x =
// entry + Pᵀx, with P(u, v) being the part of what u costs that its calls of v do. The x of all
// entries add up to what the file says.

// mostSolved is how many members a cycle may have for that, as it takes their number cubed.
const mostSolved = 200

// way is how the cost of an entry spreads in a cycle.
type way struct {
	order []int32         // members as they are reached
	up    map[int32]int32 // by which other member each is reached
	rate  []float64       // of what a member costs, for an entry of 1; nil if that is not known
}

// ways returns them by the function at which a cycle is entered, nil for a cycle that is too large.
func (s *splitter) ways(c int32, entries []entry) map[int32]*way {
	members := s.members[c]
	if len(members) == 1 || len(members) > mostSolved {
		return nil
	}
	at := make(map[int32]int, len(members))
	for i, m := range members {
		at[m] = i
	}
	var fns []int
	for _, e := range entries {
		if i := at[e.fn]; !slices.Contains(fns, i) {
			fns = append(fns, i)
		}
	}
	part, has := s.parts(c, at)
	through := throughs(part, fns)
	s.steps += len(members) * (len(members) + len(fns))
	if through == nil {
		return nil
	}
	all := map[int32]*way{}
	for k, fn := range fns {
		w := &way{rate: make([]float64, len(members))}
		for i := range w.rate {
			w.rate[i] = through[i][k]
		}
		if w.order, w.up = widest(members, part, w.rate, fn); len(w.order) < len(members) {
			continue // to some comes less than a number can be small
		}
		for i := range w.rate {
			w.rate[i] /= has[i]
		}
		all[members[fn]] = w
	}
	return all
}

// parts returns which part of what a member costs each other one does, and what each costs with all
// its calls.
func (s *splitter) parts(c int32, at map[int32]int) (part [][]float64, has []float64) {
	members := s.members[c]
	for _, m := range members {
		row, sum := make([]float64, len(members)), float64(s.g.nodes[m].own)
		for _, e := range s.g.nodes[m].out {
			e := s.g.edges[e]
			if sum += float64(e.cost); s.cycle[e.to] == c {
				row[at[e.to]] += float64(e.cost)
			}
		}
		for i := range row {
			row[i] /= max(sum, 1)
		}
		part, has = append(part, row), append(has, max(sum, 1))
	}
	return part, has
}

// throughs returns how much of a cost of 1 that enters at some members comes through each member,
// by member and entry; nil if there is no telling. It eliminates without pivoting, as
// in each column of I − Pᵀ no number is larger than the one in the diagonal.
func throughs(part [][]float64, fns []int) [][]float64 {
	n := len(part)
	a := make([][]float64, n) // I − Pᵀ, and beside it the entries
	for i := range a {
		a[i] = make([]float64, n+len(fns))
		for k := range n {
			a[i][k] = -part[k][i]
		}
		a[i][i]++
		for k, fn := range fns {
			if fn == i {
				a[i][n+k] = 1
			}
		}
	}
	for p := range n {
		if a[p][p] < 1e-9 {
			return nil
		}
		for i := range n {
			f := a[i][p] / a[p][p]
			if i == p || f == 0 {
				continue
			}
			for k := p; k < len(a[i]); k++ {
				a[i][k] -= float64(f * a[p][k]) // the same on all machines
			}
		}
	}
	for i := range a {
		for k := range fns {
			a[i][n+k] /= a[i][i]
		}
		a[i] = a[i][n:]
	}
	return a
}
