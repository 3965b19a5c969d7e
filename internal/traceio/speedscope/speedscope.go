// Package speedscope loads the JSON files of speedscope (its file-format-schema.json), which many
// samplers write: py-spy, rbspy, dotnet-trace, Austin, and speedscope itself. A file has a table of
// frames and any number of profiles, each of which becomes a thread:
//
//   - sampled: stacks in the order of time, each with how long it lasts. Consecutive stacks that
//     agree on a frame make one call, and the thread is marked as sampled (traceio/stacks);
//   - evented: frames that are opened and closed at times, which are calls.
//
// The units of time (nanoseconds to seconds) make a timeline. Profiles in bytes, or of no unit,
// mostly come from tools that sum up: they become pseudo-threads whose axis is the value, as
// pprof's do. Values with a fraction are rounded so that their sum stays right.
//
// A trace has one axis, so it shows the profiles of one unit: the one asked for, by unit or by a
// profile's name; else that of the profile that the file calls active, or of the first. Trace.Tool
// says what the file holds besides.
//
// Members come in any order, and the table of frames mostly comes last: read.go keeps profiles as
// stacks of frame numbers, and build.go makes calls of them once all is read.
package speedscope

import (
	"cmp"
	"context"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// Load reads a file into b. It fails if there is no profile in it, or none of the kind asked for.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	r := jsonin.NewReader(src.Stream)
	f := newFile(ctx, src)
	f.read(r)
	if err := cmp.Or(ctx.Err(), f.full); err != nil {
		return err
	}
	if len(f.profiles) == 0 {
		return &input.FormatError{File: src.Path, Offset: r.Offset(), Reason: "no profile", Err: r.Err()}
	}
	if err := r.Err(); err != nil {
		b.Diagnose(trace.Truncated, 1, "%v", err)
	} else if !r.End() {
		b.Diagnose(trace.BadRecord, 1, "text after offset %d is not read", r.Offset())
	}
	if n, first := r.Misfits(); n > 0 {
		b.Diagnose(trace.BadRecord, n, "%s", first)
	}
	return f.build(ctx, src, o.SampleType, b)
}

// ownMembers are members of a profile, most of which no other format has.
var ownMembers = map[string]bool{"type": true, "unit": true, "startValue": true, "endValue": true,
	"events": true, "samples": true, "weights": true}

// Sniff reports whether the source is an object that names speedscope's schema, or has profiles or
// frames as only such a file has them.
func Sniff(src *input.Source) bool {
	r := jsonin.NewHead(src.Head)
	if r.Kind() != '{' {
		return false
	}
	for name := range r.Members() {
		switch name {
		case "$schema":
			return strings.Contains(r.Text(), "speedscope")
		case "profiles":
			return listsProfiles(r)
		case "shared":
			for name := range r.Members() {
				return name == "frames"
			}
		case "traceEvents":
			return false
		}
	}
	return false
}

// listsProfiles reports whether the list ahead begins with a profile, as far as the head shows it.
func listsProfiles(r *jsonin.Reader) bool {
	for range r.Elements() {
		own := 0
		for name := range r.Members() {
			if ownMembers[name] {
				own++
			}
		}
		const enough = 3
		return own >= enough || own > 0 && r.Err() != nil
	}
	return false
}
