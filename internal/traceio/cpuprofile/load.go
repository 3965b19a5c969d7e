// Package cpuprofile loads CPU profiles of V8 (.cpuprofile), as node --cpu-prof, Chrome's DevTools,
// Deno and Bun write them. The format is Profiler.Profile of the Chrome DevTools Protocol; files of
// older DevTools have the same as one nested tree under the name head. Package chrome finds such
// profiles among the events of a trace; calls are made of them here, too.
//
// read.go reads the document, and usual.go its nodes where they are written as V8 does; chunks.go
// takes what a trace has of a profile; frame.go says what nodes are calls of, this file makes the
// calls, and stalls.go tells which samples hold far longer than most. What becomes of the nodes:
//
//	(root)               nothing: it is the caller of all others
//	(idle)               no call: the thread has nothing to do until the next sample
//	(garbage collector)  has no stack of its own, so it is called by what the sample before shows
//	(program)            a call of that name without callers: code that is no JavaScript
//	without a name       "(anonymous FILE:LINE)"
//
// A sample holds until the next one, and the last one until the end of the profile. Where a profile
// has no samples, or no times of them, how often each stack was met is shown instead.
package cpuprofile

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/stacks"
)

// Load reads a profile into b. It fails if there is no node of a stack.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	r := jsonin.NewReader(src.Stream)
	src.Counted = true
	p := newProfile(src.Afford)
	p.read(r)
	err := cmp.Or(p.full, r.Err())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.full != nil:
		return p.full
	case len(p.nodes) == 0:
		return &input.FormatError{File: src.Path, Offset: r.Offset(),
			Reason: "no profile: it has no nodes", Err: err}
	case err != nil:
		b.Diagnose(trace.Truncated, 1, "%v", err)
	case !r.End():
		b.Diagnose(trace.BadRecord, 1, "there is something behind the profile, from offset %d on", r.Offset())
	}
	if p.tooDeep > 0 {
		b.Diagnose(trace.BadRecord, p.tooDeep, "nodes more than %d levels deep", mostLevels)
	}
	if n, first := r.Misfits(); n > 0 {
		b.Diagnose(trace.BadRecord, n, "%s", first)
	}
	b.Tool, b.Symbols = "V8 CPU profile", true
	m := newMaker(p, b, stacks.NewTimeline(b))
	t := b.Thread("1", -1)
	if err := m.resolve(t, 0); err != nil {
		return err
	}
	t.SetName("JavaScript")
	if p.title != "" {
		t.SetName(p.title)
	}
	if len(p.samples) > 0 && len(p.deltas)+len(p.times) > 0 {
		m.addSamples(t)
		return m.line.Write(ctx)
	}
	b.Kind, b.Unit, b.SampleType = trace.Profile, "samples", "samples"
	m.addCounts(t)
	return ctx.Err()
}

// What a node and its id take, so that stacks are found by nodes: in the tree while it grows, and
// in lookup.
const (
	resolvedBytes = 90
	foundBytes    = 24
)

// maker makes calls of a profile.
type maker struct {
	*profile
	b     *trace.Builder
	line  *stacks.Timeline
	byID  *lookup
	stack []stacks.Node   // by node
	what  []special       // by frame
	fns   []trace.FuncID  // by frame, where a node of it was met
	files map[string]file // by URL
	bad   uint64          // samples of no node, or without a time
	first string          // the first of them
}

func newMaker(p *profile, b *trace.Builder, line *stacks.Timeline) *maker {
	return &maker{profile: p, b: b, line: line, files: map[string]file{}}
}

// resolve finds the stack of each node, for a thread. A node that is its own caller, which only
// damage makes, has none above itself. The Builder knows of some bytes of the profile already.
func (m *maker) resolve(t *trace.ThreadBuilder, counted int64) error {
	t.Holds(int(m.held(false)-counted) + len(m.nodes)*resolvedBytes + len(m.ids)*foundBytes)
	if err := m.b.Refused(); err != nil {
		return err
	}
	const unseen, open = -1, -2
	m.stack = make([]stacks.Node, len(m.nodes))
	for i := range m.stack {
		m.stack[i] = unseen
	}
	m.what, m.fns = make([]special, len(m.frames.list)), make([]trace.FuncID, len(m.frames.list))
	for i := range m.frames.list {
		m.what[i], m.fns[i] = m.special(&m.frames.list[i]), noFunction
	}
	m.byID = m.lookup()
	m.b.Diagnose(trace.BadRecord, m.link(m.byID), "callers or callees that are not there")
	m.b.Diagnose(trace.BadRecord, m.byID.repeated, "nodes with the id of another")
	if roots := m.roots(); roots > 1 {
		m.b.Diagnose(trace.BadRecord, roots-1, "nodes that nothing calls, beside the first")
	}
	var path []int32
	cycles := uint64(0)
	for i := range m.nodes {
		for n := int32(i); n >= 0 && m.stack[n] == unseen; n = m.nodes[n].parent {
			m.stack[n] = open
			path = append(path, n)
		}
		for len(path) > 0 {
			n := path[len(path)-1]
			path = path[:len(path)-1]
			up := stacks.Root
			if parent := m.nodes[n].parent; parent >= 0 && m.stack[parent] == open {
				cycles++
			} else if parent >= 0 {
				up = m.stack[parent]
			}
			m.stack[n] = m.place(n, up)
		}
	}
	m.b.Diagnose(trace.BadRecord, cycles, "nodes that call themselves")
	return nil
}

// roots returns how many nodes nothing calls. A profile has one: where it has more, a list of
// callees is not there, and what they call has lost its callers.
func (m *maker) roots() (n uint64) {
	for i := range m.nodes {
		if m.nodes[i].parent < 0 {
			n++
		}
	}
	return n
}

// noFunction stands for the function of a frame of which no node was met.
const noFunction trace.FuncID = math.MaxUint32

// place returns the stack of a node below another.
func (m *maker) place(n int32, up stacks.Node) stacks.Node {
	f := m.nodes[n].frame
	if m.what[f] != function {
		return up
	}
	return m.line.Child(up, m.fn(f))
}

// fn returns the function of a frame.
func (m *maker) fn(f int32) trace.FuncID {
	switch known := m.fns[f]; {
	case known != noFunction:
		return known
	case m.what[f] == collector:
		m.fns[f] = m.b.Function(trace.Function{Name: m.frames.list[f].name})
	default:
		m.fns[f] = m.b.Function(m.function(&m.frames.list[f]))
	}
	return m.fns[f]
}

// lose counts a sample that cannot be shown.
func (m *maker) lose(format string, args ...any) {
	if m.bad++; m.bad == 1 {
		m.first = fmt.Sprintf(format, args...)
	}
}

func (m *maker) tellLost() {
	if m.bad > 0 {
		m.b.Diagnose(trace.BadRecord, m.bad, "%s", m.first)
	}
}

// addSamples adds the samples with their times.
func (m *maker) addSamples(to *trace.ThreadBuilder) {
	m.line.Whole = true
	t := m.line.Thread(to)
	n := len(m.times)
	if n == 0 {
		n = len(m.deltas)
	}
	if all := max(n, len(m.samples)); all > min(n, len(m.samples)) {
		m.bad += uint64(all - min(n, len(m.samples)))
		m.first = plural.Of(len(m.samples), "sample") + ", but " + plural.Of(n, "time")
	}
	n = min(n, len(m.samples))
	now, last := m.start, math.Inf(-1)
	collected := stacks.Root // what the garbage collector is called by
	before, steady, running, since := int32(noNode), m.steady(n), false, m.start
	t.Grow(m.telling(n, steady))
	shown := m.shown()
	for i, id := range m.samples[:n] {
		if len(m.times) > 0 {
			now = m.times[i]
		} else {
			now += m.deltas[i]
		}
		if running {
			m.line.Weights.Add(1000 * max(now-since, 0))
		}
		since = now
		if id == before && steady && id != noNode {
			last = now
			continue
		}
		at, ok := nanoseconds(now)
		if !ok {
			m.lose("sample %d at %g µs", i, now)
			continue
		}
		stack := stacks.Root
		if node, known := m.byID.node(id); known {
			last, before = max(last, now), id
			if stack = shown[node]; stack == collecting {
				stack = m.line.Child(collected, m.fn(m.nodes[node].frame))
			} else {
				collected = stack
			}
		} else {
			before = noNode
			m.lose("sample %d of node %d, which is not there", i, id)
		}
		running = stack != stacks.Root
		t.Sample(at, stack)
	}
	m.tellStalls(to, shown, n)
	gone := m.held(false)
	m.samples, m.deltas, m.times = nil, nil, nil
	to.Holds(int(m.held(false) - gone))
	m.finish(t, last)
}

// telling returns how many of the first n samples are added.
func (m *maker) telling(n int, steady bool) int {
	if !steady {
		return n + 1
	}
	changes, before := 1, int32(noNode)
	for _, id := range m.samples[:n] {
		if id != before || id == noNode {
			changes++
		}
		before = id
	}
	return changes
}

// collecting is what a sample of the garbage collector shows: what ran before decides.
const collecting stacks.Node = -1

// shown returns by node what its samples show.
func (m *maker) shown() []stacks.Node {
	all := slices.Clone(m.stack)
	for n := range all {
		switch m.what[m.nodes[n].frame] {
		case idle, root:
			all[n] = stacks.Root
		case collector:
			all[n] = collecting
		}
	}
	return all
}

// steady reports whether the times of the first n samples never go back, and the profile states an
// end after them. Then samples of the same node as the one before add nothing: neither is there
// an order to find, nor need it be guessed how long the last one lasts.
func (m *maker) steady(n int) bool {
	now := m.start
	if len(m.times) > 0 {
		if !slices.IsSorted(m.times[:n]) {
			return false
		}
		now = m.times[n-1]
	}
	for _, d := range m.deltas[:min(n, len(m.deltas))] {
		if !(d >= 0) {
			return false
		}
		now += d
	}
	_, ends := nanoseconds(m.end)
	_, begins := nanoseconds(m.start)
	return begins && ends && m.end >= now
}

// finish ends the last sample with the profile.
func (m *maker) finish(t *stacks.Thread, last float64) {
	m.tellLost()
	if at, ok := nanoseconds(m.start); ok && m.start != 0 && !m.line.Aside {
		m.b.Observe(at)
	}
	if at, ok := nanoseconds(m.end); ok && m.end >= last {
		t.Sample(at, stacks.Root)
	}
}

// nanoseconds returns a time in µs as ns.
func nanoseconds(us float64) (int64, bool) {
	if !(math.Abs(us) < trace.Limit/1000) {
		return 0, false
	}
	whole := int64(us)
	at, part := whole*1000, us-float64(whole)
	if part != 0 { // most recordings have whole numbers, and rounding takes long
		at += int64(math.Round(part * 1000))
	}
	return at, true
}

// addCounts shows how often each stack was met: by the samples if there are any, else by what the
// nodes say.
func (m *maker) addCounts(t *trace.ThreadBuilder) {
	p := stacks.NewProfile(m.line.Tree, m.b, "samples")
	add := func(n int32, hits int64) {
		switch f := m.nodes[n].frame; m.what[f] {
		case collector:
			p.Add(m.line.Child(m.stack[n], m.fn(f)), hits, "")
		case function:
			p.Add(m.stack[n], hits, "")
		}
	}
	for i, id := range m.samples {
		if n, known := m.byID.node(id); known {
			add(n, 1)
		} else {
			m.lose("sample %d of node %d, which is not there", i, id)
		}
	}
	for n := range m.nodes {
		if len(m.samples) == 0 {
			add(int32(n), m.nodes[n].hits)
		}
	}
	m.tellLost()
	p.Write(t)
}

// Sniff reports whether the source looks like such a profile: an object with nodes that have a call
// frame, or with a head that is a function.
func Sniff(src *input.Source) bool {
	r := jsonin.NewHead(src.Head)
	if r.Kind() != '{' {
		return false
	}
	for name := range r.Members() {
		switch name {
		case "nodes":
			for range r.Elements() {
				return hasMember(r, "callFrame")
			}
		case "head":
			return hasMember(r, "functionName")
		case "traceEvents", "meta", "profiles":
			return false
		}
	}
	return false
}

// hasMember reports whether the value that is next is an object with a member of that name, as far
// as the text shows it.
func hasMember(r *jsonin.Reader, name string) bool {
	if r.Kind() != '{' {
		return false
	}
	for n := range r.Members() {
		if n == name {
			return true
		}
	}
	return false
}
