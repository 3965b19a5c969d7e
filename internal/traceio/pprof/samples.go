package pprof

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
	"diptych/internal/traceio/stacks"
)

// grow sums the samples of one type by their stacks.
func grow(p *profile.Profile, column int, names *names, b *trace.Builder) *stacks.Profile {
	tree := stacks.NewTree()
	sums := stacks.NewProfile(tree, b, p.SampleType[column].Unit)
	var stack []trace.FuncID
	for _, s := range p.Sample {
		if v := s.Value[column]; v != 0 {
			stack = names.stack(stack[:0], s)
			sums.Add(tree.Stack(stack), v, labels(s))
		}
	}
	return sums
}

// labels writes a sample's labels as text.
func labels(s *profile.Sample) string {
	if len(s.Label) == 0 && len(s.NumLabel) == 0 {
		return ""
	}
	var all []string
	for key, values := range s.Label {
		for _, v := range values {
			all = append(all, key+"="+v)
		}
	}
	for key, values := range s.NumLabel {
		for i, v := range values {
			unit := ""
			if i < len(s.NumUnit[key]) {
				unit = s.NumUnit[key][i]
			}
			all = append(all, fmt.Sprintf("%s=%d%s", key, v, unit))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// names turns a profile's locations into functions. A location stands for several where calls were
// inlined.
type names struct {
	b     *trace.Builder
	known map[*profile.Location][]trace.FuncID // innermost first
}

func newNames(b *trace.Builder) *names {
	return &names{b: b, known: map[*profile.Location][]trace.FuncID{}}
}

// stack appends the functions of a sample, outermost first, to into.
func (n *names) stack(into []trace.FuncID, s *profile.Sample) []trace.FuncID {
	for _, l := range slices.Backward(s.Location) {
		for _, fn := range slices.Backward(n.location(l)) {
			into = append(into, fn)
		}
	}
	if len(into) == 0 {
		into = append(into, n.b.Function(trace.Function{Name: "(no stack)", Kind: trace.Event}))
	}
	return into
}

func (n *names) location(l *profile.Location) []trace.FuncID {
	fns, ok := n.known[l]
	if ok {
		return fns
	}
	for _, line := range l.Line {
		if f := line.Function; f != nil && f.Name+f.SystemName != "" {
			fns = append(fns, n.b.Function(function(f)))
		}
	}
	if len(fns) == 0 {
		fns = append(fns, n.b.Function(address(l)))
	}
	n.known[l] = fns
	return fns
}

func function(f *profile.Function) trace.Function {
	name := f.Name
	if name == "" {
		name = f.SystemName
	}
	line := f.StartLine
	if line < 0 || line > math.MaxInt32 {
		line = 0
	}
	return trace.Function{
		Name: name, Package: qualified.Package(name), File: f.Filename, Line: int32(line)}
}

// address names code that the profile has no symbol for by its place in its binary, which unlike
// its address is the same in every run.
func address(l *profile.Location) trace.Function {
	m := l.Mapping
	if m == nil || m.File == "" || l.Address < m.Start {
		return trace.Function{Name: fmt.Sprintf("%#x", l.Address)}
	}
	binary := filepath.Base(m.File)
	return trace.Function{
		Name: fmt.Sprintf("%s+%#x", binary, l.Address-m.Start+m.Offset), Package: binary, Module: binary}
}
