package chrome

import (
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// titles are what metadata events say of processes and threads. They may come before or after the
// events they are about and name threads that never run, so they are applied at the end.
type titles struct {
	process, thread         map[trackKey]string // a process has no tid, a loose thread name no pid
	processSort, threadSort map[trackKey]int
}

func newTitles() titles {
	return titles{
		process: map[trackKey]string{}, thread: map[trackKey]string{},
		processSort: map[trackKey]int{}, threadSort: map[trackKey]int{},
	}
}

// title notes a metadata event.
func (f *feed) title(t *batch, r *record) {
	k := f.key(t, r)
	process := trackKey{pid: k.pid}
	if t.more[r.more].noThread {
		k = trackKey{tid: k.pid} // see apply
	}
	switch string(t.name(r)) {
	case "process_name":
		f.titles.process[process] = f.argument(t, r, "name")
	case "thread_name":
		f.titles.thread[k] = f.argument(t, r, "name")
	case "process_sort_index":
		f.titles.processSort[process], _ = strconv.Atoi(f.argument(t, r, "sort_index"))
	case "thread_sort_index":
		f.titles.threadSort[k], _ = strconv.Atoi(f.argument(t, r, "sort_index"))
	}
}

// argument returns the text of one of a record's arguments.
func (f *feed) argument(t *batch, r *record, name string) string {
	for k, v := range members(t.text(r.args)) {
		if string(k) == name {
			return text(v)
		}
	}
	return ""
}

// apply names what the trace has of the processes and threads. A thread name without tid is the
// main thread's; uftrace writes one for every thread, with the thread's number as pid.
func (f *feed) apply() {
	for k, th := range f.tracks {
		loose := trackKey{tid: k.tid}
		name := f.titles.thread[k]
		if name == "" {
			name = f.titles.thread[loose]
		}
		name = strings.TrimPrefix(name, "["+k.tid+"] ") // uftrace again: pairing goes by name
		if name == "" {
			name = k.tid
		}
		th.SetName(name)
		if f.holdsSum(th.ThreadBuilder) {
			th.SetKind(trace.Sums)
		}
		sort, ok := f.titles.threadSort[k]
		if !ok {
			sort = f.titles.threadSort[loose]
		}
		th.SetSort(sort)
		process := trackKey{pid: k.pid}
		if name := f.titles.process[process]; name != "" {
			f.b.NameProcess(th.process, strings.TrimPrefix(name, "["+k.pid+"] "))
		}
		f.b.SortProcess(th.process, f.titles.processSort[process])
	}
}

// holdsSum reports whether a thread holds nothing but a sum, which clang -ftime-trace writes at the
// end, each on a thread of its own: a call "Total Backend" that starts at time 0.
func (f *feed) holdsSum(th *trace.ThreadBuilder) bool {
	fn, start, ok := th.OnlyCall()
	return ok && start == 0 && strings.HasPrefix(f.b.FunctionName(fn), "Total ")
}
