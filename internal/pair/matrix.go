package pair

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/progress"
)

// Scope says which threads a Matrix compares: those of one role in all processes, or all threads
// of two processes.
type Scope struct {
	ByRole    bool
	Role      string   // trace.Thread.CommonName; "" for the threads that have only a number
	Processes [2]int32 // by side: trace.Thread.Process of a scope that is not ByRole
}

// Scopes lists what a Matrix can compare: the roles that occur on both sides, and the processes
// that share pairs of threads, each with the one it shares most with. Scopes of one thread on each
// side are left out, since there is nothing to choose. Those with the most threads are first.
func (p *Pair) Scopes() []Scope {
	if p.A == nil || p.B == nil {
		return nil
	}
	counts := map[Scope]*[2]int{}
	for _, t := range p.Threads {
		for s := range 2 {
			if i := t.On(Side(s)); i >= 0 && p.Trace(Side(s)).Threads[i].Len() > 0 {
				sc := Scope{ByRole: true, Role: p.Trace(Side(s)).Threads[i].CommonName()}
				if counts[sc] == nil {
					counts[sc] = &[2]int{}
				}
				counts[sc][s]++
			}
		}
	}
	q := p.partners()
	for _, of := range q.list {
		counts[Scope{Processes: of}] = &[2]int{len(q.threads[A][of[A]]), len(q.threads[B][of[B]])}
	}
	return sortedScopes(counts)
}

// sortedScopes puts scopes with many threads first, and leaves out those that offer no choice.
func sortedScopes(counts map[Scope]*[2]int) (out []Scope) {
	for sc, n := range counts {
		if min(n[A], n[B]) > 0 && max(n[A], n[B]) > 1 {
			out = append(out, sc)
		}
	}
	slices.SortFunc(out, func(x, y Scope) int {
		n, m := counts[x], counts[y]
		return cmp.Or(cmp.Compare(min(m[A], m[B]), min(n[A], n[B])),
			cmp.Compare(x.Role, y.Role), slices.Compare(x.Processes[:], y.Processes[:]))
	})
	return out
}

// Matrix holds how alike the threads of a Scope are, each of A with each of B, which pairs are in
// use, and which would be better.
//
// An assignment is judged as pairing judges it (see pairFew): each pair counts by its similarity,
// and by 0.1 more if both are the k-th of the threads like them on their side; threads that differ
// although one of them has its like across count nothing. Two rules keep what else is known:
//
//   - A thread whose partner is not in the scope stays with it unless another pair is worth more.
//   - Threads do not leave their process: if it has a partner (see partners), they go to
//     that one. Pairs in use stay allowed.
type Matrix struct {
	Pair    *Pair
	Scope   Scope
	Threads [2][]int // by side: A's are the rows, B's the columns, in order of creation
	Left    [2]int   // by side: threads beyond maxAssigned, the least busy, which are left out

	similar []likeness // by row and column
	apart   func(row, column int) bool
	// Now is the column that each row is paired with, or −1. Best is that of the best assignment;
	// it is equal to Now if nothing is better.
	Now, Best []int
	// Gain is by how much the sum of Best exceeds that of Now, in thousandths.
	Gain int
}

// Compare compares the threads of a scope. Its cost is a few passes over their calls, and
// similarities and an assignment of at most maxAssigned threads a side.
func (p *Pair) Compare(ctx context.Context, sc Scope, report progress.Func) (*Matrix, error) {
	return p.compare(ctx, sc, p.partners(), [2]*profiler{p.profiler(A), p.profiler(B)}, report)
}

func (p *Pair) compare(ctx context.Context, sc Scope, q *partners, by [2]*profiler,
	report progress.Func) (*Matrix, error) {
	m := &Matrix{Pair: p, Scope: sc}
	var of [2][]kind
	for s := range of {
		m.Threads[s], m.Left[s] = p.busiestOf(Side(s), q.threadsIn(p, sc, Side(s)))
	}
	meter := progress.NewMeter(report, 1)
	meter.Expect(int64(len(m.Threads[A]) + len(m.Threads[B])))
	for s := range of {
		for _, i := range m.Threads[s] {
			of[s] = append(of[s], kind{profile: by[s].work(int32(i)), threads: []int32{int32(i)}})
			if err := meter.Add(ctx, 1); err != nil {
				return nil, err
			}
		}
	}
	f := m.suits(of, q)
	for a := range of[A] {
		for b := range of[B] {
			m.similar = append(m.similar, f.similarity(a, b))
		}
	}
	m.judge(f, m.elsewhere(f, by))
	return m, ctx.Err()
}

// suits compares threads as their crews do: order counts among those of a name and a process, and
// what a process has across is in its partner.
func (m *Matrix) suits(of [2][]kind, q *partners) *suits {
	f := &suits{of: of, table: compareAll(of[A], of[B])}
	for s := range of {
		threads := m.Pair.Trace(Side(s)).Threads
		f.turns[s] = turns(of[s], func(i, k int) bool {
			x, y := threads[m.Threads[s][i]], threads[m.Threads[s][k]]
			return x.Process == y.Process && x.CommonName() == y.CommonName()
		})
	}
	m.apart = func(row, column int) bool {
		a, b := m.Threads[A][row], m.Threads[B][column]
		return q.apart(m.Pair.A.Threads[a].Process, m.Pair.B.Threads[b].Process)
	}
	for s := range f.table.best {
		clear(f.table.best[s])
	}
	for a, row := range f.table.rows {
		for b, like := range row {
			if !m.apart(a, b) {
				f.table.meets(a, b, like)
			}
		}
	}
	return f
}

// busiestOf returns the busiest threads if there are too many, in order of creation, and how many
// are left out.
func (p *Pair) busiestOf(s Side, threads []int) (busiest []int, left int) {
	if left = len(threads) - maxAssigned; left <= 0 {
		return threads, 0
	}
	busiest = slices.Clone(threads)
	slices.SortStableFunc(busiest, func(i, j int) int { return cmp.Compare(p.Busy[s][j], p.Busy[s][i]) })
	busiest = busiest[:maxAssigned]
	slices.Sort(busiest)
	return busiest, left
}

// elsewhere returns how alike each thread of the matrix and its partner are if that is not in the
// matrix, else 0. It also notes which pairs are in use.
func (m *Matrix) elsewhere(f *suits, by [2]*profiler) (out [2][]likeness) {
	column := map[int]int{}
	for j, b := range m.Threads[B] {
		column[b] = j
	}
	m.Now = slices.Repeat([]int{none}, len(m.Threads[A]))
	inside := make([]bool, len(m.Threads[B]))
	for i, a := range m.Threads[A] {
		if j, ok := column[m.Pair.Partner(A, a)]; ok {
			m.Now[i], inside[j] = j, true
		}
	}
	for s := range out {
		out[s] = make([]likeness, len(m.Threads[s]))
		for k, i := range m.Threads[s] {
			other := m.Pair.Partner(Side(s), i)
			if other < 0 || Side(s) == A && m.Now[k] >= 0 || Side(s) == B && inside[k] {
				continue
			}
			x, y := &f.of[s][k].profile, by[Side(s).Other()].work(int32(other))
			out[s][k] = similarity(x, &y, compare(x, &y, overlap(x.calls, y.calls)))
		}
	}
	return out
}

// judge finds the best assignment. Pairs outside the matrix that it would part count against it.
func (m *Matrix) judge(f *suits, outside [2][]likeness) {
	worth := func(i, j int) likeness {
		if m.Now[i] != j && m.apart(i, j) {
			return 0
		}
		w, lost := f.worth(i, j), outside[A][i]+outside[B][j]
		return max(w, lost) - lost
	}
	// Of assignments that are as good, assign prefers rows and columns of the same place: here the
	// place of a column is the row that it is paired with now.
	rows, columns := upTo[int](len(m.Now)), slices.Repeat([]int{maxAssigned - 1}, len(m.Threads[B]))
	for i, j := range m.Now {
		if j >= 0 {
			columns[j] = i
		}
	}
	m.Best = assign(rows, columns, worth)
	m.Gain = sumOf(m.Best, worth) - sumOf(m.Now, worth)
	if m.Gain == 0 {
		m.Best = m.Now
	}
}

func sumOf(assigned []int, worth func(i, j int) likeness) (sum int) {
	for i, j := range assigned {
		if j >= 0 {
			sum += int(worth(i, j))
		}
	}
	return sum
}

// Similarity returns how alike the threads of a row and of a column are, 0 to 1: the mean of three
// Jaccard coefficients, of what they call, of what they call at the level where they begin to
// differ, and of how often they call each (see compare and compareCounts).
func (m *Matrix) Similarity(row, column int) float64 {
	return float64(m.similar[row*len(m.Threads[B])+column]) / 1000
}

// Sum adds up the similarities of the pairs of an assignment, which is Now or Best.
func (m *Matrix) Sum(assigned []int) (sum float64) {
	for i, j := range assigned {
		if j >= 0 {
			sum += m.Similarity(i, j)
		}
	}
	return sum
}

// Better returns the pairs of Best that are not in use.
func (m *Matrix) Better() (pairs []ThreadPair) {
	for i, j := range m.Best {
		if j >= 0 && j != m.Now[i] {
			pairs = append(pairs, ThreadPair{m.Threads[A][i], m.Threads[B][j]})
		}
	}
	return pairs
}

// Advice is the pairs of threads that would be better than those in use, of all processes.
type Advice struct {
	Pairs     []ThreadPair
	Now, Best float64 // sums of similarities over all threads that are compared
}

// Advise looks for a better pairing of the threads of each two processes that are partners. Pairs
// is empty if there is none.
func (p *Pair) Advise(ctx context.Context, report progress.Func) (Advice, error) {
	var sum Advice
	q, by := p.partners(), [2]*profiler{p.profiler(A), p.profiler(B)}
	meter := progress.NewMeter(report, 1)
	meter.Expect(int64(len(q.list)))
	for _, of := range q.list {
		m, err := p.compare(ctx, Scope{Processes: of}, q, by, nil)
		if err != nil {
			return Advice{}, err
		}
		m.add(&sum)
		if err := meter.Add(ctx, 1); err != nil {
			return Advice{}, err
		}
	}
	return sum, nil
}

func (m *Matrix) add(sum *Advice) {
	sum.Pairs = append(sum.Pairs, m.Better()...)
	sum.Now, sum.Best = sum.Now+m.Sum(m.Now), sum.Best+m.Sum(m.Best)
}

// Advice returns what the matrix alone advises.
func (m *Matrix) Advice() (sum Advice) {
	m.add(&sum)
	return sum
}
