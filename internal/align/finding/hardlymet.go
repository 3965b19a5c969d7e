package finding

import (
	"math/bits"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Functions that hardly any stack was recorded of.
//
// An execution trace of Go has a stack where an event happens. Whether a function that both runs
// call is ever met depends on what happens while it runs. Of seven equal runs of a program, six had
// 4 to 20 stacks with sync.(*Pool).pin, and one had none. And when something happens often for a
// while, one function is met many times in a row: that is one piece of evidence, however many
// stacks there are. So both what is met seldom and what is met for a moment may be there on the
// other side too, unless it takes a part of the run.
//
// Of recordings that take samples at equal distances, each sample is evidence.

// hardlyMet reports whether one side alone has stacks with a function, and so few, or at so few
// moments of the run, and of so little time, that the other side may have called it too.
func (s *study) hardlyMet(f *Finding) bool {
	if !f.OfOneSide() || s.p.BySamples() || !s.isSampled(f.ID) || s.share(f.DeltaNs) >= leastChance {
		return false
	}
	if max(f.Calls[pair.A], f.Calls[pair.B]) <= 2*oftenSampled {
		return true
	}
	sd := pair.Side(toInt(f.Kind == New))
	if s.moments[sd] == nil {
		s.moments[sd] = s.momentsOf(sd)
	}
	return bits.OnesCount32(s.moments[sd][f.ID]) < several
}

// momentsOf returns by identity in which blocks of the run calls begin that were inferred from
// samples, a bit each.
func (s *study) momentsOf(sd pair.Side) []uint32 {
	in, t, ids := make([]uint32, len(s.p.Names)), s.p.Trace(sd), s.p.IDs(sd)
	for _, th := range t.Threads {
		if !th.Flagged() {
			continue
		}
		for i, fn := range th.Fn {
			if th.Flags(i)&trace.Sampled != 0 {
				at := float64(th.Start(i)) / float64(max(t.Duration, 1))
				in[s.same[ids[fn]]] |= 1 << min(max(int(at*blocks), 0), blocks-1)
			}
		}
	}
	return in
}
