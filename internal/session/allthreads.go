package session

import (
	"cmp"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// All threads are shown by what they do and what differs. A browser has some forty threads, of
// which most wait for work all the time: in the order of the recording they would fill a pane with
// empty rows.

// quietShare is the share of the busiest pair of threads' score below which a pair is near-idle.
const quietShare = 1. / 200

// trackAll lists the threads of both sides: pairs in one order, so that partners lie across from
// each other, those that are near-idle last, or left out while they are folded.
func (st *State) trackAll() {
	order, quiet := st.byActivity()
	for side := range st.Sides {
		if st.Sides[side].Trace == nil {
			continue
		}
		for _, k := range order {
			th := st.Pair.Threads[k].On(pair.Side(side))
			switch {
			case th < 0 || st.Sides[side].Trace.Threads[th].Len() == 0:
				continue
			case quiet[k]:
				st.Quiet[side]++
				if !st.OpenQuiet {
					continue
				}
			}
			st.Tracks[side] = append(st.Tracks[side], th)
		}
	}
}

// byActivity ranks the pairs of threads and tells which are near-idle. Asynchronous tracks come
// after threads: their spans overlap what threads do. Ties go by the order of the recording.
func (st *State) byActivity() (order []int, quiet []bool) {
	p := st.Pair
	score, spans, place := make([]int64, len(p.Threads)), make([]bool, len(p.Threads)), st.places()
	most := int64(0)
	for k, t := range p.Threads {
		order = append(order, k)
		var ns [2]int64
		for side := range ns {
			if th := t.On(pair.Side(side)); th >= 0 {
				ns[side] = p.Busy[side][th]
				spans[k] = st.Sides[side].Trace.Threads[th].Kind == trace.AsyncTrack
			}
		}
		score[k] = ns[pair.A] + ns[pair.B] + max(ns[pair.A]-ns[pair.B], ns[pair.B]-ns[pair.A])
		most = max(most, score[k])
	}
	quiet = make([]bool, len(p.Threads))
	for k := range quiet {
		quiet[k] = float64(score[k]) < quietShare*float64(most)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(trueLast(quiet[x], quiet[y]), trueLast(spans[x], spans[y]),
			cmp.Compare(score[y], score[x]), cmp.Compare(place[x], place[y]))
	})
	return order, quiet
}

// places returns where a pair of threads stands in the order of the recordings.
func (st *State) places() []int {
	place := make([]int, len(st.Pair.Threads))
	for _, side := range []pair.Side{pair.B, pair.A} {
		if tr := st.Sides[side].Trace; tr != nil {
			for k, th := range inOrder(tr) {
				place[st.Pair.Of(side, th)] = k
			}
		}
	}
	return place
}

// trueLast compares two values of which false comes first.
func trueLast(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// ToggleQuiet shows or folds the near-idle threads of the pane.
func (s *Session) ToggleQuiet() {
	s.change(func(st *State) {
		st.OpenQuiet = !st.OpenQuiet
		st.retrack()
	})
}
