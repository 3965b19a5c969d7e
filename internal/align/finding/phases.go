package finding

import (
	"fmt"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// What the language's runtime does for the whole program, one time after the other, such as
// collecting garbage. How long that takes, and how often threads are asked to assist, is up to the
// schedule. But how often it happens, the program decides, and how it is set up. For example, of
// 15 runs of a Go program on two processors, some of them busy, each collected garbage 54 to 65
// times, and with GOGC=30 instead of 100 three did so 164 to 170 times.

// tellPhase tells that a state which is the whole program's is entered more often, or less, and
// reports whether it is.
func (s *study) tellPhase(id uint32, t [2]*total) bool {
	n, m := float64(t[pair.A].calls), float64(t[pair.B].calls)
	if !s.ofWorld(id, t) || max(n, m) < grown*min(n, m) || (m-n)*(m-n) < chance*chance*(n+m) {
		return false
	}
	f := Finding{Kind: Called, Function: s.names[id], ID: id, DeltaNs: t[pair.B].self - t[pair.A].self,
		Waiting: true, Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: Likely,
		Claims: s.claims(anywhere, id, SelfNs, Calls)}
	if !sameWay(f.DeltaNs, f.Calls[pair.B]-f.Calls[pair.A]) {
		return false
	}
	for sd := range f.At {
		f.At[sd] = &t[sd].at
	}
	a, b := Lengths([2]int64{t[pair.A].self, t[pair.B].self}, s.unit)
	f.Text = fmt.Sprintf("The runtime enters the state %s %s times instead of %s, for %s instead of %s in all: %s",
		f.Function, geom.FormatWhole(f.Calls[pair.B]), geom.FormatWhole(f.Calls[pair.A]), b, a, s.signed(f.DeltaNs))
	s.addFinding(f)
	return true
}

// ofWorld reports whether each side has stays in a state on one asynchronous track, that of the
// whole program.
func (s *study) ofWorld(id uint32, t [2]*total) bool {
	return inAsync(t) && t[pair.A].threads == 1 && t[pair.B].threads == 1 &&
		!slices.ContainsFunc([]pair.Side{pair.A, pair.B}, func(sd pair.Side) bool {
			th := s.p.Trace(sd).Threads[t[sd].at.Thread]
			return th.Kind != trace.AsyncTrack
		})
}
