// Package cpuprofile loads CPU profiles of V8 (.cpuprofile), as node --cpu-prof, Chrome's DevTools,
// Deno and Bun write them. The format is Profiler.Profile of the Chrome DevTools Protocol; files of
// older DevTools have the same as one nested tree under the name head. Profiles within a Chrome
// trace are another package's.
//
// read.go reads the document; this file makes calls of it. What becomes of the nodes:
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
	"context"
	"fmt"
	"math"
	"net/url"
	"path"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/stacks"
)

// Load reads a profile into b. It fails if there is no node of a stack.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	r := jsonin.NewReader(src.Stream)
	p := newProfile()
	p.read(r)
	err := r.Err()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
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
	m := &maker{profile: p, b: b, line: stacks.NewTimeline(b, src), files: map[string]file{}}
	m.resolve()
	t := b.Thread("1", -1)
	t.SetName("JavaScript")
	if p.title != "" {
		t.SetName(p.title)
	}
	if len(p.samples) > 0 && len(p.deltas)+len(p.times) > 0 {
		m.addSamples(t)
		return m.line.Write(ctx)
	}
	b.Kind, b.Unit = trace.Profile, "samples"
	m.addCounts(t)
	return ctx.Err()
}

// maker makes calls of a profile.
type maker struct {
	*profile
	b     *trace.Builder
	line  *stacks.Timeline
	stack []stacks.Node   // by node
	what  []special       // by node
	files map[string]file // by URL
	bad   uint64          // samples of no node, or without a time
	first string          // the first of them
}

// special are nodes that are no functions.
type special uint8

const (
	function special = iota
	root
	idle
	collector
)

var specials = map[string]special{"(root)": root, "(idle)": idle, "(garbage collector)": collector}

// resolve finds the stack of each node. A node that is its own caller, which only damage makes, has
// none above itself.
func (m *maker) resolve() {
	const unseen, open = -1, -2
	m.stack, m.what = make([]stacks.Node, len(m.nodes)), make([]special, len(m.nodes))
	for i := range m.stack {
		m.stack[i] = unseen
	}
	if lost := m.link(); lost > 0 {
		m.b.Diagnose(trace.BadRecord, lost, "callers or callees that are not there")
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
	if cycles > 0 {
		m.b.Diagnose(trace.BadRecord, cycles, "nodes that call themselves")
	}
}

// place returns the stack of a node below another.
func (m *maker) place(n int32, up stacks.Node) stacks.Node {
	node := &m.nodes[n]
	if node.url == "" {
		m.what[n] = specials[node.name]
	}
	if m.what[n] != function {
		return up
	}
	return m.line.Child(up, m.b.Function(m.function(node)))
}

// function returns what a node is a call of. An anonymous function is known by its place alone, so
// it is another one in a version in which it has moved; to have all of a file's for one would mix
// what has nothing in common.
func (m *maker) function(n *node) trace.Function {
	in, known := m.files[n.url]
	if !known {
		in.path = filePath(n.url)
		in.pack = packageOf(in.path)
		m.files[n.url] = in
	}
	f := trace.Function{Name: n.name, File: in.path, Package: in.pack, Line: n.line}
	switch {
	case f.Name != "":
	case in.path == "":
		f.Name = "(anonymous)"
	default:
		f.Name = fmt.Sprintf("(anonymous %s:%d)", path.Base(in.path), n.line)
	}
	return f
}

// file is a file of source code, and the package that it belongs to.
type file struct{ path, pack string }

// filePath returns the path of a file's URL, and other places of code as they are.
func filePath(place string) string {
	rest, ok := strings.CutPrefix(place, "file://")
	if !ok {
		return place
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		return plain
	}
	return rest
}

// packageOf returns the npm package that a file belongs to, "node" for Node's own, else "".
func packageOf(file string) string {
	const modules = "node_modules/"
	if strings.HasPrefix(file, "node:") {
		return "node"
	}
	i := strings.LastIndex(file, modules)
	if i < 0 {
		return ""
	}
	name, rest, _ := strings.Cut(file[i+len(modules):], "/")
	if strings.HasPrefix(name, "@") {
		inner, _, _ := strings.Cut(rest, "/")
		name += "/" + inner
	}
	return name
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
	n := min(len(m.samples), max(len(m.deltas), len(m.times)))
	if more := len(m.samples) - n; more > 0 {
		m.bad += uint64(more)
		m.first = fmt.Sprintf("%d samples, but %d times", len(m.samples), n)
	}
	now, last := m.start, math.Inf(-1)
	collected := stacks.Root // what the garbage collector is called by
	t.Grow(n)
	byID := m.lookup()
	for i, id := range m.samples[:n] {
		if len(m.times) > 0 {
			now = m.times[i]
		} else {
			now += m.deltas[i]
		}
		at, ok := nanoseconds(now)
		node, known := byID.node(id)
		switch {
		case !ok:
			m.lose("sample %d at %g µs", i, now)
			continue
		case !known:
			m.lose("sample %d of node %d, which is not there", i, id)
			t.Sample(at, stacks.Root)
			continue
		}
		last = max(last, now)
		stack := m.stack[node]
		switch m.what[node] {
		case idle, root:
			stack = stacks.Root
			collected = stack
		case collector:
			stack = m.line.Child(collected, m.b.Function(trace.Function{Name: m.nodes[node].name}))
		default:
			collected = stack
		}
		t.Sample(at, stack)
	}
	m.finish(t, last)
}

// lookup finds nodes by id. The ids that V8 gives are dense.
type lookup struct {
	dense []int32 // index + 1, by id
	index map[int32]int32
}

func (p *profile) lookup() *lookup {
	l := &lookup{index: p.index}
	most := int32(4*len(p.nodes) + 16)
	for id := range p.index {
		if id < 0 || id > most {
			return l
		}
	}
	l.dense = make([]int32, most+1)
	for id, n := range p.index {
		l.dense[id] = n + 1
	}
	return l
}

func (l *lookup) node(id int32) (n int32, known bool) {
	if l.dense == nil {
		n, known = l.index[id]
		return n, known
	}
	if id < 0 || int(id) >= len(l.dense) {
		return 0, false
	}
	return l.dense[id] - 1, l.dense[id] > 0
}

// finish ends the last sample with the profile.
func (m *maker) finish(t *stacks.Thread, last float64) {
	m.tellLost()
	if at, ok := nanoseconds(m.start); ok && m.start != 0 {
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
		if m.what[n] == collector {
			p.Add(m.line.Child(m.stack[n], m.b.Function(trace.Function{Name: m.nodes[n].name})), hits, "")
		} else if m.what[n] == function {
			p.Add(m.stack[n], hits, "")
		}
	}
	for i, id := range m.samples {
		if n, known := m.index[id]; known {
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
	r := jsonin.NewReader(strings.NewReader(string(src.Head)))
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
