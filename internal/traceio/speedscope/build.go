package speedscope

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/qualified"
	"diptych/internal/traceio/stacks"
)

// nsOf has the units of time, in ns. The format has the long names alone, and not all tools keep to
// it.
var nsOf = map[string]float64{"nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9,
	"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}

// axis returns the unit of the axis that a profile is shown on.
func (p *profile) axis() trace.Unit {
	switch {
	case nsOf[p.unit] != 0:
		return trace.Nanoseconds
	case p.unit == "" || p.unit == "none":
		return "count"
	}
	return trace.Unit(p.unit)
}

// builder makes calls of a file's profiles.
type builder struct {
	*file
	b         *trace.Builder
	src       *input.Source
	functions []trace.FuncID // by frame
	unknown   map[trace.FuncID]trace.FuncID
	nodes     []stacks.Node // see Tree.Rename
	line      *stacks.Timeline
}

// build makes calls of the profiles that are shown.
func (f *file) build(ctx context.Context, src *input.Source, want string, b *trace.Builder) error {
	axis, err := f.choose(want)
	if err != nil {
		return src.Fail("cannot show the profile", err)
	}
	b.Unit, b.Symbols, b.Tool = axis, true, f.toolText(axis)
	if axis != trace.Nanoseconds {
		b.Kind = trace.Profile
	}
	if err := stacks.Afford(src, len(f.frames), f.tree.Len(), len(f.profiles)); err != nil {
		return err
	}
	m := &builder{file: f, b: b, src: src, line: stacks.NewTimeline(b),
		unknown: map[trace.FuncID]trace.FuncID{}}
	m.line.Tree, m.line.Whole = f.tree, true
	m.name()
	if f.bad > 0 {
		b.Diagnose(trace.BadRecord, f.bad, "events without a time, a frame or a kind, and frames without a number")
	}
	for i, p := range f.profiles {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.axis() == axis {
			m.profile(p, i)
		}
	}
	if len(m.unknown) > 0 {
		b.Diagnose(trace.BadRecord, uint64(len(m.unknown)), "frames that are not in the table of %d: "+
			"they are shown as ?1, ?2", len(f.frames))
	}
	return m.line.Write(ctx)
}

// choose returns the axis to show.
func (f *file) choose(want string) (trace.Unit, error) {
	var has []string
	for _, p := range f.profiles {
		if want != "" && (p.unit == want || p.name == want || string(p.axis()) == want) {
			return p.axis(), nil
		}
		if !slices.Contains(has, p.unit) {
			has = append(has, p.unit)
		}
	}
	if want != "" {
		return "", fmt.Errorf("no profile or unit %q (it has %s)", want, strings.Join(has, ", "))
	}
	active := f.profiles[max(0, min(f.active, int64(len(f.profiles)-1)))]
	if i := slices.IndexFunc(f.profiles, (*profile).holds); !active.holds() && i >= 0 {
		active = f.profiles[i] // nothing would be shown else
	}
	return active.axis(), nil
}

// holds reports whether a profile has anything to show.
func (p *profile) holds() bool { return len(p.samples)+len(p.events) > 0 }

// toolText says which tool wrote the file, and what is not shown of it.
func (f *file) toolText(axis trace.Unit) string {
	var besides []string
	for _, p := range f.profiles {
		if p.axis() != axis {
			besides = append(besides, p.name+"/"+p.unit)
		}
	}
	if besides == nil {
		return f.tool
	}
	return strings.TrimSpace(f.tool + " (besides: " + strings.Join(besides, ", ") + ")")
}

// name makes functions of the frames, and stacks of functions of the stacks of frames. Frames that
// differ in their line or column alone are one function, so stacks may fall together.
func (m *builder) name() {
	for _, fn := range m.frames {
		if fn.Name == "" {
			fn.Name = "(anonymous)"
		}
		fn.Package = qualified.Package(fn.Name)
		m.functions = append(m.functions, m.b.Function(fn))
	}
	m.nodes = m.tree.Rename(m.function)
}

// node returns the stack of functions of a stack of frames.
func (m *builder) node(n stacks.Node) stacks.Node {
	if m.nodes != nil {
		return m.nodes[n]
	}
	return n
}

// mostUnknown is how many frames that are not in the table have a name of their own.
const mostUnknown = 1000

// function returns the function of a frame.
func (m *builder) function(frame trace.FuncID) trace.FuncID {
	if int64(frame) < int64(len(m.functions)) {
		return m.functions[frame]
	}
	fn, known := m.unknown[frame]
	if !known {
		name := "?"
		if frame != noFrame && len(m.unknown) < mostUnknown {
			name += strconv.Itoa(int(frame))
		}
		fn = m.b.Function(trace.Function{Name: name})
		m.unknown[frame] = fn
	}
	return fn
}

// profile makes the thread of the i-th profile.
func (m *builder) profile(p *profile, i int) {
	t := m.b.Thread(strconv.Itoa(i+1), -1)
	if p.name != "" {
		t.SetName(p.name)
		if role, numbered := role(p.name); numbered {
			t.SetRole(role, true)
		}
	}
	t.SetSort(i)
	if lost := len(p.samples) - len(p.weights); lost != 0 {
		m.b.Diagnose(trace.BadRecord, uint64(max(lost, -lost)), "profile %d: %s, but %s", i+1,
			plural.Of(len(p.samples), "sample"), plural.Of(len(p.weights), "weight"))
	}
	scale, timed, evented := nsOf[p.unit], p.axis() == trace.Nanoseconds, len(p.events) > 0
	if timed && p.holds() {
		m.observe(p.start, scale)
		if p.ended && p.end > p.start { // tools that do not know it write 0
			m.observe(p.end, scale)
		}
	}
	switch {
	case timed && evented:
		m.events(t, p, scale)
	case timed:
		m.samples(m.line.Thread(t), p, scale)
	case evented:
		m.sumEvents(t, p)
	default:
		m.sumSamples(t, p)
	}
}

// observe widens the trace to a time at which a profile begins or ends: nothing may run then.
func (m *builder) observe(at, scale float64) {
	if at, err := ns(at, scale); err == nil {
		m.b.Observe(at)
	}
}

// ids are what samplers write into the names of profiles and what differs from run to run: "main
// pid: 736 tid: 737" of perf, "Thread 0x7F35 (idle)" of py-spy, "Thread (736)" of dotnet-trace.
var ids = regexp.MustCompile(`\(?\b(?:(?:pid|tid): ?)?(?:0x[[:xdigit:]]+|\d\d+)\b\)?`)

// role returns a profile's name without such numbers, and whether it has any.
func role(name string) (role string, numbered bool) {
	role = strings.Join(strings.Fields(ids.ReplaceAllString(name, " ")), " ")
	return role, role != name && role != ""
}

// errRange says that a value is no time of the model.
var errRange = errors.New("out of range")

// ns returns a value in a unit as ns. Times may be since 1970, whose ns no float64 tells apart.
func ns(value, scale float64) (int64, error) {
	if !(math.Abs(value*scale) < trace.Limit) {
		return 0, errRange
	}
	whole, part := math.Modf(value)
	return int64(whole)*int64(scale) + int64(math.Round(part*scale)), nil
}

// events makes calls of opened and closed frames.
func (m *builder) events(t *trace.ThreadBuilder, p *profile, scale float64) {
	if calls, levels, nested := m.nested(p, scale); nested {
		m.turns(t, p, scale, calls, levels)
		return
	}
	for _, e := range p.events {
		at, err := ns(e.at, scale)
		if err != nil {
			m.b.Diagnose(trace.BadRecord, 1, "profile %s: an event at %g, in %s", p.name, e.at, p.unit)
			continue
		}
		if fn := m.function(e.frame); e.open {
			t.Begin(at, fn)
		} else {
			t.EndNamed(at, fn)
		}
	}
}

// nested reports whether the times of events never go back, and each closes what was opened last:
// then they are changes of a stack. It returns how many calls they are, on how many levels.
func (m *builder) nested(p *profile, scale float64) (calls, levels int, nested bool) {
	var open []trace.FuncID
	last := int64(math.MinInt64)
	for _, e := range p.events {
		at, err := ns(e.at, scale)
		if err != nil || at < last {
			return 0, 0, false
		}
		last = at
		fn, top := m.function(e.frame), len(open)-1
		switch {
		case e.open:
			open = append(open, fn)
			calls, levels = calls+1, max(levels, len(open))
		case top < 0 || open[top] != fn:
			return 0, 0, false
		default:
			open = open[:top]
		}
	}
	return calls, levels, true
}

// turns makes calls of such events. What ends and then begins at one time is one change.
func (m *builder) turns(t *trace.ThreadBuilder, p *profile, scale float64, calls, levels int) {
	t.Expect(calls, levels)
	if m.b.AffordExpected() != nil {
		return // the Builder says so
	}
	var begun []trace.FuncID
	ends, now := 0, int64(0)
	for _, e := range p.events {
		at, _ := ns(e.at, scale)
		if at != now || !e.open && len(begun) > 0 {
			t.Turn(now, ends, begun)
			ends, begun = 0, begun[:0]
		}
		if now = at; e.open {
			begun = append(begun, m.function(e.frame))
		} else {
			ends++
		}
	}
	t.Turn(now, ends, begun)
}

// samples adds stacks that last as long as their weights say.
func (m *builder) samples(t *stacks.Thread, p *profile, scale float64) {
	now, last := p.start, int64(0)
	for i, n := range p.samples[:min(len(p.samples), len(p.weights))] {
		if p.weights[i] < 0 {
			m.b.Diagnose(trace.NegativeDuration, 1, "a sample of weight %g, in %s", p.weights[i], p.unit)
			continue
		}
		at, err := ns(now, scale)
		end, bad := ns(now+p.weights[i], scale)
		if err != nil || bad != nil {
			m.b.Diagnose(trace.BadRecord, 1, "profile %s: a sample of weight %g, in %s", p.name, p.weights[i], p.unit)
			continue
		}
		t.Sample(at, m.node(n))
		now, last = now+p.weights[i], end
	}
	if t.Len() > 0 {
		t.Sample(last, stacks.Root)
	}
}

func (m *builder) sums() *stacks.Rounded {
	return stacks.NewRounded(stacks.NewProfile(m.tree, m.b, string(m.b.Unit)))
}

// sumSamples sums up samples that have no time.
func (m *builder) sumSamples(t *trace.ThreadBuilder, p *profile) {
	s, empty := m.sums(), uint64(0)
	for i, n := range p.samples[:min(len(p.samples), len(p.weights))] {
		if p.weights[i] == 0 {
			empty++
		}
		s.Add(m.node(n), p.weights[i])
	}
	m.b.Diagnose(trace.NotRead, empty, "profile %s: samples of weight 0, which add nothing to a sum", p.name)
	s.Write(t)
}

// sumEvents sums up how far the axis goes while each stack is open. Calls during which it does not
// go on add nothing to a sum, so they are counted.
func (m *builder) sumEvents(t *trace.ThreadBuilder, p *profile) {
	s := m.sums()
	open, since := []stacks.Node{stacks.Root}, []float64{p.start}
	times := map[trace.FuncID]int{} // that a function is open: ends of others search nothing
	last, empty := p.start, uint64(0)
	for _, e := range p.events {
		s.Add(open[len(open)-1], e.at-last)
		last = e.at
		fn := m.function(e.frame)
		if e.open {
			open, since = append(open, m.tree.Child(open[len(open)-1], fn)), append(since, e.at)
			times[fn]++
			continue
		}
		if times[fn] == 0 {
			m.b.Diagnose(trace.UnmatchedEnd, 1, "profile %s: an end at %g closes nothing", p.name, e.at)
			continue
		}
		k := len(open)
		for ended := false; !ended; ended = m.tree.Function(open[k]) == fn {
			k--
			times[m.tree.Function(open[k])]--
		}
		for _, at := range since[k:] {
			if at == e.at {
				empty++
			}
		}
		open, since = open[:k], since[:k]
	}
	m.b.Diagnose(trace.NotRead, empty, "profile %s: calls of no width, which add nothing to a sum", p.name)
	if n := len(open) - 1; n > 0 {
		m.b.Diagnose(trace.UnmatchedBegin, uint64(n), "profile %s: %s not closed", p.name,
			plural.Of(n, "frame"))
	}
	s.Write(t)
}
