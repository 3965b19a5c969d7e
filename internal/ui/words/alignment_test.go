package words

import (
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
)

func TestTipsOfNodes(t *testing.T) {
	st := compared(t, session.Alignment).State()
	v := st.Shown()
	node := func(side pair.Side, function string, n int) aligned.Node {
		ref := callOf(t, st, side, function, n).Ref
		return v.Prepared.Node(v.Prepared.NodeOf(side, int(ref.Call)))
	}
	for name, c := range map[string]struct {
		node aligned.Node
		want []string
	}{
		"pair": {node(pair.A, "parse", 0),
			[]string{"parse", "A  4.00 µs at 1.00 µs", "B  6.00 µs at 1.00 µs", "equal, +2.00 µs in B"}},
		"other functions": {node(pair.A, "log", 0),
			[]string{"log  |  parse", "A  500 ns at 6.00 µs", "B  1.00 µs at 8.00 µs", "different, +500 ns in B"}},
		"only in A": {node(pair.A, "lock", 0), []string{"lock", "A  3.00 µs at 1.50 µs", "only in A"}},
		"only in B": {node(pair.B, "stat", 0), []string{"stat", "B  300 ns at 100 ns", "only in B"}},
	} {
		says(t, name, AlignLines(st, v, &aligned.Hit{Node: c.node}), c.want)
	}
	hit := &aligned.Hit{Node: node(pair.A, "parse", 0), Count: [4]int{align.Equal: 3, align.GapB: 1200}}
	hit.Pick.Aggregate = true
	lines := AlignLines(st, v, hit)
	if got, want := lines[len(lines)-1], "too narrow to draw: 3 equal, 1\u2009200 only in A"; got != want {
		t.Errorf("of a run it says %q, want %q", got, want)
	}
}

func TestTipsOfStrips(t *testing.T) {
	st := compared(t, session.Alignment).State()
	v, rows := &aligned.View{}, []aligned.Row{{Title: "producer", Current: true, Similarity: 1},
		{Title: "consumer", Similarity: .5}, {Title: "all 2", Pair: -1, Similarity: .75}}
	for name, c := range map[string]struct {
		hit  aligned.Hit
		want []string
	}{
		"dissimilarity": {aligned.Hit{Part: aligned.Dissimilarity, At: 100},
			[]string{"34 % of the calls around here differ", "at 100 ns in A, 100 ns in B"}},
		"skew": {aligned.Hit{Part: aligned.Skew, At: 7000},
			[]string{"up to here A has run 1.00 µs longer", "at 4.70 µs in A, 3.70 µs in B"}},
		"before all": {aligned.Hit{Part: aligned.Skew, At: -1}, nil},
		"elsewhere":  {aligned.Hit{}, nil},
	} {
		lines, _ := StripLines(st, v, rows, &c.hit)
		says(t, name, lines, c.want)
	}
	says(t, "the thread shown", rowLines(st, rows, &aligned.Hit{Row: 0, At: -1}), []string{"producer", "100 % similar"})
	says(t, "another thread", rowLines(st, rows, &aligned.Hit{Row: 1, At: -1}),
		[]string{"consumer", "50 % similar", "click shows these threads"})
	says(t, "all threads", rowLines(st, rows, &aligned.Hit{Row: 2, At: -1}), []string{"all 2", "75 % similar",
		"the mean of all pairs of threads and the largest skew: click shows them"})
	says(t, "no thread", rowLines(st, rows, &aligned.Hit{Row: 3}), nil)
}

func TestSkewWords(t *testing.T) {
	st := session.New(func() {}).State()
	for skew, want := range map[int64]string{0: "up to here both have run equally long",
		1000: "up to here A has run 1.00 µs longer", -1000: "up to here B has run 1.00 µs longer"} {
		if got := skewWords(st, skew); got != want {
			t.Errorf("%d: %q, want %q", skew, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	st := compared(t, session.Alignment).State()
	if got, want := Differences(st), "3 differences, 61 % similar"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Differences(session.New(func() {}).State()); got != "" {
		t.Errorf("nothing is aligned, yet it says %q", got)
	}
}

func TestMarksAndAnchors(t *testing.T) {
	s := compared(t, session.Alignment)
	s.Select(callOf(t, s.State(), pair.A, "parse", 0))
	s.MarkHere()
	st := s.State()
	if got, want := MarkStatus(st), "marked in A: parse – now choose a call in B and press X"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	says(t, "the mark", MarkLines(st), []string{"marked in A: parse", "choose a call in B and press X; Esc forgets it"})
	s.Select(callOf(t, st, pair.B, "parse", 1))
	if got, want := MarkStatus(s.State()), "marked in A: parse – press X to align parse with it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.AlignHere()
	st = s.State()
	x, ok := st.AnchorOf(st.Selected)
	if !ok {
		t.Fatal("the calls are not aligned")
	}
	says(t, "the anchor", AnchorLines(st, x), []string{"aligned by hand", "A  parse", "B  parse", "not aligned yet"})
	s.Settle(t.Context())
	says(t, "the anchor", AnchorLines(s.State(), x), []string{"aligned by hand", "A  parse", "B  parse"})
	if got := HoldingNote(session.LeftOut); got != "left out: it would cross an earlier anchor" {
		t.Errorf("it says %q", got)
	}
}
