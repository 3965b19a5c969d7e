package chrome

import (
	"cmp"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// titles are what metadata events say of processes and threads. They may come before or after the
// events they are about and name threads that never run, so they are applied at the end.
type titles struct {
	process, thread         map[trackKey]string // a process has no tid, a loose thread name no pid
	label, pages            map[trackKey]string // of processes, and their last pages
	processSort, threadSort map[trackKey]int
}

func newTitles() titles {
	return titles{
		process: map[trackKey]string{}, thread: map[trackKey]string{},
		label: map[trackKey]string{}, pages: map[trackKey]string{},
		processSort: map[trackKey]int{}, threadSort: map[trackKey]int{},
	}
}

// page notes the page that a process shows: the last one of its main frame that is not empty.
func (n *titles) page(process trackKey, data []byte) {
	url, isMain := "", false
	for k, v := range members(data) {
		switch string(k) {
		case "url":
			url = jsonin.Text(v)
		case "isMainFrame":
			isMain = string(v) == "true"
		}
	}
	if isMain && url != "" && url != "about:blank" {
		n.pages[process] = url
	}
}

// title notes a metadata event.
func (f *feed) title(t *batch, m *mention) {
	k := f.key(t, m.track)
	process := trackKey{pid: k.pid}
	if m.noThread {
		k = trackKey{tid: k.pid} // see apply
	}
	switch string(t.text(m.name)) {
	case "process_name":
		f.titles.process[process] = f.argument(t, m, "name")
	case "process_labels":
		f.titles.label[process] = f.argument(t, m, "labels")
	case "thread_name":
		f.titles.thread[k] = f.argument(t, m, "name")
	case "process_sort_index":
		f.titles.processSort[process], _ = strconv.Atoi(f.argument(t, m, "sort_index"))
	case "thread_sort_index":
		f.titles.threadSort[k], _ = strconv.Atoi(f.argument(t, m, "sort_index"))
	}
}

// argument returns the text of one of an event's arguments.
func (f *feed) argument(t *batch, m *mention, name string) string {
	for k, v := range members(t.argument(m)) {
		if string(k) == name {
			return jsonin.Text(v)
		}
	}
	return ""
}

// apply names what the trace has of the processes and threads.
func (f *feed) apply() {
	for k, th := range f.tracks {
		f.entitle(th)
		if k == recorder || f.holdsSum(th.ThreadBuilder) {
			th.SetKind(trace.Sums)
		}
	}
}

// entitle names a thread and its process, and returns the thread's name. A thread name without tid
// is the main thread's; uftrace writes one for every thread, with the thread's number as pid.
func (f *feed) entitle(th *track) string {
	k := th.trackKey
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
	sort, ok := f.titles.threadSort[k]
	if !ok {
		sort = f.titles.threadSort[loose]
	}
	th.SetSort(sort)
	process := trackKey{pid: k.pid}
	if name := f.titles.process[process]; name != "" {
		f.b.NameProcess(th.process, strings.TrimPrefix(name, "["+k.pid+"] "))
	}
	if label := cmp.Or(f.titles.label[process], f.titles.pages[process]); label != "" {
		f.b.LabelProcess(th.process, label)
	}
	f.b.SortProcess(th.process, f.titles.processSort[process])
	return name
}

// recorder is where PyTorch's profiler writes how long it recorded: one call as long as the run, in
// which nothing runs.
var recorder = trackKey{pid: "Spans", tid: "PyTorch Profiler"}

// holdsSum reports whether a thread holds nothing but a sum, which clang -ftime-trace writes at the
// end, each on a thread of its own: a call "Total Backend" that starts at time 0.
func (f *feed) holdsSum(th *trace.ThreadBuilder) bool {
	fn, start, ok := th.OnlyCall()
	return ok && start == 0 && strings.HasPrefix(f.b.FunctionName(fn), "Total ")
}
