package report

import (
	"slices"

	"diptych/internal/trace"
)

// What the edits of each kind do.

func speedOf(times float64) func(s *scene) *truth {
	return func(s *scene) *truth {
		return s.changeSpeed(times, 1, func(visit) bool { return true })
	}
}

// changeSpeed makes the calls of a function that are chosen, a part of all about, take times as
// long.
func (s *scene) changeSpeed(times, part float64, chosen func(v visit) bool) *truth {
	name := s.one(s.candidates(part*max(times-1, 1-times), selfOf))
	t := &truth{names: []string{name}, kinds: slowed}
	s.b.each(func(v visit) {
		if v.s.fn.Name == name && chosen(v) {
			t.ns += v.s.take(times)
		}
	})
	return t.unless(name == "")
}

// changeWhere makes the calls of a function that fulfil a condition, but not all of them, take times
// as long. Functions that wait are left alone: how long they do is not theirs.
func (s *scene) changeWhere(times float64, chosen func(v visit) bool) *truth {
	all, part := map[string]int64{}, map[string]int64{}
	s.b.each(func(v visit) {
		if all[v.s.fn.Name] += v.s.self(); chosen(v) {
			part[v.s.fn.Name] += v.s.self()
		}
	})
	var list []string
	sums := s.b.sums()
	for name, ns := range part {
		worth := (times - 1) * float64(ns) / float64(s.b.ns())
		if worth >= s.low && worth <= s.high && ns < all[name] && sums[name].waits == 0 {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	name := s.one(list)
	t := &truth{names: []string{name}, kinds: slowed}
	s.b.each(func(v visit) {
		if v.s.fn.Name == name && chosen(v) {
			t.ns += v.s.take(times)
		}
	})
	return t.unless(name == "")
}

func (t *truth) unless(nothing bool) *truth {
	if nothing {
		return nil
	}
	return t
}

func oneLarge(s *scene) *truth {
	name := s.one(s.candidates(.5, selfOf))
	t := &truth{names: []string{name}, kinds: slowed}
	s.b.each(func(v visit) {
		if v.s.fn.Name == name && t.ns == 0 {
			t.ns = s.b.ns() / 12
			v.s.pass(t.ns)
		}
	})
	return t.unless(name == "")
}

// underCaller slows the calls that one of several callers makes.
func underCaller(s *scene) *truth {
	at, ok := s.pickSite(2, func(v visit) int64 { return v.s.self() })
	t := &truth{names: []string{at.name}, kinds: slowed}
	s.editAt(at, func(v visit, _ int) { t.ns += v.s.take(3) })
	return t.unless(!ok)
}

func insertNew(s *scene) *truth {
	caller := s.one(s.candidates(1, allOf))
	t := &truth{names: []string{"inserted_call"}, kinds: counts}
	calls := max(s.b.sums()[caller].calls, 1)
	each := int64(s.low*2*float64(s.b.ns()))/calls + 1
	s.b.each(func(v visit) {
		if v.s.fn.Name == caller {
			c := &step{fn: trace.Function{Name: "inserted_call"}, parts: []int64{each}}
			v.s.add(s.r.IntN(len(v.s.kids)+1), c)
			t.change(c, 1)
		}
	})
	return t.unless(caller == "")
}

func insertKnown(s *scene) *truth {
	at, ok := s.oneSite(1)
	callers := s.candidates(1, allOf)
	to := s.one(slices.DeleteFunc(callers, func(n string) bool { return n == at.caller || n == at.name }))
	var sample *step
	s.editAt(at, func(v visit, _ int) { sample = v.s })
	t := &truth{names: []string{at.name}, kinds: counts}
	want := s.b.ns() / 20
	s.b.each(func(v visit) {
		if ok && v.s.fn.Name == to && v.depth == 0 && t.ns < want {
			c := sample.copied()
			v.s.add(len(v.s.kids), c)
			t.change(c, 1)
		}
	})
	return t.unless(!ok || to == "" || t.ns > 10*want)
}

func (s *scene) deleteCalls(nth int) *truth {
	at, ok := s.oneSite(1 / float64(nth))
	t, n := &truth{names: []string{at.name}, kinds: counts}, 0
	s.editAt(at, func(v visit, k int) {
		if n++; n%nth == 0 {
			t.change(v.up.drop(k), -1)
		}
	})
	return t.unless(!ok || t.ns == 0)
}

func repeatCalls(s *scene) *truth {
	at, ok := s.oneSite(1)
	t := &truth{names: []string{at.name}, kinds: counts}
	s.editAt(at, func(v visit, k int) {
		c := v.s.copied()
		v.up.add(k, c)
		t.change(c, 1)
	})
	return t.unless(!ok)
}

// longerLoop lets the loops of one caller run half as often again.
func longerLoop(s *scene) *truth {
	loops := map[site]int{}
	s.b.each(func(v visit) {
		in := map[string]int{}
		for _, k := range v.s.kids {
			in[k.fn.Name]++
		}
		for name, n := range in {
			loops[site{v.s.fn.Name, name}] = max(loops[site{v.s.fn.Name, name}], n)
		}
	})
	list := slices.DeleteFunc(s.sites(.5, func(v visit) int64 { return v.s.all() }), func(at site) bool { return loops[at] < 4 })
	if len(list) == 0 {
		return nil
	}
	at := list[s.r.IntN(len(list))]
	t, n := &truth{names: []string{at.name}, kinds: counts}, 0
	s.editAt(at, func(v visit, k int) {
		if n++; n%2 == 0 {
			c := v.s.copied()
			v.up.add(k, c)
			t.change(c, 1)
		}
	})
	return t.unless(t.ns == 0)
}

func renameFunction(s *scene) *truth {
	name := s.one(s.candidates(1, allOf))
	t := &truth{names: []string{name, name + "_v2"}, kinds: []string{"renamed"}, size: s.b.sums()[name].all}
	s.b.each(func(v visit) {
		if v.s.fn.Name == name {
			v.s.fn.Name = name + "_v2"
		}
	})
	return t.unless(name == "")
}

func moveCalls(s *scene) *truth {
	at, ok := s.oneSite(1)
	to := s.one(slices.DeleteFunc(s.candidates(1, allOf), func(n string) bool {
		return n == at.caller || n == at.name
	}))
	if !ok || to == "" {
		return nil
	}
	t := &truth{names: []string{at.name}, kinds: append([]string{"called", "repeat"}, moves...)}
	var taken []*step
	s.editAt(at, func(v visit, k int) { taken = append(taken, v.up.drop(k)) })
	var homes []*step
	s.b.each(func(v visit) {
		if v.s.fn.Name == to && v.depth == 0 {
			homes = append(homes, v.s)
		}
	})
	if len(homes) == 0 {
		return nil
	}
	for i, c := range taken {
		home := homes[i*len(homes)/len(taken)]
		home.add(len(home.kids), c)
		t.size += c.all()
	}
	return t
}

// exchange lets a caller make a call after the next one instead of before it.
func exchange(s *scene) *truth {
	at, ok := s.oneSite(1)
	t := &truth{names: []string{at.name}, kinds: moves}
	partners := map[string]bool{}
	s.editAt(at, func(v visit, k int) {
		if k+1 < len(v.up.kids) && v.up.kids[k+1].fn.Name != at.name {
			v.up.kids[k], v.up.kids[k+1] = v.up.kids[k+1], v.up.kids[k]
			partners[v.up.kids[k].fn.Name] = true
			t.size += min(v.s.all(), v.up.kids[k].all())
		}
	})
	for name := range partners {
		t.names = append(t.names, name)
	}
	return t.unless(!ok || t.size == 0)
}

func wrap(s *scene) *truth {
	at, ok := s.oneSite(1)
	t := &truth{names: []string{"wrapper"}, kinds: append([]string{"moved"}, counts...)}
	s.editAt(at, func(v visit, k int) {
		own := v.s.all()/4 + 1
		v.up.kids[k] = &step{fn: trace.Function{Name: "wrapper"}, parts: []int64{own, 0}, kids: []*step{v.s}}
		t.ns += own
	})
	return t.unless(!ok)
}

// inline lets the callers of a function do its work themselves.
func inline(s *scene) *truth {
	name := s.one(s.candidates(1, selfOf))
	t := &truth{names: []string{name}, kinds: append([]string{"moved"}, counts...), size: s.b.sums()[name].self}
	ok := name != ""
	s.b.each(func(v visit) {
		for k := len(v.s.kids) - 1; k >= 0; k-- {
			if c := v.s.kids[k]; c.fn.Name == name {
				v.s.kids = slices.Replace(v.s.kids, k, k+1, c.kids...)
				parts := slices.Clone(c.parts)
				parts[0] += v.s.parts[k]
				parts[len(parts)-1] += v.s.parts[k+1]
				v.s.parts = slices.Replace(v.s.parts, k, k+2, parts...)
			}
		}
	})
	return t.unless(!ok || s.b.sums()[name].calls > 0)
}

func addThread(s *scene) *truth {
	from := s.b.lanes[s.r.IntN(len(s.b.lanes))]
	l := &lane{id: "9999", name: "auditor", start: from.start, top: from.top.copied()}
	s.b.lanes = append(s.b.lanes, l)
	return &truth{names: []string{l.name}, kinds: threads, size: l.top.all()}
}

func addIdle(s *scene) *truth {
	l := s.b.lanes[0]
	t := &truth{names: []string{""}, kinds: []string{"idle"}, ns: s.b.ns() / 8}
	l.top.parts[len(l.top.parts)/2] += t.ns
	return t.unless(len(l.top.kids) < 2)
}

// all makes everything take times as long.
func (s *scene) all(times float64) *truth {
	t := &truth{names: []string{""}, kinds: []string{"pace"}, factor: times}
	for _, l := range s.b.lanes {
		l.start = int64(float64(l.start) * times)
		t.ns += l.top.take(times)
	}
	s.b.each(func(v visit) { t.ns += v.s.take(times) })
	return t
}

func moveThreads(s *scene) *truth {
	if len(s.b.lanes) < 2 {
		return nil
	}
	at, ok := s.oneSite(1)
	t := &truth{names: []string{at.name}, kinds: append([]string{"called", "repeat"}, moves...)}
	to := len(s.b.lanes) - 1
	var taken []*step
	s.editAt(at, func(v visit, k int) {
		if v.lane != to {
			taken = append(taken, v.up.drop(k))
			t.size += v.s.all()
		}
	})
	for _, c := range taken {
		s.b.lanes[to].top.add(len(s.b.lanes[to].top.kids), c)
	}
	return t.unless(!ok || t.size == 0)
}

// shrinkPool gives the work of the last thread to the others.
func shrinkPool(s *scene) *truth {
	n := len(s.b.lanes) - 1
	if n < 2 {
		return nil
	}
	last := s.b.lanes[n]
	s.b.lanes = s.b.lanes[:n]
	for i, c := range last.top.kids {
		to := s.b.lanes[i%n].top
		to.add(len(to.kids), c)
	}
	return &truth{names: []string{last.name, ""}, kinds: threads, size: last.top.all()}
}
