package words

import (
	"fmt"

	"diptych/internal/ui/kit"
	"diptych/internal/wait"
)

// Stretches counts the stretches of a critical path, and says when it begins and ends.
func Stretches(a *wait.Analysis, p *wait.Path) string {
	n, noun := len(p.Segments), " stretches"
	if n == 1 {
		noun = " stretch"
	}
	from, to := p.Span()
	return kit.Grouped(n) + noun + " from " + spanText(a, from, to)
}

// StretchText names stretch k of a critical path: on which thread, for how long, and how much of
// that nothing explains.
func StretchText(a *wait.Analysis, p *wait.Path, k int) string {
	s := &p.Segments[k]
	text := fmt.Sprintf("stretch %s of %s: %s for %s", kit.Grouped(k+1), kit.Grouped(len(p.Segments)),
		ThreadText(a, int(s.Thread)), TimeText(a, s.To-s.From))
	if s.WaitNs > 0 {
		text += ", " + TimeText(a, s.WaitNs) + " of it unexplained waiting"
	}
	return text
}

// StretchTip is what the tooltip says of stretch k of a critical path: how it began and ended.
func StretchTip(a *wait.Analysis, p *wait.Path, k int, shown bool) []string {
	s := &p.Segments[k]
	lines := []string{"Critical path, " + StretchText(a, p, k),
		"from " + spanText(a, s.From, s.To)}
	switch {
	case k == 0:
		lines = append(lines, "the path begins here")
	case s.Part >= 0 && a.Trace.Links[s.Part].To.Thread == s.Thread:
		lines = append(lines, "before: "+ThreadText(a, int(p.Segments[k-1].Thread))+
			", which called what ran here")
	case s.Part >= 0:
		lines = append(lines, "before: "+ThreadText(a, int(p.Segments[k-1].Thread))+
			", whose answer was needed here")
	case s.Wait >= 0:
		lines = append(lines, "before: "+ThreadText(a, int(p.Segments[k-1].Thread))+", which "+
			ThreadText(a, int(s.Thread))+" waited for, "+TimeText(a, a.Waits.Dur(s.Wait)))
	default:
		lines = append(lines, "before: "+ThreadText(a, int(p.Segments[k-1].Thread))+
			", which started this thread")
	}
	if k+1 < len(p.Segments) {
		lines = append(lines, "then: "+ThreadText(a, int(p.Segments[k+1].Thread)))
	}
	switch {
	case !shown:
		lines = append(lines, "click: show this stretch")
	case k > 0:
		lines = append(lines, "click: the stretch before it")
	}
	return lines
}
