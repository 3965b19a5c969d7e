package firefox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text/texttest"

	"pgregory.net/rapid"
)

// container is a file of JsonSlabs in the making.
type container struct {
	kinds []uint32
	slabs [][]byte
}

// add adds a slab: a document, or numbers of a type.
func (c *container) add(content any) (number int) {
	kind, data := uint32(jsonSlab), []byte(nil)
	switch v := content.(type) {
	case string:
		data = []byte(v)
	default:
		kind = map[string]uint32{"[]int8": 0, "[]uint8": 1, "[]int16": 2, "[]uint16": 3, "[]int32": 4, "[]uint32": 5,
			"[]float32": 6, "[]float64": 7, "[]int64": 8, "[]uint64": 9}[fmt.Sprintf("%T", v)]
		var err error
		if data, err = binary.Append(nil, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	c.kinds, c.slabs = append(c.kinds, kind), append(c.slabs, data)
	return len(c.slabs) - 1
}

// file returns the container, with that slab as the document. Slabs begin at multiples of 8.
func (c *container) file(root int) []byte {
	le := binary.LittleEndian
	out := append([]byte(nil), slabsMagic...)
	for _, n := range []int{1, len(c.slabs), root} {
		out = le.AppendUint32(out, uint32(n))
	}
	at := slabsHead + slabsEntry*len(c.slabs)
	var body []byte
	for i, s := range c.slabs {
		body = append(body, make([]byte, -(at+len(body))&7)...)
		out = le.AppendUint32(out, c.kinds[i])
		out = le.AppendUint32(out, uint32(at+len(body)))
		out = le.AppendUint32(out, uint32(len(s)))
		body = append(body, s...)
	}
	return append(out, body...)
}

// TestSlabs has numbers of all types, a document within another, and what looks like a reference.
func TestSlabs(t *testing.T) {
	c := &container{}
	var in strings.Builder
	for _, list := range []any{[]int8{-128, 127}, []uint8{255}, []int16{-300, 0}, []uint16{65535}, []int32{math.MinInt32},
		[]uint32{math.MaxUint32}, []float32{0.1, float32(math.NaN())}, []float64{0.1, math.Inf(1), -1e300},
		[]int64{math.MinInt64}, []uint64{math.MaxUint64}, []int32{}} {
		fmt.Fprintf(&in, `{"$s":%d},`, c.add(list))
	}
	inner := c.add(`{"a\\":[` + in.String() + `"{\"$s\":0}",{"$s":"0"},{"$t":0},{}]}`)
	root := c.add(fmt.Sprintf(`[{ "$s" : %d },1]`, inner))
	r, err := newSlabReader(c.file(root))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(iotest.OneByteReader(r))
	want := `[{"a\\":[[-128,127],[255],[-300,0],[65535],[-2147483648],[4294967295],[0.1,null],[0.1,null,-1e+300],` +
		`[-9223372036854775808],[18446744073709551615],[],"{\"$s\":0}",{"$s":"0"},{"$t":0},{}]},1]`
	if err != nil || string(got) != want || r.gone != 0 {
		t.Errorf("%v, %d gone, got\n%s\nwant\n%s", err, r.gone, got, want)
	}
}

// TestLargeSlabs reads documents longer than a buffer, of which any part may end at its border.
func TestLargeSlabs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, want := &container{}, []any{}
		var text []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			if rapid.Bool().Draw(t, "numbers") {
				list := make([]int32, rapid.IntRange(0, 40_000).Draw(t, "length"))
				for i := range list {
					list[i] = int32(i * 7919)
				}
				text = append(text, fmt.Sprintf(`{"$s":%d}`, c.add(list)))
				want = append(want, list)
				continue
			}
			s := strings.Repeat(rapid.SampledFrom([]string{"\"", "\\", "{\"$s\":0}", "ab"}).Draw(t, "text"),
				rapid.IntRange(0, 40_000).Draw(t, "times"))
			quoted, _ := json.Marshal(s)
			text, want = append(text, string(quoted)), append(want, s)
		}
		r, err := newSlabReader(c.file(c.add("[" + strings.Join(text, ",") + "]")))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		plain, _ := json.Marshal(want)
		var a, b bytes.Buffer
		if err != nil || json.Compact(&a, got) != nil || json.Compact(&b, plain) != nil || a.String() != b.String() {
			t.Fatalf("%v, got %.200s", err, got)
		}
	})
}

// TestSlabProfile loads a profile in slabs, and one in which slabs are missing.
func TestSlabProfile(t *testing.T) {
	c := &container{}
	stacks := fmt.Sprintf(`{"prefixOffset":{"$s":%d},"frame":{"$s":%d}}`, c.add([]int32{0, 1}), c.add([]int32{0, 0}))
	shared := c.add(`{"stringArray":["f"],"funcTable":{"name":[0],"flags":[0]},"frameTable":{"func":[0],"flags":[0]},` +
		`"stackTable":` + stacks + `}`)
	profile := `{"meta":{"preprocessedProfileVersion":75,"interval":1},"shared":{"$s":%d},"threads":[{"name":"a","tid":1,` +
		`"samples":{"stack":[1],"time":{"$s":%d}}}]}`
	times := c.add([]float64{5})
	whole := c.file(c.add(fmt.Sprintf(profile, shared, times)))
	tr := load(t, string(whole))
	want := "thread 1 \"a\" process -1 sort 1\n  0-1000000 f\n    0-1000000 f\n"
	if got := texttest.Show(tr); got != want || !Sniff(&input.Source{Head: whole[:8]}) {
		t.Errorf("got\n%s", got)
	}
	for what, file := range map[string][]byte{
		"a slab that is not there": c.file(c.add(fmt.Sprintf(profile, shared, 99))),
		"one slab in two places":   c.file(c.add(fmt.Sprintf(profile, shared, shared))),
	} {
		tr, err := tryLoad(file)
		if err != nil || len(tr.Diagnostics) == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	self := c.add(fmt.Sprintf(`{"threads":[{"$s":%d}]}`, len(c.slabs)))
	if _, err := tryLoad(c.file(self)); err != nil {
		t.Error("a document in itself:", err)
	}
	for _, file := range [][]byte{whole[:19], whole[:60], c.file(times), append(whole[:8:8], make([]byte, 12)...)} {
		if _, err := tryLoad(file); err == nil {
			t.Errorf("%q is taken for a profile", file)
		}
	}
}
