package callgrind

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"diptych/internal/trace"
)

// parser reads the lines of a file. Costs are of the function fn, and after calls= of a call.
type parser struct {
	b      *trace.Builder
	at     int64                   // offset of the line, for diagnostics
	afford func(bytes int64) error // whether so much may be held

	texts                     texts
	objects, files, functions compressed

	wanted       string   // the kind of cost that the user asks for, or ""
	events       []string // of the first part
	event        event    // which is shown
	unknownEvent error
	column       int // of the event among the costs of this part, −1 if it is not there

	creator, command, process string
	positions                 int  // of each line
	hasLines                  bool // the last of them is a line of source code
	last                      [2]uint64

	object, file, inFile int32 // in texts
	fn                   int32 // node of graph, −1 before the first
	callee               function
	calls, jumps         bool  // the next cost is of a call; the next position is of a jump
	times                int64 // how often that is called
	counts               counts

	ended    endedCalls
	graphs   []*graph
	graph    *graph
	byThread map[threadKey]*graph

	part     part
	complete bool // all parts so far state what they come to, and are right
}

type threadKey struct{ process, thread string }

// part is what a part of the file says of itself, to be compared with what it has.
type part struct {
	lines  int // with costs
	number string
	sum    uint64 // of the functions' own costs in all threads
	total  uint64 // as stated
	stated totals
	summed bool // it has the line that Xdebug writes at the end
}

// totals says whether a part states what it comes to.
type totals uint8

const (
	notStated totals = iota
	stated
	unreadable // what is stated is no number
)

func newParser(b *trace.Builder, wanted string) *parser {
	p := &parser{b: b, wanted: wanted, texts: newTexts(), column: -1, positions: 1, hasLines: true,
		objects: compressed{}, files: compressed{}, functions: compressed{},
		byThread: map[threadKey]*graph{}}
	p.complete, p.ended.broken, p.fn = true, true, -1
	p.forget()
	return p
}

// forget ends the function that costs are of.
func (p *parser) forget() {
	p.endCall()
	p.object, p.file, p.inFile, p.fn = noText, noText, noText, -1
	p.callee = function{noText, noText, noText}
	p.calls, p.jumps, p.last = false, false, [2]uint64{}
}

// endCall ends the call that costs are of, if each stands by itself.
func (p *parser) endCall() {
	if p.fn >= 0 {
		p.ended.end(p.fn, false)
	}
}

// leave ends the thread that costs are of.
func (p *parser) leave() {
	p.graph = nil
	p.forget()
}

// checkEvery is how many lines are read before the context is asked again.
const checkEvery = 1 << 12

// read reads all lines. An error is why the rest cannot be read.
func (p *parser) read(ctx context.Context, in *lines) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 {
			if err := cmp.Or(ctx.Err(), p.afford(p.bytes())); err != nil {
				return err
			}
		}
		line, err := in.next()
		p.at = in.at
		if err == errLongLine {
			p.bad("%v", err)
			continue
		}
		switch line = bytes.TrimSpace(line); {
		case bytes.IndexByte(line, 0) >= 0: // a block of zeros took line ends along
			p.bad("a zero byte")
		case len(line) > 0 && line[0] != '#':
			p.line(line)
		}
		switch {
		case err == io.EOF || p.unknownEvent != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

// What is held takes in memory, in bytes, with what is made of it before any call is.
const (
	graphBytes = 512
	nodeBytes  = 256
	edgeBytes  = 96
	textBytes  = 96
)

func (p *parser) bytes() int64 {
	n := graphBytes*len(p.graphs) + textBytes*len(p.texts.all)
	for _, g := range p.graphs {
		n += nodeBytes*len(g.nodes) + edgeBytes*len(g.edges)
	}
	return int64(n + endedBytes*len(p.ended.all))
}

// bad counts a line that cannot be read.
func (p *parser) bad(format string, args ...any) {
	p.b.Diagnose(trace.BadRecord, 1, "line at offset %d: %s", p.at, fmt.Sprintf(format, args...))
}

// headerKeys and specKeys are what lines other than costs begin with.
var (
	headerKeys = setOf("version", "creator", "cmd", "pid", "thread", "part", "desc", "events",
		"event", "positions", "summary", "totals", "arch")
	specKeys = setOf("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "calls", "jump",
		"jcnd", "jfi", "jfn", "rcalls", "frfn")
)

func setOf(keys ...string) map[string]bool {
	set := map[string]bool{}
	for _, k := range keys {
		set[k] = true
	}
	return set
}

// splitLine returns what stands before the first '=' or ':' of a line, and which of them it is.
func splitLine(line []byte) (key []byte, sign byte, ok bool) {
	for i, c := range line {
		switch {
		case c == '=' || c == ':':
			return line[:i], c, i > 0
		case c < 'a' || c > 'z':
			return nil, 0, false
		}
	}
	return nil, 0, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// line reads a line that is neither empty nor a comment.
func (p *parser) line(s []byte) {
	if c := s[0]; isDigit(c) || c == '+' || c == '-' || c == '*' {
		p.cost(s)
		return
	}
	key, sign, ok := splitLine(s)
	if !ok {
		p.bad("%.40q is no line of this format", s)
		return
	}
	value := bytes.TrimSpace(s[len(key)+1:])
	if sign == ':' {
		p.header(string(key), value)
	} else {
		p.spec(string(key), value)
	}
}

// header reads a line "key: value".
func (p *parser) header(key string, value []byte) {
	switch key {
	case "version", "part":
		p.endPart()
		p.leave()
		if key == "part" {
			p.part.number = string(value)
		}
	case "creator":
		p.creator = string(value)
		p.ended.broken = !strings.HasPrefix(p.creator, "xdebug") || p.ended.broken && p.graphs != nil
	case "cmd":
		p.command = string(value)
		p.leave()
	case "pid":
		p.process = string(value)
		p.leave()
	case "thread":
		p.forget()
		p.graph = p.graphOf(string(value))
	case "positions":
		p.positions = max(1, len(bytes.Fields(value)))
		p.hasLines = p.positions > 1 || !bytes.Equal(value, []byte("instr"))
		if p.positions > len(p.last) {
			p.bad("%d positions a line", p.positions)
			p.positions = len(p.last)
		}
	case "events":
		p.setEvents(strings.Fields(string(value)))
	case "summary":
		p.part.summed = true
	case "totals":
		p.readTotals(value)
	default:
		if !headerKeys[key] {
			p.b.Diagnose(trace.NotRead, 1, "line at offset %d: %.40q", p.at, key)
		}
	}
}

// graphOf returns the graph of a thread, adding it if it is new.
func (p *parser) graphOf(thread string) *graph {
	key := threadKey{p.process, thread}
	g := p.byThread[key]
	if g == nil {
		g = newGraph(p.process, p.command, thread)
		p.byThread[key] = g
		p.graphs = append(p.graphs, g)
	}
	return g
}

// spec reads a line "key=value".
func (p *parser) spec(key string, value []byte) {
	switch key {
	case "ob":
		p.object = p.name(p.objects, value)
	case "fl":
		p.file = p.name(p.files, value)
		p.inFile = p.file
	case "fi", "fe":
		p.inFile = p.name(p.files, value)
	case "fn":
		if p.graph == nil {
			p.graph = p.graphOf("")
		}
		p.inFile = p.file
		p.endCall()
		p.fn = p.graph.node(function{p.object, p.file, p.name(p.functions, value)})
		p.calls, p.jumps = false, false
	case "cob":
		p.callee.object = p.name(p.objects, value)
	case "cfi", "cfl":
		p.callee.file = p.name(p.files, value)
	case "cfn":
		p.callee.name = p.name(p.functions, value)
	case "calls":
		p.callsLine(value)
	case "jump", "jcnd":
		p.jumps = true
	case "jfi":
		p.name(p.files, value)
	case "jfn":
		p.name(p.functions, value)
	default:
		p.b.Diagnose(trace.NotRead, 1, "line at offset %d: %.40q", p.at, key)
	}
}

// callsLine reads how often a function is called, and where it begins. What it costs follows.
func (p *parser) callsLine(value []byte) {
	switch {
	case p.fn < 0:
		p.bad("calls outside of a function")
	case p.callee.name == noText:
		p.bad("calls of no function")
		p.jumps = true // what they cost is no cost of the caller's own
	default:
		if p.callee.object == noText {
			p.callee.object = p.object
		}
		if p.callee.file == noText {
			p.callee.file = p.inFile
		}
		p.calls = true
		n := p.graph.node(p.callee)
		times, rest, ok := number(value)
		p.setTimes(times, ok)
		if p.ended.call(n, times); ok && p.hasLines {
			at, _, ok := p.position(rest)
			if line := at[p.positions-1]; ok && line <= math.MaxInt32 && p.graph.nodes[n].line == 0 {
				p.graph.nodes[n].line = int32(line)
			}
		}
	}
}

// cost reads a line of positions and costs.
func (p *parser) cost(s []byte) {
	at, rest, ok := p.position(s)
	if !ok {
		p.bad("%.40q has no position", s)
		p.calls, p.jumps = false, false
		return
	}
	p.last = at
	if p.jumps {
		p.jumps = false
		return
	}
	isCall := p.calls
	p.calls = false
	value, ok := p.value(rest)
	switch {
	case !ok:
		p.bad("%.40q is no cost", s)
	case p.fn < 0:
		p.bad("a cost outside of a function")
	case value > uint64(trace.Limit-p.graph.sum):
		p.bad("a cost of %d %s exceeds the axis", value, p.event.unit)
	case isCall:
		p.addCalls(int64(value))
	default:
		p.addOwn(int64(value))
	}
	if isCall {
		p.callee = function{noText, noText, noText}
	}
}

// addOwn adds to the cost of the function itself, or of what is inlined into it.
func (p *parser) addOwn(value int64) {
	p.part.lines++
	p.part.sum = min(p.part.sum, math.MaxUint64-trace.Limit) + uint64(value)
	p.ended.own += value
	if p.inFile == p.file {
		p.graph.addOwn(p.fn, value)
		return
	}
	in := p.graph.node(function{noText, p.inFile, inlined})
	p.graph.addOwn(in, value)
	p.graph.addCall(p.fn, in, value, 0)
}

// value returns the cost that is shown among those of a line. Costs that a line has not are 0.
func (p *parser) value(s []byte) (v uint64, ok bool) {
	if p.column < 0 {
		return 0, true // counted by setEvents
	}
	for i := 0; ; i++ {
		if s = bytes.TrimLeft(s, " \t"); len(s) == 0 {
			return 0, true
		}
		if v, s, ok = number(s); !ok || len(s) > 0 && s[0] != ' ' && s[0] != '\t' {
			return 0, false
		}
		if i == p.column {
			return p.event.scaled(v)
		}
	}
}

// program returns the name of the program that a command runs.
func program(command string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if first == "" {
		return ""
	}
	return path.Base(first)
}
