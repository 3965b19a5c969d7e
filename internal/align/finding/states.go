package finding

import (
	"cmp"
	"math"

	"diptych/internal/pair"
)

// tellStates tells the states of threads, such as being blocked, in which they are longer or
// shorter. How long the runtime's own threads have nothing to do is no news.
func (s *study) tellStates() {
	states := map[uint32]bool{}
	for sd := range s.totals {
		t := s.p.Trace(pair.Side(sd))
		for fn := range t.Functions {
			if byNature(t.Functions[fn].Kind) {
				states[s.same[s.p.IDs(pair.Side(sd))[fn]]] = true
			}
		}
	}
	for _, id := range sortedKeys(states, cmp.Compare[uint32]) {
		t := s.both(anywhere, id)
		ns := t[pair.B].self - t[pair.A].self
		if s.share(ns) < leastChance || s.share(ns-(t[pair.B].aside-t[pair.A].aside)) < leastChance {
			continue
		}
		f := Finding{Kind: Faster, Function: s.names[id], ID: id, DeltaNs: ns, Waiting: true,
			Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: Chance,
			Claims: s.claims(anywhere, id, SelfNs, Calls)}
		if ns > 0 {
			f.Kind = Slower
		}
		f.Certainty = s.stateCertainty(t)
		for sd := range f.At {
			if t[sd].calls > 0 {
				f.At[sd] = &t[sd].at
			}
		}
		f.Text = s.stateWords(&f, t)
		s.addFinding(f)
	}
}

// stateCertainty returns how sure it is that a change of the time in a state is due to the program.
// Threads wait for what others do, so each stay in a state may come or stay away by itself, and a
// sum of them varies by the root of the sum of their squares; and all of it grows as the run does.
// Being ready to run, or another program's turn, says more about the machine.
func (s *study) stateCertainty(t [2]*total) Certainty {
	by := float64(t[pair.B].self - t[pair.A].self)
	d := s.report.Durations
	beside := float64(t[pair.B].self) - float64(t[pair.A].self)*float64(d[pair.B])/float64(max(d[pair.A], 1))
	by, beside = math.Abs(by), beside*math.Copysign(1, by)
	deviation := math.Hypot(math.Sqrt(t[pair.A].squares.float()+t[pair.B].squares.float()),
		s.report.Noise.Deviation(max(t[pair.A].self, t[pair.B].self)))
	if t[pair.A].waits+t[pair.B].waits > 0 && min(by, beside) >= probable*deviation {
		return Likely
	}
	return Chance
}

const ofOthers = 3 // times as much: a change that is no chance, if it is that of nearly all
const entered = 50 // pairs or calls

// ofRuntime reports whether a function is the language's runtime's own.
func (s *study) ofRuntime(id uint32) bool {
	for sd, t := range s.totals {
		if id < uint32(len(t.functions)) && t.functions[id].calls > 0 {
			tr, at := s.p.Trace(pair.Side(sd)), t.functions[id].at
			return tr.FunctionOf(tr.Threads[at.Thread], int(at.Call)).Package == "runtime"
		}
	}
	return false
}
