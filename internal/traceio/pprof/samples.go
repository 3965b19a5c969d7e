package pprof

import (
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/qualified"
	"diptych/internal/traceio/stacks"
)

// grow sums the samples of one type by their stacks. A sample may say with two bytes what expands
// to a stack or a text of any size, so it is weighed in between.
func grow(p *profile.Profile, column int, names *names, b *trace.Builder) (*stacks.Profile, error) {
	tree := stacks.NewTree()
	axis, per := unit(p.SampleType[column])
	sums := stacks.NewProfile(tree, b, string(axis))
	var stack []trace.FuncID
	for _, s := range p.Sample {
		if v := s.Value[column]; v != 0 {
			var err error
			if stack, err = names.stack(stack[:0], s); err != nil {
				return nil, err
			}
			names.work += int64(len(stack)) + labelBytes(s)
			if err = names.afford(stack, tree.Len(), sums.LabelBytes()+labelBytes(s)); err != nil {
				return nil, err
			}
			sums.Add(tree.Stack(stack), times(v, per), labels(s))
		}
	}
	return sums, nil
}

// weightOfWait returns what one wait weighs (trace.Trace.SampleWeight) in a profile that counts
// waits, too; else 0. The squares of waits add up, so it is the mean of the waits, each weighed by
// itself. For example, of 60 waits of 2 µs and 5 of 3.5 ms it is 3.5 ms: the five may as well be
// ten, or none.
func weightOfWait(p *profile.Profile, column int) int64 {
	_, per := unit(p.SampleType[column])
	count := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == "contentions" })
	if count < 0 || count == column {
		return 0
	}
	var sum, squares float64
	for _, s := range p.Sample {
		if v, n := float64(times(s.Value[column], per)), s.Value[count]; v > 0 && n > 0 {
			sum, squares = sum+v, squares+v*v/float64(n)
		}
	}
	return int64(squares / max(sum, 1))
}

// times returns v × per; what is more than an axis holds becomes the most that there is.
func times(v, per int64) int64 {
	if high, low := bits.Mul64(uint64(max(v, -v)), uint64(per)); high == 0 && low <= math.MaxInt64 {
		return v * per
	}
	if v < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// labelBytes returns how long the text of a sample's labels is, about.
func labelBytes(s *profile.Sample) (n int64) {
	for key, values := range s.Label {
		for _, v := range values {
			n += int64(len(key) + len(v))
		}
	}
	for key, values := range s.NumLabel {
		n += int64(len(values) * len(key))
		for _, unit := range s.NumUnit[key] {
			n += int64(len(unit))
		}
	}
	return n
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
	src   *input.Source
	work  int64                                // frames and bytes of labels of all samples so far
	known map[*profile.Location][]trace.FuncID // innermost first
}

func newNames(b *trace.Builder, src *input.Source) *names {
	return &names{b: b, src: src, known: map[*profile.Location][]trace.FuncID{}}
}

// afford returns an error if a stack, a tree of so many nodes and so many bytes of labels are too
// much. Eight pieces of work count as a byte: what takes no memory still takes time.
func (n *names) afford(stack []trace.FuncID, nodes int, labels int64) error {
	return n.src.Afford(int64(len(stack))*frameBytes + int64(nodes)*nodeBytes + labels + n.work/8)
}

// stack appends the functions of a sample, outermost first, to into.
func (n *names) stack(into []trace.FuncID, s *profile.Sample) ([]trace.FuncID, error) {
	const step = 1 << 14
	for _, l := range slices.Backward(s.Location) {
		before := len(into)
		for _, fn := range slices.Backward(n.location(l)) {
			into = append(into, fn)
		}
		if len(into)/step == before/step {
			continue
		}
		if err := n.afford(into, 0, 0); err != nil {
			return nil, err
		}
	}
	if len(into) == 0 {
		into = append(into, n.b.Function(trace.Function{Name: "(no stack)", Kind: trace.Event}))
	}
	return into, nil
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
		f := address(l)
		n.b.Diagnose(trace.NoSymbol, 1, "location %d is called %s", l.ID, f.Name)
		fns = append(fns, n.b.Function(f))
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
