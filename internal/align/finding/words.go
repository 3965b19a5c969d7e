package finding

import (
	"fmt"
	"math"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Every finding is one sentence for an engineer who has not read how it was found.

// effortWords says how a function's own time changed.
func (s *study) effortWords(f *Finding, e *effort) string {
	how := "slower"
	if f.Kind == Faster {
		how = "faster"
	}
	head := fmt.Sprintf("%s is %s%s by itself", f.Function, times(e.self, f.Kind), how)
	if f.Waiting {
		head = fmt.Sprintf("%s waits longer", f.Function)
		if f.Kind == Faster {
			head = fmt.Sprintf("%s waits less", f.Function)
		}
	}
	text := fmt.Sprintf("%s: %s over %s, %s.", head, s.signed(f.DeltaNs),
		count(e.pairs, "call"), e.evenness())
	if f.Waiting {
		text = text[:len(text)-1] + "; the cause lies with what it waits for."
	}
	return text
}

// times returns a ratio of two times as a word, such as "2.3× ", or nothing if it is not told by a
// number.
func times(self [2]int64, k Kind) string {
	slow, fast := self[pair.B], self[pair.A]
	if k == Faster {
		slow, fast = fast, slow
	}
	switch ratio := float64(slow) / float64(fast); {
	case fast <= 0:
		return ""
	case ratio >= 9.5:
		return fmt.Sprintf("%.0f× ", ratio)
	case ratio >= 1.095:
		return fmt.Sprintf("%.1f× ", ratio)
	default:
		return fmt.Sprintf("%.2g %% ", 100*(ratio-1))
	}
}

// evenness says how many of its calls a change is due to.
func (e *effort) evenness() string {
	sign := bit(e.sum > 0)
	n := e.sum * e.sum / e.squares // pairs of equal weight
	switch {
	case e.pairs == 1:
		return "its only one on both sides"
	case n < 1.5:
		return "almost all of it in one"
	case 10*e.count[sign] >= 9*e.pairs:
		return "consistently"
	case n > float64(e.pairs)/4:
		return fmt.Sprintf("in %d of them", e.count[sign])
	}
	return fmt.Sprintf("most of it in about %.0f of them", n)
}

// causeWords says which calls one side has more.
func (s *study) causeWords(f *Finding, t *tale) string {
	tail := "with all they call"
	if f.Waiting {
		tail = "most of it waiting; the cause lies with what they wait for"
	}
	a, b := t.calls[pair.A], t.calls[pair.B]
	switch f.Kind {
	case Missing:
		return fmt.Sprintf("%s is missing in B: %s fewer, %s %s.", f.Function, count(a, "call"),
			s.signed(f.DeltaNs), tail)
	case New:
		return fmt.Sprintf("%s is new in B: %s more, %s %s.", f.Function, count(b, "call"),
			s.signed(f.DeltaNs), tail)
	}
	return fmt.Sprintf("%s runs %d times instead of %d where it is called in a row: %s %s.",
		f.Function, t.loops[pair.B], t.loops[pair.A], s.signed(f.DeltaNs), tail)
}

func (s *study) movedWords(name string, m *move) string {
	text := fmt.Sprintf("%s is called in another place or order: %s of %s", name,
		count(m.calls, "call"), s.length(max(m.ns[pair.A], m.ns[pair.B])))
	if d := m.ns[pair.B] - m.ns[pair.A]; 10*magnitude(d) > max(m.ns[pair.A], m.ns[pair.B]) {
		text += ", " + s.signed(d) + " in B"
	}
	return text + "."
}

func (s *study) renamedWords(v *rename) string {
	return fmt.Sprintf("%s is called %s in B: the same callers and callees, %s.", s.p.Names[v.a],
		s.p.Names[v.b], count(v.calls[pair.B], "call"))
}

func (s *study) threadWords(name string, n int, sd pair.Side, f *Finding) string {
	who := "Thread " + name + " exists"
	if n > 1 {
		who = fmt.Sprintf("%d threads %s exist", n, name)
	}
	return fmt.Sprintf("%s only in %s: %s in %s.", who, sd, count(f.Calls[sd], "call"),
		s.length(magnitude(f.DeltaNs)))
}

func (s *study) divergenceWords(r *align.Result, n align.Node, at int64) string {
	where := fmt.Sprintf("The runs first differ after %s in %s", s.length(at), title(r))
	switch {
	case n.A == align.None:
		return fmt.Sprintf("%s: only B calls %s there.", where, s.name(r, pair.B, n.B))
	case n.B == align.None:
		return fmt.Sprintf("%s: only A calls %s there.", where, s.name(r, pair.A, n.A))
	}
	return fmt.Sprintf("%s: B calls %s where A calls %s.", where, s.name(r, pair.B, n.B),
		s.name(r, pair.A, n.A))
}

func (s *study) name(r *align.Result, sd pair.Side, i int32) string {
	return s.p.Names[r.ID(sd, int(i))]
}

func title(r *align.Result) string {
	if th := r.Threads[pair.A]; th.Title() != "thread" {
		return th.Title()
	}
	return "its thread"
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// signed returns a change of time with its sign.
func (s *study) signed(ns int64) string {
	if ns < 0 {
		return "−" + s.length(-ns)
	}
	return "+" + s.length(ns)
}

// length returns a time, or an amount where the axis is none, to three digits.
func (s *study) length(n int64) string { return Length(n, s.unit) }

// Length returns an amount of a trace's unit in words, to three digits.
func Length(n int64, unit trace.Unit) string {
	if unit != trace.Nanoseconds && unit != "" {
		return fmt.Sprintf("%d %s", n, unit)
	}
	v, names := float64(n), []string{"ns", "µs", "ms", "s"}
	for len(names) > 1 && v >= 999.5 {
		v, names = v/1000, names[1:]
	}
	digits := 0
	if names[0] != "ns" {
		digits = max(2-int(math.Log10(max(v, 1))), 0)
	}
	return fmt.Sprintf("%.*f %s", digits, v, names[0])
}
