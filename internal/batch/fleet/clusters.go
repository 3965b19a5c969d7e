package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"diptych/internal/aggregate"
)

// Where the hierarchy is cut into clusters: from the top, a group is divided if its parts have so
// much less of the sum of squares that one cloud of points is not likely to be divided so.
//
// For two parts, this is the test of Duda and Hart (Pattern Classification and Scene Analysis,
// 1973, section 6.12): in p dimensions the best halves of a normal cloud have 1 − 2/πp of its sum
// of squares. By this test, four clusters that are equally far from each other are one cloud, since
// halves leave two thirds of the squares. So a group is also divided if k parts of it leave nearly
// nothing. No k parts of a normal cloud of very many points leave less than k^(−2/p), the
// distortion at log k nats (Shannon, Coding theorems for a discrete source with a fidelity
// criterion, 1959); a fourth of that is asked for, since few points leave less.
const (
	mostClusters = 24
	sure         = 2.    // standard deviations from what a normal cloud has
	obvious      = .05   // of the sum of squares: so little is enough for few points, too
	manyParts    = .25   // of k^(−2/p)
	enoughPoints = 4     // for which a sum of squares says something
	farApart     = .0075 // of the run: parts that are nearer to each other are the same to a reader
)

// cut returns the groups that are clusters, the largest first.
func (h *hierarchy) cut() []int32 {
	list := []int32{int32(len(h.groups) - 1)}
	for len(list) < mostClusters {
		best := -1
		for k, g := range list {
			if h.divides(g) && (best < 0 || h.groups[g].height > h.groups[list[best]].height) {
				best = k
			}
		}
		if best < 0 {
			break
		}
		g := &h.groups[list[best]]
		list[best] = g.left
		list = append(list, g.right)
	}
	slices.SortFunc(list, func(x, y int32) int {
		p, q := &h.groups[x], &h.groups[y]
		return cmp.Or(cmp.Compare(q.size, p.size), cmp.Compare(p.first, q.first))
	})
	return list
}

// divides reports whether the parts of a group are clusters by themselves.
func (h *hierarchy) divides(at int32) bool {
	g := &h.groups[at]
	if g.left < 0 || g.size < enoughPoints ||
		h.groups[g.left].mean.squared(&h.groups[g.right].mean) < farApart*farApart {
		return false
	}
	p := h.dimensions(at)
	critical := 1 - 2/(math.Pi*p) - sure*math.Sqrt(2*(1-8/(math.Pi*math.Pi*p))/(g.size*p))
	return (g.squares-g.height)/g.squares < max(critical, obvious) || h.fallsApart(at, p)
}

// fallsApart reports whether three or more parts of a group are clusters by themselves. In p
// dimensions they are those that were joined last: in Ward's hierarchy joins never become lower.
func (h *hierarchy) fallsApart(at int32, p float64) bool {
	n, left := h.groups[at].size, h.groups[at].squares
	open := []int32{at}
	for k := 2.; k <= mostClusters && enoughPoints*k <= n; k++ {
		highest := 0
		for i, g := range open {
			if h.groups[g].height > h.groups[open[highest]].height {
				highest = i
			}
		}
		g := &h.groups[open[highest]]
		if g.left < 0 {
			return false
		}
		left -= g.height
		open[highest] = g.left
		open = append(open, g.right)
		if k > 2 && left < manyParts*math.Pow(k, -2/p)*(1-k/n)*h.groups[at].squares {
			return true
		}
	}
	return false
}

// dimensions returns in how many dimensions the points of a group spread about alike: (Σ λ)² / Σ
// λ² of the eigenvalues of their covariance, which needs none of them.
func (h *hierarchy) dimensions(at int32) float64 {
	var cov [components][components]float64
	mean := &h.groups[at].mean
	h.below(at, func(p int32) {
		g := &h.groups[p]
		for i := range cov {
			for j := range cov {
				cov[i][j] += g.size * (g.mean[i] - mean[i]) * (g.mean[j] - mean[j])
			}
		}
	})
	trace, squares := 0.0, 0.0
	for i := range cov {
		trace += cov[i][i]
		for j := range cov {
			squares += cov[i][j] * cov[i][j]
		}
	}
	if squares == 0 {
		return 1
	}
	return trace * trace / squares
}

// clusterPlace is where a pair stands in the tree of rows.
type clusterPlace struct {
	aggregate.Place
	row int // index into Fleet.Compared
}

// levels is how many levels a cluster has in the tree of rows. Each holds what is half as far
// apart as in the level above.
const levels = 6

// describeClusters notes which clusters there are, and puts the pairs in order.
func (r *reading) describeClusters(h *hierarchy, points []point, list []int32) {
	f := r.fleet
	for number, g := range list {
		var rows []int
		r.placeRows(h, g, number, func(row int) { rows = append(rows, row) })
		slices.Sort(rows)
		c := Cluster{}
		for _, row := range rows {
			p := f.Compared[row]
			f.Pairs[p].Cluster = number
			c.Pairs = append(c.Pairs, p)
			c.MeanDeltaNs += float64(f.Pairs[p].DeltaNs)
			c.MeanShare += float64(f.Pairs[p].DeltaNs) / r.longer[row]
		}
		c.MeanDeltaNs /= float64(len(rows)) // only now: the sum is exact, its parts would not be
		c.MeanShare /= float64(len(rows))
		middle := nearestTo(&h.groups[g].mean, points, rows)
		c.Middle = f.Compared[middle]
		if !f.Diverse { // times of pairs of different lengths have no mean
			r.nameCluster(&c, rows)
		}
		c.When = r.when(middle, Lag, c.sign())
		f.Clusters = append(f.Clusters, c)
	}
}

// placed is a group on its way into the tree of rows.
type placed struct {
	group int32
	place aggregate.Place
}

func (p placed) below(key, name string) aggregate.Place {
	return aggregate.Place{Keys: append(slices.Clip(p.place.Keys), key),
		Names: append(slices.Clip(p.place.Names), name)}
}

// placeRows gives the pairs of a cluster their places in the tree of rows, and tells of each.
func (r *reading) placeRows(h *hierarchy, cluster int32, number int, do func(row int)) {
	top := h.groups[cluster].height
	root := placed{group: cluster}
	open := []placed{{cluster, root.below(fmt.Sprint("c", number), fmt.Sprint("cluster ", number+1))}}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		g := &h.groups[at.group]
		for level := len(at.place.Keys); level <= levels && g.height <= top*math.Pow(.25, float64(level)); level++ {
			at.place = at.below(fmt.Sprint("g", at.group), "like "+r.name(g.first))
		}
		if g.left >= 0 {
			open = append(open, placed{g.right, at.place}, placed{g.left, at.place})
			continue
		}
		for _, row := range h.members[at.group] {
			place := at.below(fmt.Sprint("p", row), r.name(row))
			r.leaves = append(r.leaves, clusterPlace{place, row})
			do(row)
		}
	}
}

// name returns what a compared pair is called.
func (r *reading) name(row int) string { return r.fleet.Pairs[r.fleet.Compared[row]].Pair }

// nameCluster finds the function that sets a cluster apart from the median pair most.
func (r *reading) nameCluster(c *Cluster, rows []int) {
	most := leastApart
	for _, f := range r.order {
		share, ns := 0.0, 0.0
		for _, row := range rows {
			s := f.at(row)
			ns += float64(s.delta())
			share += float64(s.delta()) / r.longer[row]
		}
		ns, share = ns/float64(len(rows)), share/float64(len(rows))
		if off := weighed(f.Waits, math.Abs(share-f.median)); off > most {
			most = off
			c.Function, c.MeanNs, c.OffNs = f.Name, ns, ns-float64(f.medianDelta(r, r.everyRow()))
		}
	}
}

// leastApart is by what share of the run a function sets a cluster apart at least.
const leastApart = .005

// weighed counts waits half: mostly one waits for another that is the cause.
func weighed(waits bool, share float64) float64 {
	if waits {
		return share / 2
	}
	return share
}

// sign says whether B takes longer in the cluster, compared with the median pair if a function
// sets it apart.
func (c *Cluster) sign() float64 {
	if c.Function != "" {
		return c.OffNs
	}
	return c.MeanDeltaNs
}
