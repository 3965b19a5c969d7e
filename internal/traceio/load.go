// Package traceio loads traces. It recognises the format by content, never by name, unpacks gzip
// and zstd on the way, and hands the bytes to the format's loader. Each loader is a package of its
// own below this one and a row in the table of formats.go; ARCHITECTURE.md says how to add one.
package traceio

import (
	"context"
	"os"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/blocking"
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
	// Explicit formats say themselves which calls wait, or have no single calls that could; the
	// rules for function names do not apply to them.
	Explicit bool
}

// Load reads the trace at path, which may be a file or a directory.
func Load(ctx context.Context, path string, o input.Options) (*trace.Trace, error) {
	if o.Progress == nil {
		o.Progress = func(done, total int64) {}
	}
	rules, err := blockingRules(o.RulesFile)
	if err != nil {
		return nil, err
	}
	src, closeSrc, err := open(ctx, path, o.Progress)
	if err != nil {
		return nil, err
	}
	defer closeSrc()
	for _, l := range loaders {
		if !l.Sniff(src) {
			continue
		}
		b := trace.NewBuilder(l.Name)
		if err := l.Load(ctx, src, o, b); err != nil {
			return nil, err
		}
		if !l.Explicit {
			rules.Apply(b)
		}
		if src.Damage != nil {
			b.Diagnose(trace.Truncated, 1, "%v", src.Damage)
		}
		tr, err := b.Build(ctx)
		if err == nil {
			o.Progress(src.Size, src.Size) // some files of a directory are of no use
		}
		return tr, err
	}
	if src.Damage != nil {
		return nil, src.Damage
	}
	return nil, &input.FormatError{File: path, Offset: -1, Err: input.ErrUnknownFormat,
		Reason: "not a trace in a format read here (" + names() + ")"}
}

// blockingRules returns the built-in classification, extended by the user's file if there is one.
func blockingRules(file string) (*blocking.Rules, error) {
	rules := blocking.Builtin()
	if file == "" {
		return rules, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, readable(file, err)
	}
	defer f.Close()
	return rules, rules.Read(f, file)
}

func names() string {
	var all []string
	for _, f := range Formats() {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}
