package report

import (
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// A pprof profile is a message whose fields may come in any order, so samples are written as they
// are gathered, and functions, locations and the table of strings after them. google/pprof's own
// writer would hold all samples with their stacks.
//
// A difference is what `go tool pprof -diff_base=A B` makes of two profiles: the samples of A have
// negative values and the label pprof::base=true, by which pprof shows B − A, in per cent of A
// (google/pprof, internal/driver/fetch.go and profile.Sample.DiffBaseSample).
//
// Numbers of fields are those of google/pprof's profile.proto.
const (
	profileSampleType  = 1
	profileSample      = 2
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileDuration    = 10
	profileComment     = 13
	profileDefaultType = 14

	// Of ValueType.
	valueType = 1
	valueUnit = 2

	// Of Sample.
	sampleLocation = 1
	sampleValue    = 2
	sampleLabel    = 3

	// Of Label.
	labelKey  = 1
	labelText = 2

	// Of Location, and of its Line.
	locationID   = 1
	locationLine = 4
	lineFunction = 1
	lineNumber   = 2

	// Of Function.
	functionID     = 1
	functionName   = 2
	functionSystem = 3
	functionFile   = 4
	functionLine   = 5
)

// mostSampleTypes is how many threads of a profile get a type of sample of their own.
const mostSampleTypes = 16

// WritePprof writes the self times of aligned threads as a gzip-compressed profile for pprof. Its
// samples are distinct stacks with the number of calls and the time in the traces' unit, and have
// the labels thread and, where there are several, process. The threads of a profile, which stand
// for what was sampled, are types of samples instead. It returns what could not be written.
func WritePprof(ctx context.Context, w io.Writer, results []*align.Result, sides Sides,
	report progress.Func) (Loss, error) {
	var lost Loss
	groups := threadGroups(results, &lost)
	z := gzip.NewWriter(w)
	p := &pprof{out: z, sides: sides, texts: map[string]int64{},
		pass: passOver(ctx, groups, report)}
	p.text("") // the first string is the empty one
	if len(groups) > 0 {
		p.header(groups)
	}
	for k, g := range groups {
		if err := p.group(g, k); err != nil {
			return nil, err
		}
	}
	if len(groups) > 0 {
		p.functions(groups[0].results[0].Pair)
	}
	p.flush()
	stacksLost(p.cut, &lost)
	if p.err != nil {
		return nil, p.err
	}
	return lost, z.Close()
}

// pprof writes a profile. The first error stays.
type pprof struct {
	out     io.Writer
	m       message // what has not been written yet
	strings message // entries of the table of strings that have not been written yet
	err     error
	sides   Sides
	*pass

	texts     map[string]int64
	used      []bool  // identities that occur in a stack
	byThread  bool    // threads are types of samples, not labels
	processes bool    // samples have the label process
	values    []int64 // of a sample
	frames    []uint32
	cut       int
}

func (p *pprof) flush() {
	if p.err == nil {
		_, p.err = p.out.Write(append(p.m, p.strings...))
	}
	p.m, p.strings = p.m[:0], p.strings[:0]
}

// text returns the number of a string, and writes it when it is new. Strings come after the
// messages that need them, since programs expect a profile to begin with the types of samples.
func (p *pprof) text(s string) int64 {
	n, ok := p.texts[s]
	if !ok {
		n = int64(len(p.texts))
		p.texts[s] = n
		p.strings.text(profileString, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return n
}

// header says what the samples count.
func (p *pprof) header(groups []*threadGroup) {
	of := groups[0].results[0].Pair
	p.used = make([]bool, len(of.Names))
	p.byThread = of.Profile() && len(groups) <= mostSampleTypes
	unit := string(of.Unit())
	if of.Unit() == trace.Nanoseconds {
		unit = "nanoseconds"
	}
	switch {
	case p.byThread:
		for _, g := range groups {
			p.sampleType(g.thread, unit)
		}
	case of.Profile():
		p.sampleType("samples", unit)
	default:
		p.sampleType("calls", "count")
		p.sampleType("time", unit)
		p.m.int(profileDefaultType, p.text("time"))
		p.m.int(profileDuration, p.duration(of))
	}
	for _, g := range groups {
		p.processes = p.processes || g.process != groups[0].process
	}
	comment := "diptych export: self times of " + p.sides.String()
	if p.sides == Difference {
		comment = "diptych export: B − A; the samples of A have the label pprof::base"
	}
	p.m.int(profileComment, p.text(comment))
}

// duration is that of the side which pprof takes for the whole.
func (p *pprof) duration(of *pair.Pair) int64 {
	s := pair.A
	if p.sides == OnlyB {
		s = pair.B
	}
	return of.Trace(s).Duration
}

func (p *pprof) sampleType(kind, unit string) {
	p.values = append(p.values, 0)
	at := p.m.open(profileSampleType)
	p.m.int(valueType, p.text(kind))
	p.m.int(valueUnit, p.text(unit))
	p.m.close(at)
}

// group writes the samples of the k-th group of threads.
func (p *pprof) group(g *threadGroup, k int) error {
	t, err := gatherStacks(g, p.sides, p.pass)
	if err != nil {
		return err
	}
	p.cut += t.cut
	for node := range t.frame {
		for s := range t.self {
			if t.self[s][node] != 0 || t.calls[s][node] != 0 && !g.results[0].Pair.Profile() {
				p.sample(g, k, t, int32(node), pair.Side(s))
			}
		}
		if node%stacksPerCheck == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if len(p.m) >= block {
			p.flush()
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// sample writes what a side spent in a stack.
func (p *pprof) sample(g *threadGroup, k int, t *stackTree, node int32, s pair.Side) {
	p.values = append(p.values[:0], make([]int64, len(p.values))...)
	last := len(p.values) - 1
	if p.byThread {
		last = k
	} else if last > 0 {
		p.values[0] = t.calls[s][node]
	}
	p.values[last] = t.self[s][node]
	base := p.sides == Difference && s == pair.A
	if base {
		for k := range p.values {
			p.values[k] = -p.values[k]
		}
	}
	at := p.m.open(profileSample)
	p.locations(t, node)
	values := p.m.open(sampleValue)
	for _, v := range p.values {
		p.m = protowire.AppendVarint(p.m, uint64(v))
	}
	p.m.close(values)
	if !p.byThread {
		p.label("thread", g.thread)
	}
	if p.processes {
		p.label("process", g.process)
	}
	if base {
		p.label("pprof::base", "true")
	}
	p.m.close(at)
}

func (p *pprof) label(key, text string) {
	at := p.m.open(sampleLabel)
	p.m.int(labelKey, p.text(key))
	p.m.int(labelText, p.text(text))
	p.m.close(at)
}

// locations writes a stack, the innermost frame first. A function is one location, whose number is
// that of its identity, from 1.
func (p *pprof) locations(t *stackTree, node int32) {
	p.frames = t.stack(node, p.frames)
	at := p.m.open(sampleLocation)
	for _, id := range p.frames {
		p.used[id] = true
		p.m = protowire.AppendVarint(p.m, uint64(id)+1)
	}
	p.m.close(at)
}

// functions writes the functions that occur, and their locations.
func (p *pprof) functions(of *pair.Pair) {
	places := sourcesOf(of)
	for id, used := range p.used {
		if !used {
			continue
		}
		name := p.text(of.Names[id])
		at := p.m.open(profileFunction)
		p.m.uint(functionID, uint64(id)+1)
		p.m.int(functionName, name)
		p.m.int(functionSystem, name)
		p.m.int(functionFile, p.text(places.file[id]))
		p.m.int(functionLine, int64(places.line[id]))
		p.m.close(at)
		at = p.m.open(profileLocation)
		p.m.uint(locationID, uint64(id)+1)
		line := p.m.open(locationLine)
		p.m.uint(lineFunction, uint64(id)+1)
		p.m.int(lineNumber, int64(places.line[id]))
		p.m.close(line)
		p.m.close(at)
		if len(p.m) >= block {
			p.flush()
		}
	}
}
