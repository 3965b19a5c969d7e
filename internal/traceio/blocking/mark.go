package blocking

import (
	"fmt"
	"strings"

	"diptych/internal/trace"
)

// Apply has the builder mark blocking calls by the rules when it builds the trace.
func (r *Rules) Apply(b *trace.Builder) { b.MarkWith(r.Mark) }

// Mark finds the blocking calls of a trace.
func (r *Rules) Mark(tr *trace.Trace, mark trace.Mark) {
	p := &pass{tr: tr, rules: make([]*rule, len(tr.Functions)), index: map[operand]int32{}}
	files := false
	for f := range tr.Functions {
		if tr.Functions[f].Kind != trace.Event {
			p.rules[f] = r.rule(tr.Functions[f].Name)
		}
		files = files || p.rules[f] != nil && (p.rules[f].opens || p.rules[f].closes)
	}
	if files {
		p.trackFiles()
	}
	for _, th := range tr.Threads {
		p.gather(th)
	}
	names := p.names()
	var objects []string
	for _, f := range p.found {
		objects = objects[:0]
		for _, o := range p.operands[f.from:f.to] {
			objects = append(objects, names[o])
		}
		mark(tr.Threads[f.thread], int(f.call), f.kind, objects...)
	}
}

// pass is one look over a trace.
type pass struct {
	tr       *trace.Trace
	rules    []*rule // by function
	files    files
	thread   int32
	found    []blocked
	operands []int32 // of all found, by index in list
	list     []operand
	index    map[operand]int32
}

// blocked is a call that was found.
type blocked struct {
	thread, call int32
	from, to     uint32 // in operands
	kind         trace.BlockKind
}

// operand is an object before it is known whether its name suffices: an address or a descriptor
// means something in one process only.
type operand struct {
	name    string
	process int32 // −1 if the name means the same everywhere
}

// gather finds the blocking calls of the next thread.
func (p *pass) gather(th *trace.Thread) {
	for i, f := range th.Fn {
		to := p.rules[f]
		if to == nil {
			continue
		}
		b := blocked{thread: p.thread, call: int32(i), from: uint32(len(p.operands)), kind: to.kind}
		if len(to.args) > 0 || to.fd > 0 {
			p.operate(th, i, to)
		}
		b.to = uint32(len(p.operands))
		p.found = append(p.found, b)
	}
	p.thread++
}

// operate notes what call i of th operates on.
func (p *pass) operate(th *trace.Thread, i int, to *rule) {
	args, _ := parse(th.Args(i))
	for _, name := range pick(args, to.args) {
		process := th.Process
		if !local(name) {
			process = -1
		}
		p.operand(operand{name, process})
	}
	if to.fd == 0 || to.fd > len(args) {
		return
	}
	handle := args[to.fd-1]
	switch path := p.files.at(th.Process, handle, th.Start[i]); {
	case path != "":
		p.operand(operand{path, -1})
	case isNumber(handle):
		p.operand(operand{"fd " + handle, th.Process})
	case objectName(handle) != "":
		p.operand(operand{objectName(handle), th.Process})
	}
}

func (p *pass) operand(o operand) {
	n, ok := p.index[o]
	if !ok {
		n = int32(len(p.list))
		p.list = append(p.list, o)
		p.index[o] = n
	}
	p.operands = append(p.operands, n)
}

// names names all operands: where several processes have an equal address or descriptor, with the
// process.
func (p *pass) names() []string {
	owners := map[string]int{}
	for _, o := range p.list {
		owners[o.name]++
	}
	names := make([]string, len(p.list))
	for i, o := range p.list {
		names[i] = o.name
		if owners[o.name] > 1 && o.process >= 0 {
			owner := p.tr.Processes[o.process]
			names[i] = fmt.Sprintf("%s (%s %s)", o.name, owner.Name, owner.ID)
			if owner.Name == owner.ID {
				names[i] = fmt.Sprintf("%s (%s)", o.name, owner.ID)
			}
		}
	}
	return names
}

// local reports whether an object's name is an address, a number or a program's variable.
func local(name string) bool {
	return strings.HasPrefix(name, "0x") || strings.HasPrefix(name, "&") || isNumber(name)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
