package words

import (
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
)

func TestNamesOfPairs(t *testing.T) {
	st := compared(t, session.Matches).State()
	ids := map[string]string{"producer": "1", "consumer": "2|7", "owner": "3", "idle": "4"}
	for k, tp := range st.Pair.Threads {
		name := PairName(st, tp)
		if want, ok := ids[name]; !ok || PairIDs(st, tp) != want {
			t.Errorf("pair %d is %q with ids %q, want %q", k, name, PairIDs(st, tp), want)
		}
	}
}

// TestNumberedThreadsOfOneRole checks that a role is named once where a format adds ids to names.
func TestNumberedThreadsOfOneRole(t *testing.T) {
	s := session.New(func() {})
	put(t, s, pair.A, "trace text\nthread 21 name=\"worker · 21\" role=worker numbered\n  0+1 main\n")
	put(t, s, pair.B, "trace text\nthread 17 name=\"worker · 17\" role=worker numbered\n  0+1 main\n")
	s.Settle(t.Context())
	st := s.State()
	if got := PairName(st, st.Pair.Threads[0]); got != "worker · 21 | 17" {
		t.Errorf("the pair is %q", got)
	}
	if got := PairIDs(st, st.Pair.Threads[0]); got != "" {
		t.Errorf("ids %q, which are part of the names", got)
	}
}

// TestPairsOfOneNameAreToldApart holds that a label has ids where a side has several threads of its
// name, and that both ids stand in a name which differs in nothing else.
func TestPairsOfOneNameAreToldApart(t *testing.T) {
	s := session.New(func() {})
	put(t, s, pair.A, "trace text\nthread 5 name=worker\n  0+9 main\n    1+2 f\n"+
		"thread 6 name=worker\n  0+9 main\nthread 8 name=\"thread 8 (python3)\"\n  0+9 py\n")
	put(t, s, pair.B, "trace text\nthread 15 name=worker\n  0+9 main\n    1+2 f\n"+
		"thread 16 name=worker\n  0+9 main\nthread 18 name=\"thread 18 (python3)\"\n  0+9 py\n")
	s.Settle(t.Context())
	var got []string
	for _, tp := range s.State().Pair.Threads {
		got = append(got, PairLabel(s.State(), tp))
	}
	slices.Sort(got)
	want := []string{"thread 8 | 18 (python3)", "worker · 5|15", "worker · 6|16"}
	if !slices.Equal(got, want) {
		t.Errorf("the pairs are %q, want %q", got, want)
	}
}

func TestPairTitleSaysWhichSideHasNone(t *testing.T) {
	s := compared(t, session.Matches)
	for k, tp := range s.State().Pair.Threads {
		s.ShowPair(k)
		want := PairLabel(s.State(), tp)
		if tp.B < 0 {
			want += "  (only in A)"
		}
		if got := PairTitle(s.State()); got != want {
			t.Errorf("pair %d is %q, want %q", k, got, want)
		}
	}
	if got := PairTitle(session.New(func() {}).State()); got != "" {
		t.Errorf("without traces it is %q", got)
	}
}
