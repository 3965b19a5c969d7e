package deepeq

import (
	"errors"
	"reflect"
	"testing"
)

type pair struct{ x, y uint32 }

// padded has three bytes of memory that belong to no field.
type padded struct {
	x uint8
	y uint32
}

type tree struct {
	name  string
	sizes []pair
	below []*tree
	marks map[string][]int
	any   any
	ratio float64
	do    func()
}

func sample() *tree {
	leaf := &tree{name: "leaf", sizes: []pair{{1, 2}}, any: padded{1, 2}}
	return &tree{name: "top", sizes: []pair{{1, 2}, {3, 4}}, below: []*tree{leaf, nil, leaf},
		marks: map[string][]int{"a": {1, 2}, "b": nil}, any: int8(3), ratio: 0.5}
}

// TestEqual changes one thing at a time: each is noticed, as reflect.DeepEqual does.
func TestEqual(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*tree)
		same   bool
	}{
		"nothing":            {func(*tree) {}, true},
		"a text":             {func(v *tree) { v.name = "tip" }, false},
		"a number of many":   {func(v *tree) { v.sizes[1].y++ }, false},
		"fewer numbers":      {func(v *tree) { v.sizes = v.sizes[:1] }, false},
		"behind a pointer":   {func(v *tree) { v.below[2] = &tree{name: "leaf"} }, false},
		"another copy":       {func(v *tree) { v.below[2] = sample().below[0] }, true},
		"no pointer":         {func(v *tree) { v.below[0] = nil }, false},
		"a pointer":          {func(v *tree) { v.below[1] = &tree{} }, false},
		"in a map":           {func(v *tree) { v.marks["a"][1] = 7 }, false},
		"a key":              {func(v *tree) { delete(v.marks, "b"); v.marks["c"] = nil }, false},
		"a key more":         {func(v *tree) { v.marks["c"] = nil }, false},
		"another type":       {func(v *tree) { v.any = 3 }, false},
		"nothing of a type":  {func(v *tree) { v.any = nil }, false},
		"in an interface":    {func(v *tree) { v.below[0].any = padded{1, 3} }, false},
		"a fraction":         {func(v *tree) { v.ratio = 0.25 }, false},
		"a function":         {func(v *tree) { v.do = func() {} }, false},
		"a pointer's fields": {func(v *tree) { v.below[0].sizes[0].x = 0 }, false},
	} {
		v, w := sample(), sample()
		c.change(w)
		if got := Equal(v, w); got != c.same || got != Equal(w, v) || got != reflect.DeepEqual(v, w) {
			t.Errorf("%s: equal %v", what, got)
		}
	}
	if !Equal(tree{sizes: []pair{}, marks: map[string][]int{}}, tree{}) || !Equal(nil, nil) || Equal(nil, 1) ||
		Equal([2]error{}, [2]error{nil, errors.ErrUnsupported}) {
		t.Error("what is empty is not nothing, or nothing is something")
	}
}

// TestIsPlain: only where memory says all may memory be compared.
func TestIsPlain(t *testing.T) {
	for _, c := range []struct {
		of   any
		want bool
	}{
		{int8(0), true}, {uint64(0), true}, {uintptr(0), true}, {false, true}, {pair{}, true}, {[3]pair{}, true},
		{0.5, false}, {"", false}, {padded{}, false}, {[]int{}, false}, {&pair{}, false},
		{struct{ of [2]float32 }{}, false},
	} {
		if got := isPlain(reflect.TypeOf(c.of)); got != c.want {
			t.Errorf("%T: %v", c.of, got)
		}
	}
}
