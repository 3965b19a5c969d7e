package finding

import (
	"cmp"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Functions of profiles that one side alone has, or that are called more or less often, and which
// callees hold most of a difference.

// tellLone tells functions that only one side has, with their callees, the largest first. If the
// functions of their callees were told first, each by itself, nobody would see what they have in
// common. For example, B compares strings instead of numbers while it sorts:
//
//	A: main 10 > sort 50 > execute 300               main > print > format 1
//	B: main 10 > sort 50 > execute 300               main > print > format 1
//	                       execute > tostring 20 > format 400 > itoa 100
//
// B spends 520 samples in tostring, which is why it has more of format and itoa. But if tostring
// only stood between functions that A has as well, the same samples would be gone elsewhere: then
// nothing is told of it here.
//
// The same holds of functions that are called more often, or less, by what was counted.
func (p *profiles) tellLone(ids []uint32) error {
	for k := len(ids) - 1; k >= 0; k-- {
		v := p.byFunction[ids[k]]
		lone := min(len(v.nodes[pair.A]), len(v.nodes[pair.B])) == 0
		if !lone && len(p.s.counted) == 0 || p.s.share(v.total) < p.s.o.Least {
			continue
		}
		if err := p.s.ctx.Err(); err != nil {
			return err
		}
		if p.callsOthers(v) && (lone && p.addsSamples(v) || !lone && p.calledMore(ids[k])) {
			p.compareFunction(ids[k], allSamples)
		}
	}
	return nil
}

// callsOthers reports whether a function has callees.
func (p *profiles) callsOthers(v *sampling) bool {
	for sd := range v.nodes {
		for _, n := range v.nodes[sd] {
			if n.of.r.Threads[sd].Next(int(n.i)) > int(n.i)+1 {
				return true
			}
		}
	}
	return false
}

// calledBy names the function that makes nearly all calls of one which one side alone has, by their
// samples; it is "" if there is none, or its name says nothing.
func (p *profiles) calledBy(v *sampling) string {
	by, all := map[uint32]int64{}, int64(0)
	for sd := range v.roots {
		for _, n := range v.roots[sd] {
			th := n.of.r.Threads[sd]
			ns := th.Dur(int(n.i))
			if all += ns; th.Parent(int(n.i)) != align.None {
				by[p.s.identity(n.of.r, pair.Side(sd), th.Parent(int(n.i)))] += ns
			}
		}
	}
	for id, ns := range by {
		if float64(ns) >= mostly*float64(all) && !saysNothing(p.s.names[id]) {
			return ", called by " + p.s.names[id]
		}
	}
	return ""
}

// added is the part of the samples of a function which one side alone has, with its callees, that
// this side must have more of in all.
const added = 0.75

// addsSamples reports whether the side that has a function has about as many samples more in it and
// in the functions of its callees, wherever these are called.
func (p *profiles) addsSamples(v *sampling) bool {
	of, all, net := map[uint32]int64{}, int64(0), int64(0)
	p.eachNode(v, allSamples, func(t *tree, sd pair.Side, _, i int32) {
		if ns := t.self[sd][i]; !t.told[sd][i] {
			of[p.s.identity(t.r, sd, i)] += ns
			all += ns
		}
	})
	sd := pair.Side(toInt(len(v.nodes[pair.A]) == 0))
	for id, ns := range of {
		self := p.byFunction[id].self
		net += max(0, min(ns, self[sd]-self[1-sd]))
	}
	return all > 0 && float64(net) >= added*float64(all)
}

// mostlyIn says in which callee most of the samples are by which a function differs, "" if in none:
// the function itself may be no more than a frame that nobody knows the name of, or the one that
// runs the whole program. What one side alone has, there the programs part; else the smallest
// callee says most.
func (p *profiles) mostlyIn(v *sampling, what scope) string {
	if what != allSamples {
		return ""
	}
	own, below, whole := map[uint32]int64{}, map[uint32][2]int64{}, int64(0)
	p.eachNode(v, what, func(t *tree, sd pair.Side, root, i int32) {
		ns := int64(2*int(sd)-1) * t.self[sd][i]
		own[p.s.identity(t.r, sd, i)] += ns
		whole += ns
		if i == root {
			p.sumBelow(t, sd, root, below)
		}
	})
	most := func(ns int64) bool { return sameWay(ns, whole) && 2*magnitude(ns) > magnitude(whole) }
	for _, id := range sortedKeys(own, cmp.Compare[uint32]) {
		if p.byFunction[id] != v && most(own[id]) {
			return ", mostly in " + p.s.names[id]
		}
	}
	lone := func(v *sampling) bool { return min(len(v.nodes[pair.A]), len(v.nodes[pair.B])) == 0 }
	if lone(v) {
		return ""
	}
	in, found := uint32(0), false
	for _, id := range sortedKeys(below, func(x, y uint32) int { // the smallest first
		return cmp.Or(cmp.Compare(below[x][0]+below[x][1], below[y][0]+below[y][1]),
			cmp.Compare(p.byFunction[y].depth, p.byFunction[x].depth), cmp.Compare(x, y))
	}) {
		ns, of := below[id], p.byFunction[id]
		if of != v && most(ns[pair.B]-ns[pair.A]) && (!found || lone(of)) {
			in, found = id, true
		}
	}
	if !found {
		return ""
	}
	return ", mostly in " + p.s.names[in] + " and its callees"
}

// sumBelow adds the samples of each function at and below a node, including callees, once where it
// calls itself.
func (p *profiles) sumBelow(t *tree, sd pair.Side, root int32, sums map[uint32][2]int64) {
	th, open, ends := t.r.Threads[sd], map[uint32]int{}, []int32{}
	for i := root; i < int32(th.Next(int(root))); i++ {
		for len(ends) > 0 && int32(th.Next(int(ends[len(ends)-1]))) <= i {
			open[p.s.identity(t.r, sd, ends[len(ends)-1])]--
			ends = ends[:len(ends)-1]
		}
		id := p.s.identity(t.r, sd, i)
		if open[id]++; open[id] == 1 {
			sum := sums[id]
			sum[sd] += th.Dur(int(i))
			sums[id] = sum
		}
		ends = append(ends, i)
	}
}
