package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/report"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// readBoth loads the traces of both sides. Of two files of distributed traces it then loads the
// requests to compare, where these are not the ones that the files show by themselves.
func readBoth(cmd *cobra.Command, paths []string, opts loading) (sides [2]*trace.Trace, err error) {
	if sides, err = readShown(cmd, paths, opts); err != nil {
		return sides, err
	}
	var stays [2]bool
	for s, path := range paths {
		stays[s] = opts.of(pair.Side(s)).Trace != "" || input.Once(path)
	}
	for s, id := range pair.Requests(sides[pair.A], sides[pair.B], stays) {
		if id == "" {
			continue
		}
		o := opts.showing(pair.Side(s), id).of(pair.Side(s))
		if sides[s], err = read(cmd, paths[s], o); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// readShown loads what each file shows by itself. Small ones are loaded at the same time: each
// loader has stretches in which only one processor works, and the other side fills them. Large ones
// are loaded one after the other, so that what a loader needs for a while is never there twice.
func readShown(cmd *cobra.Command, paths []string, opts loading) (sides [2]*trace.Trace, err error) {
	if listed, ok := atOnce(cmd.Context(), paths, opts.Memory); ok {
		return readAtOnce(cmd, paths, opts, listed)
	}
	for s, path := range paths {
		if sides[s], err = read(cmd, path, opts.of(pair.Side(s))); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// atOnceShare is the part of the memory for loading, one in so many, that the files of both sides
// may have if they are loaded at the same time.
const atOnceShare = 8

// atOnce reports whether the recordings at some paths can be loaded at the same time, and what it
// found there. What can be read one time only is not: who writes to two pipes may not write to the
// second before the first is read, and both paths may be standard input.
func atOnce(ctx context.Context, paths []string, m input.Memory) (listed []*input.Listing, ok bool) {
	left := int64(m.Limit()) / atOnceShare
	for _, path := range paths {
		if input.Once(path) {
			return nil, false
		}
		l, err := input.List(ctx, path, m)
		if errors.Is(err, input.ErrLimit) {
			return nil, false
		}
		if err == nil { // other errors are for the loader to tell
			left -= l.Size()
		}
		listed = append(listed, l)
	}
	return listed, left >= 0
}

// readAtOnce loads the traces of both sides at the same time. If neither can be loaded, the error
// is that of A, as if B had not been looked at.
func readAtOnce(cmd *cobra.Command, paths []string, opts loading, listed []*input.Listing) (
	sides [2]*trace.Trace, err error) {
	b := newBar(cmd.ErrOrStderr(), filepath.Base(paths[pair.A])+", "+filepath.Base(paths[pair.B]))
	b.bytes = true
	defer b.done()
	cache, sum := traceCache(cmd), &barSum{bar: b}
	var errs [2]error
	group, under := progress.NewGroup(cmd.Context())
	under, stop := context.WithCancel(under)
	defer stop()
	for s, path := range paths {
		group.Go(func() error {
			o := opts.of(pair.Side(s))
			o.Progress, o.Listing = sum.of(pair.Side(s)), listed[s]
			sides[s], errs[s] = cache.Load(under, path, o)
			if errs[s] != nil && pair.Side(s) == pair.A {
				stop()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return sides, err
	}
	for s := range sides {
		if errs[s] != nil {
			return sides, errs[s]
		}
		limitGarbage(sides[s])
	}
	return sides, nil
}

// barSum shows the progress of both sides as one.
type barSum struct {
	*bar
	sum         sync.Mutex
	done, total [2]int64 // by side
}

// of returns what is told of the progress of a side.
func (b *barSum) of(side pair.Side) progress.Func {
	return func(done, total int64) {
		b.sum.Lock()
		defer b.sum.Unlock()
		b.done[side], b.total[side] = done, total
		all := b.total[pair.A] + b.total[pair.B]
		for sd := range b.done {
			if b.done[sd] > b.total[sd] {
				all = 0 // as nobody knows of one, nobody does of both
			}
		}
		b.report(b.done[pair.A]+b.done[pair.B], all)
	}
}

// writeCompared says above a table which requests are compared, where files hold many.
func writeCompared(out io.Writer, r *report.Requests) {
	if r != nil && r.Text != "" {
		escape.Printf(sentences(out), "%s\n\n", r.Text)
	}
}
