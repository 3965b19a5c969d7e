package text

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

func (p *parser) thread(id string, as []attr) error {
	if _, ok := p.refs[id]; ok {
		return fmt.Errorf("second thread %q", id)
	}
	proc := int32(-1)
	for _, a := range as {
		if a.key == "process" {
			var err error
			if proc, err = p.process(a.value); err != nil {
				return err
			}
		}
	}
	p.th, p.id, p.refs[id] = p.b.Thread(id, proc), id, nil
	for _, a := range as {
		if err := p.threadAttr(a); err != nil {
			return err
		}
	}
	return p.role(as)
}

// role states the role of the thread if its line has one.
func (p *parser) role(as []attr) error {
	has := func(key string) int {
		return slices.IndexFunc(as, func(a attr) bool { return a.key == key })
	}
	i := has("role")
	if i < 0 {
		return nil
	}
	role, err := plain(as[i].value)
	p.th.SetRole(role, has("numbered") >= 0)
	return err
}

func (p *parser) threadAttr(a attr) error {
	switch a.key {
	case "process", "role", "numbered": // see thread and role
	case "async":
		p.th.SetKind(trace.AsyncTrack)
	case "sums":
		p.th.SetKind(trace.Sums)
	case "runtime":
		p.th.SetKind(trace.Runtime)
	case "sampleType":
		p.th.SetKind(trace.SampleType)
	case "samples":
		p.th.SetKind(trace.Samples)
	case "sampled":
		p.th.SetSampled()
	case "name":
		name, err := plain(a.value)
		p.th.SetName(name)
		return err
	case "sort":
		n, err := integer(a.value)
		p.th.SetSort(n)
		return err
	case "lane":
		n, err := integer(a.value)
		p.th.SetLane(n)
		return err
	default:
		return unknownKey(a)
	}
	return nil
}

func (p *parser) process(w string) (int32, error) {
	id, err := plain(w)
	if err != nil {
		return 0, err
	}
	proc, ok := p.procs[id]
	if !ok {
		return 0, fmt.Errorf("no process %q", id)
	}
	return proc, nil
}

// call begins the call of a line, after it has ended those that it does not lie in.
func (p *parser) call(indent int, words []string) error {
	from, dur, ok := strings.Cut(words[0], "+")
	start, err := p.time(from)
	d, err2 := length(dur)
	if !ok || err != nil || err2 != nil || d < 0 || start+d > trace.Limit {
		return fmt.Errorf("want START+DURATION, not %q", words[0])
	}
	fn, err := p.fn(words[1])
	if err != nil {
		return err
	}
	as := attrs(words[2:])
	depth, err := level(indent, as)
	if err != nil {
		return err
	}
	if depth > len(p.open) {
		return fmt.Errorf("level %d below a call at level %d", depth, len(p.open)-1)
	}
	p.closeTo(depth)
	if depth > 0 {
		if up := p.open[depth-1]; start < up.start || start+d > up.end {
			return errors.New("call does not lie within its caller")
		}
	}
	ref := p.th.Begin(start, fn)
	p.open = append(p.open, span{start, start + d})
	p.refs[p.id] = append(p.refs[p.id], ref)
	for _, a := range as {
		if err := p.callAttr(ref, a); err != nil {
			return err
		}
	}
	return nil
}

// level returns the stack level that a line's indentation or its depth says.
func level(indent int, as []attr) (int, error) {
	for _, a := range as {
		if a.key == "depth" {
			n, err := integer(a.value)
			if err == nil && n < 0 {
				err = fmt.Errorf("bad depth %d", n)
			}
			return n, err
		}
	}
	if indent%2 != 0 {
		return 0, fmt.Errorf("indented by %d blanks: want an even number", indent)
	}
	return indent/2 - 1, nil
}

// closeTo ends the open calls from the given level on.
func (p *parser) closeTo(depth int) {
	for k := len(p.open) - 1; k >= depth; k-- {
		p.th.End(p.open[k].end)
	}
	p.open = p.open[:min(depth, len(p.open))]
}

func (p *parser) callAttr(ref trace.Ref, a attr) error {
	switch a.key {
	case "depth":
	case "args":
		s, err := plain(a.value)
		p.th.Args(ref, []byte(s))
		return err
	case "flags":
		for name := range strings.SplitSeq(a.value, ",") {
			f, err := flag(name)
			if err != nil {
				return err
			}
			p.th.Flag(ref, f)
		}
	case "wait", "release", "io":
		objects, err := p.objects(a.value)
		p.th.Block(ref, blockKinds[a.key], objects...)
		return err
	default:
		return unknownKey(a)
	}
	return nil
}

var blockKinds = map[string]trace.BlockKind{
	"wait": trace.Wait, "release": trace.Release, "io": trace.IO}

func flag(name string) (trace.Flags, error) {
	for _, n := range flagNames {
		if n.name == name {
			return n.flag, nil
		}
	}
	return 0, fmt.Errorf("unknown flag %q", name)
}

func (p *parser) objects(list string) ([]trace.ObjectID, error) {
	if list == "" {
		return nil, nil
	}
	words, err := split(list, ',')
	if err != nil {
		return nil, err
	}
	ids := make([]trace.ObjectID, len(words))
	for i, w := range words {
		if ids[i], err = p.object(w); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (p *parser) object(w string) (trace.ObjectID, error) {
	if w == unknown {
		return trace.NoObject, nil
	}
	name, err := plain(w)
	return p.b.Object(name), err
}

func (p *parser) instant(words []string) error {
	if len(words) != 3 {
		return errors.New("want ! TIME FUNC")
	}
	at, err := p.time(words[1])
	if err != nil {
		return err
	}
	fn, err := p.fn(words[2])
	if err != nil {
		return err
	}
	p.th.Instant(at, fn)
	return nil
}

func (p *parser) correspond(words []string) error {
	if len(words) < 4 {
		return errors.New("want THREAD:CALL THREAD:CALL at=TIME")
	}
	wait, err := p.ref(words[1])
	if err != nil {
		return err
	}
	release, err := p.ref(words[2])
	if err != nil {
		return err
	}
	at, idle, object, timed := int64(0), int64(0), trace.NoObject, false
	for _, a := range attrs(words[3:]) {
		switch a.key {
		case "at":
			at, err = p.time(a.value)
			timed = true
		case "idle":
			idle, err = length(a.value)
		case "object":
			object, err = p.object(a.value)
		default:
			err = unknownKey(a)
		}
		if err != nil {
			return err
		}
	}
	if !timed {
		return errors.New("correspondence without at=TIME")
	}
	if idle > 0 {
		p.b.CorrespondIdle(wait, idle, release, at, object)
	} else {
		p.b.CorrespondAt(wait, release, at, object)
	}
	return nil
}

func (p *parser) link(words []string) error {
	part := len(words) == 6 && words[5] == "part"
	if len(words) != 5 && !part {
		return errors.New("want THREAD:CALL THREAD:CALL at=TIME until=TIME [part]")
	}
	from, err := p.ref(words[1])
	if err != nil {
		return err
	}
	to, err := p.ref(words[2])
	if err != nil {
		return err
	}
	var times [2]int64
	for i, a := range attrs(words[3:5]) {
		if a.key != [2]string{"at", "until"}[i] {
			return unknownKey(a)
		}
		if times[i], err = p.time(a.value); err != nil {
			return err
		}
	}
	if part {
		p.b.Part(from, to, times[0], times[1])
	} else {
		p.b.Link(from, to, times[0], times[1])
	}
	return nil
}

// ref resolves THREAD:CALL.
func (p *parser) ref(w string) (trace.Ref, error) {
	parts, err := split(w, ':')
	if err != nil {
		return trace.Ref{}, err
	}
	if len(parts) != 2 {
		return trace.Ref{}, fmt.Errorf("want THREAD:CALL, not %q", w)
	}
	id, err := plain(parts[0])
	if err != nil {
		return trace.Ref{}, err
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 0 || n >= len(p.refs[id]) {
		return trace.Ref{}, fmt.Errorf("no call %s", w)
	}
	return p.refs[id][n], nil
}

func (p *parser) counterLine(name string, as []attr) error {
	p.counter = &counter{name: name, process: -1}
	for _, a := range as {
		if a.key != "process" {
			return unknownKey(a)
		}
		proc, err := p.process(a.value)
		if err != nil {
			return err
		}
		p.counter.process = proc
	}
	return nil
}

func (p *parser) sample(words []string) error {
	at, err := p.time(words[0])
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(words[1], 64)
	if err != nil {
		return fmt.Errorf("bad value %q", words[1])
	}
	p.b.Count(p.counter.process, p.counter.name, at, v)
	return nil
}

func (p *parser) diagnostic(code string, words []string) error {
	if len(words) < 3 {
		return errors.New("want CODE COUNT [EXAMPLE]")
	}
	n, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return fmt.Errorf("bad count %q", words[2])
	}
	example := ""
	if len(words) > 3 {
		if example, err = plain(words[3]); err != nil {
			return err
		}
	}
	p.b.Diagnose(trace.Code(code), n, "%s", example)
	return nil
}
