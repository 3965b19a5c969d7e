package trace

import (
	"context"
	"testing"
)

func TestDeriveRole(t *testing.T) {
	for _, c := range []struct {
		id, name string
		lane     int
		role     string
		numbered bool
	}{
		{"1", "", 0, "", true},
		{"14905", "14905", 0, "", true},
		{"14904/14905", "14905", 0, "", true},
		{"14904/14905.2", "14905 · 2", 1, "", true},
		{"5/7", "12", 0, "", false},
		{"1", "worker", 0, "worker", false},
		{"1", "worker 3", 0, "worker", false},
		{"1", "worker#3", 0, "worker", false},
		{"1", "Chrome_IOThread/12", 0, "Chrome_IOThread", false},
		{"1.3", "worker 3 · 3", 2, "worker", false},
		{"1", "worker 3 · 3", 0, "worker 3 · 3", false},
		{"1", "main.run.func2", 0, "main.run.func2", false},
		{"1", "worker-3", 0, "worker", false},
		{"1", "lua-5.4.7", 0, "lua-5.4.7", false},
		{"1", "x86_64", 0, "x86_64", false},
		{"1", "Größe 2", 0, "Größe", false},
		{"main", "main", 0, "main", false},
	} {
		role, numbered := DeriveRole(c.id, c.name, c.lane)
		if role != c.role || numbered != c.numbered {
			t.Errorf("id %q, name %q, lane %d: role %q, numbered %v, want %q, %v",
				c.id, c.name, c.lane, role, numbered, c.role, c.numbered)
		}
	}
}

// TestRoles holds that what a loader states wins over what the Builder derives, and that lanes have
// the role of their thread.
func TestRoles(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	add := func(id, name string) *ThreadBuilder {
		th := b.Thread(id, -1)
		th.SetName(name)
		th.Complete(0, 2, f)
		return th
	}
	add("0", "worker 3").Complete(1, 3, f)
	g := add("1", "main.worker2 · 1")
	g.Complete(1, 3, f)
	g.SetRole("main.worker2", true)
	add("2", "Total Backend").SetKind(Sums)
	add("3", "request").SetKind(AsyncTrack)
	add("4", "4")
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		title, role, common string
		runs                bool
	}{
		"0":   {"worker 3", "worker", "worker 3", true},
		"0.2": {"worker 3 · 2", "worker", "worker 3 · 2", true},
		"1":   {"main.worker2 · 1", "main.worker2", "main.worker2", true},
		"1.2": {"main.worker2 · 1 · 2", "main.worker2", "main.worker2 · 2", true},
		"2":   {"Total Backend", "Total Backend", "Total Backend", false},
		"3":   {"request", "request", "request", false},
		"4":   {"thread 4", "", "", true},
	} {
		th := tr.Threads[tr.ThreadByID(id)]
		if th.Title() != want.title || th.Role != want.role || th.CommonName() != want.common ||
			th.Runs() != want.runs {
			t.Errorf("%s: title %q, role %q, common name %q, runs %v, want %+v", id, th.Title(), th.Role,
				th.CommonName(), th.Runs(), want)
		}
	}
}

// TestThreadsAreToldApart holds that threads which share a title have their ids beside it.
func TestThreadsAreToldApart(t *testing.T) {
	named := func(id, name string) *Thread { return &Thread{ID: id, Name: name} }
	of := &Trace{Threads: []*Thread{named("1798", "worker"), named("1799", "worker"),
		named("1800", "main"), named("7", "7")}}
	for k, want := range []string{"worker (1798)", "worker (1799)", "main", "thread 7"} {
		if got := of.ThreadTitle(k); got != want {
			t.Errorf("thread %d is %q, want %q", k, got, want)
		}
	}
}
