package aggregate

import (
	"slices"

	"diptych/internal/progress"
)

// recovery follows the choices of a search back to the partition. It serves one search after the
// other, since a partition of 10,000 threads has 100,000 aggregates, of which most searches only
// ask for gain, loss and number.
//
// Areas come in the order of a walk through the tree: at a cut in time the whole earlier part is
// first. What begins with the same leaf is in order of time then, so a stable sort by first leaf
// gives the order that a partition has.
type recovery struct {
	q      *Quality
	areas  []Aggregate
	pieces [tasks]recovered // of areas that follow one another
	ends   []int32          // by leaf: how many aggregates begin with this leaf or one before it
	sorted []worth
}

// recovered are aggregates in the order of the walk. Gain and loss are found as soon as a leaf is
// cut, while the processor still has at hand what they are made of.
type recovered struct {
	list   []Aggregate
	worths []worth
}

type worth struct{ gain, loss float64 }

// follow follows the choices from the root and all slices, and returns the partition without its
// aggregates, and their number. Leaves have no choices: they are cut again.
func (r *recovery) follow(p float64, choice [][]int16) (out *Partition, n int) {
	r.findAreas(choice)
	parts := min(tasks, 1+len(r.areas)/fewAreas)
	var all progress.Group
	for k := range r.pieces {
		from, to := k*len(r.areas)/parts, (k+1)*len(r.areas)/parts
		if k >= parts {
			from, to = 0, 0
		}
		piece, areas := &r.pieces[k], r.areas[from:to]
		if piece.list, piece.worths = piece.list[:0], piece.worths[:0]; len(areas) > 0 {
			all.Do(func() { piece.cut(newSolver(r.q, p), areas) })
		}
	}
	_ = all.Wait()
	n = r.sort()
	out = &Partition{P: p}
	for _, w := range r.sorted {
		out.Gain += w.gain
		out.Loss += w.loss
	}
	return out, n
}

// fewAreas is how many areas are rather cut by one goroutine.
const fewAreas = 256

// findAreas finds the aggregates of inner nodes, and the areas of leaves that are cut in time.
func (r *recovery) findAreas(choice [][]int16) {
	q := r.q
	r.areas = r.areas[:0]
	if len(q.tree.Nodes) == 0 {
		return
	}
	open := []Aggregate{{0, 0, q.slices - 1}}
	for len(open) > 0 {
		a := open[len(open)-1]
		open = open[:len(open)-1]
		c := whole
		if choice[a.Node] != nil {
			c = int(choice[a.Node][q.at[a.From]+a.To])
		}
		switch c {
		case whole:
			r.areas = append(r.areas, a)
		case split:
			for _, child := range slices.Backward(q.tree.children(a.Node)) {
				open = append(open, Aggregate{child, a.From, a.To})
			}
		default:
			open = append(open, Aggregate{a.Node, c + 1, a.To}, Aggregate{a.Node, a.From, c})
		}
	}
}

// cut finds the aggregates of some areas.
func (r *recovered) cut(s *solver, areas []Aggregate) {
	for _, a := range areas {
		from := len(r.list)
		if s.q.tree.Nodes[a.Node].Leaf != None {
			r.list = s.appendCuts(r.list, a)
		} else {
			r.list = append(r.list, a)
		}
		for _, a := range r.list[from:] {
			gain, loss := s.q.Of(a.Node, a.From, a.To)
			r.worths = append(r.worths, worth{gain, loss})
		}
	}
}

// sort sorts gains and losses, and returns how many there are.
func (r *recovery) sort() (n int) {
	nodes := r.q.tree.Nodes
	r.ends = slices.Grow(r.ends[:0], r.q.tree.Leaves+1)[:r.q.tree.Leaves+1]
	clear(r.ends)
	for k := range r.pieces {
		for _, a := range r.pieces[k].list {
			r.ends[nodes[a.Node].From+1]++
		}
		n += len(r.pieces[k].list)
	}
	for i := range r.q.tree.Leaves {
		r.ends[i+1] += r.ends[i]
	}
	r.sorted = slices.Grow(r.sorted[:0], n)[:n]
	for k := range r.pieces {
		for i, a := range r.pieces[k].list {
			at := &r.ends[nodes[a.Node].From]
			r.sorted[*at] = r.pieces[k].worths[i]
			*at++
		}
	}
	return n
}

// aggregates returns the aggregates of the partition. It may be asked for once.
func (r *recovery) aggregates() []Aggregate {
	nodes := r.q.tree.Nodes
	out := make([]Aggregate, len(r.sorted))
	for k := range slices.Backward(r.pieces[:]) {
		for _, a := range slices.Backward(r.pieces[k].list) {
			at := &r.ends[nodes[a.Node].From]
			*at--
			out[*at] = a
		}
	}
	return out
}
