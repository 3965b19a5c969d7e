package finding

import (
	"cmp"
	"fmt"
	"slices"

	"diptych/internal/pair"
)

// Calls of a service that run at the same time.
//
// Calls of one service that overlap lie in lanes, however many threads it had. How many lanes there
// are is left to the schedule: if one of four answers comes a little earlier, three lanes hold all
// four calls. And a clock that steps makes calls overlap that follow one another. So a function
// runs another number of calls at a time for sure only if one side hardly ever runs two of them:
//
//	A: 3 lanes, 4 calls of 16 ms within 17 ms     B: 1 lane, 4 calls of 35 ms within 143 ms

const (
	oneByOne    = 1.1  // calls run at a time on average, at most, if one follows another
	overlapping = 1.5  // and at least, if several do
	fewestTurns = 3    // calls: of two, one may be part of the other
	oftenOpen   = 0.05 // of the time in which any runs, for which so many must do
)

// parallelism says how many calls of a function run at a time on one side.
type parallelism struct {
	mean float64 // while any does
	most int     // for a fair part of that time
}

// parallelismOf returns that by side. Calls within another call of the function do not count.
func (s *study) parallelismOf(id uint32) (of [2]parallelism) {
	for sd := range of {
		var at []openAt
		t := s.p.Trace(pair.Side(sd))
		ids := s.p.IDs(pair.Side(sd))
		for _, th := range t.Threads {
			end := int64(-1)
			for i, fn := range th.Fn {
				if s.same[ids[fn]] == id && th.Start(i) >= end && th.Dur(i) > 0 {
					end = th.End(i)
					at = append(at, openAt{th.Start(i), 1}, openAt{end, -1})
				}
			}
		}
		of[sd] = openCalls(at)
	}
	return of
}

// openAt is a time at which a call begins, or one ends.
type openAt struct {
	at int64 // ns
	by int
}

// openCalls goes through the times at which calls begin and end.
func openCalls(at []openAt) (of parallelism) {
	slices.SortFunc(at, func(x, y openAt) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.by, y.by)) })
	var lasted []int64 // by number of calls: how long so many are open, ns
	open, last := 0, int64(0)
	for _, x := range at {
		for len(lasted) <= open {
			lasted = append(lasted, 0)
		}
		lasted[open] += x.at - last
		open, last = open+x.by, x.at
	}
	any, sum := int64(0), int64(0)
	for n := len(lasted) - 1; n > 0; n-- {
		any, sum = any+lasted[n], sum+int64(n)*lasted[n]
	}
	for n, beyond := len(lasted)-1, int64(0); n > 0; n-- {
		if beyond += lasted[n]; float64(beyond) >= oftenOpen*float64(any) {
			return parallelism{float64(sum) / float64(max(any, 1)), n}
		}
	}
	return of
}

// serialized reports whether one side hardly ever runs two calls at a time, and the other does.
func serialized(of [2]parallelism, calls int64) bool {
	a, b := of[pair.A].mean, of[pair.B].mean
	return calls >= fewestTurns && min(a, b) <= oneByOne && max(a, b) >= overlapping
}

// atOnceWords say how many calls run at a time; they are empty if both sides run as many.
func atOnceWords(of [2]parallelism) string {
	a, b := of[pair.A].most, of[pair.B].most
	switch {
	case a == b:
		return ""
	case b == 1:
		return fmt.Sprintf("now runs one call at a time instead of up to %d", a)
	}
	return fmt.Sprintf("now runs up to %d calls at a time instead of %d", b, a)
}
