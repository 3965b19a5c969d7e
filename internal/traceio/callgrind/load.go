// Package callgrind loads profiles in Callgrind's format, "Callgrind Format Specification" of
// Valgrind's manual, as Valgrind (cachegrind, too), Xdebug, pprof and many converters write them.
// It knows of the format what makes a profile: functions, their own cost, their calls and what
// these cost. Jumps and descriptions are read over.
//
// A file says what each function cost by itself, and for each pair of caller and callee what all
// calls between them cost, callees included. It has no stacks. They are estimated as gprof does it
// (Graham, Kessler, McKusick: "gprof: a call graph execution profiler", 1982, section 4): where a
// function has several callers, what it costs and what it calls is split among them in the ratio of
// what the file says that their calls cost. Only the files of Xdebug tell all calls. The stages:
//
//   - lines.go and parse.go read the lines, names.go undoes the compression of names, events.go
//     chooses the kind of cost that is shown;
//   - graph.go holds the costs of functions and of calls, a graph for each thread;
//   - cycles.go finds the functions that call one another in cycles, and ways.go what an entry
//     into a cycle costs its members;
//   - order.go brings it into an order that equal runs share;
//   - split.go and enter.go make a tree of the graph, whose sums are those of the file;
//   - counts.go keeps how often functions call one another;
//   - ended.go has the calls of Xdebug instead.
//
// What becomes of the lines:
//
//	ob= fl= fn=         the function that the following costs are of, its file and its binary
//	fi= fe=             another source file from here on: what is inlined from there is a function
//	                    "(inlined FILE)" that the function calls
//	cob= cfi= cfl= cfn= the function that is called
//	calls=              how often; the next line is what these calls cost, callees included
//	positions in lines  relative ones only matter for where a callee begins
//	thread:             a thread of its own; parts of one thread are added up
//	jump= jcnd=         read over, with the position that follows
//	totals:             checked against the sum of what was read
package callgrind

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/stacks"
)

// Load reads a profile into b. It fails if there is no line that says what kinds of cost there are.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	p := newParser(b, o.SampleType)
	p.afford = src.Afford
	in := newLines(input.PlainText(src.Stream))
	err := p.read(ctx, in)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, input.ErrLimit):
		return err
	case p.unknownEvent != nil:
		return src.Fail("cannot show the profile", p.unknownEvent)
	case len(p.events) == 0:
		return &input.FormatError{File: src.Path, Offset: in.at, Reason: "no profile: no line " +
			"begins with \"events:\"", Err: err}
	case err != nil:
		b.Diagnose(trace.Truncated, 1, "at offset %d: %v", in.at, err)
	}
	p.endFile()
	b.Kind, b.Symbols = trace.Profile, true
	b.Unit, b.SampleType = p.event.unit, p.event.name
	b.Tool, b.Exact = p.tool(), p.exact()
	return p.write(ctx, src)
}

// tool says what wrote the file, and which of its kinds of cost is shown.
func (p *parser) tool() string {
	text := p.creator
	if text == "" {
		text = "callgrind format"
	}
	text += " " + p.event.name
	if besides := slices.DeleteFunc(slices.Clone(p.events), p.isShown); len(besides) > 0 {
		text += " (besides: " + strings.Join(besides, ", ") + ")"
	}
	return text
}

func (p *parser) isShown(event string) bool { return event == p.event.name }

// write makes a thread of each graph. None looks at what others hold, since there may be thousands.
func (p *parser) write(ctx context.Context, src *input.Source) error {
	if len(p.graphs) == 1 && !p.ended.broken {
		return p.writeEnded(ctx, p.graphs[0])
	}
	edges, made, held := 0, 0, p.bytes()
	for _, g := range p.graphs {
		edges += len(g.edges)
	}
	for _, g := range p.graphs {
		most := mostNodes
		if len(p.graphs) > 1 {
			most = int(float64(mostNodes) * float64(len(g.edges)+1) / float64(edges+len(p.graphs)))
		}
		p.sort(g)
		calls, err := split(ctx, g, most, p.complete, int64(p.event.scale))
		if err != nil {
			return err
		}
		calls.diagnose(p, g)
		made += len(calls.nodes)
		if err := src.Afford(held + int64(made)*callBytes); err != nil {
			return err
		}
		tree, fns := stacks.NewTree(), p.functionsOf(g)
		profile := stacks.NewProfile(tree, p.b, string(p.event.unit))
		p.fill(tree, profile, fns, calls)
		p.countCalls(fns)
		profile.Write(p.thread(g))
	}
	return ctx.Err()
}

// writeEnded writes the calls of a graph as they were: of times as a timeline, else as a profile.
func (p *parser) writeEnded(ctx context.Context, g *graph) error {
	fns := p.functionsOf(g)
	for n := range g.nodes {
		fns.of(int32(n))
	}
	if p.event.unit == trace.Nanoseconds {
		p.b.Kind, p.b.SampleType = trace.Timeline, ""
		t := p.b.Thread("1", p.processOf(g))
		t.SetName("main")
		return p.ended.walk(ctx, func(call *ended, at int64) { t.Begin(at, fns.of(call.fn)) }, t.End)
	}
	tree := stacks.NewTree()
	profile := stacks.NewProfile(tree, p.b, string(p.event.unit))
	path := []stacks.Node{stacks.Root}
	err := p.ended.walk(ctx, func(call *ended, _ int64) {
		n := tree.Child(path[len(path)-1], fns.of(call.fn))
		profile.Add(n, call.own, "")
		path = append(path, n)
	}, func(int64) { path = path[:len(path)-1] })
	p.countCalls(fns)
	profile.Write(p.thread(g))
	return err
}

// callBytes is what a node of the tree takes in memory, with the call that is made of it.
const callBytes = 128

// fill adds the nodes of the calls to a profile.
func (p *parser) fill(tree *stacks.Tree, to *stacks.Profile, fns *functions, calls *calls) {
	at := make([]stacks.Node, len(calls.nodes))
	for i, c := range calls.nodes {
		up := stacks.Root
		if c.caller >= 0 {
			up = at[c.caller]
		}
		var fn trace.FuncID
		if c.fn < 0 {
			fn = p.b.Function(standIns[c.fn])
		} else {
			fn = fns.of(c.fn)
		}
		at[i] = tree.Child(up, fn)
		to.Add(at[i], c.self, "")
	}
}

// standIns are shown in the place of callees that cannot be told.
var standIns = map[int32]trace.Function{
	restOfCallees: {Name: "(callees)", Kind: trace.Event},
	notRecorded:   {Name: "(not recorded)", Kind: trace.Event},
}

// processOf returns the process of a graph, −1 if the file names none.
func (p *parser) processOf(g *graph) int32 {
	id := cmp.Or(g.process, g.command)
	if id == "" {
		return -1
	}
	process := p.b.Process(id)
	if name := program(g.command); name != "" {
		p.b.NameProcess(process, name)
	}
	return process
}

// thread returns the thread that a graph becomes.
func (p *parser) thread(g *graph) *trace.ThreadBuilder {
	process := p.processOf(g)
	if g.thread == "" {
		t := p.b.Thread(p.event.name, process)
		t.SetRole(p.event.name, false)
		return t
	}
	t := p.b.Thread(g.thread, process)
	t.SetName("thread " + g.thread)
	t.SetRole("thread", true)
	return t
}

// Sniff reports whether the source looks like such a profile: it says so in its first line, or its
// lines are those of a header with the kinds of cost, and then a function or a cost.
func Sniff(src *input.Source) bool {
	rest := input.PlainHead(src.Head)
	if bytes.HasPrefix(rest, []byte("# callgrind format")) {
		return true
	}
	cut := len(src.Head) >= input.HeadSize
	events := false
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSpace(line)
		key, value, isKey := splitLine(line)
		switch {
		case len(line) == 0 || line[0] == '#':
		case isKey && value == ':' && headerKeys[string(key)] && utf8Text(line):
			events = events || string(key) == "events"
		case events && isKey && value == '=' && specKeys[string(key)]:
			return true
		case events && (isDigit(line[0]) || line[0] == '+' || line[0] == '*'):
			return true
		default:
			return false
		}
	}
	return events && !cut
}

// utf8Text reports whether a line has no byte that only binary files have.
func utf8Text(line []byte) bool { return bytes.IndexByte(line, 0) < 0 }
