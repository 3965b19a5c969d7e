package cpuprofile

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/loadtest"
)

// endless is memory without a limit.
func endless(int64) error { return nil }

// readPlainly reads nodes, each the way that is open to all.
func readPlainly(r *jsonin.Reader) *profile {
	p := newProfile(endless)
	for name := range r.Members() {
		if name == "nodes" {
			for range r.Elements() {
				p.readNode(r, -1)
			}
		}
	}
	return p
}

// flat is a node with its frame.
type flat struct {
	node
	frame
}

func (p *profile) flat() (all []flat) {
	for _, n := range p.nodes {
		f := p.frames.list[n.frame]
		n.frame = 0
		all = append(all, flat{n, f})
	}
	return all
}

// Members of nodes and of call frames, mostly as V8 writes them.
var (
	nodeMembers = []string{`"id":7`, `"id":-3`, `"id":2147483648`, `"id":null`, `"id":"7"`, `"id":1.5`, `"id":007`,
		`"hitCount":3`, `"hitCount":4e2`, `"hitCount":1234567890123`, `"hitCount":`, `"parent":2`,
		`"children":[]`, `"children":[2,3]`, `"children":[2,]`, `"children":[2 , 3]`, `"children":[2,null]`,
		`"children":[{"id":5}]`, `"children":{}`, `"children":null`, `"children":[1 2]`,
		`"positionTicks":[{"line":3,"ticks":1},{"line":4,"ticks":2}]`, `"positionTicks":[]`,
		`"positionTicks":[{"line":3}`, `"positionTicks":[}{]`, `"positionTicks":[{"a\"b":"]"}]`,
		`"positionTicks":[#]`, `"positionTicks":["x"]`, `"deoptReason":""`, `"x":true`, `"x":{"id":4}`,
		`"x":[1]`, `"\u0069d":9`, `"functionName":"older"`, `"lineNumber":5`, `"url":"/o.js"`, `"id" :7`, `"id": 8`, `id:7`,
		`"children": [ 2,\n 3 ]`, `"positionTicks": [ { "line": 3, "ticks": 1 } ]`, `"x": "y" `, ``}
	frameMembers = []string{`"functionName":"f"`, `"functionName":"a\"}b"`, `"functionName":"\u00e9\ud83d"`,
		`"functionName":5`, `"functionName":null`, `"functionName":"{["`, `"functionName":"g"`, `"scriptId":"12"`,
		`"scriptId":12`, `"url":"file:///a.js"`, `"url":""`, `"url":"é` + "\xff\t" + `"`, `"lineNumber":9`,
		`"lineNumber":-1`, `"lineNumber":2147483647`, `"lineNumber":"9"`, `"lineNumber":9.5`,
		`"columnNumber":3`, `"codeType":"JS"`, `"x":{}`, `"x":[]`, `"\u0075rl":"y"`, `"x":`, ` "x":1`, `"url": "/b" `,
		`"lineNumber" : 4 `, ``}
	usualNodes = []string{
		`{"id":7,"callFrame":{"functionName":"f","scriptId":"1","url":"/a","lineNumber":1,"columnNumber":2},"hitCount":1}`,
		`{"callFrame":{"codeType":"JS","functionName":"f","lineNumber":1,"scriptId":1,"url":"/a"},"id":8,"parent":7}`,
		`{"id":9,"callFrame":{"functionName":"f","scriptId":"1","url":"/a","lineNumber":1,"columnNumber":2},"hitCount":1,` +
			`"children":[10,11],"positionTicks":[{"line":2,"ticks":1}]}`, "{}", "null", "3"}
)

// writeNode draws a node.
func writeNode(t *rapid.T) string {
	if rapid.Bool().Draw(t, "usual") {
		return rapid.SampledFrom(usualNodes).Draw(t, "node")
	}
	frame := rapid.SliceOfN(rapid.SampledFrom(frameMembers[:rapid.SampledFrom([]int{1, 3, len(frameMembers)}).Draw(t, "kinds")]),
		0, 5).Draw(t, "frame")
	members := rapid.SliceOfN(rapid.SampledFrom(nodeMembers), 0, 5).Draw(t, "members")
	for range rapid.IntRange(0, 2).Draw(t, "frames") {
		at := rapid.IntRange(0, len(members)).Draw(t, "where")
		members = slices.Insert(members, at, `"callFrame":{`+strings.Join(frame, ",")+"}")
	}
	comma := rapid.SampledFrom([]string{",", ",", ",", " ,", ", ", ",\n\t "}).Draw(t, "comma")
	return "{" + strings.Join(members, comma) + "}"
}

// TestUsualNodes holds nodes that are taken from the window against the same read member by member,
// in odd orders and spaces, with values of all kinds and missing ones, damaged and cut, and where
// the window shows all of the text, or one byte more each time.
func TestUsualNodes(t *testing.T) {
	taken := 0
	testtrace.CheckUntil(t, func() bool { return taken > 0 }, func(t *rapid.T) {
		var nodes []string
		for range rapid.IntRange(1, 5).Draw(t, "nodes") {
			nodes = append(nodes, writeNode(t))
		}
		text := `{"nodes":[` + strings.Join(nodes, ",") + `]}`
		text = text[:len(text)-max(0, rapid.IntRange(-len(text), len(text)).Draw(t, "cut"))]
		slow := jsonin.NewReader(strings.NewReader(text))
		want := readPlainly(slow)
		for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			r := jsonin.NewReader(in)
			p := newProfile(endless)
			p.read(r)
			taken += len(p.frames.byText)
			if !slices.Equal(p.flat(), want.flat()) || !slices.Equal(p.ids, want.ids) || !slices.Equal(p.calls, want.calls) {
				t.Fatalf("%s\n%+v %+v %+v, want\n%+v %+v %+v", text, p.flat(), p.ids, p.calls, want.flat(), want.ids, want.calls)
			}
			bad, first := r.Misfits()
			wantBad, wantFirst := slow.Misfits()
			if bad != wantBad || first != wantFirst || (r.Err() == nil) != (slow.Err() == nil) || r.Offset() != slow.Offset() {
				t.Fatalf("%s\n%d %s, %v at %d, want %d %s, %v at %d", text, bad, first, r.Err(), r.Offset(), wantBad,
					wantFirst, slow.Err(), slow.Offset())
			}
		}
	})
}

// TestUsualNodesAreTaken holds that nodes as V8 and Chrome write them go the quick way.
func TestUsualNodesAreTaken(t *testing.T) {
	for _, text := range usualNodes[:3] {
		r := jsonin.NewReader(strings.NewReader(text + ","))
		if p := newProfile(endless); r.Kind() != '{' || !p.usualNode(r) || r.Offset() != int64(len(text)) {
			t.Error(text)
		}
	}
	for name, text := range loadtest.Recordings(t, samples) {
		p := newProfile(endless)
		p.read(jsonin.NewReader(strings.NewReader(string(text))))
		if n := len(p.frames.list); len(p.frames.byText) < n {
			t.Errorf("%s: %d of %d frames", name, len(p.frames.byText), n)
		}
	}
}

// TestSteadySamples holds the calls of a profile that states its end, of which samples that show
// the same as the one before are left out, against those of one that does not and ends idle.
func TestSteadySamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 12).Draw(t, "samples")
		deltas, end := make([]float64, len(samples)), 100.
		for i := range deltas {
			deltas[i] = rapid.SampledFrom([]float64{0, 0, 1, 10, 2.5}).Draw(t, "delta")
			end += deltas[i]
		}
		const idle = 3
		rest := fmt.Sprintf(`,"startTime":100,"samples":%s,"timeDeltas":%s`, encoded(append(samples, idle)),
			encoded(append(deltas, 0)))
		var calls [2][]string
		var last [2]int64
		for i, text := range []string{doc(rest), doc(fmt.Sprintf(`%s,"endTime":%v`, rest, end))} {
			tr, err := tryLoad([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			calls[i], last[i] = append(rows(tr), fmt.Sprint(tr.Diagnostics)), tr.Duration
		}
		if !slices.Equal(calls[0], calls[1]) || last[0] != last[1] {
			t.Fatalf("%s\n%q until %d, want %q until %d", rest, calls[1], last[1], calls[0], last[0])
		}
	})
}

// TestTimesOfTwoKinds has fewer times than samples in one form, and enough in the other.
func TestTimesOfTwoKinds(t *testing.T) {
	tr := load(t, doc(`,"endTime":9,"samples":[5,5,6],"timestamps":[1,4],"timeDeltas":[1,1,1]`))
	if got := rows(tr); !slices.Equal(got, []string{"a 0-8"}) || len(tr.Diagnostics) != 1 {
		t.Errorf("%q, %v", got, tr.Diagnostics)
	}
}
