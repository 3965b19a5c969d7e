package blocking

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"diptych/internal/trace"
)

// Apply has the builder mark blocking calls by the rules when it builds the trace.
func (r *Rules) Apply(b *trace.Builder) {
	b.MarkWith(r.Mark)
	b.Awaits(r.Awaits)
}

// Mark finds the blocking calls of a trace.
func (r *Rules) Mark(tr *trace.Trace, mark trace.Mark) {
	p := &pass{tr: tr, rules: make([]*rule, len(tr.Functions)), index: map[operand]int32{}}
	files := false
	for f := range tr.Functions {
		if fn := &tr.Functions[f]; fn.Kind != trace.Event && !isScript(fn.File) {
			p.rules[f] = r.rule(tr.Functions[f].Name)
		}
		if to := p.rules[f]; to != nil {
			files = files || to.opens || to.closes || to.pipe != 0
		}
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

// isScript reports whether a file is JavaScript, whose functions may well be called open or wait
// and are no system calls.
func isScript(file string) bool {
	for _, scheme := range []string{"http:", "https:", "resource:", "chrome:", "moz-extension:",
		"chrome-extension:", "self-hosted", "node:"} {
		if strings.HasPrefix(file, scheme) {
			return true
		}
	}
	switch path.Ext(file) {
	case ".js", ".mjs", ".cjs", ".jsm", ".ts", ".tsx":
		return true
	}
	return false
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
		if to := p.rules[f]; to != nil && to.kind != 0 {
			p.block(th, i, to)
		}
	}
	p.thread++
}

// block marks call i of th. A call that waits may release other objects as it begins, and one that
// writes to a pipe releases those that read from it.
func (p *pass) block(th *trace.Thread, i int, to *rule) {
	var args []string
	var result string
	if to.usesArgs() {
		args, result = parse(th.Args(i))
	}
	from := p.mark()
	for _, name := range pick(args, to.args) {
		p.named(th, name)
	}
	pipe := p.descriptor(th, i, to, args)
	p.processes(th, to, args, result)
	if !p.signals(th, to, args, result) {
		p.operands = p.operands[:from]
		return
	}
	kind := to.kind
	switch {
	case pipe && to.takes:
		kind = trace.Wait
	case pipe && to.gives:
		p.add(i, trace.Release, from)
	}
	p.add(i, kind, from)
	if len(to.releases) > 0 {
		from = p.mark()
		for _, name := range pick(args, to.releases) {
			p.named(th, name)
		}
		if p.mark() > from {
			p.add(i, trace.Release, from)
		}
	}
}

// usesArgs reports whether the rule looks at arguments or the result.
func (to *rule) usesArgs() bool {
	return len(to.args) > 0 || to.fd > 0 || len(to.releases) > 0 || len(to.processes) > 0 ||
		to.signal != 0
}

// mark returns where the operands that are noted next begin.
func (p *pass) mark() uint32 { return uint32(len(p.operands)) }

// add notes that call i of the thread blocks on the operands from the given one on.
func (p *pass) add(i int, kind trace.BlockKind, from uint32) {
	p.found = append(p.found, blocked{p.thread, int32(i), from, p.mark(), kind})
}

// named notes an object that an argument names.
func (p *pass) named(th *trace.Thread, name string) {
	process := th.Process
	if !local(name) {
		process = -1
	}
	p.operand(operand{name, process})
}

// descriptor notes what a call reads, writes or waits for by a descriptor, and reports whether that
// is a pipe.
func (p *pass) descriptor(th *trace.Thread, i int, to *rule, args []string) (pipe bool) {
	if to.fd == 0 || to.fd > len(args) {
		return false
	}
	handle := args[to.fd-1]
	switch m := p.files.at(th.Process, handle, th.Start[i]); {
	case m.pipe:
		p.operand(operand{m.name, m.of})
		return true
	case m.name != "":
		p.operand(operand{m.name, -1})
	case isNumber(handle):
		p.operand(operand{"fd " + handle, th.Process})
	case objectName(handle) != "":
		p.operand(operand{objectName(handle), th.Process})
	}
	return false
}

// processes notes the processes that a call waits for or ends. Ends count only where there is
// another process to wait for them.
func (p *pass) processes(th *trace.Thread, to *rule, args []string, text string) {
	known := map[string]bool{}
	for _, n := range to.processes {
		id := ""
		switch {
		case n == result:
			id = text
		case n == self && len(p.tr.Processes) > 1 && th.Process >= 0:
			id = p.tr.Processes[th.Process].ID
		case n > 0 && n <= len(args):
			id = args[n-1]
		}
		if isNumber(id) && id != "0" && !known[id] {
			known[id] = true
			p.operand(operand{"process " + id, -1})
		}
	}
}

// signals notes the signal that a call waits for or sends, and reports whether the call counts:
// signal 0 is sent only to see whether there is anybody. A wait that does not tell what it got is
// for all signals of its process, which every sender releases.
func (p *pass) signals(th *trace.Thread, to *rule, args []string, text string) bool {
	if to.signal == 0 {
		return true
	}
	number, process := "", th.Process
	switch n := to.signal; {
	case n == result:
		number = text
	case n > 0 && n <= len(args):
		number = args[n-1]
	}
	if number == "0" {
		return to.kind == trace.Wait
	}
	if to.of > 0 {
		process = -1
		if to.of <= len(args) {
			process = p.processOf(args[to.of-1])
		}
		if process < 0 {
			return true // it goes to a process that is not in the recording
		}
	}
	if known := isNumber(number); known {
		p.operand(operand{"signal " + number, process})
		if to.kind == trace.Wait {
			return true
		}
	}
	p.operand(operand{"signals", process})
	return true
}

// processOf returns the process with an id, or −1.
func (p *pass) processOf(id string) int32 {
	return int32(slices.IndexFunc(p.tr.Processes, func(q trace.Process) bool { return q.ID == id }))
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
