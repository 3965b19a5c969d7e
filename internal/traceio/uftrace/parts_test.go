package uftrace

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// TestAddressesAreAMap holds the hash table of addresses against Go's own map.
func TestAddressesAreAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table addresses
		want := map[uint64]int32{}
		// Few low bits and many high ones: neighbours in the table collide.
		draw := rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64Range(0, 3).Draw(t, "high")<<44 | rapid.Uint64Range(0, 200).Draw(t, "low")<<4
		})
		for range rapid.IntRange(0, 300).Draw(t, "puts") {
			addr := draw.Draw(t, "address")
			if _, ok := want[addr]; ok {
				continue // put is for addresses without a number only
			}
			want[addr] = int32(len(want))
			table.put(addr, want[addr])
		}
		for addr, value := range want {
			if got := table.get(addr); got != value {
				t.Fatalf("%x has number %d, want %d", addr, got, value)
			}
		}
		if addr := draw.Draw(t, "asked"); table.get(addr) >= 0 {
			if _, ok := want[addr]; !ok {
				t.Fatalf("%x was never put, and has number %d", addr, table.get(addr))
			}
		}
		if table.reset(); table.get(0) != -1 {
			t.Fatal("an empty table knows an address")
		}
	})
}

func TestSymbolLines(t *testing.T) {
	for line, want := range map[string]string{
		"0000000000001000 T main\n":            "1000 T main",
		"0000000000001000 0000000a T main\n":   "1000 T main",
		"1000 P sem_wait":                      "1000 P sem_wait",
		"ffffffff81000000 t do_one\t[nfs]\n":   "ffffffff81000000 t do_one",
		"1000 T operator new(unsigned long)\n": "1000 T operator new(unsigned long)",
		"1000 ? __sym_end\n":                   "1000 ? __sym_end",
		"# path name: /bin/prog\n":             "",
		"main T 1000\n":                        "",
		"1000 T\n":                             "",
		"1000\n":                               "",
		"\n":                                   "",
		"1000 TT\n":                            "",
	} {
		got := ""
		if s, ok := parseSymbol(line); ok {
			got = fmt.Sprintf("%x %c %s", s.addr, s.kind, s.name)
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", line, got, want)
		}
	}
}

// TestSourceFilesHaveOnePath: a compiler that runs in another folder than the source's names the
// file by a way through its own, which differs from build to build.
func TestSourceFilesHaveOnePath(t *testing.T) {
	var e debugEntry
	if !e.set("L", "12 /ci/base.bin/../src/w.c") || e.file != "/ci/src/w.c" || e.line != 12 {
		t.Errorf("%s:%d", e.file, e.line)
	}
}

// TestSymbolsReachToTheNext: an address belongs to the symbol before it, up to an end marker; the
// last symbol of a table without one reaches no farther than endless.
func TestSymbolsReachToTheNext(t *testing.T) {
	m := module{symbols: []symbol{{0x100, "a", 'T'}, {0x200, "b", 'T'}, {0x280, "", marker}, {0x300, "c", 'T'}}}
	for addr, want := range map[uint64]string{0xff: "", 0x100: "a", 0x1ff: "a", 0x200: "b", 0x27f: "b",
		0x280: "", 0x2ff: "", 0x300: "c", 0x300 + endless: "c", 0x301 + endless: ""} {
		s, ok := m.find(addr)
		if ok != (want != "") || ok && s.name != want {
			t.Errorf("%x is in %q (%v), want %q", addr, s.name, ok, want)
		}
	}
	if _, ok := (&module{}).find(5); ok {
		t.Error("a module without symbols has one")
	}
}

func TestTaskFields(t *testing.T) {
	for line, want := range map[string]map[string]string{
		`a=1 b=2`:                           {"a": "1", "b": "2"},
		`a=1   exename="/bin/my prog"`:      {"a": "1", "exename": "/bin/my prog"},
		`libname="/lib/a "quoted" one" x=1`: {"libname": `/lib/a "quoted" one`, "x": "1"},
		`open="without end`:                 {"open": "without end"},
		`a= b=2`:                            {"a": "", "b": "2"},
		`no pairs`:                          {},
		``:                                  {},
	} {
		got, _ := fields(line)
		if !maps.Equal(got, want) {
			t.Errorf("%q has the fields %q, want %q", line, got, want)
		}
	}
}

func TestStamps(t *testing.T) {
	for text, want := range map[string]int64{
		"0.000000000": 0, "1.000000001": 1_000_000_001,
		"": -1, "1": -1, "1.": -1, ".5": -1, "-1.000000000": -1, "1.-00000001": -1, "1.1000000000": -1,
		"x.000000000": -1, fmt.Sprint(trace.Limit/int64(1e9)+1) + ".000000000": -1,
	} {
		got, ok := stamp(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

// TestEnumsSpellValues: a value is spelled by names whose values add up to it, with what is left over
// behind a plus; one that has a name has that name.
func TestEnumsSpellValues(t *testing.T) {
	e := enums{}
	for text, sound := range map[string]bool{
		"enum open {RD, WR, CREAT = 0100, TRUNC=01000,}": true,
		"enum color { RED, GREEN = 4, BLUE }":            true,
		"struct s { X }":                                 false,
		"enum broken { A = x, B }":                       false,
		"enum cut { A":                                   false,
		"enum none":                                      false,
	} {
		if got := e.define(text); got != sound {
			t.Errorf("%s: understood %v", text, got)
		}
	}
	if e.define("enum open { OTHER }"); len(e["open"]) != 4 {
		t.Errorf("open is defined again: %v", e["open"])
	}
	for _, tt := range []struct {
		name  string
		value int64
		want  string
	}{
		{"open", 0, "RD"}, {"open", 1, "WR"}, {"open", 0o100, "CREAT"}, {"open", 0o1101, "TRUNC|CREAT|WR"},
		{"open", 0o1102, "TRUNC|CREAT|WR+0x1"}, {"color", 5, "BLUE"}, {"color", 2, "2"}, {"color", -1, "-1"},
		{"broken", 0, "B"}, {"none", 3, "3"}, {"unheard of", 3, "3"}, {"s", 0, "0"},
	} {
		if got := e.format(tt.name, tt.value); got != tt.want {
			t.Errorf("%s %d is spelled %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	for name, list := range e {
		if !slices.IsSortedFunc(list, func(x, y enumerator) int { return int(y.value - x.value) }) {
			t.Errorf("%s is not in order of falling values: %v", name, list)
		}
	}
}

func TestEventNames(t *testing.T) {
	r := &recording{events: map[uint64]string{1_000_001: "app:started", 100_002: "renamed"}}
	for id, want := range map[uint64]string{1_000_001: "app:started", 100_002: "renamed",
		100_001: "read:proc/statm", 100_003: "diff:proc/statm", 100_004: "diff:page-fault", // of uftrace 0.13
		100_005: "read:pmu-cycle", 100_010: "diff:pmu-branch", 1_000_002: "user_event:1000002", 7: "event:7"} {
		if got := r.eventName(id); got != want {
			t.Errorf("event %d is called %q, want %q", id, got, want)
		}
	}
}
