package page

import (
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// nameThreads gives each pair of threads a title: the name that both have, or both names. Where
// several pairs have the same, their ids tell them apart: "worker · 7 | 12".
func (b *builder) nameThreads() {
	names, seen := make([]string, len(b.pair.Threads)), map[string]int{}
	for k, t := range b.pair.Threads {
		names[k] = b.joined(t, (*trace.Thread).Title)
		seen[names[k]]++
	}
	for k, t := range b.pair.Threads {
		title := names[k]
		if seen[title] > 1 {
			title += " · " + b.joined(t, func(th *trace.Thread) string { return th.ID })
		}
		switch {
		case t.B < 0:
			title += " (only in A)"
		case t.A < 0:
			title += " (only in B)"
		}
		b.titles = append(b.titles, title)
	}
}

// joined writes a text of both threads of a pair, once where it is the same or there is only one.
func (b *builder) joined(t pair.ThreadPair, of func(*trace.Thread) string) string {
	text := ""
	for _, s := range []pair.Side{pair.A, pair.B} {
		if t.On(s) < 0 {
			continue
		}
		switch other := escape.Line(of(b.pair.Trace(s).Threads[t.On(s)])); {
		case text == "":
			text = other
		case text != other:
			text += " | " + other
		}
	}
	return text
}
