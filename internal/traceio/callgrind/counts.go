package callgrind

import (
	"slices"
	"strings"

	"diptych/internal/trace"
)

// How often one function calls another, a file says exactly, whatever of the stacks is estimated.
// That holds for all tools that see each call. Others, which take samples, write a number in its
// place that is none of calls: pprof and stackprof what the calls cost; rbspy, whose costs are
// "Samples", how often it has found the callee anew.

// counts is what is known of all calls= of a file.
type counts struct {
	sum    int64 // kept below trace.Limit, so that no sum of some can overflow
	differ bool  // some are not what the calls cost
}

// setTimes notes the number in a line calls=.
func (p *parser) setTimes(times uint64, ok bool) {
	switch p.times = 0; {
	case !ok:
		p.bad("calls= without a number")
	case times > uint64(trace.Limit-p.counts.sum):
		p.bad("%d calls, which are more than can be", times)
	default:
		p.times = int64(times)
	}
}

// addCalls adds the calls of which setTimes noted the number, and what they cost. In a part without
// the event that is shown nobody knows what they cost, so they do not count.
func (p *parser) addCalls(cost int64) {
	if p.column < 0 {
		p.times = 0
	}
	p.counts.sum += p.times
	if same, ok := p.event.scaled(uint64(p.times)); !ok || same != uint64(cost) {
		p.counts.differ = true
	}
	p.graph.addCall(p.fn, p.graph.node(p.callee), cost, p.times)
}

// areCalls reports whether the numbers are those of calls.
func (p *parser) areCalls() bool {
	return p.counts.differ && !strings.EqualFold(p.event.name, "samples")
}

// exact reports whether what is shown was counted: it is no time, and the file is of a tool that
// sees each call or, as cachegrind, each instruction.
func (p *parser) exact() bool {
	return !p.event.isTime() && (p.areCalls() || slices.Contains(p.events, instructions))
}

// countCalls passes the counts of a graph on, if they are numbers of calls. What began before the
// recording did is called no time; how often is then not known.
func (p *parser) countCalls(fns *functions) {
	if !p.areCalls() {
		return
	}
	for _, e := range fns.g.edges {
		if e.times > 0 {
			p.b.CountCalls(fns.of(e.from), fns.of(e.to), e.times)
		}
	}
}

// functions are the nodes of a graph as functions of the trace, which are added as they are met.
type functions struct {
	p     *parser
	g     *graph
	ids   []trace.FuncID
	known []bool
}

func (p *parser) functionsOf(g *graph) *functions {
	return &functions{p, g, make([]trace.FuncID, len(g.nodes)), make([]bool, len(g.nodes))}
}

func (f *functions) of(node int32) trace.FuncID {
	if !f.known[node] {
		f.ids[node], f.known[node] = f.p.b.Function(f.p.function(&f.g.nodes[node])), true
	}
	return f.ids[node]
}
