package tracefile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"diptych/internal/output"
	"diptych/internal/trace"
)

// keep writes a trace that was loaded, if what it was read from has not changed meanwhile.
func (q *query) keep(ctx context.Context, tr *trace.Trace) error {
	if !q.unchanged(ctx) {
		return errNoStamp
	}
	name := q.nameByStamps()
	if q.single() {
		content, err := contentOf(ctx, q.path)
		if err != nil {
			return err
		}
		from := ""
		if mentions(tr, filepath.Base(q.path)) {
			from = q.path
		}
		name = q.nameBy(content, from)
	}
	if err := os.MkdirAll(q.cache.dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(q.cache.dir, name)); err != nil {
		if err := q.cache.makeRoom(footprint(tr)); err != nil {
			return err
		}
		if err := q.cache.write(ctx, tr, name); err != nil {
			return err
		}
	}
	if q.single() && !q.unchanged(ctx) { // while its content was read
		return errors.Join(errNoStamp, os.Remove(filepath.Join(q.cache.dir, name)))
	}
	return q.note(name)
}

// mentions reports whether a trace holds a text, as examples of diagnostics name the file.
func mentions(tr *trace.Trace, text string) bool {
	return bytes.Contains(outlineOf(&writer{to: io.Discard, dry: true}, tr.Form()).text, []byte(text))
}

// write writes the file of a trace. A failure leaves none.
func (c *Cache) write(ctx context.Context, tr *trace.Trace, name string) error {
	f, err := output.Create(filepath.Join(c.dir, name))
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := writeTrace(cancellable{ctx, f}, tr, []byte(name)); err != nil {
		return err
	}
	return f.Commit()
}

// cancellable is a writer that fails when ctx is done.
type cancellable struct {
	ctx context.Context
	to  io.Writer
}

func (w cancellable) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(b)
}

var errNoRoom = errors.New("no room")

// makeRoom removes the traces that were used longest ago until another one of some bytes has room.
// A trace that is open somewhere stays there. It refuses one that would take most of the limit or
// of what the disk has free.
func (c *Cache) makeRoom(bytes int64) error {
	if bytes > c.limit/2 || bytes > room(c.dir)/2 {
		return errNoRoom
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	type file struct {
		name string
		size int64
		used time.Time
	}
	var files []file
	total := bytes
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), traceEnding) {
			continue // gone meanwhile, or a record
		}
		files = append(files, file{e.Name(), st.Size(), st.ModTime()})
		total += st.Size()
	}
	slices.SortFunc(files, func(x, y file) int { return x.used.Compare(y.used) })
	removed := 0
	for _, f := range files {
		if total <= c.limit {
			break
		}
		if err := os.Remove(filepath.Join(c.dir, f.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		total -= f.size
		removed++
	}
	if records := len(entries) - len(files); removed > 0 || records > mostRecords {
		return c.sweepRecords(entries)
	}
	return nil
}

// mostRecords is how many records there may be before those are looked for whose traces are gone.
const mostRecords = 1 << 10

// sweepRecords removes the records whose traces are gone.
func (c *Cache) sweepRecords(entries []os.DirEntry) (err error) {
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), recordEnding) {
			continue
		}
		path := filepath.Join(c.dir, e.Name())
		if r, bad := readRecord(path); bad == nil {
			if _, gone := os.Stat(filepath.Join(c.dir, filepath.Base(r.Trace))); gone == nil {
				continue
			}
		}
		err = cmp.Or(err, os.Remove(path))
	}
	return err
}
