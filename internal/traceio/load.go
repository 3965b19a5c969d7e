// Package traceio loads traces. It recognises the format by content, never by name, unpacks on the
// way, and hands the bytes to the format's loader. Each loader is a package of its own below this
// one and a row in the table of formats.go; ARCHITECTURE.md says how to add one.
package traceio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/quantity"
	"diptych/internal/spill"
	"diptych/internal/trace"
	"diptych/internal/traceio/blocking"
	"diptych/internal/traceio/foreign"
	"diptych/internal/traceio/input"
)

// Loader reads one format.
type Loader struct {
	Name  string // one word, which is also the folder of its recordings in testdata
	Title string // what users call files of this format, in the plural
	// Sniff reports whether the source looks like this format, from Source.Head or Source.Dir
	// alone.
	Sniff func(src *input.Source) bool
	// Load feeds the builder with all of the source. A broken record is a diagnostic; an error is
	// for input from which nothing can be kept. It returns promptly when ctx is done.
	Load func(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error
	// Dirs says that the format is a directory's, so that Load cannot read a file.
	Dirs bool
	// Explicit formats say themselves which calls wait, or have no single calls that could; the
	// rules for function names do not apply to them.
	Explicit bool
	// Terse formats say much with few bytes in sound recordings too, as one of a server that starts
	// a goroutine for each request, or samples of a build that starts a process for each file, so
	// what they hold may be more for their size.
	Terse bool
	// Samples formats may have several sample types, events or units, of which Options.SampleType
	// chooses one.
	Samples bool
}

// heapShare is the part of the memory that columns may have of the heap before they lie in a file.
// The rest is for what cannot lie there: names, what loaders hold while they read, and garbage.
const heapShare = 8

// Load reads the trace at path, which may be a file, a directory or a named pipe.
func Load(ctx context.Context, path string, o input.Options) (tr *trace.Trace, err error) {
	rules, err := blockingRules(ctx, o)
	if err != nil {
		return nil, err
	}
	forced := named(o.Format)
	if forced == nil && o.Format != "" {
		return nil, &input.FormatError{File: input.Name(path), Offset: -1, Reason: "cannot open",
			Err: CheckFormat(o.Format)}
	}
	src, l, err := open(ctx, path, o, forced)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	switch broken := src.Broken(); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case broken != nil:
		return nil, broken
	case l == nil:
		return nil, unknown(src)
	case forced != nil && !forced.takes(src):
		return nil, forced.unfit(src)
	}
	b := trace.NewBuilder(l.Name)
	src.Terse = l.Terse
	columns := spill.New(0)
	defer func() { err = withRoom(err, columns) }()
	b.Spill(columns, int64(o.Memory.Limit())/heapShare)
	b.Follow(o.Outline)
	b.Weigh(src.AffordTrace)
	err = l.Load(ctx, src, o, b)
	switch broken := src.Broken(); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case broken != nil:
		return nil, broken // whatever the loader made of it
	case err != nil && forced == nil && errors.Is(err, input.ErrUnknownFormat):
		return nil, unknown(src) // the head looked like the format, and the rest does not
	case err != nil:
		return nil, because(err, b)
	}
	if err := src.Drain(); err != nil {
		return nil, err
	}
	if o.Trace != "" && !b.HasRequests() {
		return nil, &input.FormatError{File: src.Path, Offset: -1,
			Reason: "--trace: the file holds no distributed traces"}
	}
	if !l.Explicit && b.Kind != trace.Profile { // whose calls are sums
		rules.Apply(b)
	}
	diagnose(src, b)
	if tr, err = b.Build(ctx); err != nil {
		return nil, err
	}
	if err := cmp.Or(nothing(src, tr), tooLong(src, tr)); err != nil {
		return nil, err
	}
	if o.Progress != nil {
		o.Progress(src.Size, src.Size) // some files of a directory are of no use
	}
	return tr, nil
}

// withRoom adds to an error about too much memory why the columns lie there and not in a file, as
// where $TMPDIR names a directory that is missing or full.
func withRoom(err error, columns *spill.File) error {
	if why := columns.Err(); why != nil && errors.Is(err, input.ErrLimit) {
		return fmt.Errorf("%w; there is no room for its calls in a temporary file: %w", err, why)
	}
	return err
}

// tooLong returns an error for a trace whose threads last longer in all than 64 bits of ns can say,
// which is 292 years: their work and their idle time could not be added up. That is so if each of
// six threads has an event at 0 and others at the time of day.
func tooLong(src *input.Source, tr *trace.Trace) error {
	sum := 0.0
	for _, th := range tr.Threads {
		start, end := th.Span()
		sum += float64(end - start)
	}
	if sum < math.MaxInt64 {
		return nil
	}
	return &input.FormatError{File: src.Path, Offset: -1, Reason: fmt.Sprintf(
		"its %s last %s in all, but times can be added up only to %s; some of its events may have a time of 0 "+
			"instead of the time of day", plural.Of(len(tr.Threads), "thread"),
		quantity.Format(sum, string(tr.Unit)), quantity.Format(math.MaxInt64, string(tr.Unit)))}
}

// nothing returns an error for a recording of which nothing could be read. A recording that is
// empty itself, such as a list without events, is a trace; and so is one that is sound, and tells
// how long it is, but has only what is not read, such as links of containers without states.
func nothing(src *input.Source, tr *trace.Trace) error {
	lost := func(d trace.Diagnostic) bool {
		return d.Code.Class() == trace.Loss || d.Code == trace.NoRecords ||
			d.Code == trace.NotRead && tr.Duration == 0
	}
	shown := func(th *trace.Thread) bool { return th.Len() > 0 || len(th.Instants) > 0 }
	if !slices.ContainsFunc(tr.Diagnostics, lost) || len(tr.Counters) > 0 ||
		slices.ContainsFunc(tr.Threads, shown) {
		return nil
	}
	return &input.FormatError{File: src.Path, Offset: -1,
		Reason: "nothing of the recording could be read", Err: reasons(tr.Diagnostics)}
}

// because gives an error without a cause, at an offset, what was diagnosed: a loader that found no
// sound record until there says no more than that.
func because(err error, b *trace.Builder) error {
	var bare *input.FormatError
	found := b.Diagnosed()
	if !errors.As(err, &bare) || bare.Err != nil || bare.Offset < 0 || len(found) == 0 {
		return err
	}
	bare.Err = reasons(found)
	return err
}

// reasons words the diagnostic that was counted most often as the cause of an error, and where the
// recording ends too early: that can be what the others come from.
func reasons(found []trace.Diagnostic) error {
	most := slices.MaxFunc(found, func(x, y trace.Diagnostic) int { return cmp.Compare(x.Count, y.Count) })
	text := fmt.Sprintf("%d× %s: %s", most.Count, most.Code, most.Example)
	for _, d := range found {
		if d.Code == trace.Truncated && d != most {
			text += fmt.Sprintf("; %d× %s: %s", d.Count, d.Code, d.Example)
		}
	}
	return errors.New(text)
}

// open opens the input at path and finds its loader, which is nil if none knows the input.
func open(ctx context.Context, path string, o input.Options, forced *Loader) (*input.Source, *Loader, error) {
	if forced != nil {
		return forced.open(ctx, path, o)
	}
	src, err := input.Open(ctx, path, o, func(s *input.Source) bool { return recognise(s) != nil })
	if err != nil {
		return nil, nil, err
	}
	return src, recognise(src), nil
}

// recognise returns the loader for a source, or nil.
func recognise(src *input.Source) *Loader {
	for i := range loaders {
		if loaders[i].Sniff(src) {
			return &loaders[i]
		}
	}
	return nil
}

// unknown says that no loader knows a source, or why it could not be known.
func unknown(src *input.Source) error {
	if src.Damage != nil {
		return src.Damage
	}
	known := func(s *input.Source) bool { return recognise(s) != nil }
	what := foreign.Describe(src, known, names())
	if bad := src.BadSum(); bad != nil {
		what += "; its compressed data is damaged: " + errors.Unwrap(bad).Error()
	}
	return &input.FormatError{File: src.Path, Offset: -1, Err: input.ErrUnknownFormat, Reason: what}
}

// diagnose counts what is wrong with the packing of a source.
func diagnose(src *input.Source, b *trace.Builder) {
	if src.Damage != nil {
		b.Diagnose(trace.Truncated, 1, "%v", src.Damage)
	}
	if bad := src.BadSum(); bad != nil {
		b.Diagnose(trace.BadChecksum, 1, "%v", bad)
	}
	if n := len(src.Beside); n > 0 {
		b.Diagnose(trace.Beside, uint64(n), "%s was opened; %s was not", src.Path, src.Beside[0])
	}
}

// blockingRules returns the built-in classification, extended by the user's file if there is one.
func blockingRules(ctx context.Context, o input.Options) (*blocking.Rules, error) {
	rules := blocking.Builtin()
	if o.RulesFile == "" {
		return rules, nil
	}
	text, err := input.ReadFile(ctx, o.RulesFile, o.Memory)
	if err != nil {
		return nil, err
	}
	return rules, rules.Read(bytes.NewReader(text), o.RulesFile)
}
