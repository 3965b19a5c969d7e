package blocking

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"diptych/internal/trace"
)

// files tells which file a descriptor or stream stood for at a time, as far as the trace shows its
// opening.
type files map[handle][]binding

type handle struct {
	process int32
	text    string // as arguments and results print it
}

// binding is what a handle means from a time on; "" is nothing known.
type binding struct {
	from int64
	path string
}

// at returns the path of a handle, or "".
func (f files) at(process int32, text string, ns int64) string {
	list := f[handle{process, text}]
	i := sort.Search(len(list), func(i int) bool { return list[i].from > ns })
	if i == 0 {
		return ""
	}
	return list[i-1].path
}

// trackFiles looks at all calls that open or close, in the order in which they returned.
func (p *pass) trackFiles() {
	p.files = files{}
	type event struct {
		at   int64
		th   *trace.Thread
		call int
	}
	var events []event
	for _, th := range p.tr.Threads {
		for i, f := range th.Fn {
			if to := p.rules[f]; to != nil && (to.opens || to.closes) {
				events = append(events, event{th.End[i], th, i})
			}
		}
	}
	slices.SortStableFunc(events, func(x, y event) int { return cmp.Compare(x.at, y.at) })
	for _, e := range events {
		p.track(e.th, e.call, e.at)
	}
}

func (p *pass) track(th *trace.Thread, call int, at int64) {
	to := p.rules[th.Fn[call]]
	args, result := parse(th.Args(call))
	bind := func(text, path string) {
		h := handle{th.Process, text}
		p.files[h] = append(p.files[h], binding{at, path})
	}
	if to.closes && to.fd > 0 && to.fd <= len(args) {
		bind(args[to.fd-1], "")
	}
	if !to.opens || result == "" || strings.HasPrefix(result, "-") {
		return
	}
	path := ""
	if to.fd > 0 && to.fd <= len(args) {
		path = p.files.at(th.Process, args[to.fd-1], at)
	} else if named := pick(args, to.args); len(named) > 0 && !local(named[0]) {
		path = named[0]
	}
	bind(result, path)
}
