package report

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/structure/source"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// structureOf makes the tree of a trace that calls ns::f for 5 ns, with or without B.
func structureOf(t *testing.T, two bool) *structure.Tree {
	t.Helper()
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	th.Begin(0, b.Function(trace.Function{Name: "ns::f"}))
	th.End(5)
	p := pair.New(testtrace.Build(t, b), nil, pair.Rules{})
	if two {
		p = pair.New(p.A, p.A, pair.Rules{})
	}
	folder := &source.Folder{Dir: "../x", Name: "x", Files: []source.File{{Path: "a.c", Lines: 3}}}
	tree, err := structure.New(context.Background(), p, structure.Options{Source: folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestStructure(t *testing.T) {
	text, err := json.Marshal(NewStructure(structureOf(t, false), structure.LinesArea, 0))
	if err != nil {
		t.Fatal(err)
	}
	one := `"calls":{"a":1,"b":null},"selfNs":{"a":5,"b":null},"totalNs":{"a":5,"b":null},` +
		`"maxDepth":{"a":1,"b":null},"firstNs":{"a":0,"b":null}}`
	none := `"calls":{"a":0,"b":null},"selfNs":{"a":0,"b":null},"totalNs":{"a":0,"b":null},` +
		`"maxDepth":{"a":0,"b":null},"firstNs":{"a":null,"b":null}}`
	want := `{"area":"lines","nodes":[` +
		`{"path":["ns"],"kind":"package","function":null,"functions":1,"lines":null,"area":0,` +
		one + `,{"path":["ns","f"],"kind":"function","function":"ns::f","functions":1,` +
		`"lines":null,"area":0,` + one +
		`,{"path":["x"],"kind":"folder","function":null,"functions":0,"lines":3,"area":1,` +
		none + `,{"path":["x","a.c"],"kind":"file","function":null,"functions":0,"lines":3,` +
		`"area":1,` + none + `],"unmapped":{"a":1,"b":null},"source":"../x","unit":"ns",` +
		`"elapsedNs":{"load":0,"compute":0}}`
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Error(d)
	}
	two := NewStructure(structureOf(t, true), structure.EqualArea, 1)
	if n := two.Nodes; len(n) != 2 || *n[0].Calls.B != 1 || *two.Unmapped.B != 1 || n[0].Area != .5 {
		t.Errorf("%+v", two)
	}
}
