package blocking

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// files tells which file or pipe a descriptor or stream stood for at a time, as far as the trace
// shows its opening. A forked process has the descriptors of the one that forked it.
type files struct {
	bound  map[handle][]binding
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
func (f *files) at(process int32, text string, ns int64) medium {
	for range len(f.parent) + 1 { // a line of processes cannot be longer
		list := f.bound[handle{process, text}]
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

func (f *files) bind(process int32, text string, from int64, to medium) {
	h := handle{process, text}
	f.bound[h] = append(f.bound[h], binding{from, to})
}

// trackFiles looks at all calls that open, close or fork, in the order in which they returned.
func (p *pass) trackFiles() {
	p.files = files{bound: map[handle][]binding{}}
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
	adopt := func(child string, parent int32) {
		if c, ok := ids[child]; ok && c != parent {
			f.parent[c] = parent
		}
	}
	for _, c := range p.calls(func(to *rule) bool { return to.forks }) {
		_, result := parse(c.th.Args(c.call))
		adopt(result, c.th.Process)
	}
	for i := range p.tr.Processes {
		if by, ok := ids[p.tr.Processes[i].Parent]; ok {
			adopt(p.tr.Processes[i].ID, by)
		}
	}
}

// track notes what a call opens or closes.
func (p *pass) track(c found, to *rule) {
	args, result := parse(c.th.Args(c.call))
	process, at := c.th.Process, c.end()
	if to.closes && to.fd > 0 && to.fd <= len(args) {
		p.files.bind(process, args[to.fd-1], at, medium{})
	}
	if !to.opens || result == "" || strings.HasPrefix(result, "-") {
		return
	}
	var m medium
	if to.fd > 0 && to.fd <= len(args) {
		m = p.files.at(process, args[to.fd-1], at)
	} else if named := pick(args, to.args); len(named) > 0 && !local(named[0]) {
		m = medium{name: named[0]}
	}
	p.files.bind(process, result, at, m)
}

// trackPipe notes the descriptors of a new pipe, printed as in "[3, 4]". It returns false if the
// recording has only the address that they were written to.
func (p *pass) trackPipe(c found, to *rule) bool {
	args, text := parse(c.th.Args(c.call))
	if strings.HasPrefix(text, "-") {
		return true // there is none
	}
	if to.pipe > 0 {
		if to.pipe > len(args) {
			return false
		}
		text = strings.Trim(args[to.pipe-1], "[]{}")
	}
	var ends []string
	for end := range strings.SplitSeq(text, ",") {
		if end = strings.TrimSpace(end); !isNumber(end) {
			return false
		}
		ends = append(ends, end)
	}
	p.bindPipe(c, ends)
	return true
}

func (p *pass) bindPipe(c found, ends []string) {
	m := medium{"pipe " + strings.Join(ends, ","), true, c.th.Process}
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
		args, _ := parse(c.th.Args(c.call))
		if to.fd == 0 || to.fd > len(args) || !isNumber(args[to.fd-1]) ||
			p.files.at(c.th.Process, args[to.fd-1], c.th.Start(c.call)) != (medium{}) {
			continue
		}
		h := handle{p.root(c.th.Process), args[to.fd-1]}
		u := uses[h]
		uses[h] = [2]bool{u[0] || to.takes, u[1] || to.gives}
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
			p.bindPipe(made[by], []string{h.text, other.text})
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
