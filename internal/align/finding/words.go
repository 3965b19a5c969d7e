package finding

import (
	"fmt"
	"math"
	"strings"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The sentence of each finding, for an engineer who has not read how it was found. It names the
// function first, then what happened to it, then how large that is.

// effortWords says how a function's self time, or waiting time, changed.
func (s *study) effortWords(f *Finding, e *effort) string {
	ratio, evenness := ratioWords(e.self, f.Kind), e.evenness()
	if f.DeltaNs != e.self[pair.B]-e.self[pair.A] {
		ratio, evenness = "", "leaving out one stall"
	}
	how := "higher"
	if f.Kind == Faster {
		how = "lower"
	}
	head, tail := fmt.Sprintf("%s: its self time is %s%s,", f.Function, ratio, how), ""
	if f.Waiting {
		tail = "; the cause lies with what it waits for"
		if head = fmt.Sprintf("%s waits longer:", f.Function); f.Kind == Faster {
			head = fmt.Sprintf("%s waits less:", f.Function)
		}
	}
	return fmt.Sprintf("%s %s over %s, %s%s.", head, s.signed(f.DeltaNs), plural(e.pairs, "call"),
		evenness, tail)
}

// ratioWords returns a ratio of two times in words, such as "2.3× ", or nothing if it has no
// sense.
func ratioWords(self [2]int64, k Kind) string {
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
	case k == Faster:
		return fmt.Sprintf("%.2g %% ", 100*(1-1/ratio))
	default:
		return fmt.Sprintf("%.2g %% ", 100*(ratio-1))
	}
}

// evenness says how many of its calls a change is due to.
func (e *effort) evenness() string {
	sign := toInt(e.sum > 0)
	n := e.sum * e.sum / e.squares // pairs of equal weight
	switch {
	case e.pairs == 1:
		return "the only one on each side"
	case n < 1.5:
		return "almost all of it in one call"
	case 10*e.count[sign] >= 9*e.pairs:
		return "consistently"
	case n > float64(e.pairs)/4:
		return fmt.Sprintf("in %d of these", e.count[sign])
	}
	return fmt.Sprintf("most of it in about %.0f of these", n)
}

// causeWords says which calls one side makes more often.
func (s *study) causeWords(f *Finding, t *unmatched) string {
	a, b := t.calls[pair.A], t.calls[pair.B]
	tail := "including callees"
	if f.Waiting {
		tail = "most of it waiting; the cause lies with what they wait for"
	}
	switch f.Kind {
	case Missing:
		return fmt.Sprintf("%s is missing in B: %s fewer, %s %s.", f.Function, plural(a, "call"),
			s.signed(f.DeltaNs), tail)
	case New:
		return fmt.Sprintf("%s is new in B: %s more, %s %s.", f.Function, plural(b, "call"),
			s.signed(f.DeltaNs), tail)
	}
	return fmt.Sprintf("%s runs %d times instead of %d in the same loops: %s %s.", f.Function,
		t.loopCalls[pair.B], t.loopCalls[pair.A], s.signed(f.DeltaNs), tail)
}

// levelWords says between which calls one side alone has another call.
func (s *study) levelWords(f *Finding) string {
	sd := pair.Side(toInt(f.Kind == New))
	at := f.At[sd]
	th := s.p.Trace(sd).Threads[at.Thread]
	up, below, most := th.Parent[at.Call], align.None, int64(-1)
	for k := int(at.Call) + 1; k < th.Next(int(at.Call)); k = th.Next(k) {
		if th.Dur(k) > most {
			below, most = int32(k), th.Dur(k)
		}
	}
	where := "above " + s.called(sd, th, below)
	if up != align.None {
		where = fmt.Sprintf("between %s and %s", s.called(sd, th, up), s.called(sd, th, below))
	}
	return fmt.Sprintf("Only %s calls %s %s: %s, %s of self time.", sd, f.Function, where,
		plural(f.Calls[sd], "call"), s.signed(f.DeltaNs))
}

// called returns the name of call i of a side.
func (s *study) called(sd pair.Side, th *trace.Thread, i int32) string {
	return s.names[s.p.IDs(sd)[th.Fn[i]]]
}

func (s *study) movedWords(name string, m *move) string {
	text := fmt.Sprintf("%s is called in another place or order: %s of %s", name,
		plural(m.calls, "call"), s.length(max(m.ns[pair.A], m.ns[pair.B])))
	if d := m.ns[pair.B] - m.ns[pair.A]; 10*magnitude(d) > max(m.ns[pair.A], m.ns[pair.B]) {
		text += ", " + s.signed(d) + " in B"
	}
	return text + "."
}

func (s *study) renamedWords(v *rename) string {
	return fmt.Sprintf("%s is named %s in B: the same callers and callees, %s.", s.names[v.a],
		s.names[v.b], plural(v.calls[pair.B], "call"))
}

func (s *study) threadWords(c *threadGroup) string {
	name, what := strings.TrimPrefix(c.name, "thread "), "thread"
	if c.async {
		what = "track"
	}
	if c.threads[pair.A] > 0 && c.threads[pair.B] > 0 {
		return fmt.Sprintf("%s of A and %d of B, such as %s, have no counterpart: "+
			"%s in %s, %d in %s.", plural(c.threads[pair.A], what), c.threads[pair.B], name,
			plural(c.calls[pair.A], "call"), s.length(c.ns[pair.A]), c.calls[pair.B],
			s.length(c.ns[pair.B]))
	}
	sd := pair.Side(toInt(c.threads[pair.A] == 0))
	head := fmt.Sprintf("Only %s has the %s %s", sd, what, name)
	if n := c.threads[sd]; n > 1 {
		head = fmt.Sprintf("%s has %s such as %s", sd, plural(n, "more "+what), name)
	}
	return fmt.Sprintf("%s: %s in %s.", head, plural(c.calls[sd], "call"), s.length(c.ns[sd]))
}

func (s *study) divergenceWords(p divergence) string {
	r, n, text := p.in, p.node, fmt.Sprintf("The runs first differ after %s", s.length(p.at))
	sd, i := pair.A, n.A
	if n.A == align.None {
		sd, i = pair.B, n.B
	}
	up := r.Threads[sd].Parent[i]
	if up != align.None && !strings.HasPrefix(title(r), s.name(r, sd, up)) {
		text += fmt.Sprintf(" in %s (%s): ", s.name(r, sd, up), title(r))
	} else {
		text += fmt.Sprintf(" in %s: ", title(r))
	}
	if n.A == align.None || n.B == align.None {
		return fmt.Sprintf("%sonly %s calls %s there.", text, sd, s.name(r, sd, i))
	}
	return fmt.Sprintf("%sB calls %s where A calls %s.", text, s.name(r, pair.B, n.B),
		s.name(r, pair.A, n.A))
}

func (s *study) name(r *align.Result, sd pair.Side, i int32) string {
	return s.names[r.ID(sd, int(i))]
}

func title(r *align.Result) string {
	if th := r.Threads[pair.A]; th.Title() != "thread" {
		return th.Title()
	}
	return "its thread"
}

func plural(n int64, what string) string {
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

// length returns an amount of time, or of what a profile counts, to three digits.
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
