package finding

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// The verdict: what to say of the whole runs where no finding explains them. "Nothing differs" is
// said only if the runs also take equally long, as far as their calls vary by chance.

// sayVerdict sets the verdict of the report.
func (s *study) sayVerdict() {
	d := s.report.Durations
	diff := d[pair.B] - d[pair.A]
	if magnitude(diff) <= s.report.Noise.Usual(s.run) {
		s.report.Verdict = "Nothing differs beyond chance."
		return
	}
	more := [2]string{"less", "longer"}[toInt(diff > 0)]
	if s.p.Profile() {
		more = [2]string{"less", "more"}[toInt(diff > 0)]
	}
	text := fmt.Sprintf("B takes %s %s (%s), cause unknown", s.length(magnitude(diff)), more,
		geom.FormatShare(float64(magnitude(diff))/float64(max(d[pair.A], 1))))
	if pace := s.report.Pace; math.Abs(pace-1) >= paceTold {
		text = fmt.Sprintf("B takes %s %s: everything takes %.2f× as long", s.length(magnitude(diff)),
			more, pace)
	}
	if largest := s.largestChanges(diff > 0); largest != "" {
		text += "; the largest changes of " + geom.SelfNoun(string(s.unit)) + " are " + largest
	}
	s.report.Verdict = text + "."
}

// Noise is by how much two runs of one program differ by chance, as far as a pair shows it.
type Noise struct {
	// Quiet says that hardly any call varies: the clock is a simulator's, or nothing was timed.
	Quiet bool
	// Drift is the standard deviation of the logarithm of the pace of the whole run, and Functions
	// that of a function beside.
	Drift, Functions float64
	// StallNs is the standard deviation of what stalls add to the time of one thread.
	StallNs float64
}

// Deviation returns the standard deviation of so much time, in one thread, by chance.
func (n Noise) Deviation(ns int64) float64 {
	return math.Hypot(math.Hypot(n.Drift, n.Functions)*float64(ns), n.StallNs)
}

// driftBlocks is how many of the blocks of a run are independent of each other, as far as the
// machine's drift goes: its pace lasts for a while.
const driftBlocks = 8

// sayNoise sets the noise of the report.
func (s *study) sayNoise() {
	if s.noise.quiet {
		return
	}
	s.report.Noise = Noise{Drift: s.noise.drift / math.Sqrt(driftBlocks), Functions: s.noise.sway,
		StallNs: math.Sqrt(s.noise.stalls / float64(max(len(s.results), 1)))}
}

// Usual returns by how much the duration of a run, ns, varies by chance, ns: 3.5 deviations and a
// hundredth of it, and not at all by a simulator's clock.
func (n Noise) Usual(ns int64) int64 {
	if n.Quiet {
		return 0
	}
	return int64(probable*n.Deviation(ns) + leastChance*float64(ns))
}

// largestChanges names the functions whose self time changed most in a direction.
func (s *study) largestChanges(longer bool) string {
	if s.totals[pair.A] == nil {
		return ""
	}
	type changed struct {
		id uint32
		ns int64
	}
	var list []changed
	for id := range s.totals[pair.A].functions {
		t := s.both(anywhere, uint32(id))
		if ns := t[pair.B].self - t[pair.A].self; ns != 0 && (ns > 0) == longer {
			list = append(list, changed{uint32(id), ns})
		}
	}
	slices.SortStableFunc(list, func(x, y changed) int {
		return toInt(magnitude(x.ns) < magnitude(y.ns)) - toInt(magnitude(x.ns) > magnitude(y.ns))
	})
	var words []string
	for _, c := range list[:min(3, len(list))] {
		words = append(words, fmt.Sprintf("%s (%s)", s.names[c.id], s.signed(c.ns)))
	}
	return strings.Join(words, ", ")
}
