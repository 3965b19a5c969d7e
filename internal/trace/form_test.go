package trace

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// inOrder runs the checks of Form.Build one after the other.
func inOrder(n int, check func(k int) error) error {
	for k := range n {
		if err := check(k); err != nil {
			return err
		}
	}
	return nil
}

// randomForm is the form of a trace of one thread of random calls, with columns of its own.
func randomForm(t *testing.T, noise *rand.Rand, calls int) *Form {
	b := NewBuilder("random")
	th, at, depth := b.Thread("1", -1), int64(0), 0
	fns := []FuncID{b.Function(Function{Name: "f"}), b.Function(Function{Name: "g"})}
	for begun := 0; begun < calls || depth > 0; at++ {
		if begun == 1 {
			at += 1 << 33 // so the first call has a duration that does not fit
		}
		if begun < calls && (depth == 0 || depth < 5 && noise.IntN(2) == 0) {
			th.Begin(at, fns[noise.IntN(2)])
			begun, depth = begun+1, depth+1
		} else {
			th.End(at)
			depth--
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr.Form()
}

// plain are the columns of calls as plain numbers, by kind.
type plain [kinds][]int64

const (
	starts = iota
	durs
	parents
	sizes
	depths
	kinds
)

func plainColumns(t *Thread) (p plain) {
	p.extend(t.Len())
	for i := range t.Len() {
		p[starts][i], p[durs][i], p[parents][i] = t.Start(i), t.Dur(i), int64(t.Parent(i))
		p[sizes][i], p[depths][i] = int64(t.Size(i)), int64(t.Depth(i))
	}
	return p
}

// extend gives all columns n numbers.
func (p *plain) extend(n int) {
	for k := range p {
		p[k] = make([]int64, n)
	}
}

// equal reports whether two lists of columns are the same. It is for long ones, where reflection
// takes ten times as long.
func (p *plain) equal(q *plain) bool {
	for k := range p {
		if !slices.Equal(p[k], q[k]) {
			return false
		}
	}
	return true
}

// write makes the columns of a form of any numbers, also of some that are no calls.
func (p *plain) write(x *ThreadForm) {
	n := len(p[starts])
	*x = ThreadForm{Spans: make([]span, n), Places: make([]place, n), Depth: make([]uint8, n),
		Levels: x.Levels, Args: x.Args, Texts: x.Texts}
	var l *large
	for i := range n {
		if i%baseLen == 0 {
			x.Base = append(x.Base, p[starts][i])
		}
		up := uint32(0)
		if q := p[parents][i]; q != -1 {
			up = uint32(int64(i) - q)
		}
		x.Spans[i] = span{fitTime(&l, nil, p[starts][i]-x.Base[i/baseLen]), fitTime(&l, nil, p[durs][i])}
		x.Places[i] = fitPlace(&l, nil, up, uint32(p[sizes][i]))
		x.Depth[i] = fitDepth(&l, nil, i, int(uint32(p[depths][i])))
	}
	if l != nil {
		x.Times, x.LargePlaces = l.times, l.places
		x.LargeDepth = append(l.depth, make([]uint32, n-len(l.depth))...)
	}
}

// nests is checkNesting written from the definition, quadratic.
func nests(t *Thread, functions int) bool {
	n := t.Len()
	for i := range n {
		p := t.Parent(i)
		if p < -1 || int(p) >= i {
			return false
		}
	}
	for i := range n {
		p, size := int(t.Parent(i)), int(t.Size(i))
		if int(t.Fn[i]) >= functions || t.Start(i) > t.End(i) {
			return false
		}
		depth, above := uint32(0), -1 // of the calls before it, the last whose subtree holds it
		for q := p; q >= 0; q = int(t.Parent(q)) {
			depth++
		}
		for q := range i {
			if q+int(t.Size(q)) > i {
				above = q
			} else if t.Parent(q) == t.Parent(i) && t.End(q) > t.Start(i) {
				return false
			}
		}
		below := 0 // how many calls have it among their callers
		for j := i; j < n; j++ {
			q := j
			for q > i {
				q = int(t.Parent(q))
			}
			if q == i {
				below++
			}
		}
		if depth != t.Depth(i) || above != p || size != below ||
			p >= 0 && (t.Start(i) < t.Start(p) || t.End(i) > t.End(p)) {
			return false
		}
	}
	return true
}

// TestFormNests changes a value of a column at a time: Build refuses what is no forest by the
// definition, and nothing else.
func TestFormNests(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	refused, taken := 0, 0
	for range 3000 {
		f := randomForm(t, noise, 1+noise.IntN(30))
		th := f.Trace.Threads[0]
		calls := plainColumns(th)
		i, by := noise.IntN(th.Len()), []int{-2, -1, 1, 2, 1 << 30}[noise.IntN(5)]
		switch k := noise.IntN(6); k {
		case 5:
			th.Fn[i] += FuncID(by)
		default:
			calls[k][i] += int64(by)
		}
		calls.write(&f.Threads[0])
		_, err := f.Build(inOrder)
		if sound := nests(th, len(f.Trace.Functions)); sound != (err == nil) {
			t.Fatalf("sound %v, %v: %v", sound, err, plainColumns(th))
		}
		if err == nil {
			taken++
		} else {
			refused++
		}
	}
	if refused < 100 || taken < 100 {
		t.Errorf("%d refused, %d taken", refused, taken)
	}
}

// counted gives a form these counts of calls.
func counted(list ...CallCount) func(*Form, *Thread, *ThreadForm) {
	return func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.CallCounts = list }
}

// TestFormRefused: what is no index, no kind or of another length is refused.
func TestFormRefused(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for name, spoil := range map[string]func(f *Form, th *Thread, x *ThreadForm){
		"no threads":     func(f *Form, _ *Thread, _ *ThreadForm) { f.Threads = nil },
		"kind":           func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Kind = 9 },
		"thread's kind":  func(_ *Form, th *Thread, _ *ThreadForm) { th.Kind = 9 },
		"process":        func(_ *Form, th *Thread, _ *ThreadForm) { th.Process = 1 },
		"function":       func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Functions[0].Off = 9 },
		"shorter column": func(_ *Form, _ *Thread, x *ThreadForm) { x.Depth = x.Depth[1:] },
		"fewer bases":    func(_ *Form, _ *Thread, x *ThreadForm) { x.Base = nil },
		"large time":     func(_ *Form, _ *Thread, x *ThreadForm) { x.Times = x.Times[1:] },
		"large place":    func(_ *Form, _ *Thread, x *ThreadForm) { x.Places[3] = far },
		"large depth":    func(_ *Form, _ *Thread, x *ThreadForm) { x.Depth[3], x.LargeDepth = deep, make([]uint32, 4) },
		"levels":         func(_ *Form, _ *Thread, x *ThreadForm) { x.Levels = nil },
		"more levels":    func(_ *Form, _ *Thread, x *ThreadForm) { x.Levels = append(x.Levels, x.Levels[0]) },
		"deep level":     func(_ *Form, _ *Thread, x *ThreadForm) { x.Levels[0].Depth[0] = 99 },
		"flags":          func(_ *Form, _ *Thread, x *ThreadForm) { x.Flags = make([]Flags, 3) },
		"argument":       func(_ *Form, _ *Thread, x *ThreadForm) { x.Args = []arg{{0, 0, 1}} },
		"instant":        func(_ *Form, th *Thread, _ *ThreadForm) { th.Instants = []Instant{{0, 9}} },
		"block": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{99}, []BlockKind{Wait}, []uint32{0}, nil}
		},
		"block's kind": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{0}, []BlockKind{9}, []uint32{0}, nil}
		},
		"no block's kind": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{0}, []BlockKind{0}, []uint32{0}, nil}
		},
		"too few objects": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{0}, []BlockKind{Wait}, []uint32{1}, nil}
		},
		"order of objects": func(f *Form, _ *Thread, x *ThreadForm) {
			f.Trace.Objects = make([]Object, 1)
			x.Blocks = BlockForm{[]int32{0, 1}, []BlockKind{Wait, IO}, []uint32{1, 0}, []ObjectID{0}}
		},
		"order of blocks": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{1, 0}, []BlockKind{Wait, Wait}, []uint32{0, 0}, nil}
		},
		"object": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{0}, []BlockKind{Wait}, []uint32{1}, []ObjectID{1}}
		},
		"too short an order of links": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Links, f.LinksFrom = make([]Link, 1), []int32{0}
		},
		"order of no links": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Links, f.LinksFrom, f.LinksTo = make([]Link, 1), []int32{0}, []int32{1}
		},
		"link": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Links = make([]Link, 1)
			f.Trace.Links[0].To.Call = 99
		},
		"correspondence": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Correspondences = []Correspondence{{Wait: CallRef{0, -1}, Object: NoObject}}
		},
		"function of a count of calls": counted(CallCount{0, 2, 1}),
		"number of calls":              counted(CallCount{0, 1, 0}),
		"numbers of calls that add up": counted(CallCount{0, 0, Limit}, CallCount{1, 0, 1}),
		"order of counts of calls":     counted(CallCount{0, 1, 1}, CallCount{1, 0, 1}),
		"counts of calls of the same":  counted(CallCount{0, 1, 1}, CallCount{0, 1, 1}),
		"counter":                      func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Counters = []Counter{{Process: -1, At: []int64{1}}} },
	} {
		f := randomForm(t, noise, 40)
		f.Threads = slices.Clone(f.Threads)
		spoil(f, f.Trace.Threads[0], &f.Threads[0])
		if _, err := f.Build(inOrder); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
