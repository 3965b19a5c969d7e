// Package pprof loads profiles that github.com/google/pprof/profile reads: profile.proto and the
// older formats of gperftools. A profile has no time axis; a sample type becomes a pseudo-thread
// whose axis is the sample value (DESIGN §3): children are sorted by function name and as wide as
// their cumulative value.
//
// A trace has one axis, so it shows sample types of one unit: the one asked for; else the profile's
// default type, or the last if it names none, and all others of that type's unit. Trace.Tool says
// what is shown and what the profile holds besides.
package pprof

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Load reads the profile.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	data, err := io.ReadAll(src.Stream)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return src.Fail("cannot read the profile", err)
	}
	p, err := parse(data)
	if err != nil {
		return src.Fail("cannot read the profile", err)
	}
	if cut(data) {
		b.Diagnose(trace.Truncated, 1, "%s: %d samples are kept", src.Path, len(p.Sample))
	}
	shown, err := choose(p, o.SampleType)
	if err != nil {
		return src.Fail("cannot show the profile", err)
	}
	b.Kind, b.Symbols = trace.Profile, true
	b.Unit = unit(p.SampleType[shown[0]])
	b.Tool = tool(p, shown)
	names := newNames(b)
	for at, column := range shown {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := b.Thread(p.SampleType[column].Type, -1)
		t.SetRole(p.SampleType[column].Type, false)
		t.SetSort(at)
		grow(p, column, names, b).write(t, names)
	}
	return nil
}

// parse guards against a parser that is written for intact profiles.
func parse(data []byte) (p *profile.Profile, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("broken profile: %v", r)
		}
	}()
	p, err = profile.ParseData(data)
	if err == nil && len(p.SampleType) == 0 {
		err = fmt.Errorf("it has no sample type")
	}
	return p, err
}

// choose returns the columns to show, the most wanted first.
func choose(p *profile.Profile, want string) ([]int, error) {
	if want != "" {
		for i, v := range p.SampleType {
			if v.Type == want || v.Type+"/"+v.Unit == want {
				return []int{i}, nil
			}
		}
		return nil, fmt.Errorf("no sample type %q (it has %s)", want, list(p.SampleType))
	}
	first := len(p.SampleType) - 1
	for i, v := range p.SampleType {
		if v.Type == p.DefaultSampleType {
			first = i
		}
	}
	shown := []int{first}
	for i, v := range p.SampleType {
		if i != first && v.Unit == p.SampleType[first].Unit {
			shown = append(shown, i)
		}
	}
	return shown, nil
}

func unit(v *profile.ValueType) trace.Unit {
	if v.Unit == "nanoseconds" {
		return trace.Nanoseconds
	}
	return trace.Unit(v.Unit)
}

// tool says which of the profile's sample types are shown.
func tool(p *profile.Profile, shown []int) string {
	in := map[int]bool{}
	var is, besides []*profile.ValueType
	for _, i := range shown {
		in[i] = true
		is = append(is, p.SampleType[i])
	}
	for i, v := range p.SampleType {
		if !in[i] {
			besides = append(besides, v)
		}
	}
	text := "pprof " + list(is)
	if len(besides) > 0 {
		text += " (besides: " + list(besides) + ")"
	}
	return text
}

func list(types []*profile.ValueType) string {
	var names []string
	for _, v := range types {
		names = append(names, v.Type+"/"+v.Unit)
	}
	return strings.Join(names, ", ")
}
