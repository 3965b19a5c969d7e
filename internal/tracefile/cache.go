package tracefile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"diptych/internal/output"
	"diptych/internal/spill"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// DefaultLimit bounds all files together, in bytes.
const DefaultLimit = 8 << 30

// Cache is a directory of traces. Nothing on disk is touched before its first use. All methods may
// be called by several goroutines at once, and several programs may share the directory. A nil
// Cache keeps nothing.
type Cache struct {
	// All makes traces be kept even if they load quickly. It is for tests.
	All bool
	// Delay is how long after it was loaded a trace is written: what is done with it comes first.
	Delay time.Duration
	// Say, which may be nil, is told if a file was found damaged when it was opened, from any
	// goroutine.
	Say func(Damage)

	dir   string // "" if there is none
	limit int64
	build func() string // tests replace this and the next
	racy  time.Duration

	mu     sync.Mutex // for what follows
	mapped []*mapping // in the order in which they were opened
	news   []Damage   // that News has not told

	writing sync.WaitGroup
	life    context.Context // of what is written
	end     context.CancelFunc
}

// At returns the cache in a directory, which is made when a trace is first kept.
func At(dir string, limit int64) *Cache {
	c := &Cache{dir: dir, limit: limit, build: sync.OnceValue(program), racy: racy}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// A trace that loads in less time, or that takes less memory, is not kept: it would open in about
// the same time, and fill the directory.
const (
	leastTime  = 150 * time.Millisecond
	leastBytes = 4 << 20
)

// Load returns the trace at path as traceio.Load does, from the cache if it is there. A trace that
// took long to load is then written in the background.
func (c *Cache) Load(ctx context.Context, path string, o input.Options) (*trace.Trace, error) {
	tr, _, err := c.LoadFrom(ctx, path, o)
	return tr, err
}

// LoadFrom is Load that also tells what the trace was read from, if the file system can tell later
// whether that has changed, and else returns nil for it.
func (c *Cache) LoadFrom(ctx context.Context, path string, o input.Options) (*trace.Trace, *Source, error) {
	q, err := c.ask(ctx, path, o)
	if err != nil {
		tr, err := traceio.Load(ctx, path, o)
		return tr, nil, err
	}
	tr, err := q.load(o)
	return tr, q.source(), err
}

// keeps reports whether the cache keeps anything.
func (c *Cache) keeps() bool { return c != nil && c.dir != "" && c.build() != "" }

// load returns the trace from the cache, or reads it.
func (q *query) load(o input.Options) (*trace.Trace, error) {
	ctx, c := q.ctx, q.cache
	o.Watch = q.watch
	if !c.keeps() {
		return traceio.Load(ctx, q.path, o)
	}
	if o.Outline != nil {
		q.show = func(g trace.Glimpse) {
			o.Outline.Show(g)
			awaitDrawn(ctx, o.Outline.Drawn, patience)
		}
	}
	if tr := q.find(ctx); tr != nil {
		if size := max(q.watched[0].size, 0); o.Progress != nil {
			o.Progress(size, size)
		}
		return tr, nil
	}
	began := time.Now()
	tr, err := traceio.Load(ctx, q.path, o)
	if err == nil && !spill.Supported && footprint(tr) > int64(o.Memory.Limit())/2 {
		return q.exchange(ctx, tr), ctx.Err()
	}
	if err == nil && (c.All || time.Since(began) >= leastTime && footprint(tr) >= leastBytes) {
		c.writing.Go(func() {
			select {
			case <-time.After(c.Delay):
				_ = q.keep(c.life, tr) // what is not kept is loaded again
			case <-c.life.Done():
			}
		})
	}
	return tr, err
}

// exchange returns the same trace, mapped, so that the one that takes much of the memory can go:
// the system drops mapped columns where it needs the memory. If it cannot be kept, it returns the
// trace.
func (q *query) exchange(ctx context.Context, tr *trace.Trace) *trace.Trace {
	if q.keep(ctx, tr) == nil {
		if mapped := q.find(ctx); mapped != nil {
			return mapped
		}
	}
	return tr
}

func footprint(tr *trace.Trace) int64 {
	f := tr.Footprint()
	return f.Columns + f.Details + f.Names
}

// Wait returns when all traces are written that have been loaded. Once ctx is done or Stop was
// called, it gives up what is not written, and leaves alone what does not hear of that at once: the
// end of the process takes that along, and what has no sums yet is no trace.
func (c *Cache) Wait(ctx context.Context) {
	if c == nil {
		return
	}
	stop := context.AfterFunc(ctx, c.end)
	defer stop()
	written := make(chan struct{})
	go func() {
		c.writing.Wait()
		close(written)
	}()
	select {
	case <-written:
		return
	case <-c.life.Done():
	}
	select {
	case <-written:
	case <-time.After(mostGivingUp):
	}
}

// mostGivingUp is how long Wait waits for what is given up.
const mostGivingUp = 100 * time.Millisecond

// Stop gives up what is not written: it is for programs that end.
func (c *Cache) Stop() { c.end() }

// query is one loading of a trace.
type query struct {
	cache *Cache
	path  string // as the user named it
	how   string // the options that change the trace
	began time.Time
	ctx   context.Context     // of the loading
	show  func(trace.Glimpse) // nil, or what shows a preview of what is read

	mu      sync.Mutex // for what follows
	watched []watched  // what the trace depends on: first the path itself
	failed  bool       // something has no stamp
}

// ask prepares to load a trace. An error says that nothing can be known of what it is read from.
func (c *Cache) ask(ctx context.Context, path string, o input.Options) (*query, error) {
	if input.Once(path) {
		return nil, errNoStamp
	}
	q := &query{cache: c, path: path, ctx: ctx, began: time.Now()}
	if c.keeps() {
		q.how = fmt.Sprintf("%s %q %q %q %q", c.build(), o.SampleType, o.Format, o.Trace, o.RulesFile)
	}
	q.watch(path)
	if o.RulesFile != "" {
		q.watch(o.RulesFile)
	}
	if q.failed || q.watched[0].size == 0 {
		return nil, errNoStamp
	}
	return q, nil
}

// record says which trace was read from what. Its file is found by the path and the options.
type record struct {
	Trace   string // name of its file
	Watched []seen
}

type seen struct{ Path, Stamp string }

func readRecord(path string) (r record, err error) {
	f, err := openRegular(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(b, &r)
}

func openRegular(path string) (*os.File, error) {
	if err := refuse(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// refuse returns an error if there is something at a path that is no regular file: opening a named
// pipe would wait for whoever is at its other end.
func refuse(path string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	return nil
}

func (q *query) recordPath() string {
	id := sumOf("record", q.how, q.path, q.watched[0].path)
	return filepath.Join(q.cache.dir, id.String()+recordEnding)
}

const recordEnding, traceEnding = ".json", ".trace"

// find returns the trace from the cache, or nil: by the stamps of all that it was read from, or
// else by the content of the file, which may have been copied there.
func (q *query) find(ctx context.Context) *trace.Trace {
	if name := q.recorded(ctx); name != "" {
		return q.open(name)
	}
	if !q.single() {
		return nil
	}
	same, err := filepath.Glob(filepath.Join(q.cache.dir, "*"+q.ofSize()))
	if err != nil || len(same) == 0 {
		return nil // so there is no need to read it
	}
	content, err := contentOf(ctx, q.path)
	if err != nil {
		return nil
	}
	for _, name := range []string{q.nameBy(content, ""), q.nameBy(content, q.path)} {
		if tr := q.open(name); tr != nil {
			if q.unchanged(ctx) {
				_ = q.note(name) // else the content is looked at again
			}
			return tr
		}
	}
	return nil
}

// recorded returns the name of the trace whose stamps are those of now, or "".
func (q *query) recorded(ctx context.Context) string {
	r, err := readRecord(q.recordPath())
	if err != nil || filepath.Base(r.Trace) != r.Trace {
		return ""
	}
	if len(r.Watched) == 0 || r.Watched[0].Path != q.watched[0].path {
		return ""
	}
	var all []watched
	for _, w := range r.Watched {
		s, err := q.stampOf(ctx, w.Path)
		if err != nil || s.sum.String() != w.Stamp {
			return ""
		}
		all = append(all, watched{w.Path, s})
	}
	q.watched = all
	return r.Trace
}

// open reads the file of a trace, and removes it if it is damaged.
func (q *query) open(name string) *trace.Trace {
	path := filepath.Join(q.cache.dir, name)
	f, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	tr, note, body, err := readTrace(f, q.show)
	if err == nil && string(note) == name {
		q.cache.noteMapping(f, tr, body, q.path)
		now := time.Now()
		_ = os.Chtimes(path, now, now) // it is removed sooner otherwise
		return tr
	}
	if err == nil {
		err = damage("of another trace")
	}
	if errors.Is(err, errDamaged) {
		_ = os.Remove(path)
		d := Damage{File: path, Recording: input.Name(q.path), Why: reason(err)}
		q.cache.tell(d)
		if q.cache.Say != nil {
			q.cache.Say(d)
		}
	}
	return nil
}

// single reports whether the trace depends on one regular file alone.
func (q *query) single() bool { return len(q.watched) == 1 && q.watched[0].size > 0 }

// ofSize is how the names of traces end that were read from files of the same size.
func (q *query) ofSize() string { return fmt.Sprint(".", q.watched[0].size, traceEnding) }

// nameBy returns the name of the trace that is read from a content at a path, or from anywhere if
// the trace does not say where it was read from.
func (q *query) nameBy(content sum, path string) string {
	return sumOf("content", q.how, content.String(), path).String() + q.ofSize()
}

// nameByStamps returns the name of a trace that depends on several files.
func (q *query) nameByStamps() string {
	parts := []string{"stamps", q.how, q.path}
	for _, w := range q.watched {
		parts = append(parts, w.path, w.sum.String())
	}
	return sumOf(parts...).String() + traceEnding
}

// note writes the record.
func (q *query) note(name string) error {
	r := record{Trace: name}
	for _, w := range q.watched {
		r.Watched = append(r.Watched, seen{w.path, w.sum.String()})
	}
	b, err := json.Marshal(r)
	if err = errors.Join(err, refuse(q.recordPath())); err != nil {
		return err
	}
	f, err := output.Create(q.recordPath())
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Commit()
}
