package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// plainCandidates compares each vanished name with each new one, by the definition.
func plainCandidates(s *study, profiles [2]map[uint32]*profile, blur bool) (list []string) {
	type found struct {
		a, b uint32
		like float64
	}
	var all []found
	var alone [2]int
	for sd, of := range profiles {
		for _, p := range of {
			alone[sd] += toInt(p.standsAlone())
		}
	}
	for a, x := range profiles[pair.A] {
		for b, y := range profiles[pair.B] {
			if alone[pair.A] > 1 && x.standsAlone() || alone[pair.B] > 1 && y.standsAlone() {
				continue
			}
			if callers, _ := plainOverlap(s, x.callers, y.callers, blur); callers == 0 ||
				s.taken[a] || s.taken[b] {
				continue
			}
			if like := plainLikeness(s, x, y, blur); like >= alike {
				all = append(all, found{a, b, like})
			}
		}
	}
	slices.SortFunc(all, func(x, y found) int {
		return cmp.Or(-cmp.Compare(x.like, y.like),
			-cmp.Compare(profiles[pair.A][x.a].calls, profiles[pair.A][y.a].calls),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	for _, f := range all {
		list = append(list, fmt.Sprint(f))
	}
	return list
}

func plainLikeness(s *study, x, y *profile, blur bool) float64 {
	rare := func(p *profile) bool { return p.calls < fewSamples && p.sampled }
	if min(x.calls, y.calls) < 2 && (blur || min(len(x.callees), len(y.callees)) == 0) || rare(x) || rare(y) {
		return 0
	}
	share := func(x, y map[uint32]int64) float64 {
		common, all := plainOverlap(s, x, y, false)
		return float64(common) / float64(max(all, 1))
	}
	if blur && max(share(x.callers, y.callers), share(x.callees, y.callees)) < alike {
		return 0
	}
	common, all := plainOverlap(s, x.callers, y.callers, blur)
	below, more := plainOverlap(s, x.callees, y.callees, blur)
	if below == 0 && 2*more >= all {
		return 0
	}
	return min(float64(common)/float64(all), float64(common+below)/float64(all+more))
}

func plainOverlap(s *study, x, y map[uint32]int64, blur bool) (common, all int64) {
	var counts [2]map[uint32]int64
	for i, of := range []map[uint32]int64{x, y} {
		counts[i] = map[uint32]int64{}
		for id, n := range of {
			counts[i][s.nameInA(id, blur)] += n
		}
	}
	for id, n := range counts[0] {
		common += min(n, counts[1][id])
		all += max(n, counts[1][id])
	}
	for id, n := range counts[1] {
		if _, ok := counts[0][id]; !ok {
			all += n
		}
	}
	return common, all
}

// TestCandidatesAreThoseOfAllPairs holds candidates against a comparison of all pairs. Identities
// 0 to 4 are known on both sides, 5 to 9 have vanished, and 10 to 14 are new.
func TestCandidatesAreThoseOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ids = 15
		s := &study{gone: [2][]bool{make([]bool, ids), make([]bool, ids)}}
		s.same, s.taken = make([]uint32, ids), map[uint32]bool{}
		var profiles [2]map[uint32]*profile
		for id := range uint32(ids) {
			s.same[id] = id
		}
		counts := rapid.MapOfN(rapid.SampledFrom([]uint32{0, 1, 2, 5, 6, 10, 11, itself, atRoot}),
			rapid.Int64Range(1, 9), 0, 4)
		for sd := range profiles {
			profiles[sd] = map[uint32]*profile{}
			for id := uint32(5 + 5*sd); id < uint32(10+5*sd); id++ {
				s.gone[sd][id] = true
				p := &profile{callers: counts.Draw(t, "callers"), callees: counts.Draw(t, "callees"),
					sampled: rapid.IntRange(0, 9).Draw(t, "sampled") == 0}
				for _, n := range p.callers {
					p.calls += n
				}
				profiles[sd][id] = p
			}
		}
		if rapid.Bool().Draw(t, "a name is found") {
			s.taken[5], s.taken[10], s.same[10] = true, true, 5
		}
		blur := rapid.Bool().Draw(t, "blur")
		views := [2][]view{s.views(profiles[pair.A], blur), s.views(profiles[pair.B], blur)}
		found, err := candidates(t.Context(), views, blur)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range found {
			got = append(got, fmt.Sprint(struct {
				a, b uint32
				like float64
			}{views[pair.A][c.a].id, views[pair.B][c.b].id, c.like}))
		}
		if want := plainCandidates(s, profiles, blur); !slices.Equal(got, want) {
			t.Fatalf("candidates %v, want %v", got, want)
		}
	})
}

// TestNumberedNames: if thousands of names with a number are others in B, each is compared with
// few, among which is the one in its place.
func TestNumberedNames(t *testing.T) {
	const n = 5 * mostPeers
	var views [2][]view
	for sd := range views {
		for i := range uint32(n) {
			calls := int64(2 + i%3)
			views[sd] = append(views[sd], view{profile: &profile{calls: calls}, id: i,
				callers: [2][]link{{{atRoot, calls}}}})
		}
	}
	found, err := candidates(t.Context(), views, false)
	if err != nil || len(found) > n*mostPeers {
		t.Fatalf("%d candidates (%v)", len(found), err)
	}
	var with [n]bool
	for _, c := range found {
		with[c.a] = with[c.a] || c.a == c.b
	}
	if i := slices.Index(with[:], false); i >= 0 {
		t.Errorf("%d is not compared with the one in its place", i)
	}
}

// TestNamesThatMayBeMeant holds that of several functions in the same place one is taken for
// renamed only if the name says so, and one that takes much longer not at all.
func TestNamesThatMayBeMeant(t *testing.T) {
	loop := func(parts ...*call) *call { return among("main", again(20, among("best", parts))) }
	for _, c := range []struct {
		a, b *call
		want string
	}{
		{loop(f("map::empty", 90), f("map::rbegin", 90)), loop(f("map::begin", 90), f("map::end", 90)), ""},
		{loop(f("quote", 16_000)), loop(f("cached", 200)), ""},
		{loop(f("quote", 16_000)), loop(f("price", 20_000)), "quote → price"},
		{loop(f("loadRow", 90), f("loadColumn", 90)), loop(f("fetch_column", 90), f("fetch_row", 90)),
			"loadColumn → fetch_column, loadRow → fetch_row"},
		{loop(f("quote", 90)), loop(f("price", 90, f("lookup", 90))), ""},
	} {
		_, _, r := compared(t, recorded(t, nil, c.a), recorded(t, nil, c.b))
		var got []string
		for _, f := range r.Findings {
			if name, ok := strings.CutPrefix(f.Text, f.Function+" is named "); ok {
				new, _, _ := strings.Cut(name, " ")
				got = append(got, f.Function+" → "+new)
			}
		}
		slices.Sort(got)
		if told := strings.Join(got, ", "); told != c.want {
			t.Errorf("%s, want %s", told, c.want)
		}
	}
}

// TestRenamesInProfiles holds that a function of a profile is renamed if what it calls weighs about
// the same and makes half of it, or if it costs the same by itself to a thousandth, under callers
// that are the same; not if it only costs about as much, is a few samples, or is called by nobody.
func TestRenamesInProfiles(t *testing.T) {
	callees := func(name string, own, scan, emit int64) []*call {
		return []*call{f(name, own, f("scan", scan), f("emit", emit))}
	}
	for _, c := range []struct {
		a, b []*call
		root bool // in the place of main
		want string
	}{
		{a: []*call{f("score", 18_000)}, b: []*call{f("rank_item", 18_004)},
			want: "score is named rank_item in B: the same callers and callees, 18.000 k Ir → 18.004 k Ir including callees"},
		{a: []*call{f("score", 18_000)}, b: []*call{f("rank_item", 18_100)}},
		{a: []*call{f("score", 900)}, b: []*call{f("rank_item", 900)}},
		{a: callees("parse", 500, 700, 400), b: callees("read", 450, 650, 450),
			want: "parse is named read in B: the same callers and callees, 1.60 k Ir → 1.55 k Ir including callees"},
		{a: callees("parse", 900, 400, 100), b: callees("read", 800, 400, 100)},
		{a: callees("parse", 5, 6, 4), b: callees("read", 5, 6, 4)},
		{a: callees("parse", 500, 900, 400), b: callees("read", 500, 450, 400)},
		{a: []*call{f("run", 10, f("parse", 30_000, f("scan", 9)))}, b: []*call{f("serve", 10, f("send", 29_000, f("emit", 9)))}, root: true},
	} {
		profile := func(of []*call) *trace.Trace {
			b := trace.NewBuilder("test")
			b.Kind, b.Unit, b.Symbols = trace.Profile, "Ir", true
			top := of[0]
			if !c.root {
				top = f("main", 20_000, of[0], f("rest", 1))
			}
			return recordedAs(t, b, nil, top)
		}
		_, _, r := compared(t, profile(c.a), profile(c.b))
		var got string
		for _, f := range r.Findings {
			if f.Kind == Renamed {
				got += f.Text
			}
		}
		if got != c.want {
			t.Errorf("told %q, want %q", got, c.want)
		}
	}
}

// TestLastWords: what stands in brackets before a function's name, and a number behind it, does not
// hide its words.
func TestLastWords(t *testing.T) {
	for name, want := range map[string]string{
		"gfx::blurRow": "blur row", "gfx::gauss_row(int)": "gauss row", "loadURL": "load url",
		"ui.(*Body).ScanFast": "scan fast", "net/rpc.Light.ReduceV2": "reduce",
		"std::vector<int>::push_back(int&&)": "push back", "HTTPServer": "http server",
		"a::(anonymous namespace)::run(int) const": "run", "<T as Row>::next": "next",
		"sort<int (*)(int)>": "sort",
	} {
		if got := strings.Join(lastWords(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestKernelsAreNotRenamed holds that of several functions that nobody calls and that call nothing,
// none is another one's new name because it has as many calls.
func TestKernelsAreNotRenamed(t *testing.T) {
	side := func(one, other string) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("stream 7", -1)
		for k := range int64(114) {
			name := one
			if k%5 > 0 && k < 110 {
				name = other
			}
			th.Complete(10*k, 10*k+8, b.Function(trace.Function{Name: name}))
		}
		return testtrace.Build(t, b)
	}
	_, _, r := compared(t, side("ampere_128x64_nn", "ampere_32x128_tn"), side("volta_64x32_tn", "volta_128x32_nn"))
	for _, f := range r.Findings {
		if f.Kind == Renamed {
			t.Error(f.Sentence())
		}
	}
}
