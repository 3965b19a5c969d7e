package ctf

import (
	"fmt"
	"strings"
	"testing"
)

// describe writes a type as one line.
func describe(t *typ) string {
	switch t.kind {
	case integer:
		return fmt.Sprintf("int%d/%d", t.size, t.align)
	case float:
		return fmt.Sprintf("float%d/%d", t.size, t.align)
	case text:
		return "string"
	case enum:
		out := fmt.Sprintf("enum%d(", t.size)
		for _, r := range t.ranges {
			out += fmt.Sprintf("%s %d-%d;", r.label, r.from, r.to)
		}
		return out + ")"
	case structure, variant:
		out := map[kind]string{structure: "struct", variant: "variant<" + t.tag + ">"}[t.kind] + fmt.Sprintf("/%d{", t.align)
		for _, m := range t.members {
			out += m.name + " " + describe(m.typ) + ";"
		}
		return out + "}"
	case array:
		return fmt.Sprintf("[%d]%s", t.length, describe(t.of))
	}
	return fmt.Sprintf("[%s]%s", t.counted, describe(t.of))
}

const someTypes = `/* CTF 1.8 */ // types that are used below
#line 5 "x.tsdl"
typealias integer { size = 8; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := int;
typealias integer { size = 0x40; base = hex; } := unsigned long int;
typealias integer { size = 64; } := unsigned long int *;
typedef u8 byte, bytes[4];
struct pair { u8 a, b; } align(16);
variant both { u8 x; string y; };
`

// TestTypes reads the fields of an event in all the ways to write them.
func TestTypes(t *testing.T) {
	for text, want := range map[string]string{
		"struct { u8 a; };":                        "struct/8{a int8/8;}",
		"struct { byte a; bytes b; }":              "struct/8{a int8/8;b [4]int8/8;}",
		"struct { unsigned long int a, b[2][3]; }": "struct/8{a int64/8;b [2][3]int64/8;}",
		"struct { const unsigned long int * a; }":  "struct/8{a int64/8;}",
		"struct pair":                              "struct/16{a int8/8;b int8/8;}",
		"struct { struct pair p; }":                "struct/16{p struct/16{a int8/8;b int8/8;};}",
		"struct { integer { size = 3; } a; }":      "struct/1{a int3/1;}",
		"struct { integer { size = 27; align = 1; encoding = UTF8; map = clock.c.value; } a; }": "struct/1{a int27/1;}",
		"struct { floating_point { exp_dig = 11; mant_dig = 53; align = 8; } f; }":              "struct/8{f float64/8;}",
		"struct { string { encoding = ASCII; } s; string t; }":                                  "struct/8{s string;t string;}",
		"struct { enum { A, B = 5, C, \"D e\" = -3 ... -1, } e; }":                              "struct/8{e enum32(A 0-0;B 5-5;C 6-6;D e -3--1;);}",
		"struct { enum e : u8 { A = 'x' }; enum e f; }":                                         "struct/8{f enum8(A 0-0;);}",
		"struct { enum : u8 { A } t; variant <t> { u8 A; } v; }":                                "struct/8{t enum8(A 0-0;);v variant<t>/1{A int8/8;};}",
		"struct { enum : u8 { x, y } t; variant both <t> v; }":                                  "struct/8{t enum8(x 0-0;y 1-1;);v variant<t>/1{x int8/8;y string;};}",
		"struct { u8 n; u8 a[n]; u8 b[ event.fields.n ]; }":                                     "struct/8{n int8/8;a [n]int8/8;b [event.fields.n]int8/8;}",
		"struct { typealias integer { size = 16; } := u8; u8 a; }":                              "struct/8{a int16/8;}",
		"struct { }": "struct/1{}",
	} {
		m, err := parse(someTypes + "event { name = \"e\"; fields := " + text + "; };")
		if err != nil || len(m.events) != 1 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := describe(m.events[0].fields); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestBroken has metadata that is not right; the error says where.
func TestBroken(t *testing.T) {
	for text, want := range map[string]string{
		"event { fields := nothing; };":                    `no type is called "nothing"`,
		"event { fields := struct nothing; };":             `no type is called "struct nothing"`,
		"event { name = ; };":                              `";" where a value should be`,
		"event { name \"x\"; };":                           "where an assignment should be",
		"trace":                                            `"" where "{" should be`,
		"other { };":                                       `"other" is no block of a trace`,
		"/* no end":                                        "a comment does not end",
		"event { name = \"no end":                          "a text does not end",
		"typealias integer { size = 65; } := x;":           "a number of 65 bits",
		"typealias integer { size = 8; align = 3; } := x;": "an alignment of 3 bits",
		"typealias integer { } := x;":                      "a number of 0 bits",
		"struct s { string a[\"x\"]; };":                   "a text for a length",
		"typealias struct { } align(7) := x;":              "an alignment of 7 bits",
		"typealias enum { A } := x;":                       "an enum without integers",
		"typealias string := ;":                            "without a name",
		strings.Repeat("struct a { ", 500):                 "blocks nest more than",
	} {
		_, err := parse("/* CTF 1.8 */ " + text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "offset ") {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
	// Types may hold one another by name, without any block in another one.
	var chain strings.Builder
	chain.WriteString("/* CTF 1.8 */ struct s0 { string x; };\n")
	for i := range 200 {
		fmt.Fprintf(&chain, "struct s%d { struct s%d a; struct s%d b; };\n", i+1, i, i)
	}
	if _, err := parse(chain.String()); err == nil || !strings.Contains(err.Error(), "levels deep") {
		t.Errorf("a chain of types: %v", err)
	}
}

// TestManyFields has types that hold one another twice, so that the fields are more than can be read.
func TestManyFields(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	dir := r.folder(r.packet())
	var chain strings.Builder
	chain.WriteString("struct s0 { };\n")
	for i := range 60 {
		fmt.Fprintf(&chain, "struct s%d { struct s%d a; struct s%d b; };\n", i+1, i, i)
	}
	text := strings.Replace(string(dir["metadata"].Data), "stream {", chain.String()+"stream {", 1)
	dir["metadata"].Data = []byte(strings.Replace(text, "fields := struct { }", "fields := struct s60", 1))
	tr, err := loadFolder(dir)
	if err == nil && len(told(tr)) == 0 || err != nil && !strings.Contains(err.Error(), "no event in ") {
		t.Errorf("%v", err)
	}
	dir = r.folder(r.packet())
	dir["metadata"].Data = []byte(strings.Replace(string(dir["metadata"].Data), "fields := struct { }",
		"fields := struct { struct { } a[0xffffffffffff]; }", 1))
	if _, err := loadFolder(dir); err == nil || !strings.Contains(err.Error(), "no event in ") {
		t.Errorf("elements without a size: %v", err)
	}
}

func TestClocks(t *testing.T) {
	for _, c := range []struct {
		clock clock
		v     uint64
		want  int64 // or −1
	}{
		{clock{freq: 1e9}, 5, 5},
		{clock{freq: 1e9, offset: 100, seconds: 2}, 5, 2_000_000_105},
		{clock{freq: 2_095_000_000}, 2_095_000_000, 1e9},
		{clock{freq: 3}, 1, 333_333_333},
		{clock{freq: 3}, 2, 666_666_667},
		{clock{freq: 1e9, offset: -10}, 4, -6},
		{clock{freq: 1000, offset: -10}, 4, -6_000_000},
		{clock{freq: 1}, 1 << 40, -1},
		{clock{freq: 1e9}, 1 << 63, -1},
		{clock{freq: 1e9, seconds: 1 << 60}, 0, -1},
	} {
		got, ok := c.clock.ns(c.v)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%d on %+v: %d, want %d", c.v, c.clock, got, c.want)
		}
	}
}
