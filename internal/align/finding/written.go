package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Numbers of calls that a recorder has counted although it leaves out short calls.
//
// Clang's -ftime-trace leaves out what takes less than half a millisecond, but ends with the total
// of each kind of call, short ones included:
//
//	A: InlinerPass recorded 67 times    Total InlinerPass {"count":912,"avg ms":0}
//	B: InlinerPass recorded 42 times    Total InlinerPass {"count":912,"avg ms":0}
//
// So B calls it as often as A. On a busy machine any call may be held up for 20 ms, far beyond the
// floor, so that lengths of calls do not show which of them are there by chance (floor.go). Calls
// within a call of the same name are not counted, but if the outermost ones are as many on both
// sides, so is most likely what they call.

const writtenPrefix = "Total " // of what a recorder calls a total

// writtenCounts returns by identity how often a side calls a function by what the recorder has
// written; only of those of which it has.
func (s *study) writtenCounts(sd pair.Side) map[uint32]int64 {
	counts := map[string]int64{}
	t := s.p.Trace(sd)
	for _, th := range t.Threads {
		if th.Kind != trace.Sums {
			continue
		}
		for i := range th.Fn {
			name, isTotal := strings.CutPrefix(t.FunctionOf(th, i).Name, writtenPrefix)
			if !isTotal {
				continue
			}
			var args struct{ Count int64 }
			if json.Unmarshal([]byte(th.Args(i)), &args) == nil && args.Count > 0 {
				counts[name] += args.Count
			}
		}
	}
	of := map[uint32]int64{}
	if len(counts) == 0 {
		return of
	}
	for id, name := range s.p.Names {
		if n := counts[name]; n > 0 {
			of[s.same[id]] = n
		}
	}
	return of
}

// asWritten returns by how much more often B calls a function than A, by what both recorders have
// written, and reports whether they have.
func (s *study) asWritten(id uint32) (more int64, known bool) {
	if len(s.floor.written[pair.A]) == 0 || len(s.floor.written[pair.B]) == 0 {
		return 0, false
	}
	a, b := s.floor.written[pair.A][id], s.floor.written[pair.B][id]
	return b - a, a > 0 || b > 0
}

// writtenWords says how often the recorders have counted a function's calls, where that contradicts
// the numbers of those that were recorded: B has n more of these.
func (s *study) writtenWords(id uint32, n int64) string {
	more, known := s.asWritten(id)
	b := geom.FormatWhole(s.floor.written[pair.B][id])
	switch {
	case !known || sameWay(more, n):
		return ""
	case more == 0:
		return fmt.Sprintf("; with the short calls that are not recorded, %s on both sides", b)
	}
	return fmt.Sprintf("; with the short calls that are not recorded, %s instead of %s", b,
		geom.FormatWhole(s.floor.written[pair.A][id]))
}
