// Pipeline is the Go program whose execution traces and profiles stand in testdata: documents are
// written, packed and counted by a few workers that share one table of words, kept either behind a
// mutex or by a goroutine of its own behind a channel.
//
//	pipeline [-mode mutex|chan] [-workers N] [-docs N] [-words N] [-level 1..9]
//	         [-trace FILE] [-cpu FILE] [-heap FILE] [-mutex FILE]
//
// The work is deterministic; what differs between two runs is timing and the flags. It builds with
// Go 1.19, so that the older trace formats can be recorded too.
package main

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sort"
	"strings"
	"sync"
)

// A document travels through the pipeline with the task that its regions belong to.
type document struct {
	ctx  context.Context
	task *trace.Task
	name string
	text string
}

type digest = [sha256.Size]byte

// A table counts words and keeps each document's digest.
type table struct {
	words   map[string]int
	digests map[string]digest
}

func newTable() *table {
	return &table{words: map[string]int{}, digests: map[string]digest{}}
}

func (t *table) add(name string, count map[string]int, digest digest) {
	for w, n := range count {
		t.words[w] += n
	}
	t.digests[name] = digest
}

// top returns the n commonest words, ties in alphabetical order.
func (t *table) top(n int) []string {
	var words []string
	for w := range t.words {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := words[i], words[j]
		if t.words[a] != t.words[b] {
			return t.words[a] > t.words[b]
		}
		return a < b
	})
	if len(words) > n {
		words = words[:n]
	}
	return words
}

// A keeper is one of the two ways to share a table. Merge may be called by many goroutines; after
// close, the table belongs to the caller.
type keeper interface {
	merge(ctx context.Context, name string, count map[string]int, digest digest)
	close() *table
}

// locked keeps its table behind a mutex.
type locked struct {
	mu sync.Mutex
	t  *table
}

func (l *locked) merge(ctx context.Context, name string, count map[string]int, digest digest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	trace.WithRegion(ctx, "locked", func() { l.t.add(name, count, digest) })
}

func (l *locked) close() *table { return l.t }

// owned leaves its table to one goroutine that is sent the changes.
type owned struct {
	changes chan func(*table)
	result  chan *table
}

func newOwned() *owned {
	o := &owned{changes: make(chan func(*table)), result: make(chan *table)}
	go o.own()
	return o
}

func (o *owned) own() {
	t := newTable()
	for change := range o.changes {
		change(t)
	}
	o.result <- t
}

func (o *owned) merge(ctx context.Context, name string, count map[string]int, digest digest) {
	trace.WithRegion(ctx, "send", func() {
		o.changes <- func(t *table) { t.add(name, count, digest) }
	})
}

func (o *owned) close() *table {
	close(o.changes)
	return <-o.result
}

// write makes up a text whose word frequencies follow Zipf's law.
func write(seed int64, words int) string {
	r := rand.New(rand.NewSource(seed))
	zipf := rand.NewZipf(r, 1.2, 4, 4000)
	var b strings.Builder
	for i := 0; i < words; i++ {
		fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		if r.Intn(12) == 0 {
			b.WriteString(".\n")
		}
	}
	return b.String()
}

func count(text string) map[string]int {
	words := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		for _, w := range strings.Fields(line) {
			words[strings.Trim(w, ".")]++
		}
	}
	delete(words, "")
	return words
}

func pack(text string, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return nil, err
	}
	return b.Bytes(), w.Close()
}

// produce sends the documents, each under a task of its own that its worker ends.
func produce(ctx context.Context, docs, words int) <-chan document {
	out := make(chan document)
	go func() {
		defer close(out)
		for i := 0; i < docs; i++ {
			ctx, task := trace.NewTask(ctx, "document")
			d := document{ctx: ctx, task: task, name: fmt.Sprintf("doc%d", i)}
			trace.Log(ctx, "name", d.name)
			trace.WithRegion(ctx, "write", func() { d.text = write(int64(i), words+words*(i%5)/4) })
			out <- d
		}
	}()
	return out
}

// process takes one document all the way into the table.
func process(d document, level int, k keeper) error {
	defer d.task.End()
	var (
		words  map[string]int
		packed []byte
		err    error
	)
	trace.WithRegion(d.ctx, "process", func() {
		trace.WithRegion(d.ctx, "pack", func() { packed, err = pack(d.text, level) })
		trace.WithRegion(d.ctx, "count", func() { words = count(d.text) })
		trace.WithRegion(d.ctx, "merge", func() {
			k.merge(d.ctx, d.name, words, sha256.Sum256(packed))
		})
	})
	return err
}

func run(k keeper, workers, docs, words, level int) error {
	ctx, task := trace.NewTask(context.Background(), "run")
	defer task.End()
	source := produce(ctx, docs, words)
	failed := make(chan error, workers)
	for i := 0; i < workers; i++ {
		go func() {
			var first error
			for d := range source {
				if err := process(d, level, k); err != nil && first == nil {
					first = err
				}
			}
			failed <- first
		}()
	}
	var first error
	for i := 0; i < workers; i++ {
		if err := <-failed; err != nil && first == nil {
			first = err
		}
	}
	trace.WithRegion(ctx, "top", func() { fmt.Println(k.close().top(5)) })
	return first
}

// recorder opens the recordings that were asked for; stop completes them.
type recorder struct {
	trace, cpu, heap, mutex string
	open                    []*os.File
}

func (r *recorder) start() error {
	if r.trace != "" {
		f, err := r.create(r.trace)
		if err != nil {
			return err
		}
		if err := trace.Start(f); err != nil {
			return err
		}
	}
	if r.cpu != "" {
		f, err := r.create(r.cpu)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	if r.heap != "" {
		runtime.MemProfileRate = 16 << 10
	}
	if r.mutex != "" {
		runtime.SetMutexProfileFraction(1)
	}
	return nil
}

func (r *recorder) create(name string) (*os.File, error) {
	f, err := os.Create(name)
	if err == nil {
		r.open = append(r.open, f)
	}
	return f, err
}

func (r *recorder) stop() error {
	trace.Stop()
	pprof.StopCPUProfile()
	if r.heap != "" {
		runtime.GC() // a heap profile stands as of the last collection
	}
	for profile, name := range map[string]string{"heap": r.heap, "mutex": r.mutex} {
		if name == "" {
			continue
		}
		f, err := r.create(name)
		if err != nil {
			return err
		}
		if err := pprof.Lookup(profile).WriteTo(f, 0); err != nil {
			return err
		}
	}
	for _, f := range r.open {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	var r recorder
	mode := flag.String("mode", "mutex", "how the table is shared: mutex or chan")
	workers := flag.Int("workers", 4, "number of workers")
	docs := flag.Int("docs", 24, "number of documents")
	words := flag.Int("words", 400, "words of the shortest document")
	level := flag.Int("level", 6, "compression level")
	flag.StringVar(&r.trace, "trace", "", "write an execution trace to `FILE`")
	flag.StringVar(&r.cpu, "cpu", "", "write a CPU profile to `FILE`")
	flag.StringVar(&r.heap, "heap", "", "write a heap profile to `FILE`")
	flag.StringVar(&r.mutex, "mutex", "", "write a mutex profile to `FILE`")
	flag.Parse()

	err := r.start()
	if err == nil {
		var k keeper = &locked{t: newTable()}
		if *mode == "chan" {
			k = newOwned()
		}
		err = run(k, *workers, *docs, *words, *level)
	}
	if stopErr := r.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}
