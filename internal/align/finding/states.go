package finding

import (
	"cmp"
	"fmt"
	"math"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
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
		if s.tellPhase(id, t) {
			continue
		}
		f := Finding{Kind: Faster, Function: s.names[id], ID: id, DeltaNs: ns, Waiting: true,
			Calls: [2]int64{t[pair.A].calls, t[pair.B].calls}, Certainty: Chance,
			Claims: s.claims(anywhere, id, SelfNs, Calls)}
		if ns > 0 {
			f.Kind = Slower
		}
		f.Certainty = s.stateCertainty(id, t)
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
// Being ready to run, or another program's turn, says more about the machine. But how often the
// language's runtime has something to do, as a phase of collecting garbage, the program decides.
func (s *study) stateCertainty(id uint32, t [2]*total) Certainty {
	if s.ofProgram(id, t) {
		return Likely
	}
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

// ofProgram reports whether threads are in a state, in which they neither wait nor lack a
// processor, several times as often, and that makes most of the change of its time: of four equal
// runs of a program that makes garbage, one assisted the collector 532 times, and another 344
// times. Events with a duration are the operating system's, but for those on tracks of their own:
// these are what the language's runtime does meanwhile.
func (s *study) ofProgram(id uint32, t [2]*total) bool {
	n, m := float64(t[pair.A].calls), float64(t[pair.B].calls)
	if t[pair.A].waits+t[pair.B].waits > 0 || s.ofSystem(id) && !inAsync(t) ||
		max(n, m) < ofOthers*min(n, m) || (m-n)*(m-n) < chance*chance*(n+m) {
		return false
	}
	each := math.Inf(1)
	for _, t := range t {
		if t.calls > 0 {
			each = min(each, float64(t.self)/float64(t.calls))
		}
	}
	by, ns := (m-n)*each, float64(t[pair.B].self-t[pair.A].self)
	return by*ns > 0 && 2*math.Abs(by) >= math.Abs(ns)
}

// ofSystem reports whether the operating system puts threads into a state, as when another program
// has its turn: the language's runtime does not.
func (s *study) ofSystem(id uint32) bool {
	for sd := range s.totals {
		for fn, of := range s.p.IDs(pair.Side(sd)) {
			f := &s.p.Trace(pair.Side(sd)).Functions[fn]
			if s.same[of] == id && (f.OffCPU() || f.Kind == trace.Event) {
				return true
			}
		}
	}
	return false
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

// stateWords says how much longer threads are in a state.
func (s *study) stateWords(f *Finding, t [2]*total) string {
	entered := things(t[pair.A].calls, "time")
	if t[pair.A].calls != t[pair.B].calls {
		entered = fmt.Sprintf("%s instead of %s", geom.FormatWhole(t[pair.B].calls), entered)
	}
	a, b := Lengths([2]int64{t[pair.A].self, t[pair.B].self}, s.unit)
	aside := ""
	if ns := t[pair.B].aside - t[pair.A].aside; asideTold*magnitude(ns) >= magnitude(f.DeltaNs) {
		aside = fmt.Sprintf(" (%s of it in threads of the runtime)", s.signed(ns))
	}
	return fmt.Sprintf("Threads spend %s instead of %s in the state %s: %s%s, entered %s", b, a,
		f.Function, s.signed(f.DeltaNs), aside, entered)
}

const asideTold = 10 // times as much as a part that is told
