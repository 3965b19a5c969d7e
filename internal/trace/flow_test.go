package trace

import (
	"fmt"
	"sync"
	"testing"
)

func TestMarkWith(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	th := b.Thread("x", -1)
	th.Complete(10, 90, f)
	th.Block(th.Complete(20, 30, f), Release, b.Object("explicit"))
	th.Complete(40, 50, f)
	b.MarkWith(func(tr *Trace, mark Mark) {
		m := Marks{Objects: []int32{0, 1}, Names: []string{"a", "explicit"}}
		for i := range int32(3) {
			m.Calls = append(m.Calls, Marked{i, 0, 2, Wait})
		}
		mark(tr.Threads[0], m)
	})
	b.MarkWith(func(tr *Trace, mark Mark) {
		mark(tr.Threads[0], Marks{Calls: []Marked{{Kind: IO}}}) // too late
	})
	tr := mustBuild(t, b)
	want := "[{0 wait [1 0]} {1 release [0]} {2 wait [1 0]}]"
	if got := fmt.Sprint(tr.Threads[0].plainBlocks(tr.Threads[0].Blocks)); got != want {
		t.Errorf("blocks %s, want %s", got, want)
	}
	if got := fmt.Sprint(tr.Objects); got != "[{explicit} {a}]" {
		t.Errorf("objects %s", got)
	}
}

// Threads that are fed at the same time, each with numbers of its own, make the trace that one
// goroutine makes.
func TestRenumber(t *testing.T) {
	names := []string{"f", "g", "h"}
	feed := func(th *ThreadBuilder, k int) {
		for i := range int64(1000) {
			th.Begin(2*i, FuncID(i)%3)
			if i%100 == 0 {
				th.Instant(2*i, FuncID(k))
			}
			th.EndNamed(2*i+1, FuncID(i)%3)
		}
		if k == 1 {
			th.Complete(5, 6, 2) // no longer only nested
			th.EndNamed(7, 1)    // closes nothing
		}
	}
	b := NewBuilder("test")
	threads := []*ThreadBuilder{b.Thread("0", -1), b.Thread("1", -1), b.Thread("2", -1)}
	var all sync.WaitGroup
	for k, th := range threads {
		all.Go(func() { feed(th, k) })
	}
	all.Wait()
	var to []FuncID
	for _, name := range []string{"h", "g", "f"} { // the trace's numbers differ
		b.Function(Function{Name: name})
	}
	for _, name := range names {
		to = append(to, b.Function(Function{Name: name}))
	}
	for _, th := range threads {
		th.Renumber(to)
	}
	tr := mustBuild(t, b)
	if tr.Duration != 1999 || tr.Calls() != 3001 {
		t.Errorf("%d ns, %d calls", tr.Duration, tr.Calls())
	}
	for _, th := range tr.Threads {
		for i := range th.Len() {
			want := names[th.Start(i)/2%3]
			if th.Start(i)%2 != 0 {
				want = names[2]
			}
			if got := tr.FunctionOf(th, i).Name; got != want {
				t.Fatalf("thread %s, call %d is %s, want %s", th.ID, i, got, want)
			}
		}
	}
}
