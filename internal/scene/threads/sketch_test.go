package threads

import (
	"context"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/wait"
)

// sketch builds traces by hand; times are in ms.
type sketch struct {
	b *trace.Builder
	n int
}

type hand struct {
	s  *sketch
	th *trace.ThreadBuilder
}

func newSketch() *sketch { return &sketch{b: trace.NewBuilder("sketch")} }

func (s *sketch) thread(name string) hand {
	s.n++
	th := s.b.Thread(string(rune('0'+s.n)), -1)
	th.SetName(name)
	return hand{s, th}
}

const ms = 1_000_000

// call adds a call and within it what inside adds.
func (l hand) call(from, to float64, name string, inside ...func()) trace.Ref {
	r := l.th.Begin(int64(from*ms), l.s.b.Function(trace.Function{Name: name}))
	for _, f := range inside {
		f()
	}
	l.th.End(int64(to * ms))
	return r
}

func (l hand) wait(from, to float64, name string, on ...string) {
	l.block(trace.Wait, from, to, name, on)
}

func (l hand) release(at float64, name string, on ...string) {
	l.block(trace.Release, at, at+.02, name, on)
}

func (l hand) io(from, to float64, name string, on ...string) {
	l.block(trace.IO, from, to, name, on)
}

func (l hand) block(k trace.BlockKind, from, to float64, name string, on []string) {
	var objects []trace.ObjectID
	for _, o := range on {
		objects = append(objects, l.s.b.Object(o))
	}
	l.th.Block(l.call(from, to, name), k, objects...)
}

func (s *sketch) find(t testing.TB) *wait.Analysis {
	tr, err := s.b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return find(t, tr)
}

// lesson is one wait of a worker for its master (SyncTrace, figures 2 and 3).
func lesson(t testing.TB) *wait.Analysis {
	s := newSketch()
	m := s.thread("master")
	m.call(0, 100, "main", func() {
		m.call(5, 40, "prepare", func() { m.call(10, 22, "parse"); m.call(24, 38, "check") })
		m.call(44, 70, "publish", func() { m.release(62, "sem_post", "job") })
		m.call(74, 98, "finish")
	})
	w := s.thread("worker")
	w.call(2, 98, "run", func() {
		w.wait(30, 64, "sem_wait", "job")
		w.call(66, 96, "work", func() { w.io(70, 84, "write", "log") })
	})
	o := s.thread("other")
	o.call(0, 95, "loop", func() {
		o.call(10, 45, "step", func() { o.wait(20, 40, "cond_wait", "done") })
		o.call(50, 90, "step")
	})
	n := s.thread("notifier")
	n.call(0, 90, "serve", func() {
		n.call(20, 50, "answer", func() { n.release(38, "cond_signal", "done") })
	})
	return s.find(t)
}

// office is a browser of sorts (SyncTrace, section V): a main thread that hands out work, workers
// of which one is mostly idle, a hang monitor that waits all its life, a poller, and a writer.
func office(t testing.TB) *wait.Analysis {
	s := newSketch()
	main := s.thread("main")
	jobs := []float64{60, 130, 150, 210, 290, 300, 380, 470, 520, 610, 700, 790, 800, 880}
	main.call(0, 1000, "do_main", func() {
		main.call(5, 40, "init", func() { main.io(10, 34, "read", "prefs") })
		for i, at := range jobs {
			main.call(at, at+9, "dispatch", func() {
				main.call(at+1, at+4, "prepare")
				queue := "queue"
				if i%5 == 4 {
					queue = "scripts"
				}
				main.release(at+6, "sem_post", queue)
			})
			main.call(at+10, at+38, "layout", func() {
				main.release(at+10.5, "mutex_unlock", "heap")
				for k := range 40 {
					main.call(at+11+float64(k)*.6, at+11.4+float64(k)*.6, "measure")
				}
			})
		}
		main.call(930, 990, "join", func() { main.wait(940, 985, "cond_wait", "flushed") })
	})
	hang := s.thread("HangMonitor")
	hang.call(8, 1000, "ThreadMain", func() {
		r := hang.call(10, 1000, "PR_Wait")
		hang.th.Block(r, trace.Wait, s.b.Object("wake up"))
		hang.th.Flag(r, trace.Unclosed)
	})
	work := func(name, queue string, start float64, mine func(i int) bool) {
		w := s.thread(name)
		w.call(start, 995, "ThreadFunc", func() {
			at := start + 1
			for i, job := range jobs {
				if !mine(i) {
					continue
				}
				w.wait(at, job+7, "sem_wait", queue)
				w.call(job+8, job+24, "process", func() {
					w.wait(job+9, job+12, "mutex_lock", "heap")
					w.release(job+14, "mutex_unlock", "heap")
				})
				at = job + 26
			}
		})
	}
	work("pool", "queue", 20, func(i int) bool { return i%5 != 4 && i%2 == 0 })
	work("pool", "queue", 22, func(i int) bool { return i%5 != 4 && i%2 == 1 })
	work("compressor", "scripts", 24, func(i int) bool { return i%5 == 4 })
	poll := s.thread("poller")
	poll.call(15, 990, "loop", func() {
		for at := 20.0; at < 980; at += 32 {
			poll.call(at, at+28, "poll", func() { poll.wait(at+2, at+27, "sleep", "timer") })
		}
	})
	disk := s.thread("disk")
	disk.call(30, 985, "flush", func() {
		for at := 60.0; at < 900; at += 90 {
			disk.call(at, at+50, "store", func() { disk.io(at+5, at+45, "write", "cache") })
		}
		disk.release(980, "cond_signal", "flushed")
	})
	a := s.find(t)
	return a
}
