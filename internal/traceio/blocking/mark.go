package blocking

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Apply has the builder mark blocking calls by the rules when it builds the trace.
func (r *Rules) Apply(b *trace.Builder) {
	b.MarkWith(r.Mark)
	b.Awaits(r.Awaits)
}

// Mark finds the blocking calls of a trace.
func (r *Rules) Mark(tr *trace.Trace, mark trace.Mark) {
	p := &pass{tr: tr, rules: make([]*rule, len(tr.Functions))}
	files := false
	for f := range tr.Functions {
		if fn := &tr.Functions[f]; fn.Kind != trace.Event && !isScript(fn.File) {
			p.rules[f] = r.rule(tr.Functions[f].Name)
		}
		if to := p.rules[f]; to != nil {
			files = files || to.opens || to.closes || to.pipe != 0
		}
	}
	p.find()
	if files {
		p.trackFiles()
	}
	threads := p.gatherAll()
	names := p.names()
	for k := range threads {
		g := &threads[k]
		if len(g.found) == 0 {
			continue
		}
		own := make([]string, len(g.common))
		for i, o := range g.common {
			own[i] = names[o]
		}
		mark(g.th, trace.Marks{Calls: g.found, Objects: g.operands, Names: own})
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

// pass is one look over a trace. Once the files are known, its threads are looked at at once.
type pass struct {
	tr    *trace.Trace
	rules []*rule   // by function
	ruled [][]int32 // by thread: the calls that a rule is for
	files files
	numbering
}

// gathering is what is found in one thread.
type gathering struct {
	*pass
	th       *trace.Thread
	found    []trace.Marked
	operands []int32 // of all found, by index in the thread's own operands
	own      numbering
	common   []int32 // by index in own: that of the pass
}

// numbering numbers operands in the order of their first mention.
type numbering struct {
	list  []operand
	index map[operand]int32 // nil as long as there are few
}

// fewOperands is how many operands are looked through one by one. Most of thousands of threads have
// no more, and a map for each costs more than all else that is done with them.
const fewOperands = 8

// operand is an object before it is known whether its name suffices: an address or a descriptor
// means something in one process only.
type operand struct {
	name    string
	process int32 // −1 if the name means the same everywhere
}

// gatherAll finds the blocking calls of all threads. Operands have the numbers that they would have
// if one thread was looked at after the other.
func (p *pass) gatherAll() []gathering {
	all := make([]gathering, len(p.tr.Threads))
	_ = progress.Spread(context.Background(), len(all), func(k int) error { // nothing fails
		all[k] = gathering{pass: p, th: p.tr.Threads[k]}
		all[k].gather(p.ruled[k])
		return nil
	})
	for k := range all {
		for _, o := range all[k].own.list {
			all[k].common = append(all[k].common, p.number(o))
		}
	}
	return all
}

// find finds the calls that a rule is for. Most are of functions without one, so all that follows
// looks at few.
func (p *pass) find() {
	p.ruled = make([][]int32, len(p.tr.Threads))
	has, some := make([]bool, len(p.rules)), false
	for f, to := range p.rules {
		has[f] = to != nil
		some = some || has[f]
	}
	if !some {
		return
	}
	_ = progress.Spread(context.Background(), len(p.ruled), func(k int) error { // nothing fails
		var found []int32
		for i, f := range p.tr.Threads[k].Fn {
			if has[f] {
				found = append(found, int32(i))
			}
		}
		p.ruled[k] = found
		return nil
	})
}

// gather finds the blocking calls of the thread among those that a rule is for.
func (g *gathering) gather(ruled []int32) {
	g.found = make([]trace.Marked, 0, len(ruled))
	for _, i := range ruled {
		if to := g.rules[g.th.Fn[i]]; to.kind != 0 {
			g.block(g.th, int(i), to)
		}
	}
}

// block marks call i of th. A call that waits may release other objects as it begins, and one that
// writes to a pipe releases those that read from it.
func (g *gathering) block(th *trace.Thread, i int, to *rule) {
	var args []string
	var result string
	if to.usesArgs() {
		args, result = parse(th.Args(i))
	}
	from := g.mark()
	for _, name := range pick(args, to.args) {
		g.named(th, name)
	}
	pipe := g.descriptor(th, i, to, args)
	g.processes(th, to, args, result)
	if !g.signals(th, to, args, result) {
		g.operands = g.operands[:from]
		return
	}
	kind := to.kind
	switch {
	case pipe && to.takes:
		kind = trace.Wait
	case pipe && to.gives:
		g.add(i, trace.Release, from)
	}
	g.add(i, kind, from)
	if len(to.releases) > 0 {
		from = g.mark()
		for _, name := range pick(args, to.releases) {
			g.named(th, name)
		}
		if g.mark() > from {
			g.add(i, trace.Release, from)
		}
	}
}

// usesArgs reports whether the rule looks at arguments or the result.
func (to *rule) usesArgs() bool {
	return len(to.args) > 0 || to.fd > 0 || len(to.releases) > 0 || len(to.processes) > 0 ||
		to.signal != 0
}

// mark returns where the operands that are noted next begin.
func (g *gathering) mark() uint32 { return uint32(len(g.operands)) }

// add notes that call i of the thread blocks on the operands from the given one on.
func (g *gathering) add(i int, kind trace.BlockKind, from uint32) {
	g.found = append(g.found, trace.Marked{Call: int32(i), From: from, To: g.mark(), Kind: kind})
}

// named notes an object that an argument names.
func (g *gathering) named(th *trace.Thread, name string) {
	process := th.Process
	if !local(name) {
		process = -1
	}
	g.operand(operand{name, process})
}

// descriptor notes what a call reads, writes or waits for by a descriptor, and reports whether that
// is a pipe.
func (g *gathering) descriptor(th *trace.Thread, i int, to *rule, args []string) (pipe bool) {
	if to.fd == 0 || to.fd > len(args) {
		return false
	}
	handle := args[to.fd-1]
	switch m := g.files.at(th.Process, handle, th.Start(i)); {
	case m.pipe:
		g.operand(operand{m.name, m.of})
		return true
	case m.name != "":
		g.operand(operand{m.name, -1})
	case isNumber(handle):
		g.operand(operand{"fd " + handle, th.Process})
	case objectName(handle) != "":
		g.operand(operand{objectName(handle), th.Process})
	}
	return false
}

// processes notes the processes that a call waits for or ends. Ends count only where there is
// another process to wait for them.
func (g *gathering) processes(th *trace.Thread, to *rule, args []string, text string) {
	if len(to.processes) == 0 {
		return
	}
	known := map[string]bool{}
	for _, n := range to.processes {
		id := ""
		switch {
		case n == result:
			id = text
		case n == self && len(g.tr.Processes) > 1 && th.Process >= 0:
			id = g.tr.Processes[th.Process].ID
		case n > 0 && n <= len(args):
			id = args[n-1]
		}
		if isNumber(id) && id != "0" && !known[id] {
			known[id] = true
			g.operand(operand{"process " + id, -1})
		}
	}
}

// signals notes the signal that a call waits for or sends, and reports whether the call counts:
// signal 0 is sent only to see whether there is anybody. A wait that does not tell what it got is
// for all signals of its process, which every sender releases.
func (g *gathering) signals(th *trace.Thread, to *rule, args []string, text string) bool {
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
			process = g.processOf(args[to.of-1])
		}
		if process < 0 {
			return true // it goes to a process that is not in the recording
		}
	}
	if known := isNumber(number); known {
		g.operand(operand{"signal " + number, process})
		if to.kind == trace.Wait {
			return true
		}
	}
	g.operand(operand{"signals", process})
	return true
}

// processOf returns the process with an id, or −1.
func (p *pass) processOf(id string) int32 {
	return int32(slices.IndexFunc(p.tr.Processes, func(q trace.Process) bool { return q.ID == id }))
}

func (g *gathering) operand(o operand) { g.operands = append(g.operands, g.own.number(o)) }

func (p *numbering) number(o operand) int32 {
	n, ok := p.find(o)
	if ok {
		return n
	}
	n = int32(len(p.list))
	p.list = append(p.list, o)
	switch {
	case p.index != nil:
		p.index[o] = n
	case len(p.list) > fewOperands:
		p.index = map[operand]int32{}
		for k, one := range p.list {
			p.index[one] = int32(k)
		}
	}
	return n
}

func (p *numbering) find(o operand) (int32, bool) {
	if p.index == nil {
		k := slices.Index(p.list, o)
		return int32(k), k >= 0
	}
	n, ok := p.index[o]
	return n, ok
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
