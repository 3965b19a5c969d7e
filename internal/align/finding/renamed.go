package finding

import (
	"fmt"

	"diptych/internal/pair"
)

// What is told of functions that renames.go takes for one. Most have another name only. But the
// callers and callees of two functions may be alike although they do different work. For example,
// gzip calls one of two functions, depending on how well it is to compress, and both fill a window
// and look for the longest match:
//
//	A: deflate_slow  40 calls, 9.1 ms of self time     B: deflate_fast  40 calls, 1.9 ms
//
// So unless both take about as long by themselves and have nearly the same callees, B is only said
// to call the one in place of the other.

const (
	sameWork    = 2   // times as much self time, at most, of a function with another name
	sameCallees = 0.8 // likeness of its callers and callees, at least
)

// tellRenames tells each renamed function, with its calls in all threads: what recognised it are
// the calls in threads that both sides have.
func (s *study) tellRenames() {
	for i := range s.renames {
		v, t := &s.renames[i], s.both(anywhere, s.renames[i].a)
		calls := [2]int64{t[pair.A].calls, t[pair.B].calls}
		f := Finding{Kind: Renamed, Function: s.names[v.a], ID: v.a, Calls: calls, At: v.at,
			Text: s.renamedWords(v, t, things(calls[pair.B], "call")), Claims: s.claims(anywhere, v.a, Calls)}
		if s.p.BySamples() {
			before, after := Lengths([2]int64{t[pair.A].inAll, t[pair.B].inAll}, s.unit)
			if before != after {
				after = before + " → " + after
			}
			f.Claims = append(f.Claims, s.claims(anywhere, v.a, TotalNs)...)
			over := s.tellCounted(&f, [2]int64{t[pair.A].inAll, t[pair.B].inAll}).over()
			f.Text = s.renamedWords(v, t, after+" including callees"+over)
		}
		s.addFinding(f)
	}
}

// renamedWords says that a function has another name in B, or that another one takes its place.
func (s *study) renamedWords(v *rename, t [2]*total, size string) string {
	if v.like < sameCallees || !s.worksAlike(t) {
		return fmt.Sprintf("%s is replaced by %s in B: the same callers, similar callees, %s", s.names[v.a],
			s.names[v.b], size)
	}
	return fmt.Sprintf("%s is named %s in B: the same callers and callees, %s", s.names[v.a],
		s.names[v.b], size)
}

// worksAlike reports whether a function takes about as much self time on both sides, a call where
// calls are known, at the pace of all.
func (s *study) worksAlike(t [2]*total) bool {
	a, b := float64(t[pair.A].self)*s.report.Pace, float64(t[pair.B].self)
	if !s.p.BySamples() {
		a, b = a/float64(max(t[pair.A].calls, 1)), b/float64(max(t[pair.B].calls, 1))
	}
	return max(a, b) <= sameWork*min(a, b)
}
