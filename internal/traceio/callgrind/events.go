package callgrind

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/stacks"
)

// event is a kind of cost: instructions, cache misses, time.
type event struct {
	name  string
	unit  trace.Unit
	scale uint64 // how much of the unit one of it is
}

// scaled returns a cost in the event's unit.
func (e *event) scaled(v uint64) (uint64, bool) {
	if e.scale > 1 && v > math.MaxUint64/e.scale {
		return 0, false
	}
	return v * e.scale, true
}

// isTime reports whether the event is read from a clock, so that equal runs differ in it. Profilers
// of Python call it "Ticks" whatever their clock is, and Callgrind has "sysTime".
func (e *event) isTime() bool {
	name := strings.ToLower(e.name)
	return e.unit == trace.Nanoseconds || strings.Contains(name, "time") || strings.Contains(name, "tick")
}

// yappi is the creator of profiles whose "Ticks" are microseconds.
const yappi = "yappi"

// instructions is the event that Callgrind counts always: instructions that were executed.
const instructions = "Ir"

// setEvents reads which costs the lines have, and chooses the one that is shown: what the user asks
// for; else time, where it is counted; else instructions; else the first. A trace has one axis, so
// all parts show the event of the first.
func (p *parser) setEvents(names []string) {
	if len(names) == 0 {
		p.bad("no events")
		return
	}
	if len(p.events) == 0 {
		p.events = names
		p.event, p.unknownEvent = choose(names, p.wanted)
		if p.creator == yappi && p.event.name == "Ticks" {
			p.event.unit, p.event.scale = trace.Nanoseconds, 1000
		}
	}
	p.column = slices.Index(names, p.event.name)
	if p.column < 0 {
		p.b.Diagnose(trace.NotRead, 1, "line at offset %d: a part without %s", p.at, p.event.name)
	}
}

func choose(names []string, wanted string) (event, error) {
	if wanted != "" {
		if i := slices.Index(names, wanted); i >= 0 {
			return eventOf(names[i]), nil
		}
		return event{}, fmt.Errorf("no event %q (it has %s)", wanted, strings.Join(names, ", "))
	}
	for _, name := range names {
		// Callgrind's own sysTime has no unit in its name, and is no time of the program: it counts
		// system calls only.
		if e := eventOf(name); e.unit == trace.Nanoseconds {
			return e, nil
		}
	}
	if slices.Contains(names, instructions) {
		return eventOf(instructions), nil
	}
	return eventOf(names[0]), nil
}

// eventOf reads the unit from an event's name: "Nanoseconds", or what stands in parentheses as in
// Xdebug's "Time_(10ns)" and pprof's "cpu(nanoseconds)". All others are counts of themselves.
func eventOf(name string) event {
	e := event{name, trace.Unit(name), 1}
	word := name
	if open := strings.IndexByte(name, '('); open >= 0 && strings.HasSuffix(name, ")") {
		word = name[open+1 : len(name)-1]
	}
	scale, word, ok := leadingNumber(strings.ToLower(word))
	if !ok {
		return e
	}
	if unit, per, ok := stacks.UnitOf(word); ok && scale <= 1e9 {
		return event{name, unit, scale * uint64(per)}
	}
	return e
}

// leadingNumber splits "10ns" into 10 and "ns". What has no number counts as 1.
func leadingNumber(s string) (n uint64, rest string, ok bool) {
	if s == "" || !isDigit(s[0]) {
		return 1, s, true
	}
	n, after, ok := number([]byte(s))
	return n, string(after), ok && n > 0
}

// readTotals reads the sum that a part states. In a part without the event that is shown it is 0.
func (p *parser) readTotals(s []byte) {
	total, ok := p.value(s)
	if p.part.total, p.part.stated = total, stated; !ok {
		p.bad("%.40q is no total", s)
		p.part.stated = unreadable
	}
}

// endPart compares a part with what it says of itself, and begins the next. Callgrind writes the
// sum behind the last cost, so a part without it was cut; others write sums that mean something
// else, or none.
func (p *parser) endPart() {
	done := p.part
	p.part = part{}
	switch {
	case done.lines == 0:
	case !strings.HasPrefix(p.creator, "callgrind-"), done.stated == unreadable:
		p.complete = false
	case done.stated == notStated:
		p.complete = false
		p.b.Diagnose(trace.Truncated, 1, "%s ends before its totals, with %d %s", done.name(), done.sum,
			p.event.name)
	case done.total != done.sum:
		p.complete = false
		p.b.Diagnose(trace.LostRecords, 1, "%s: %d %s are stated and %d are there", done.name(),
			done.total, p.event.name, done.sum)
	}
}

// endFile ends the last part. Files of tools that state no totals show that they were cut if they
// end between the name of a function that is called and what the calls cost.
func (p *parser) endFile() {
	within := p.calls || p.callee.name != noText
	if p.fn >= 0 && !p.ended.end(p.fn, !p.part.summed) {
		within = within || !p.ended.broken
	}
	p.fn = -1
	if len(p.graphs) == 0 && p.part.lines == 0 && p.part.stated == notStated {
		p.b.Diagnose(trace.Truncated, 1, "at offset %d: no costs follow the header", p.at)
	}
	if p.endPart(); within && !strings.HasPrefix(p.creator, "callgrind-") {
		p.b.Diagnose(trace.Truncated, 1, "at offset %d: the costs of a call are missing", p.at)
	}
}

func (d *part) name() string {
	if d.number == "" {
		return "the file"
	}
	return "part " + d.number
}
