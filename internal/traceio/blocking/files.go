package blocking

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"

	"diptych/internal/trace"
)

// files tells which file or pipe a descriptor or stream stood for at a time, as far as the trace
// shows its opening. A forked process has the descriptors of the one that forked it.
type files struct {
	bound  map[handle]*[]binding
	names  map[string]string // of media, each one once
	texts  reader
	parent []int32 // by process; −1 if it is not known
	born   []int64 // by process: its first call
}

type handle struct {
	process int32
	text    string // as arguments and results print it
}

// binding is what a handle means from a time on; the zero medium is nothing known.
type binding struct {
	from int64
	medium
}

// medium is a file, by its path, or a pipe, by its descriptors in the process that made it.
type medium struct {
	name string
	pipe bool
	of   int32 // the process that made a pipe
}

// at returns what a handle of a process means at a time.
func (f *files) at(process int32, text []byte, ns int64) medium {
	for range len(f.parent) + 1 { // a line of processes cannot be longer
		var list []binding
		if known := f.bound[handle{process, string(text)}]; known != nil {
			list = *known
		}
		if i := sort.Search(len(list), func(i int) bool { return list[i].from > ns }); i > 0 {
			return list[i-1].medium
		}
		if process < 0 || len(f.parent) == 0 || f.parent[process] < 0 {
			break // nothing is tracked where no call opens, closes or makes a pipe
		}
		process, ns = f.parent[process], f.born[process]
	}
	return medium{}
}

func (f *files) bind(process int32, text []byte, from int64, to medium) {
	list := f.bound[handle{process, string(text)}]
	if list == nil {
		list = new([]binding)
		f.bound[handle{process, string(text)}] = list
	}
	*list = append(*list, binding{from, to})
}

// name returns a name as a string, the same for each of its mentions.
func (f *files) name(name []byte) string {
	if known, ok := f.names[string(name)]; ok {
		return known
	}
	s := string(name)
	f.names[s] = s
	return s
}

// read reads the text of a call.
func (f *files) read(c found) *reading {
	f.texts.call(c.th, c.call)
	return &f.texts.reading
}

// trackFiles looks at all calls that open, close or fork, in the order in which they returned.
func (p *pass) trackFiles() {
	p.files = files{bound: map[handle]*[]binding{}, names: map[string]string{}}
	p.findParents()
	events := p.calls(func(to *rule) bool { return to.opens || to.closes || to.pipe != 0 })
	slices.SortStableFunc(events, func(x, y found) int { return cmp.Compare(x.end(), y.end()) })
	var unnamed []found // calls that make a pipe and do not tell its descriptors
	for _, e := range events {
		if to := p.ruleOf(e); to.pipe == 0 {
			p.track(e, to)
		} else if !p.trackPipe(e, to) {
			unnamed = append(unnamed, e)
		}
	}
	p.guessPipes(unnamed)
}

// found is a call that a rule is for.
type found struct {
	th   *trace.Thread
	call int
}

func (c found) end() int64 { return c.th.End(c.call) }

func (p *pass) ruleOf(c found) *rule { return p.rules[c.th.Fn[c.call]] }

// calls returns the calls with a rule that is wanted, by thread.
func (p *pass) calls(want func(*rule) bool) []found {
	var out []found
	for k, th := range p.tr.Threads {
		for _, i := range p.ruled[k] {
			if want(p.rules[th.Fn[i]]) {
				out = append(out, found{th, int(i)})
			}
		}
	}
	return out
}

// findParents finds which process forked which: as the recording states it, or as the results of
// forks tell.
func (p *pass) findParents() {
	f := &p.files
	f.parent, f.born = make([]int32, len(p.tr.Processes)), make([]int64, len(p.tr.Processes))
	ids := map[string]int32{}
	for i := range p.tr.Processes {
		ids[p.tr.Processes[i].ID], f.parent[i], f.born[i] = int32(i), -1, p.tr.Duration
	}
	for _, th := range p.tr.Threads {
		if th.Process >= 0 && th.Len() > 0 {
			f.born[th.Process] = min(f.born[th.Process], th.Start(0))
		}
	}
	adopt := func(c int32, known bool, parent int32) {
		if known && c != parent {
			f.parent[c] = parent
		}
	}
	for _, c := range p.calls(func(to *rule) bool { return to.forks }) {
		child, ok := ids[string(f.read(c).result)]
		adopt(child, ok, c.th.Process)
	}
	for i := range p.tr.Processes {
		if by, ok := ids[p.tr.Processes[i].Parent]; ok {
			child, ok := ids[p.tr.Processes[i].ID]
			adopt(child, ok, by)
		}
	}
}

// track notes what a call opens or closes.
func (p *pass) track(c found, to *rule) {
	text := p.files.read(c)
	process, at := c.th.Process, c.end()
	if to.closes && to.fd > 0 && to.fd <= len(text.args) {
		p.files.bind(process, text.args[to.fd-1], at, medium{})
	}
	if !to.opens || len(text.result) == 0 || startsWith(text.result, '-') {
		return
	}
	var m medium
	if to.fd > 0 && to.fd <= len(text.args) {
		m = p.files.at(process, text.args[to.fd-1], at)
	} else if name := text.firstObject(to.args); len(name) > 0 && !local(name) {
		m = medium{name: p.files.name(name)}
	}
	p.files.bind(process, text.result, at, m)
}

// firstObject returns the first object that one of the arguments at the given positions names.
func (r *reading) firstObject(args []int) []byte {
	for _, n := range args {
		if name := r.object(n); len(name) > 0 {
			return name
		}
	}
	return nil
}

// trackPipe notes the descriptors of a new pipe, printed as in "[3, 4]". It returns false if the
// recording has only the address that they were written to.
func (p *pass) trackPipe(c found, to *rule) bool {
	read := p.files.read(c)
	text := read.result
	if startsWith(text, '-') {
		return true // there is none
	}
	if to.pipe > 0 {
		if to.pipe > len(read.args) {
			return false
		}
		text = bytes.Trim(read.args[to.pipe-1], "[]{}")
	}
	var ends [][]byte
	for end := range bytes.SplitSeq(text, []byte(",")) {
		if end = bytes.TrimSpace(end); !isNumber(end) {
			return false
		}
		ends = append(ends, end)
	}
	p.bindPipe(c, ends)
	return true
}

func (p *pass) bindPipe(c found, ends [][]byte) {
	m := medium{"pipe " + string(bytes.Join(ends, []byte(","))), true, c.th.Process}
	for _, end := range ends {
		p.files.bind(c.th.Process, end, c.end(), m)
	}
}

// guessPipes finds the descriptors of pipes from their use. A new pipe gets the lowest free
// descriptors, so the one that is written to nearly always follows the one that is read: if a
// family of processes only reads from 5 and only writes to 6, and opened neither, they are those of
// a pipe. There are no more of these than calls that made pipes.
func (p *pass) guessPipes(made []found) {
	if len(made) == 0 {
		return
	}
	uses := map[handle][2]bool{} // by root process and descriptor: read, written
	for _, c := range p.calls(func(to *rule) bool { return to.takes || to.gives }) {
		to := p.ruleOf(c)
		args := p.files.read(c).args
		if to.fd == 0 || to.fd > len(args) || !isNumber(args[to.fd-1]) ||
			p.files.at(c.th.Process, args[to.fd-1], c.th.Start(c.call)) != (medium{}) {
			continue
		}
		root, text := p.root(c.th.Process), args[to.fd-1]
		before := uses[handle{root, string(text)}]
		if now := [2]bool{before[0] || to.takes, before[1] || to.gives}; now != before {
			uses[handle{root, string(text)}] = now
		}
	}
	handles := slices.SortedFunc(maps.Keys(uses), func(x, y handle) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(len(x.text), len(y.text)),
			cmp.Compare(x.text, y.text))
	})
	for _, h := range handles {
		n, _ := strconv.Atoi(h.text)
		other := handle{h.process, strconv.Itoa(n + 1)}
		if n <= 2 || uses[h] != [2]bool{true, false} || uses[other] != [2]bool{false, true} {
			continue
		}
		by := slices.IndexFunc(made, func(c found) bool { return p.root(c.th.Process) == h.process })
		if by >= 0 {
			p.bindPipe(made[by], [][]byte{[]byte(h.text), []byte(other.text)})
			made = slices.Delete(made, by, by+1)
		}
	}
}

// root returns the process that a process descends from.
func (p *pass) root(process int32) int32 {
	for range len(p.files.parent) {
		if process < 0 || p.files.parent[process] < 0 {
			break
		}
		process = p.files.parent[process]
	}
	return process
}
