package aggregate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestThreadsThatDoNotCountShiftNothing holds that each leaf has the time of the thread that it is
// named after, on both sides and in their difference, where sums that a tool wrote and
// asynchronous tracks stand between the others, and threads of the runtime come last.
func TestThreadsThatDoNotCountShiftNothing(t *testing.T) {
	side := func(kinds ...trace.ThreadKind) *trace.Trace {
		b := trace.NewBuilder("test")
		for i, kind := range kinds {
			th := b.Thread(fmt.Sprint(i), -1)
			th.SetName(fmt.Sprint("thread ", i))
			th.SetKind(kind)
			th.Begin(0, b.Function(trace.Function{Name: fmt.Sprint("work of thread ", i)}))
			th.End(100)
		}
		return testtrace.Build(t, b)
	}
	const runs, out, lang, async = trace.Ordinary, trace.Sums, trace.Runtime, trace.AsyncTrack
	p := pair.New(side(out, lang, runs, async, runs), side(runs, async, lang, out, runs), pair.Rules{})
	m := modelsOf(t, p, [2]Span{{To: 100}, {To: 100}}, Options{Slices: 8})
	for s, side := range m.Sides {
		for leaf, thread := range m.Threads[s] {
			want := "work of " + p.Trace(pair.Side(s)).Threads[thread].Name
			for _, c := range side.Cells[leaf] {
				if got := side.states[c.State]; got != want {
					t.Errorf("%v, leaf %d: %q, want %q", pair.Side(s), leaf, got, want)
				}
			}
			if name := leafName(side.tree, leaf); "work of "+name != want {
				t.Errorf("%v, leaf %d is named %q, want %q", pair.Side(s), leaf, name, want)
			}
		}
		last := p.Trace(pair.Side(s)).Threads[m.Threads[s][2]]
		if len(m.Threads[s]) != 3 || last.Kind != lang {
			t.Errorf("%v: leaves %v, the last is of the %v", pair.Side(s), m.Threads[s], last.Kind)
		}
	}
	d := m.Difference()
	row := make([]float64, len(d.States())*d.Slices())
	for leaf := range d.Of {
		d.Row(leaf, row)
		for k, v := range row[:len(d.States())] {
			if v != 0 && d.States()[k] != "work of "+leafName(d.Tree(), leaf) {
				t.Errorf("leaf %q has %v of %q", leafName(d.Tree(), leaf), v, d.States()[k])
			}
		}
	}
}

// TestAsynchronousTracksAlone holds that they are resources where there is no thread.
func TestAsynchronousTracksAlone(t *testing.T) {
	b := trace.NewBuilder("test")
	for i := range 2 {
		th := b.Thread(fmt.Sprint(i), -1)
		th.SetKind(trace.AsyncTrack)
		th.Begin(0, b.Function(trace.Function{Name: "request"}))
		th.End(100)
	}
	if tree, order := Threads(testtrace.Build(t, b)); tree.Leaves != 2 || len(order) != 2 {
		t.Errorf("%d leaves", tree.Leaves)
	}
}

// TestHosts holds that processes lie below the machines that they ran on, and that there is no such
// level where the recording knows no hosts, or one.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		hosts []string
		want  string
	}{
		{[]string{"n1", "n2", "n1"}, "[[] [n1] [n1 rank 0] [n1 rank 2] [rank 1]]"},
		{[]string{"n1", "", ""}, "[[] [rank 0] [no host] [no host rank 1] [no host rank 2]]"},
		{[]string{"n1", "n1"}, "[[] [rank 0] [rank 1]]"},
		{[]string{"", ""}, "[[] [rank 0] [rank 1]]"},
	} {
		b := trace.NewBuilder("test")
		for i, host := range c.hosts {
			name := fmt.Sprint("rank ", i)
			p := b.Process(name)
			b.HostProcess(p, host)
			th := b.Thread(name, p)
			th.Begin(0, b.Function(trace.Function{Name: "work"}))
			th.End(100)
		}
		tree, _ := Threads(testtrace.Build(t, b))
		var paths [][]string
		for _, n := range tree.Nodes {
			paths = append(paths, n.Path)
		}
		if got := fmt.Sprint(paths); got != c.want {
			t.Errorf("hosts %q: %s, want %s", c.hosts, got, c.want)
		}
	}
}

// TestNamesOfProcesses holds that what stands alone in its process has its name, where the level of
// the process is left out.
func TestNamesOfProcesses(t *testing.T) {
	b := trace.NewBuilder("test")
	for rank, threads := range [][]string{{"master"}, {"master"}, {"worker 1", "worker 2"}, {"master", "io"}, {"alone"}} {
		p := b.Process(fmt.Sprint("rank ", rank))
		for i, name := range threads {
			th := b.Thread(fmt.Sprint(rank, "/", i), p)
			th.SetName(name)
			th.Begin(0, b.Function(trace.Function{Name: "work"}))
			th.End(100)
		}
	}
	tree, _ := Threads(testtrace.Build(t, b))
	var paths [][]string
	for _, n := range tree.Nodes {
		paths = append(paths, n.Path)
	}
	const want = "[[] [rank 0] [rank 1] [rank 2] [rank 2 worker 1] [rank 2 worker 2] [rank 3] [rank 3 master] " +
		"[rank 3 io] [alone]]"
	if got := fmt.Sprint(paths); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestThreadMoreStandsInItsProcess: a thread that one side alone has is in the process of the others,
// which has another id in each run, whichever side that is.
func TestThreadMoreStandsInItsProcess(t *testing.T) {
	run := func(pid string, threads ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		other, p := b.Process(pid+"1"), b.Process(pid)
		b.NameProcess(other, "other")
		b.NameProcess(p, "app")
		for i, name := range append(threads, "shell") {
			th := b.Thread(pid+"/"+fmt.Sprint(i), p)
			if name == "shell" {
				th = b.Thread(pid+"1/1", other)
			}
			th.SetName(name)
			th.Begin(0, b.Function(trace.Function{Name: "work of " + name}))
			th.End(100)
		}
		return testtrace.Build(t, b)
	}
	few, more := run("2265", "main", "io"), run("2280", "main", "io", "gc")
	for name, p := range map[string]*pair.Pair{"B": pair.New(few, more, pair.Rules{}),
		"A": pair.New(more, few, pair.Rules{})} {
		tree, _ := PairThreads(p)
		var paths []string
		for _, n := range tree.Nodes {
			paths = append(paths, strings.Join(n.Path, "/"))
		}
		slices.Sort(paths)
		if got, want := strings.Join(paths, " "), " app app/gc app/io app/main shell"; got != want {
			t.Errorf("with a thread more in %s the tree has %q, want %q", name, got, want)
		}
	}
}

// leafName returns the last name of a leaf's path.
func leafName(t *Tree, leaf int) string {
	for _, n := range t.Nodes {
		if int(n.Leaf) == leaf && len(n.Path) > 0 {
			return n.Path[len(n.Path)-1]
		}
	}
	return ""
}

// TestRunnable holds that what loaders say is ready, runnable or pre-empted, is told from other states off the
// CPU, and that within a call that waits it is part of the wait.
func TestRunnable(t *testing.T) {
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	state := func(name string, off trace.Off) trace.FuncID {
		return b.Function(trace.Function{Name: name, Kind: trace.State, Off: off})
	}
	work := b.Function(trace.Function{Name: "work"})
	th.Begin(0, work)
	for i, off := range []trace.Off{trace.Ready, trace.Ready, trace.Switched} {
		th.Begin(int64(100+200*i), state([]string{"runnable", "evicted", "switch"}[i], off))
		th.End(int64(200 + 200*i))
	}
	th.End(800)
	m := modelsOf(t, pair.New(testtrace.Build(t, b), nil, pair.Rules{}), [2]Span{{To: 800}},
		Options{Slices: 8, States: ByBlocking}).Sides[pair.A]
	want := []string{"running", "runnable", "running", "runnable", "running", "off CPU", "running",
		"running"}
	for i, c := range m.Cells[0] {
		if got := m.states[c.State]; got != want[i] || c.Ns != 100 {
			t.Errorf("slice %d: %d ns %s, want 100 ns %s", i, c.Ns, got, want[i])
		}
	}
}

// TestThreadsOfOneNameAreToldApart holds that threads with one name have their ids, without that of
// the process, and that no other thread has.
func TestThreadsOfOneNameAreToldApart(t *testing.T) {
	thread := func(id, name, role string) *trace.Thread {
		return &trace.Thread{ID: id, Name: name, Role: role, Process: -1}
	}
	tr := &trace.Trace{Threads: []*trace.Thread{thread("7/1798", "worker", "worker"),
		thread("7/1799", "worker", "worker"), thread("7/1797", "main", "main"), thread("7/1801", "worker", "other")}}
	leaves := make([]Place, len(tr.Threads))
	var last processOf
	for i := range leaves {
		leaves[i] = Place{make([]string, threadLevels), make([]string, threadLevels)}
		threadPlace{t: tr, thread: i}.fill(&leaves[i], &last)
	}
	nameByID(leaves)
	for i, want := range []string{"worker · 1798", "worker · 1799", "main", "worker"} {
		if got := leaves[i].Names[threadLevel]; got != want {
			t.Errorf("thread %s is %q, want %q", tr.Threads[i].ID, got, want)
		}
	}
}
