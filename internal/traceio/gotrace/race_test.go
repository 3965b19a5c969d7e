//go:build unix

package gotrace

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	rtrace "runtime/trace"
	"sync"
	"testing"
	"time"

	"diptych/internal/peers"
)

// BenchmarkPlainRead races the way from a recording to a finished trace against reading its events
// with the library that decodes them. The files are short, so much of their time goes to what is
// new in them: threads, stacks, functions. The others are recorded here, and are long.
func BenchmarkPlainRead(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	all := recordings(b)
	all["channels"] = recorded(b, func(done *sync.WaitGroup) { exchange(done, 8, 50_000) })
	all["requests"] = recorded(b, func(done *sync.WaitGroup) { serve(done, 5_000) })
	for name, data := range all {
		b.Run(name, func(b *testing.B) {
			debug.SetGCPercent(garbage())
			peers.Race(b, func() { load(b, data) }, func() { drain(b, data) })
		})
	}
}

// garbage returns at which percentage the command line has garbage collected in a heap as small as
// this one: when that is 64 MB.
func garbage() int {
	const small = 64 << 20
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live := max(m.HeapAlloc, 4<<20)
	return max(25, int(100*(small-min(live, small))/live))
}

// recorded returns a recording of work, which is done when all goroutines are.
func recorded(b *testing.B, work func(done *sync.WaitGroup)) []byte {
	b.Helper()
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		b.Fatal(err)
	}
	var done sync.WaitGroup
	work(&done)
	done.Wait()
	rtrace.Stop()
	return buf.Bytes()
}

// exchange has pairs of goroutines pass on a number to and fro.
func exchange(done *sync.WaitGroup, pairs, times int) {
	for range pairs {
		there, back := make(chan int), make(chan int)
		done.Go(func() {
			for i := range times {
				there <- i
				<-back
			}
			close(there)
		})
		done.Go(func() {
			for i := range there {
				back <- i
			}
		})
	}
}

// serve has short-lived goroutines, ten at a time, work in a region each and take turns with a lock.
func serve(done *sync.WaitGroup, times int) {
	var lock sync.Mutex
	for range times {
		var ten sync.WaitGroup
		for range 10 {
			ten.Go(func() {
				rtrace.WithRegion(context.Background(), "request", func() {
					lock.Lock()
					defer lock.Unlock()
					time.Sleep(0)
				})
			})
		}
		ten.Wait()
	}
}
