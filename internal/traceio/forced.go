package traceio

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// CheckFormat returns an error that lists all formats if a name is not one of theirs.
func CheckFormat(name string) error {
	if named(name) == nil {
		return fmt.Errorf("there is no format %q; the formats are %s", name, names())
	}
	return nil
}

// CheckSampleType returns an error if a sample type was asked for and no trace is of a format that
// has any. One of two is enough: a profile of several may be compared with one of another format.
func CheckSampleType(sampleType string, traces ...*trace.Trace) error {
	if sampleType == "" || slices.ContainsFunc(traces, func(tr *trace.Trace) bool {
		l := named(tr.Format)
		return l == nil || l.Samples
	}) {
		return nil
	}
	var names, have []string
	for _, tr := range traces {
		names = append(names, tr.Format)
	}
	for _, l := range loaders {
		if l.Samples {
			have = append(have, l.Name)
		}
	}
	slices.Sort(names)
	return fmt.Errorf("--sample-type %s: files of %s have none; those of %s may", sampleType,
		strings.Join(slices.Compact(names), " and "), strings.Join(have, ", "))
}

// FormatNames returns the names of all formats that Load reads.
func FormatNames() (all []string) {
	for _, l := range loaders {
		all = append(all, l.Name)
	}
	return all
}

func names() string { return strings.Join(FormatNames(), ", ") }

func named(name string) *Loader {
	for i := range loaders {
		if loaders[i].Name == name {
			return &loaders[i]
		}
	}
	return nil
}

// open opens the input at path for the loader. In an archive it takes the first file that the
// loader knows, and otherwise the first of all.
func (l *Loader) open(ctx context.Context, path string, o input.Options) (*input.Source, *Loader, error) {
	src, err := input.Open(ctx, path, o, l.Sniff)
	if err == nil && src.Dir != nil && !l.takes(src) {
		src, err = src.Enter(l.takes)
	}
	return src, l, err
}

// takes reports whether a loader can try a source that its Sniff may not know. A directory, with
// any number of files, must be known, since otherwise nothing says which of them to read.
func (l *Loader) takes(src *input.Source) bool {
	return l.Sniff(src) || src.Dir == nil && !l.Dirs
}

// unfit says why a loader cannot try a source.
func (l *Loader) unfit(src *input.Source) error {
	what := "a file"
	if src.Dir != nil {
		what = "a directory or an archive without a recording of that format"
	}
	if src.Dir == nil || src.Damage == nil {
		return &input.FormatError{File: src.Path, Offset: -1,
			Reason: fmt.Sprintf("this is %s, and cannot be read as %s (%s)", what, l.Name, l.Title)}
	}
	return src.Damage
}
