package align

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// timeline samples v where every sample stands for one ms.
func timeline(t *testing.T, v *Virtual) *Timeline {
	line, err := v.Timeline(context.Background(), int(v.Length/ms))
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// TestExtraCalls is Weber et al.'s figure 3: four calls of 20 ms in B alone.
func TestExtraCalls(t *testing.T) {
	a, b := []said{{"main", 0, 400}}, []said{{"main", 0, 480}}
	for k := range int64(4) {
		a = append(a, said{"work", 100*k + 10, 100*k + 50})
		b = append(b, said{"work", 120*k + 10, 120*k + 50}, said{"extra", 120*k + 60, 120*k + 80})
	}
	v := compared(t, a, b)
	if v.Length != 480*ms {
		t.Fatalf("length %d ms", v.Length/ms)
	}
	line := timeline(t, v)
	for k, skew := range line.Skew {
		k := int64(k)
		within := k%120 >= 60 && k%120 < 80
		want := -20 * ms * (k / 120)
		if k%120 >= 80 {
			want -= 20 * ms
		} else if within {
			want -= (k%120-60)*ms + ms/2
		}
		if skew != want {
			t.Fatalf("at %d ms: skew %d, want %d", k, skew, want)
		}
		// The window is 48 ms wide, so that nothing shows 24 ms away from an extra call.
		if near := k%120 >= 60-24 && k%120 < 80+24; (line.Dissimilarity[k] > 0) != near {
			t.Fatalf("at %d ms: dissimilarity %v", k, line.Dissimilarity[k])
		}
	}
	if m := v.Metrics(); m.SkewEnd != -80*ms || m.GapA != 4 || m.Equal != 5 {
		t.Errorf("%+v", m)
	}
}

// TestSlowed holds that a slower call is a matter of time alone.
func TestSlowed(t *testing.T) {
	v := compared(t, []said{{"main", 0, 100}, {"f", 10, 30}, {"g", 40, 60}},
		[]said{{"main", 0, 150}, {"f", 10, 80}, {"g", 90, 110}})
	line := timeline(t, v)
	if slices.Max(line.Dissimilarity) != 0 {
		t.Error(line.Dissimilarity)
	}
	if got := line.Skew[len(line.Skew)-1]; got != -50*ms || v.Metrics().SkewEnd != -50*ms {
		t.Errorf("skew %d", got)
	}
	rows, err := Differences(context.Background(), []*Result{v.Result})
	want := []Difference{{ID: 1, Pairs: 1, PlusCount: 1, PlusNs: 50 * ms},
		{ID: 0, Pairs: 1, PlusCount: 1, PlusNs: 50 * ms}, {ID: 2, Pairs: 1}}
	if err != nil || !slices.Equal(rows, want) {
		t.Errorf("%+v, %v", rows, err)
	}
	if got := v.Pair.Names; !slices.Equal(got, []string{"main", "f", "g"}) {
		t.Error(got)
	}
}

// TestRenamed holds that a rename does not hide what is called.
func TestRenamed(t *testing.T) {
	v := compared(t, []said{{"main", 0, 100}, {"old", 10, 90}, {"x", 20, 30}, {"y", 40, 50}},
		[]said{{"main", 0, 100}, {"new", 10, 90}, {"x", 20, 30}, {"y", 40, 50}})
	want := []Node{{Equal, 0, 0, -1}, {Different, 1, 1, 0}, {Equal, 2, 2, 1}, {Equal, 3, 3, 1}}
	if got := slices.Collect(v.Walk); !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestMovedSubtree(t *testing.T) {
	inner := func(at int64) []said {
		return []said{{"setup", at, at + 40}, {"x", at + 5, at + 10}, {"y", at + 15, at + 20},
			{"z", at + 25, at + 30}}
	}
	rest := func(at int64) (out []said) {
		for k, name := range []string{"p", "q", "r", "s", "t"} {
			out = append(out, said{name, at + 10*int64(k), at + 10*int64(k) + 8})
		}
		return out
	}
	a := slices.Concat([]said{{"main", 0, 200}}, inner(10), rest(60))
	b := slices.Concat([]said{{"main", 0, 200}}, rest(10), inner(70))
	v := compared(t, a, b)
	moves, err := v.Moved(context.Background())
	if want := []Move{{1, 6, 4}}; err != nil || !slices.Equal(moves, want) {
		t.Errorf("%v, %v", moves, err)
	}
	if v.StateOf(pair.A, 1) != GapB || v.StateOf(pair.B, 6) != GapA {
		t.Errorf("%v, %v", v.StateOf(pair.A, 1), v.StateOf(pair.B, 6))
	}
}

func TestPaperSimilarity(t *testing.T) {
	a, b := testtrace.Flat("m c a c m a m"), testtrace.Flat("m c a c b c m b m")
	r := aligned(t, paired(t, a, b), Options{})
	m := r.Metrics()
	if m.Score() != 9 || m.ScoreMax() != 18 || m.ScoreMin() != -9 || m.Ratio() != 0.5 ||
		m.Similarity() != 1/1.5 || m.Dice() != 0.75 {
		t.Errorf("%+v: score %d, similarity %v, dice %v", m, m.Score(), m.Similarity(), m.Dice())
	}
	if none := (Metrics{}); none.Similarity() != 1 || none.Dice() != 1 {
		t.Error("two empty sequences are alike")
	}
}
