package perfscript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
	"diptych/internal/traceio/stacks"
)

// byTime are events that count processor time, the most common first. Samples of others, such as
// cache misses, are where something happens and not where time goes.
var byTime = []string{"cycles", "cpu-cycles", "cpu_core/cycles", "cpu_atom/cycles", "cpu-clock", "task-clock",
	"ref-cycles", "bus-cycles", "instructions"}

// baseName returns an event's name without what is said of it: cycles of cycles:ppp and cycles/…/u.
func baseName(event string) string {
	if rest, ok := strings.CutSuffix(event, "/"); ok {
		event = rest
	}
	if i := strings.IndexByte(event, ':'); i > 0 && !isSwitch(event) {
		event = event[:i]
	}
	return strings.TrimRight(event, "/")
}

// choose returns the event that is shown.
func (r *reader) choose(want string) (*event, error) {
	all := r.sorted()
	if want != "" {
		var has []string
		for _, e := range all {
			if e.name == want || baseName(e.name) == want {
				return e, nil
			}
			has = append(has, e.name)
		}
		return nil, fmt.Errorf("no event %q (it has %s)", want, strings.Join(has, ", "))
	}
	rank := func(e *event) int {
		if k := slices.Index(byTime, baseName(e.name)); k >= 0 {
			return k
		}
		return len(byTime)
	}
	return slices.MinFunc(all, func(x, y *event) int { return cmp.Compare(rank(x), rank(y)) }), nil
}

// sorted returns the events, those with most samples first.
func (r *reader) sorted() []*event {
	var all []*event
	for _, e := range r.events {
		all = append(all, e)
	}
	slices.SortFunc(all, func(x, y *event) int {
		return cmp.Or(-cmp.Compare(x.samples, y.samples), cmp.Compare(x.index, y.index))
	})
	return all
}

// feed adds the samples of the event that is shown, and the scheduler's.
func (r *reader) feed(main *event) {
	if clock := baseName(main.name); clock == "cpu-clock" || clock == "task-clock" {
		r.line.Interval = main.period // it is in ns
	}
	r.countOthers(main)
	given := r.given()
	for i, t := range r.order {
		r.feedThread(r.line.Thread(r.place(t, i)), t, main, given[t.tid])
		t.samples = nil
	}
}

// feedThread adds the samples of a thread, which got a processor at the given times.
func (r *reader) feedThread(to *stacks.Thread, t *thread, main *event, given []int64) {
	off := stacks.Root // the stack with the scheduler's call, while the thread has no processor
	last := sample{node: stacks.Root}
	for _, s := range t.samples {
		for ; len(given) > 0 && given[0] <= s.at; given = given[1:] {
			if off != stacks.Root {
				to.Sample(given[0], r.line.Caller(off))
				off = stacks.Root
			}
		}
		switch {
		case s.of < 0 && t.tid == idle:
		case s.of < 0:
			if s.node == r.bare && last.node != stacks.Root && !r.line.Late(s.at-last.at) {
				s.node = last.node // perf has no stack of it: the last one holds
			}
			off = r.line.Child(s.node, r.b.Function(spans.Schedule(r.turns[-1-s.of].preempted)))
			to.Hold(s.at, off)
		case s.of == main.index:
			to.Sample(s.at, s.node)
			off, last = stacks.Root, s
		}
	}
}

// idle is the tid of the kernel's idle loops.
const idle = "0"

// given returns when threads were given a processor, by tid.
func (r *reader) given() map[string][]int64 {
	all := map[string][]int64{}
	for _, t := range r.order {
		for _, s := range t.samples {
			if s.of < 0 && r.turns[-1-s.of].next != idle {
				next := r.turns[-1-s.of].next
				all[next] = append(all[next], s.at)
			}
		}
	}
	for _, times := range all {
		slices.Sort(times)
	}
	return all
}

// place makes the thread of samples. The process is known only if the text has it.
func (r *reader) place(t *thread, i int) *trace.ThreadBuilder {
	process := int32(-1)
	name := t.comm
	switch {
	case t.tid == idle:
		name = "swapper/" + strings.TrimPrefix(t.id, "0/")
	case t.pid != "":
		process = r.b.Process(t.pid)
		if t.comm != "" && (t.pid == t.tid || r.threads[t.pid+"/"+t.pid] == nil) {
			r.b.NameProcess(process, t.comm)
		}
	}
	to := r.b.Thread(t.id, process)
	to.SetName(name)
	to.SetSort(i)
	if t.tid == idle {
		to.SetKind(trace.Runtime)
		to.SetRole("swapper", true)
	}
	return to
}

// countOthers tells of what is not shown.
func (r *reader) countOthers(main *event) {
	left, names := uint64(0), []string{}
	for _, e := range r.sorted() {
		if e != main && !isSwitch(e.name) {
			left += uint64(e.samples)
			names = append(names, e.name)
		}
	}
	r.b.Diagnose(trace.NotRead, left, "samples of %s", strings.Join(names, ", "))
	r.b.Diagnose(trace.NotRead, r.others, "%.100s", r.other)
}

// toolText says what recorded the samples, what they are of, and what the file has besides.
func (r *reader) toolText(main *event) string {
	text := cmp.Or(r.tool, "perf")
	if main.name != "" {
		text += " " + main.name
	}
	var besides []string
	for _, e := range r.sorted() {
		if e != main && e.name != "" {
			besides = append(besides, e.name)
		}
	}
	if besides != nil {
		text += " (besides: " + strings.Join(besides, ", ") + ")"
	}
	return text
}
