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

// nests is checkNesting written from the definition, quadratic.
func nests(t *Thread, functions int) bool {
	n := t.Len()
	for i, p := range t.Parent {
		if p < -1 || int(p) >= i {
			return false
		}
	}
	for i := range n {
		p, size := int(t.Parent[i]), int(t.Size[i])
		if int(t.Fn[i]) >= functions || t.Start[i] > t.End[i] {
			return false
		}
		depth, above := uint32(0), -1 // of the calls before it, the last whose subtree holds it
		for q := p; q >= 0; q = int(t.Parent[q]) {
			depth++
		}
		for q := range i {
			if q+int(t.Size[q]) > i {
				above = q
			} else if t.Parent[q] == t.Parent[i] && t.End[q] > t.Start[i] {
				return false
			}
		}
		below := 0 // how many calls have it among their callers
		for j := i; j < n; j++ {
			q := j
			for q > i {
				q = int(t.Parent[q])
			}
			if q == i {
				below++
			}
		}
		if depth != t.Depth[i] || above != p || size != below ||
			p >= 0 && (t.Start[i] < t.Start[p] || t.End[i] > t.End[p]) {
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
		i, by := noise.IntN(th.Len()), []int{-2, -1, 1, 2, 1 << 30}[noise.IntN(5)]
		switch noise.IntN(6) {
		case 0:
			th.Start[i] += int64(by)
		case 1:
			th.End[i] += int64(by)
		case 2:
			th.Fn[i] += FuncID(by)
		case 3:
			th.Parent[i] += int32(by)
		case 4:
			th.Size[i] += uint32(by)
		case 5:
			th.Depth[i] += uint32(by)
		}
		_, err := f.Build(inOrder)
		if sound := nests(th, len(f.Trace.Functions)); sound != (err == nil) {
			t.Fatalf("sound %v, %v: %v %v %v", sound, err, th.Parent, th.Size, th.Depth)
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

// TestFormRefused: what is no index, no kind or of another length is refused.
func TestFormRefused(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for name, spoil := range map[string]func(f *Form, th *Thread, x *ThreadForm){
		"no threads":     func(f *Form, _ *Thread, _ *ThreadForm) { f.Threads = nil },
		"kind":           func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Kind = 9 },
		"thread's kind":  func(_ *Form, th *Thread, _ *ThreadForm) { th.Kind = 9 },
		"process":        func(_ *Form, th *Thread, _ *ThreadForm) { th.Process = 1 },
		"function":       func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Functions[0].Off = 9 },
		"shorter column": func(_ *Form, th *Thread, _ *ThreadForm) { th.Depth = th.Depth[1:] },
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
		"object": func(_ *Form, _ *Thread, x *ThreadForm) {
			x.Blocks = BlockForm{[]int32{0}, []BlockKind{Wait}, []uint32{1}, []ObjectID{1}}
		},
		"order of links": func(f *Form, _ *Thread, _ *ThreadForm) { f.LinksTo = []int32{0} },
		"link": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Links = make([]Link, 1)
			f.Trace.Links[0].To.Call = 99
		},
		"correspondence": func(f *Form, _ *Thread, _ *ThreadForm) {
			f.Trace.Correspondences = []Correspondence{{Wait: CallRef{0, -1}, Object: NoObject}}
		},
		"counter": func(f *Form, _ *Thread, _ *ThreadForm) { f.Trace.Counters = []Counter{{Process: -1, At: []int64{1}}} },
	} {
		f := randomForm(t, noise, 40)
		f.Threads = slices.Clone(f.Threads)
		spoil(f, f.Trace.Threads[0], &f.Threads[0])
		if _, err := f.Build(inOrder); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
