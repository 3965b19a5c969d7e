package trace

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"unsafe"
)

// TestWeigh has a Builder that may take no more than 3 MiB. What asks says how much it takes in
// steps; Build returns why it may not.
func TestWeigh(t *testing.T) {
	enough := errors.New("enough")
	for what, add := range map[string]func(b *Builder, th *ThreadBuilder, f FuncID, i int){
		"threads":   func(b *Builder, _ *ThreadBuilder, _ FuncID, _ int) { b.Thread("x", -1) },
		"functions": func(b *Builder, _ *ThreadBuilder, _ FuncID, i int) { b.Function(Function{Name: string(rune(i))}) },
		"objects":   func(b *Builder, _ *ThreadBuilder, _ FuncID, i int) { b.Object(string(rune(i))) },
		"calls":     func(_ *Builder, th *ThreadBuilder, f FuncID, i int) { th.Begin(int64(i), f); th.End(int64(i)) },
		"arguments": func(_ *Builder, th *ThreadBuilder, f FuncID, i int) {
			th.Args(th.Complete(int64(i), int64(i), f), make([]byte, 100))
		},
		"lanes": func(_ *Builder, th *ThreadBuilder, f FuncID, i int) { th.Complete(int64(i), int64(i)+1e6, f) },
		"links": func(b *Builder, th *ThreadBuilder, f FuncID, i int) {
			b.Link(th.Call(0), th.Call(0), int64(i), int64(i))
			if i == 0x10000 {
				th.Complete(0, 1<<20, f)
			}
		},
		"pairs": func(b *Builder, th *ThreadBuilder, f FuncID, i int) {
			b.Correspond(th.Call(0), th.Call(0), NoObject)
			if i == 0x10000 {
				th.Complete(0, 1<<20, f)
			}
		},
		"notes": func(_ *Builder, th *ThreadBuilder, _ FuncID, _ int) { th.Holds(100) },
	} {
		for _, n := range []int{1_000, 40_000, 200_000} {
			b := NewBuilder("test")
			f, th, most := b.Function(Function{Name: "f"}), b.Thread("1", -1), int64(0)
			b.Weigh(func(bytes, _ int64) error {
				most = max(most, bytes)
				if bytes > 3<<20 {
					return enough
				}
				return nil
			})
			i := 0
			for ; i < n && b.Refused() == nil; i++ {
				add(b, th, f, 0x10000+i)
			}
			_, err := b.Build(context.Background())
			if many := n > 150_000; many && !errors.Is(err, enough) || n == 1_000 && err != nil {
				t.Errorf("%d %s: %v after %d of them, %d bytes", n, what, err, i, most)
			}
		}
	}
}

// TestWeighTogether has several goroutines feed a thread each.
func TestWeighTogether(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	b.Weigh(func(bytes, _ int64) error { return errors.New("enough") })
	var all sync.WaitGroup
	for range 4 {
		th := b.Thread("x", -1)
		all.Go(func() {
			for at := range int64(20_000) {
				th.Begin(at, f)
				th.End(at)
			}
		})
	}
	all.Wait()
	if b.Refused() == nil {
		t.Error("the Builder took 3 MB without asking")
	}
}

// TestThreadsAreCheap: a thread that is only named takes little, and few calls little more.
func TestThreadsAreCheap(t *testing.T) {
	if s := unsafe.Sizeof(ThreadBuilder{}); s > 192 {
		t.Errorf("a ThreadBuilder has %d bytes", s)
	}
	if s := unsafe.Sizeof(Thread{}); s > 296 {
		t.Errorf("a Thread has %d bytes", s)
	}
	for what, c := range map[string]struct {
		most uint64
		fill func(th *ThreadBuilder)
	}{
		"named":     {250, func(th *ThreadBuilder) { th.SetName("n") }},
		"of a call": {1000, func(th *ThreadBuilder) { th.Begin(1, 0); th.End(2) }},
	} {
		const n = 10_000
		ids := make([]string, n)
		for i := range ids {
			ids[i] = strconv.Itoa(i)
		}
		b, _ := newTestBuilder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, id := range ids {
			c.fill(b.Thread(id, -1))
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / n; got > c.most {
			t.Errorf("%s: %d bytes a thread", what, got)
		}
	}
}
