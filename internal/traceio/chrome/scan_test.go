package chrome

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someJSON draws a JSON value as text, with white space between some of its tokens.
func someJSON(t *rapid.T, depth int) string {
	space := func() string {
		return rapid.SampledFrom([]string{"", "", "", " ", "\n\t"}).Draw(t, "space")
	}
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
	case 1:
		return rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
	case 2, 3:
		text, _ := json.Marshal(rapid.SampledFrom([]string{"", "a", `"`, `\`, `a\"b`, "}]", "longer than eight bytes",
			"1234567\"", "é\n"}).Draw(t, "string"))
		return string(text)
	}
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "values") {
		value := space() + someJSON(t, depth-1) + space()
		if kind == 4 {
			value = space() + `"k"` + space() + ":" + value
		}
		parts = append(parts, value)
	}
	open, shut := "[", "]"
	if kind == 4 {
		open, shut = "{", "}"
	}
	body := strings.Join(parts, ",")
	if body == "" {
		body = space()
	}
	return open + body + shut
}

// TestValuesEndWhereTheyDo holds the scanner against encoding/json: it finds the end of any value,
// says so of any part of one that it is cut, and tells whether white space stands in it.
func TestValuesEndWhereTheyDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := someJSON(t, 4)
		if !json.Valid([]byte(text)) {
			t.Fatalf("the test draws %s", text)
		}
		var s scanner
		for _, after := range []string{",", "]", "}", " ,"} {
			if end, st := s.value([]byte(text+after), 0); st != whole || end != len(text) {
				t.Fatalf("%s ends at %d, status %d, before %q", text, end, st, after)
			}
		}
		var small bytes.Buffer
		if err := json.Compact(&small, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := s.gaps; got != (small.Len() < len(text)) && strings.TrimSpace(text) == text {
			t.Fatalf("%q has white space: %v", text, got)
		}
		if got := squeeze(nil, []byte(text)); string(got) != small.String() {
			t.Fatalf("%q is squeezed to %q, want %q", text, got, &small)
		}
		batch := batch{block: []byte(` "` + text + ` "`)}
		if batch.squeeze(2, 2+len(text)); string(batch.args) != small.String() {
			t.Fatalf("%q is squeezed to %q in a block, want %q", text, batch.args, &small)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		if _, st := s.value([]byte(text[:at]), 0); st != cut {
			t.Fatalf("%q is cut, and has status %d", text[:at], st)
		}
	})
}

// TestBrokenJSON: what is no JSON is told from what only ends early.
func TestBrokenJSON(t *testing.T) {
	for text, want := range map[string]status{
		`{"a":1},`:      whole,
		`{"a":NaN},`:    whole, // Python writes it
		"\"\x01\x02\",": whole,
		`[1,2`:          cut,
		`{"a"`:          cut,
		`{"a":`:         cut,
		`{"a":1`:        cut,
		`{"a":1,`:       cut,
		`"abc`:          cut,
		`"abc\`:         cut,
		`12`:            cut, // more digits may follow
		`{`:             cut,
		` `:             cut,
		``:              cut,
		`{1:2},`:        broken,
		`{"a" 1},`:      broken,
		`{"a":1 2},`:    broken,
		`[1 2],`:        broken,
		`[1},`:          broken,
		`{"a":1],`:      broken,
		`{,},`:          broken,
		`;`:             broken,
		`[@],`:          broken,
	} {
		var s scanner
		if _, st := s.value([]byte(text), 0); st != want {
			t.Errorf("%q has status %d, want %d", text, st, want)
		}
	}
	deep := strings.Repeat("[", maxNesting)
	var s scanner
	if _, st := s.value([]byte(deep+strings.Repeat("]", maxNesting)+","), 0); st != whole {
		t.Errorf("%d levels have status %d", maxNesting, st)
	}
	if _, st := s.value([]byte(deep+"["), 0); st != broken {
		t.Errorf("one level too many has status %d", st)
	}
}

// TestMembers: an object's members come in order, strings without quotes; what is no object has
// none, and damage ends the list.
func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":"x","c":[1,2]}`:         "a=1 b=x c=[1,2]",
		` { "a" : { "b" : 2 } , "c":null }`: `a={ "b" : 2 } c=null`,
		`{"a":"x\"y"}`:                      `a=x\"y`,
		`{}`:                                "",
		`[1,2]`:                             "",
		`12`:                                "",
		``:                                  "",
		`{"a":1,"b"`:                        "a=1",
		`{"a":1;"b":2}`:                     "a=1",
		`{"a":1,}`:                          "a=1",
	} {
		var got []string
		for name, value := range members([]byte(text)) {
			got = append(got, string(name)+"="+string(value))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s has the members %q, want %q", text, s, want)
		}
	}
	for range members([]byte(`{"a":1,"b":2}`)) {
		break // the sequence must bear it
	}
}

// TestInstantsAdd: sums of times are exact to 10⁻⁶ ns whatever the signs, and rounding keeps order.
func TestInstantsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (instant, int64) {
			parts := rapid.Int64Range(-5e12, 5e12).Draw(t, label) // of 10⁻⁶ ns
			return instant{parts / fracUnit, int32(parts % fracUnit)}, parts
		}
		x, px := draw("x")
		y, py := draw("y")
		sum := x.plus(y)
		if got := sum.ns*fracUnit + int64(sum.frac); got != px+py {
			t.Fatalf("%v + %v is %v, off by %d", x, y, sum, got-px-py)
		}
		if sum.frac <= -fracUnit || sum.frac >= fracUnit {
			t.Fatalf("%v has a fraction beyond a ns", sum)
		}
		if px <= py && x.rounded() > y.rounded() {
			t.Fatalf("%v is rounded to %d, %v to %d", x, x.rounded(), y, y.rounded())
		}
	})
}
