package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
)

// tellDivergence tells where the runs first differ in what they call: of the first such place of
// each thread pair, the earliest.
func (s *study) tellDivergence() {
	var (
		first align.Node
		in    *align.Result
		best  int64
	)
	for _, r := range s.results {
		if s.whole[r] {
			continue
		}
		for n := range r.Walk {
			if n.State == align.Equal ||
				n.State == align.Different && s.id(r, pair.A, n.A) == s.id(r, pair.B, n.B) {
				continue
			}
			if at := when(r, n); in == nil || at < best {
				first, in, best = n, r, at
			}
			break
		}
	}
	if in == nil {
		return
	}
	f := Finding{Kind: Divergence}
	for sd, i := range [2]int32{first.A, first.B} {
		if i != align.None {
			f.At[sd], f.Calls[sd] = place(in, pair.Side(sd), i), 1
			f.ID = in.ID(pair.Side(sd), int(i))
		}
	}
	if first.A != align.None {
		f.ID = in.ID(pair.A, int(first.A))
	}
	f.Function = s.p.Names[f.ID]
	f.Text = s.divergenceWords(in, first, best)
	s.add(f)
}

// when returns when the sides part, ns: the start of a call that one has, the earlier of two.
func when(r *align.Result, n align.Node) int64 {
	switch {
	case n.A == align.None:
		return r.Threads[pair.B].Start[n.B]
	case n.B == align.None:
		return r.Threads[pair.A].Start[n.A]
	}
	return min(r.Threads[pair.A].Start[n.A], r.Threads[pair.B].Start[n.B])
}
