package blocking

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Apply has the builder mark blocking calls by the rules when it builds the trace.
func (r *Rules) Apply(b *trace.Builder) {
	b.MarkWith(func(tr *trace.Trace, mark trace.Mark) { r.mark(tr, mark).tellUnpaired(b) })
	b.Awaits(r.Awaits)
}

// mark finds the blocking calls of a trace.
func (r *Rules) mark(tr *trace.Trace, mark trace.Mark) *pass {
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
		mark(g.th, trace.Marks{Calls: g.found, Objects: g.operands, Names: names})
	}
	return p
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
	readers []*reader
	free    []*reader // those of them that serve no thread
	serving sync.Mutex
}

// gathering is what is found in one thread.
type gathering struct {
	*pass
	*reader
	th       *trace.Thread
	found    []trace.Marked
	operands []int32 // of all found: the reader's numbers, and in the end those of the pass
}

// reader reads what calls say of their arguments. Its memory serves one call and one thread after
// the other: a recording can have thousands of threads, most of them with few calls that block.
type reader struct {
	reading
	texts    trace.ArgsReader
	name     []byte    // of the last operand
	own      numbering // of the operands of all its threads
	marks    pieces[trace.Marked]
	mentions pieces[int32]
}

// pieces is memory that many lists share.
type pieces[T any] struct{ free []T }

// piece is how many values of memory are made at once.
const piece = 1 << 12

// list begins a list that will have about n values. Only one list grows at a time.
func (p *pieces[T]) list(n int) []T {
	if cap(p.free) < n {
		p.free = make([]T, 0, max(n, piece))
	}
	return p.free
}

// keep ends a list that list began.
func (p *pieces[T]) keep(list []T) []T {
	if cap(list) == cap(p.free) { // it did not outgrow its memory
		p.free = list[len(list):]
	}
	return list[:len(list):len(list)]
}

// call reads the text of a call.
func (r *reader) call(th *trace.Thread, i int) { r.read(r.texts.Args(th, i)) }

// reader returns a reader that serves no thread.
func (p *pass) reader() *reader {
	p.serving.Lock()
	defer p.serving.Unlock()
	n := len(p.free) - 1
	if n < 0 {
		r := &reader{}
		p.readers = append(p.readers, r)
		return r
	}
	r := p.free[n]
	p.free = p.free[:n]
	return r
}

func (p *pass) served(r *reader) {
	p.serving.Lock()
	defer p.serving.Unlock()
	p.free = append(p.free, r)
}

// gatherAll finds the blocking calls of all threads.
func (p *pass) gatherAll() []gathering {
	all := make([]gathering, len(p.tr.Threads))
	_ = progress.Spread(context.Background(), len(all), func(k int) error { // nothing fails
		r := p.reader()
		defer p.served(r)
		all[k] = gathering{pass: p, reader: r, th: p.tr.Threads[k]}
		all[k].gather(p.ruled[k])
		return nil
	})
	common := map[*reader][]int32{}
	for k, r := range p.readers {
		if k == 0 && p.index == nil { // nobody asks it any more
			p.numbering, r.own.index = r.own, nil
		}
		numbers := make([]int32, len(r.own.list))
		for i, o := range r.own.list {
			numbers[i] = p.number(o)
		}
		common[r] = numbers
	}
	for k := range all {
		numbers := common[all[k].reader]
		for i, o := range all[k].operands {
			all[k].operands[i] = numbers[o]
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
		r := p.reader()
		defer p.served(r)
		found := r.mentions.list(min(len(p.tr.Threads[k].Fn), piece/8))
		for i, f := range p.tr.Threads[k].Fn {
			if has[f] {
				found = append(found, int32(i))
			}
		}
		p.ruled[k] = r.mentions.keep(found)
		return nil
	})
}

// gather finds the blocking calls of the thread among those that a rule is for.
func (g *gathering) gather(ruled []int32) {
	if len(ruled) == 0 {
		return
	}
	g.found, g.operands = g.reader.marks.list(len(ruled)), g.mentions.list(len(ruled))
	for _, i := range ruled {
		if to := g.rules[g.th.Fn[i]]; to.kind != 0 {
			g.block(g.th, int(i), to)
		}
	}
	g.found, g.operands = g.reader.marks.keep(g.found), g.mentions.keep(g.operands)
}

// block marks call i of th. A call that waits may release other objects as it begins, and one that
// writes to a pipe releases those that read from it.
func (g *gathering) block(th *trace.Thread, i int, to *rule) {
	if g.args, g.result = g.args[:0], nil; to.usesArgs() {
		g.call(th, i)
	}
	from := g.mark()
	for _, n := range to.args {
		g.named(th, g.object(n))
	}
	pipe := g.descriptor(th, i, to)
	g.processes(th, to)
	if !g.signals(th, to) {
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
		for _, n := range to.releases {
			g.named(th, g.object(n))
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

// named notes an object that an argument names, if it names one.
func (g *gathering) named(th *trace.Thread, name []byte) {
	switch {
	case len(name) == 0:
	case local(name):
		g.operand("", name, th.Process)
	default:
		g.operand("", name, -1)
	}
}

// descriptor notes what a call reads, writes or waits for by a descriptor, and reports whether that
// is a pipe.
func (g *gathering) descriptor(th *trace.Thread, i int, to *rule) (pipe bool) {
	if to.fd == 0 || to.fd > len(g.args) {
		return false
	}
	handle := g.args[to.fd-1]
	switch m := g.files.at(th.Process, handle, th.Start(i)); {
	case m.pipe:
		g.operand(m.name, nil, m.of)
		return true
	case m.name != "":
		g.operand(m.name, nil, -1)
	case isNumber(handle):
		g.operand("fd ", handle, th.Process)
	default:
		if name := g.objectName(handle); len(name) > 0 {
			g.operand("", name, th.Process)
		}
	}
	return false
}

// processes notes the processes that a call waits for or ends, each once. Ends count only where
// there is another process to wait for them.
func (g *gathering) processes(th *trace.Thread, to *rule) {
	first := g.mark()
	for _, n := range to.processes {
		var id []byte
		switch {
		case n == result:
			id = g.result
		case n == self && len(g.tr.Processes) > 1 && th.Process >= 0:
			id = []byte(g.tr.Processes[th.Process].ID)
		case n > 0 && n <= len(g.args):
			id = g.args[n-1]
		}
		if !isNumber(id) || string(id) == "0" {
			continue
		}
		g.operand("process ", id, -1)
		if last := len(g.operands) - 1; slices.Contains(g.operands[first:last], g.operands[last]) {
			g.operands = g.operands[:last]
		}
	}
}

// signals notes the signal that a call waits for or sends, and reports whether the call counts:
// signal 0 is sent only to see whether there is anybody. A wait that does not tell what it got is
// for all signals of its process, which every sender releases.
func (g *gathering) signals(th *trace.Thread, to *rule) bool {
	if to.signal == 0 {
		return true
	}
	number, process := []byte(nil), th.Process
	switch n := to.signal; {
	case n == result:
		number = g.result
	case n > 0 && n <= len(g.args):
		number = g.args[n-1]
	}
	if string(number) == "0" {
		return to.kind == trace.Wait
	}
	if to.of > 0 {
		process = -1
		if to.of <= len(g.args) {
			process = g.processOf(g.args[to.of-1])
		}
		if process < 0 {
			return true // it goes to a process that is not in the recording
		}
	}
	if known := isNumber(number); known {
		g.operand("signal ", number, process)
		if to.kind == trace.Wait {
			return true
		}
	}
	g.operand("signals", nil, process)
	return true
}

// processOf returns the process with an id, or −1.
func (p *pass) processOf(id []byte) int32 {
	return int32(slices.IndexFunc(p.tr.Processes, func(q trace.Process) bool { return q.ID == string(id) }))
}

// operand notes an operand, whose name is given in two parts.
func (g *gathering) operand(kind string, name []byte, process int32) {
	g.name = append(append(g.name[:0], kind...), name...)
	n, ok := g.own.find(g.name, process)
	if !ok {
		n = g.own.add(operand{string(g.name), process})
	}
	g.operands = append(g.operands, n)
}

// local reports whether an object's name is an address, a number or a program's variable.
func local(name []byte) bool {
	return bytes.HasPrefix(name, []byte("0x")) || startsWith(name, '&') || isNumber(name)
}

func isNumber(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
