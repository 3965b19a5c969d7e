package finding

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The sentence of each finding, for an engineer who has not read how it was found. It names the
// function first, then what happened to it, then how large that is.

// effortWords says how a function's self time, or waiting time, changed.
func (s *study) effortWords(f *Finding, j *judged) string {
	t := s.both(j.caller, f.ID)
	name := f.Function
	if j.caller != anywhere {
		name += " called by " + nameOr(f.Caller, "nothing")
	}
	text, cause := "", ""
	switch slower := j.v.sum > 0; {
	case f.Kind == Burst:
		text = s.burstWords(name, j, t)
	case f.Waiting && inAsync(t):
		text = fmt.Sprintf("%s takes %s time: %s over %s", name,
			[2]string{"less", "more"}[toInt(slower)], s.signed(j.ns), numbersWords(t, "asynchronous span"))
	case f.Waiting:
		text = fmt.Sprintf("%s waits %s: %s%s", name, [2]string{"less", "longer"}[toInt(slower)],
			s.signed(j.ns), s.overWords(f.ID, t))
		cause = "; the cause lies with what it waits for"
	case j.means:
		text = fmt.Sprintf("%s: its self time is %s on average a call, %s%s", name,
			s.ratioOf(j, t), s.signed(j.ns), s.overWords(f.ID, t))
	default:
		text = fmt.Sprintf("%s: its self time is %s, %s%s", name, s.ratioOf(j, t),
			s.signed(j.ns), s.overWords(f.ID, t))
	}
	return text + s.whichCalls(f, j) + s.tellMembers(f, j) + s.mostlyWords(j.by, f.ID) + s.paceWords() + cause
}

// inAsync reports whether most of the time of some calls is in spans of asynchronous tracks. They
// last until something has happened, such as a request that is answered or a page that is drawn;
// nobody knows whether that was work or waiting.
func inAsync(t [2]*total) bool {
	return 2*(t[pair.A].async+t[pair.B].async) > t[pair.A].inAll+t[pair.B].inAll
}

// moreAsync reports whether most of a change of time is in such spans.
func moreAsync(t [2]*total) bool {
	_, ns := change(t)
	return 2*magnitude(t[pair.B].async-t[pair.A].async) > magnitude(ns)
}

// ratioOf says by what factor self times changed, for example "2.3×" or "12 % lower".
func (s *study) ratioOf(j *judged, t [2]*total) string {
	self := [2]int64{t[pair.A].self, t[pair.B].self}
	if j.means {
		for sd := range self {
			self[sd] /= max(t[sd].calls, 1)
		}
	}
	return ratioWords(self)
}

// ratioWords returns a ratio of two times in words.
func ratioWords(self [2]int64) string {
	a, b := float64(self[pair.A]), float64(self[pair.B])
	switch ratio := b / a; {
	case a <= 0:
		return "higher"
	case b <= 0:
		return "gone"
	case ratio >= 9.5:
		return fmt.Sprintf("%.0f×", ratio)
	case ratio >= 1.095:
		return fmt.Sprintf("%.1f×", ratio)
	case ratio > 1:
		return fmt.Sprintf("%.2g %% higher", 100*(ratio-1))
	case ratio < 0.095:
		return fmt.Sprintf("1/%.0f of A's", 1/ratio)
	default:
		return fmt.Sprintf("%.2g %% lower", 100*(1-ratio))
	}
}

// burstWords says that a part of a function's calls changed.
func (s *study) burstWords(name string, j *judged, t [2]*total) string {
	if j.v.inOneCall(j.e) {
		return fmt.Sprintf("One of %s of %s takes %s, %s of self time in all",
			things(max(t[pair.A].calls, t[pair.B].calls), "call"), name, s.oneCallWords(j), s.signed(j.ns))
	}
	o := j.v.strange[toInt(j.v.sum > 0)]
	ratio := ratioWords([2]int64{int64(o.self[pair.A]), int64(o.self[pair.B])})
	what := fmt.Sprintf("take %s as long", ratio)
	if part, ok := strings.CutSuffix(ratio, " of A's"); ok {
		what = fmt.Sprintf("take %s of the time", part)
	}
	if strings.HasSuffix(ratio, "lower") || strings.HasSuffix(ratio, "higher") || ratio == "gone" {
		what = "have a self time that is " + ratio
	}
	return fmt.Sprintf("%s of %s of %s %s, %s of self time in all", geom.FormatWhole(o.count),
		things(max(t[pair.A].calls, t[pair.B].calls), "call"), name, what, s.signed(j.ns))
}

// oneCallWords says how long the call takes that changed most: "1.40 µs instead of 1.35 ms".
func (s *study) oneCallWords(j *judged) string {
	c := j.v.largest[toInt(j.v.sum > 0)]
	a, b := Lengths([2]int64{int64(c.a), int64(c.b)}, s.unit)
	return b + " instead of " + a
}

// whichCalls says to which calls a change is due, if not to all.
func (s *study) whichCalls(f *Finding, j *judged) string {
	switch {
	case f.Kind == Burst && j.v.inOneCall(j.e):
		return ""
	case j.v.inOneCall(j.e) && !s.tellsMembers(f, j):
		return ", almost all of it in one call: " + s.oneCallWords(j)
	case j.bulkOnly && 5*magnitude(j.ns-f.DeltaNs) > magnitude(f.DeltaNs):
		return fmt.Sprintf(", of which %s are due to %s that could be chance", s.signed(j.ns-f.DeltaNs),
			things(j.v.strange[0].count+j.v.strange[1].count, "call"))
	case f.Kind == Burst:
		return ""
	case j.thread != "":
		return ", most of it in " + j.thread
	}
	return ""
}

// paceWords says that everything takes longer, where that is so.
func (s *study) paceWords() string {
	if pace := s.report.Pace; math.Abs(pace-1) >= paceTold {
		return fmt.Sprintf(" (everything takes %.2f×)", pace)
	}
	return ""
}

const paceTold = 0.05

// Awaiting says of calls that they mostly wait. Whoever knows in what they wait says that instead.
const Awaiting = ", most of it waiting; the cause lies with what they wait for"

// Labelled ends a sentence, and says so if what it tells could be chance.
func Labelled(c Certainty) string {
	if c == Chance {
		return "; could be chance."
	}
	return "."
}

// overWords says over how many calls of a function a time is summed up. How often a function was
// sampled says little of how often it was called.
func (s *study) overWords(id uint32, t [2]*total) string {
	if s.isSampled(id) {
		return ", sampled in " + callsWords(t)
	}
	return " over " + callsWords(t)
}

// callsWords says how many calls both sides make.
func callsWords(t [2]*total) string { return numbersWords(t, "call") }

// numbersWords is callsWords for calls that have another name.
func numbersWords(t [2]*total, what string) string {
	a, b := t[pair.A].calls, t[pair.B].calls
	if a == b {
		return things(a, what)
	}
	return fmt.Sprintf("%s → %s", geom.FormatWhole(a), things(b, what))
}

// TakesWords says how much a function takes in B instead of A: of self time or cost, or including
// callees. It is on the stack of both sides, but one of them may not have been sampled in it.
func TakesWords(ns [2]int64, before, after, what string) string {
	noun, own := strings.CutPrefix(what, "of ")
	switch {
	case ns[pair.A] == 0:
		before = "none"
	case ns[pair.B] == 0 && own:
		return fmt.Sprintf("takes no %s instead of %s", noun, before)
	}
	return fmt.Sprintf("takes %s %s instead of %s", after, what, before)
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// levelWords says between which calls one side alone has another call.
func (s *study) levelWords(f *Finding, sd pair.Side) string {
	at := f.At[sd]
	th := s.p.Trace(sd).Threads[at.Thread]
	up, below, most := th.Parent(int(at.Call)), align.None, int64(-1)
	for k := int(at.Call) + 1; k < th.Next(int(at.Call)); k = th.Next(k) {
		if th.Dur(k) > most && !byNature(s.p.Trace(sd).FunctionOf(th, k).Kind) {
			below, most = int32(k), th.Dur(k)
		}
	}
	where := ""
	switch {
	case up != align.None && below != align.None:
		where = fmt.Sprintf(" between %s and %s", s.called(sd, th, up), s.called(sd, th, below))
	case below != align.None:
		where = " above " + s.called(sd, th, below)
	case up != align.None:
		where = " in " + s.called(sd, th, up)
	}
	if f.Kind == Called {
		return fmt.Sprintf("%s is called %s instead of %s, in %s%s: %s of self time", f.Function,
			things(f.Calls[pair.B], "time"), geom.FormatWhole(f.Calls[pair.A]), sd, where, s.signed(f.DeltaNs))
	}
	return fmt.Sprintf("Only %s calls %s%s: %s, %s of self time", sd, f.Function, where,
		things(f.Calls[sd], "call"), s.signed(f.DeltaNs))
}

// called returns the name of call i of a side.
func (s *study) called(sd pair.Side, th *trace.Thread, i int32) string {
	return s.names[s.p.IDs(sd)[th.Fn[i]]]
}

// movedWords says where calls have moved that are the same on both sides.
func (s *study) movedWords(f *Finding, m *move, where string) string {
	how := "is called in another place or order"
	if where != "" {
		how = where
	}
	return fmt.Sprintf("%s %s: %s of %s", f.Function, how, things(m.calls, "call"),
		s.length(max(m.ns[pair.A], m.ns[pair.B])))
}

// orderWords says how an example of a function's calls has moved: from one caller to another, or
// past a call of another function. It is "" if neither is so.
func (s *study) orderWords(function string, m *move) string {
	var up [2]string
	for sd, at := range m.at {
		if at == nil {
			return ""
		}
		th := s.p.Trace(pair.Side(sd)).Threads[at.Thread]
		if p := th.Parent(int(at.Call)); p != align.None {
			up[sd] = s.called(pair.Side(sd), th, p)
		}
	}
	if up[pair.A] != up[pair.B] && up[pair.A] != "" && up[pair.B] != "" {
		return fmt.Sprintf("moved from %s to %s", up[pair.A], up[pair.B])
	}
	before, after := s.neighbours(pair.A, m.at[pair.A])
	nowBefore, nowAfter := s.neighbours(pair.B, m.at[pair.B])
	switch {
	case after != "" && after == nowBefore && after != before && after != function:
		return pastWords(after, true)
	case before != "" && before == nowAfter && before != after && before != function:
		return pastWords(before, false)
	}
	return ""
}

// movedPlacesWords says that a function is called by another one.
func (s *study) movedPlacesWords(f *Finding, from, to *place, t [2]*total) string {
	a, b := s.both(from.caller, f.ID), s.both(to.caller, f.ID)
	return fmt.Sprintf("%s moved from %s (%s → %s) to %s (%s)%s; in all %s", f.Function,
		nameOr(s.callerName(from.caller), "the top"), geom.FormatWhole(a[pair.A].calls), things(a[pair.B].calls, "call"),
		nameOr(s.callerName(to.caller), "the top"), fromTo(b),
		s.movedThreadsWords(from, to), callsWords(t))
}

// threadWords says which threads one side alone has. Where the other side has others of that
// name, it says how many more there are: nobody else has a thread "producer" if there are two of
// them in B and one in A would be wrong.
func (s *study) threadWords(c *threadGroup) string {
	name, what := strings.TrimSpace(strings.TrimPrefix(c.name, "thread ")), "thread"
	example := name
	if !strings.ContainsFunc(name, unicode.IsLetter) { // a mere number
		example = "thread " + name
	}
	switch {
	case c.async:
		what = "track"
	case c.lanes:
		what = "lane"
	case len(s.p.A.Requests) > 0 && len(s.p.B.Requests) > 0:
		what = "service"
	}
	size := func(sd pair.Side, calls string) string {
		if s.p.BySamples() { // then their number says nothing
			return s.length(c.ns[sd])
		}
		return calls + " in " + s.length(c.ns[sd])
	}
	if c.threads[pair.A] > 0 && c.threads[pair.B] > 0 {
		return fmt.Sprintf("%s of A and %s of B, such as %s, have no counterpart: "+
			"%s, %s", things(c.threads[pair.A], what), geom.FormatWhole(int64(c.threads[pair.B])), example,
			size(pair.A, things(c.calls[pair.A], "call")), size(pair.B, geom.FormatWhole(int64(c.calls[pair.B]))))
	}
	sd := pair.Side(toInt(c.threads[pair.A] == 0))
	n, head := c.threads[sd], ""
	switch {
	case c.all[sd.Other()] > 0:
		head = fmt.Sprintf("%s has %s such as %s (%s instead of %s)", sd, things(n, "more "+what), example,
			geom.FormatWhole(int64(c.all[sd])), geom.FormatWhole(int64(c.all[sd.Other()])))
	case n > 1:
		head = fmt.Sprintf("%s has %s such as %s, %s none", sd, things(n, what), example, sd.Other())
	default:
		if what += " "; s.p.Trace(sd).Kind == trace.Profile { // the other side may be none
			what = "samples of " // of its sort, or of its thread
		} else {
			what = "the " + what
		}
		head = fmt.Sprintf("Only %s has %s%s", sd, what, name)
	}
	return fmt.Sprintf("%s: %s", head, size(sd, things(c.calls[sd], "call")))
}

func (s *study) divergenceWords(p divergence) string {
	r, n, text := p.in, p.node, fmt.Sprintf("The runs first differ after %s", s.length(p.at))
	sd, i := pair.A, n.A
	if n.A == align.None {
		sd, i = pair.B, n.B
	}
	up := r.Threads[sd].Parent(int(i))
	if up != align.None && !strings.HasPrefix(title(r), s.name(r, sd, up)) {
		text += fmt.Sprintf(" in %s (%s): ", s.name(r, sd, up), title(r))
	} else {
		text += fmt.Sprintf(" in %s: ", title(r))
	}
	if n.A == align.None || n.B == align.None {
		return fmt.Sprintf("%sonly %s calls %s there", text, sd, s.name(r, sd, i))
	}
	return fmt.Sprintf("%sB calls %s where A calls %s", text, s.name(r, pair.B, n.B),
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
	if unit == "" {
		unit = trace.Nanoseconds
	}
	return geom.FormatValue(float64(n), string(unit))
}

// Lengths returns A's and B's amount of a trace's unit in words, with as many digits as make
// different ones differ.
func Lengths(ns [2]int64, unit trace.Unit) (a, b string) {
	if unit == "" {
		unit = trace.Nanoseconds
	}
	return geom.FormatTwo(float64(ns[pair.A]), float64(ns[pair.B]), string(unit))
}
