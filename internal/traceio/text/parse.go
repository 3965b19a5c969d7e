package text

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// parser feeds a builder line by line.
type parser struct {
	b      *trace.Builder
	origin int64

	funcs  []trace.FuncID            // by position of declaration
	byName map[string][]trace.FuncID // functions by name
	procs  map[string]int32
	refs   map[string][]trace.Ref // calls by thread id

	th      *trace.ThreadBuilder // the thread whose calls follow, or nil
	id      string
	open    []span // its open calls, outermost first
	counter *counter
}

// span is an open call, in absolute times.
type span struct{ start, end int64 }

type counter struct {
	name    string
	process int32
}

// Parse reads a trace that Write wrote; name stands for the input in errors, which say name:line.
func Parse(name string, r io.Reader) (*trace.Trace, error) {
	p := parser{byName: map[string][]trace.FuncID{}, procs: map[string]int32{},
		refs: map[string][]trace.Ref{}}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if e := p.line(strings.TrimRight(line, "\r\n")); e != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, e)
		}
		if err == io.EOF {
			break
		}
	}
	if p.b == nil {
		return nil, fmt.Errorf("%s: no trace line", name)
	}
	p.closeTo(0)
	tr, err := p.b.Build(context.Background())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tr, nil
}

func (p *parser) line(s string) error {
	rest := strings.TrimLeft(s, " ")
	if rest == "" || rest[0] == '#' {
		return nil
	}
	words, err := split(rest, ' ')
	if err != nil {
		return err
	}
	indent := len(s) - len(rest)
	switch {
	case p.b == nil && words[0] != "trace":
		return errors.New("the trace line must come first")
	case indent == 0:
		return p.declaration(words)
	case len(words) < 2:
		return errors.New("incomplete line")
	case p.counter != nil:
		return p.sample(words)
	case p.th == nil:
		return errors.New("indented line outside a thread or counter")
	case words[0] == "!":
		return p.instant(words)
	}
	return p.call(indent, words)
}

func (p *parser) declaration(words []string) error {
	p.closeTo(0)
	p.th, p.counter = nil, nil
	if len(words) < 2 {
		return errors.New("incomplete line")
	}
	switch words[0] {
	case "correspond":
		return p.correspond(words)
	case "link":
		return p.link(words)
	}
	id, err := plain(words[1])
	if err != nil {
		return err
	}
	switch words[0] {
	case "trace":
		return p.head(id, attrs(words[2:]))
	case "process":
		return p.processLine(id, attrs(words[2:]))
	case "object":
		p.b.Object(id)
		return nil
	case "func":
		return p.function(id, attrs(words[2:]))
	case "thread":
		return p.thread(id, attrs(words[2:]))
	case "counter":
		return p.counterLine(id, attrs(words[2:]))
	case "diagnostic":
		return p.diagnostic(id, words)
	}
	return fmt.Errorf("unknown line %q", words[0])
}

func (p *parser) head(format string, as []attr) error {
	if p.b != nil {
		return errors.New("second trace line")
	}
	p.b = trace.NewBuilder(format)
	p.b.Escaped = true
	duration := int64(0)
	for _, a := range as {
		v, err := plain(a.value)
		if err != nil {
			return err
		}
		switch a.key {
		case "tool":
			p.b.Tool = v
		case "unit":
			p.b.Unit = trace.Unit(v)
		case "profile":
			p.b.Kind = trace.Profile
		case "symbols":
			p.b.Symbols = true
		case "origin":
			p.origin, err = within(v, trace.Limit)
		case "duration":
			duration, err = length(v)
		default:
			err = unknownKey(a)
		}
		if err != nil {
			return err
		}
	}
	end, err := p.absolute(duration)
	p.b.Observe(p.origin)
	p.b.Observe(end)
	return err
}

func (p *parser) processLine(id string, as []attr) error {
	proc := p.b.Process(id)
	p.procs[id] = proc
	for _, a := range as {
		v, err := plain(a.value)
		if err != nil {
			return err
		}
		switch a.key {
		case "name":
			p.b.NameProcess(proc, v)
		case "sort":
			n := 0
			n, err = integer(v)
			p.b.SortProcess(proc, n)
		case "parent":
			p.b.ForkProcess(proc, v)
		case "host":
			p.b.HostProcess(proc, v)
		default:
			err = unknownKey(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) function(name string, as []attr) error {
	f := trace.Function{Name: name}
	for _, a := range as {
		v, err := plain(a.value)
		if err != nil {
			return err
		}
		switch a.key {
		case "package":
			f.Package = v
		case "file":
			f.File = v
		case "line":
			n := int64(0)
			n, err = within(v, math.MaxInt32)
			f.Line = int32(n)
		case "kind":
			f.Kind, err = kind(v)
		case "off":
			f.Off, err = off(v)
		case "partial":
			f.Partial = true
		default:
			err = unknownKey(a)
		}
		if err != nil {
			return err
		}
	}
	p.declare(f)
	return nil
}

func (p *parser) declare(f trace.Function) trace.FuncID {
	id := p.b.Function(f)
	if int(id) == len(p.funcs) {
		p.funcs = append(p.funcs, id)
		p.byName[f.Name] = append(p.byName[f.Name], id)
	}
	return id
}

// fn resolves a use of a function: NAME or NAME#index.
func (p *parser) fn(w string) (trace.FuncID, error) {
	parts, err := split(w, '#')
	if err != nil {
		return 0, err
	}
	name, err := plain(parts[0])
	if err != nil {
		return 0, err
	}
	if len(parts) == 1 {
		if ids := p.byName[name]; len(ids) > 0 {
			return ids[0], nil
		}
		return p.declare(trace.Function{Name: name}), nil
	}
	n, err := strconv.ParseUint(parts[1], 10, 32)
	if err != nil || n >= uint64(len(p.funcs)) || p.b.FunctionName(p.funcs[n]) != name {
		return 0, fmt.Errorf("no function %s", w)
	}
	return p.funcs[n], nil
}

func kind(name string) (trace.FuncKind, error) {
	for k, n := range kindNames {
		if n == name && n != "" {
			return trace.FuncKind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown kind %q", name)
}

func off(name string) (trace.Off, error) {
	for _, o := range []trace.Off{trace.Switched, trace.Ready} {
		if o.String() == name {
			return o, nil
		}
	}
	return 0, fmt.Errorf("%q is neither switched nor ready", name)
}

func unknownKey(a attr) error { return fmt.Errorf("unknown attribute %q", a.key) }

// length reads a stretch of time. The longest lies between the limits of what a trace can hold.
func length(s string) (int64, error) { return within(s, 2*trace.Limit) }

// time reads a time since the trace's beginning, and returns the absolute one.
func (p *parser) time(s string) (int64, error) {
	n, err := length(s)
	if err != nil {
		return 0, err
	}
	return p.absolute(n)
}

// absolute returns the absolute time of one since the trace's beginning.
func (p *parser) absolute(n int64) (int64, error) {
	if at := p.origin + n; at >= -trace.Limit && at <= trace.Limit {
		return at, nil
	}
	return 0, fmt.Errorf("number %d out of range", n)
}

// within reads a number that is at most limit away from 0.
func within(s string, limit int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("bad number %q", s)
	}
	if n > limit || n < -limit {
		return 0, fmt.Errorf("number %s out of range", s)
	}
	return n, nil
}

func integer(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("bad number %q", s)
	}
	return n, nil
}
