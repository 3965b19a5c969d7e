package jsonin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func reader(text string) *Reader { return NewReader(strings.NewReader(text)) }

// any reads whatever is next as encoding/json would give it, but for numbers, which are int64.
func (r *Reader) any() any {
	switch r.Kind() {
	case '{':
		m := map[string]any{}
		for name := range r.Members() {
			m[name] = r.any()
		}
		return m
	case '[':
		list := []any{}
		for range r.Elements() {
			list = append(list, r.any())
		}
		return list
	case '"':
		return r.Text()
	case '0':
		n, _ := r.Int()
		return float64(n)
	case 't', 'f':
		return r.Bool()
	}
	r.Skip()
	return nil
}

// drawValue draws a value of few levels.
func drawValue(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return float64(rapid.Int64Range(-1<<53, 1<<53).Draw(t, "number"))
	case 3:
		return rapid.String().Draw(t, "text")
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		m[rapid.String().Draw(t, "name")] = drawValue(t, depth-1)
	}
	return m
}

// TestReadsWhatEncodingJSONWrites reads random documents whole, and with every odd value left.
func TestReadsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawValue(t, 4)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(iotest.OneByteReader(strings.NewReader(string(text))))
		if got := r.any(); !reflect.DeepEqual(got, want) || !r.End() || r.Err() != nil {
			t.Fatalf("%s: %v, %v", text, got, r.Err())
		}
		r = reader("[" + string(text) + ", 1, " + string(text) + ", 2]")
		sum := int64(0)
		for i := range r.Elements() {
			if i%2 == 1 {
				n, _ := r.Int()
				sum += n
			}
		}
		if sum != 3 || r.Err() != nil || !r.End() {
			t.Fatalf("%s: skipping, the sum is %d, %v", text, sum, r.Err())
		}
	})
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0 true 0 true", "-17": "-17 true -17 true", "1e3": "1000 true 1000 true",
		"2.75": "2 true 2.75 true", "-0.5": "0 true -0.5 true",
		"9223372036854775807": "9223372036854775807 true 9.223372036854776e+18 true",
		"9223372036854775808": "0 false 9.223372036854776e+18 true",
		"1e400":               "0 false 0 false",
		`"7"`:                 "0 false 0 false", "null": "0 false 0 false",
	} {
		n, ok := reader(text).Int()
		f, fine := reader(text).Float()
		if got := fmt.Sprint(n, ok, f, fine); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestListsOfNumbers reads lists at once and one by one alike.
func TestListsOfNumbers(t *testing.T) {
	const list = `[ 1, -2 ,3.5,null,1e3, "x, ]\"", {"a": [1, "]"]}, [2], 123456789012345678901, 1e999,
		9007199254740993, 0]`
	one, many := reader(list), reader(list)
	var want, got []string
	for range one.Elements() {
		n, ok := one.Int()
		want = append(want, fmt.Sprint(n, ok))
	}
	for n, ok := range many.Ints() {
		got = append(got, fmt.Sprint(n, ok))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || one.misfits != many.misfits || one.misfits != 5 {
		t.Errorf("%v with %d misfits, want %v with %d", got, many.misfits, want, one.misfits)
	}
	for n := range reader(`[7, 8]`).Ints() {
		if n != 7 {
			t.Error("a loop that was left goes on")
		}
		break
	}
}

// TestFractions reads a list at once and one by one alike, through windows that end anywhere.
func TestFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(` ?(-?[0-9]{1,10}(\.[0-9]{1,9})?(e-?[0-9])?|null|"x"|1e999) ?`)
		list := "[" + strings.Join(rapid.SliceOf(number).Draw(t, "list"), ",") + "]"
		one, many := reader(list), NewReader(iotest.OneByteReader(strings.NewReader(list)))
		whole := reader(list)
		var want, got, fast []string
		for range one.Elements() {
			f, ok := one.Float()
			want = append(want, fmt.Sprint(f, ok))
		}
		for f, ok := range many.Floats() {
			got = append(got, fmt.Sprint(f, ok))
		}
		for f, ok := range whole.Floats() {
			fast = append(fast, fmt.Sprint(f, ok))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(fast) != fmt.Sprint(want) {
			t.Fatalf("%s: %v and %v, want %v", list, got, fast, want)
		}
		if many.misfits != one.misfits || whole.misfits != one.misfits || !many.End() || !whole.End() {
			t.Fatalf("%s: %d and %d misfits, want %d", list, many.misfits, whole.misfits, one.misfits)
		}
	})
}

// TestNoList holds that where a list belongs and something else is, reading goes on behind it.
func TestNoList(t *testing.T) {
	for _, value := range []string{"null", "7", `"x"`, `{"c": [1]}`, "[]"} {
		r := reader(`{"a":` + value + `,"b":` + value + `,"z":[5]}`)
		var names []string
		for name := range r.Members() {
			switch names = append(names, name); name {
			case "a":
				for range r.Ints() {
					t.Error(value, "has a whole number")
				}
			case "b":
				for range r.Floats() {
					t.Error(value, "has a number")
				}
			}
		}
		if len(names) != 3 || r.Err() != nil {
			t.Errorf("%s: members %v, %v", value, names, r.Err())
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		`"plain"`: "plain", `"a\u00e9\n\"\\"`: "aé\n\"\\", `"\ud83d\ude00"`: "😀", `null`: "", `7`: "",
		`"` + "\xff" + `x"`: "\xffx", `""`: "",
	} {
		if got := reader(text).Text(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestMisfitsAreCounted(t *testing.T) {
	r := reader(`{"a": [1, "x", {}, null, 1e400], "b": 3, "c": "t", "d": true, "e": null}`)
	sum, flag := int64(0), true
	for name := range r.Members() {
		switch name {
		case "a":
			for range r.Elements() {
				n, _ := r.Int()
				sum += n
			}
		case "b":
			for range r.Members() {
				t.Error("a number has members")
			}
		case "c", "d":
			flag = r.Bool()
		case "e":
			for range r.Elements() {
				t.Error("null has elements")
			}
		}
	}
	n, first := r.Misfits()
	if sum != 1 || !flag || n != 5 || r.Err() != nil ||
		first != "at offset 10: a text where a number belongs" {
		t.Errorf("sum %d, %d misfits, %q, %v", sum, n, first, r.Err())
	}
}

// TestLeavingALoop: what remains of a list or an object that a loop leaves early is passed over.
func TestLeavingALoop(t *testing.T) {
	r := reader(`{"list": [1, [2], {"x": 3}], "object": {"a": [], "b": 1}, "last": 9}`)
	last := int64(0)
	for name := range r.Members() {
		switch name {
		case "list":
			for range r.Elements() {
				break
			}
		case "object":
			for range r.Members() {
				r.Skip()
				break
			}
		case "last":
			last, _ = r.Int()
		}
	}
	if last != 9 || r.Err() != nil || !r.End() {
		t.Errorf("last %d, %v", last, r.Err())
	}
}

func TestBrokenText(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [1, 2`:  "the text ends at offset 11, before its outermost bracket",
		`{"a": "x\"`:   "the text ends at offset 10, before its outermost bracket",
		`{"a": [1, 2}`: "no JSON at offset 11: a comma or a bracket is missing",
		`{"a": [1 2]}`: "no JSON at offset 9: a comma or a bracket is missing",
		`{"a" 1}`:      "no JSON at offset 5: a colon is missing",
		`{a: 1}`:       "no JSON at offset 1: a name is missing",
		`[1, , 2]`:     "no JSON at offset 4: a value is missing",
		`[1, %]`:       "no JSON at offset 4: a character that begins no value",
		``:             "the text ends at offset 0, before its outermost bracket",
	} {
		for _, r := range []*Reader{reader(text), NewReader(iotest.OneByteReader(strings.NewReader(text)))} {
			seen := fmt.Sprint(r.any())
			if r.Err() == nil {
				r.Skip()
			}
			if err := fmt.Sprint(r.Err()); err != want {
				t.Errorf("%q: %v after %s", text, err, seen)
			}
			r.Skip() // nothing happens any more
			if r.Kind() != 0 || r.Bool() || r.Text() != "" || r.End() {
				t.Errorf("%q: reading goes on", text)
			}
		}
	}
	failing := errors.New("no more")
	r := NewReader(io.MultiReader(strings.NewReader(`[1, 2, `), iotest.ErrReader(failing)))
	n := 0
	for range r.Elements() {
		n++
	}
	if n != 2 || !errors.Is(r.Err(), failing) {
		t.Errorf("%d elements, %v", n, r.Err())
	}
}

// TestHarmlessDefects: what is plain what it should be is taken for it.
func TestHarmlessDefects(t *testing.T) {
	for text, want := range map[string]string{
		`[1, NaN, -Infinity, 2,]`:  "[1 0 0 2] 2",
		"[\"a\n\x01\", \"\xff\",]": "[a\n\x01 \xff] 0",
		`{"a": 1,}`:                "map[a:1] 0",
		`[12x4, tru, nul]`:         "[0 false <nil>] 1",
	} {
		r := reader(text)
		if got := fmt.Sprint(r.any(), " ", r.misfits); got != want || !r.End() {
			t.Errorf("%q: %q, %v, want %q", text, got, r.Err(), want)
		}
	}
}

// TestLongValues has strings and numbers that are longer than the window, and escapes at its edges.
func TestLongValues(t *testing.T) {
	for extra := range 5 {
		long := strings.Repeat("x", windowSize-extra) + `\\\"` + strings.Repeat("y", windowSize)
		zeros := strings.Repeat("0", windowSize)
		text := fmt.Sprintf(`["%s", ["%s", %s], 1.%s, 7]`, long, long, zeros, zeros)
		r, got := reader(text), ""
		for i := range r.Elements() {
			switch i {
			case 0:
				got = r.Text()
			case 2, 3:
				n, ok := r.Int()
				got += fmt.Sprint(n, ok)
			}
		}
		want := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(long) + "1 true7 true"
		if got != want || !r.End() {
			t.Errorf("%d bytes instead of %d, %v", len(got), len(want), r.Err())
		}
	}
}

// TestDeepNesting: brackets alone neither take the stack nor much memory.
func TestDeepNesting(t *testing.T) {
	text := strings.Repeat(`[{"a":`, 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := reader(text)
	r.Skip()
	runtime.ReadMemStats(&after)
	if r.Err() == nil || after.TotalAlloc-before.TotalAlloc > 16<<20 {
		t.Errorf("%v, %d bytes", r.Err(), after.TotalAlloc-before.TotalAlloc)
	}
}

// TestUTF16 reads what PowerShell writes when it redirects.
func TestUTF16(t *testing.T) {
	for mark, order := range map[string]func(byte) string{
		"\xff\xfe": func(c byte) string { return string([]byte{c, 0}) },
		"\xfe\xff": func(c byte) string { return string([]byte{0, c}) },
	} {
		text := mark
		for _, c := range []byte(`{"a": 5}`) {
			text += order(c)
		}
		r := reader(text)
		for range r.Members() {
			if n, _ := r.Int(); n != 5 {
				t.Errorf("%q: %d", mark, n)
			}
		}
		if r.Err() != nil {
			t.Error(r.Err())
		}
	}
	if r := reader("\xef\xbb\xbf7"); fmt.Sprint(r.any(), r.Err()) != "7 <nil>" {
		t.Error(r.Err())
	}
}
