package synth

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestRefusalsSayWhy holds the message for every option that is refused: it names the value and the
// values that are allowed.
func TestRefusalsSayWhy(t *testing.T) {
	rates := func(k Kind, rate float64) map[Kind]float64 { return map[Kind]float64{k: rate} }
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Calls: -1}, "-1 calls: the number lies between 1 and 2147483647"},
		{Options{Calls: 1 << 31}, "2147483648 calls: the number lies between 1 and 2147483647"},
		{Options{Threads: -2}, "-2 threads: the number lies between 1 and 10000"},
		{Options{Threads: 10_001}, "10001 threads: the number lies between 1 and 10000"},
		{Options{Waits: -1}, "-1 waits: the number lies between 0 and that of calls"},
		{Options{Calls: 10, Waits: 11}, "11 waits: the number lies between 0 and that of calls"},
		{Options{Functions: 99}, "99 functions: the number lies between 100 and 200000"},
		{Options{Functions: 200_001}, "200001 functions: the number lies between 100 and 200000"},
		{Options{Situations: []string{"deadlock", "rush"}}, `no such situation: "rush" (one of ` +
			strings.Join(SituationNames(), ", ") + ")"},
		{Options{Noise: Noise{Calls: 1.5}}, "noise 1.5: the number lies between 0 and 1"},
		{Options{Noise: Noise{Stalls: -1}}, "stalls -1: the number lies between 0 and 1"},
		{Options{Pace: 2000}, "pace 2000: the number lies between 0.001 and 1000"},
		{Options{Edits: rates(Slow, 1.5)}, "edit slow:1.5: the rate is a number from 0 to 1"},
		{Options{Edits: rates(Shard, -.5)}, "edit shard:-0.5: the rate is a number from 0 to 1"},
		{Options{Edits: rates(kinds, .5)}, "edit kind(9):0.5: the rate is a number from 0 to 1"},
		{Options{Edits: map[Kind]float64{Insert: .5, Delete: .75}},
			"the rates of the edits add up to 1.25; a call is edited at most once"},
	} {
		if err := tt.o.Check(); err == nil || err.Error() != tt.want {
			t.Errorf("%+v:\n got %v\nwant %s", tt.o, err, tt.want)
		}
	}
}

func TestOptionsThatAreAccepted(t *testing.T) {
	for _, o := range []Options{
		{},
		{Calls: 1<<31 - 1, Threads: 10_000, Functions: 200_000},
		{Calls: 10, Waits: 10},
		{Situations: staged()},
		// Only kinds with a rate per call share the calls among them.
		{Edits: map[Kind]float64{Insert: 1, Rename: 1, Contend: 1, Shard: 1}},
		{Edits: map[Kind]float64{Insert: .5, Delete: .5}},
	} {
		if err := o.Check(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	o, err := Options{Seed: 3}.withDefaults()
	if err != nil || o.Calls != 100_000 || o.Threads != 8 || o.Functions != 3_000 || o.Seed != 3 {
		t.Errorf("%+v, %v", o, err)
	}
	given, err := Options{Calls: 7, Threads: 1, Functions: 100}.withDefaults()
	if err != nil || given.Calls != 7 || given.Threads != 1 || given.Functions != 100 {
		t.Errorf("given numbers became %+v, %v", given, err)
	}
}

func TestKindsHaveNames(t *testing.T) {
	names := KindNames()
	if len(names) != int(kinds) {
		t.Fatalf("%d names for %d kinds", len(names), kinds)
	}
	for i, name := range names {
		k := Kind(i)
		var back Kind
		if err := back.UnmarshalText([]byte(name)); err != nil || back != k || k.String() != name {
			t.Errorf("%q is %v, and %d is %q: %v", name, back, i, k, err)
		}
	}
	names[0] = "changed"
	if KindNames()[0] != "insert" {
		t.Error("the list of names can be changed from outside")
	}
	if _, err := json.Marshal(map[Kind]int{kinds: 1}); err == nil {
		t.Error("a kind that does not exist has a text form")
	}
	data, err := json.Marshal(map[Kind]int{Slow: 1, Move: 2})
	if err != nil || string(data) != `{"move":2,"slow":1}` {
		t.Errorf("%s, %v", data, err)
	}
	var k Kind
	const want = `no such kind of edit: "melt" (one of insert, delete, rename, move, swap, slow, ` +
		`repeat, contend, shard)`
	if err := k.UnmarshalText([]byte("melt")); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

func TestParseEditSaysWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"slow":     `edit "slow": want kind:rate, like slow:0.05`,
		"melt:1":   `edit "melt:1": no such kind of edit: "melt"`,
		":1":       `edit ":1": no such kind of edit: ""`,
		"slow:":    `edit "slow:": the rate is a number from 0 to 1`,
		"slow:Inf": `edit "slow:Inf": the rate is a number from 0 to 1`,
	} {
		if _, _, err := ParseEdit(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		asked, path string
		want        Format
	}{
		{"", "a.json", Chrome},
		{"", "a.json.gz", Chrome},
		{"", "a.json.zst", Chrome},
		{"", "a.data", Uftrace},
		{"", "json", Uftrace},
		{"", "a.gz", Uftrace},
		{"", "a.json/b", Uftrace},
		{"chrome", "a.data", Chrome},
		{"uftrace", "a.json", Uftrace},
	} {
		f, err := ParseFormat(tt.asked)
		if got := f.forPath(tt.path); err != nil || got != tt.want {
			t.Errorf("--format %q, %s: %v (%v), want %v", tt.asked, tt.path, got, err, tt.want)
		}
	}
	if _, err := ParseFormat("pprof"); err == nil ||
		err.Error() != `no such output format: "pprof" (chrome or uftrace)` {
		t.Errorf("error %v", err)
	}
}

func TestSituationHelpNamesAll(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(SituationHelp()), "\n")
	var named []string
	for _, line := range lines {
		name, help, _ := strings.Cut(strings.TrimSpace(line), " ")
		named = append(named, name)
		if strings.TrimSpace(help) == "" {
			t.Errorf("%s has no help", name)
		}
	}
	if !slices.Equal(named, SituationNames()) {
		t.Errorf("help names %v", named)
	}
}

// TestNamesAreFree: each name is given out once, also where the generator draws it again.
func TestNamesAreFree(t *testing.T) {
	n := newNamer(1, streamNames)
	seen := map[string]bool{}
	for range 30_000 { // more than there are combinations without a number
		name := n.function()
		if seen[name] {
			t.Fatalf("%s is given out twice", name)
		}
		seen[name] = true
	}
	if a, b := n.unique("f"), n.unique("f"); a != "f" || b != "f2" {
		t.Errorf("%s, then %s", a, b)
	}
}

// TestRenamesKeepTheLibrary: at rate 1 every function of the program has another name, which no
// function had before, and none of the C library or of the spanning calls.
func TestRenamesKeepTheLibrary(t *testing.T) {
	o := Options{Calls: 1000, Threads: 2, Functions: 500, Edits: map[Kind]float64{Rename: 1}}
	p := newProgram(o)
	before, names := p.names(), p.names()
	renamed := renameSome(names, p, o)
	if len(renamed) != len(p.functions)-int(firstOwn) {
		t.Errorf("%d functions are renamed", len(renamed))
	}
	for _, r := range renamed {
		if before[r.fn] != r.from || names[r.fn] != r.to || slices.Contains(before, r.to) {
			t.Errorf("%d: from %s to %s, its name is now %s", r.fn, r.from, r.to, names[r.fn])
		}
		if !strings.HasPrefix(r.to, r.from) {
			t.Errorf("%s is now %s", r.from, r.to)
		}
	}
	if !slices.Equal(names[:firstOwn], before[:firstOwn]) {
		t.Errorf("library functions are now %v", names[:firstOwn])
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(before) {
		t.Error("two functions have one name")
	}
}
