package finding

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Which spans make most of a change of all that differ in their arguments. An alignment pairs these
// as if they were calls of one function, so its pairs do not tell. For example:
//
//	A: act (link x)   387 ms                      B: act (build c)  63 ms,  act (link x)  335 ms
//	the pair of most change is act (build d), 1 ms, with act (link x), 335 ms

// member is a span of a family, by its whole name.
type member struct {
	name string
	self [2]int64  // ns, by side
	most [2]int64  // self time of the longest of its calls, ns, −1 where there is none,
	at   [2]*Place // and where that is
}

func (m *member) change() int64 { return m.self[pair.B] - m.self[pair.A] }

const (
	mostMembers = 2
	memberPart  = 8 // a member is named if it makes this part of the change: an eighth
)

// membersBy returns the members of a family that make most of a change of its self time, ns, the
// largest first. Cost is linear in all calls.
func (s *study) membersBy(family uint32, ns int64) []member {
	at, list := map[uint32]int{}, []member(nil)
	for _, sd := range []pair.Side{pair.A, pair.B} {
		ids := s.p.IDs(sd)
		for t, th := range s.p.Trace(sd).Threads {
			if th.Kind == trace.Sums {
				continue
			}
			for i, fn := range th.Fn {
				id := ids[fn]
				if s.same[id] != family {
					continue
				}
				k, known := at[id]
				if !known {
					k, at[id] = len(list), len(list)
					list = append(list, member{name: s.p.Names[id], most: [2]int64{-1, -1}})
				}
				m, self := &list[k], th.Self(i)
				if m.self[sd] += self; self > m.most[sd] {
					m.most[sd], m.at[sd] = self, &Place{t, int32(i)}
				}
			}
		}
	}
	list = slices.DeleteFunc(list, func(m member) bool {
		return !sameWay(m.change(), ns) || memberPart*magnitude(m.change()) < magnitude(ns)
	})
	slices.SortFunc(list, func(x, y member) int {
		return cmp.Or(cmp.Compare(magnitude(y.change()), magnitude(x.change())), strings.Compare(x.name, y.name))
	})
	return list[:min(len(list), mostMembers)]
}

// tellMembers names the spans that make most of a change of a family, claims their times, and has
// the finding lead to the first of them.
func (s *study) tellMembers(f *Finding, j *judged) string {
	if !s.tellsMembers(f, j) {
		return ""
	}
	text := ""
	for i, m := range s.membersBy(f.ID, j.ns) {
		text += [...]string{", above all ", " and "}[i] + m.name + " (" + s.signed(m.change()) + ")"
		f.Claims = append(f.Claims, Claim{Quantity: SelfNs, Function: m.name, Values: m.self})
		if i == 0 {
			f.At = m.at
		}
	}
	return text
}

func (s *study) tellsMembers(f *Finding, j *judged) bool {
	return s.family[f.ID] && j.caller == anywhere && !f.Waiting
}
