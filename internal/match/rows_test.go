package match

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestRows checks rows against Γ by definition, asked in any order and with any limit of memory, in
// two bytes and in four.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		a, b := m.calls[pair.A], m.calls[pair.B]
		if len(a) == 0 || len(b) == 0 {
			return
		}
		rows := NewRows(g, int64(rapid.IntRange(0, 2000).Draw(t, "bytes")))
		rows.narrow = rapid.Bool().Draw(t, "narrow")
		call := rapid.IntRange(0, len(a)-1)
		held := rows.Of(g.Sides[pair.A].Class(0))
		for range rapid.IntRange(1, 9).Draw(t, "rounds") {
			if rapid.Bool().Draw(t, "want") {
				var classes []uint32
				for _, i := range rapid.SliceOf(call).Draw(t, "wanted") {
					classes = append(classes, g.Sides[pair.A].Class(i))
				}
				rows.Want(classes)
			}
			i := call.Draw(t, "call")
			checkRow(t, g, m, tau, i, rows.Of(g.Sides[pair.A].Class(i)))
			checkRing(t, rows)
		}
		checkRow(t, g, m, tau, 0, held)
	})
}

func checkRow(t *rapid.T, g *Graph, m *plain, tau Tau, i int, w Row) {
	for j, call := range m.calls[pair.B] {
		class, common := g.Sides[pair.B].Class(j), uint32(0)
		for id := range call.gamma {
			if m.calls[pair.A][i].gamma[id] {
				common++
			}
		}
		s, _ := m.s[i][j].Float64()
		if w.Common(class) != common || w.Similarity(class) != s ||
			w.Exceeds(tau, class) != m.matches(i, j) {
			t.Fatalf("calls %d, %d: %d shared, s = %v; want %d, %v", i, j, w.Common(class),
				w.Similarity(class), common, s)
		}
	}
}

// checkRing holds that the rows made are those of the ring, and no more than there may be.
func checkRing(t *rapid.T, r *Rows) {
	n := 0
	for c := r.ends.newer; c != &r.ends; c = c.newer {
		if r.made[c.class] != c || c.newer.older != c {
			t.Fatal("the ring is broken")
		}
		n++
	}
	for _, c := range r.made {
		if c != nil {
			n--
		}
	}
	if n != 0 || r.n > r.most {
		t.Fatalf("%d rows of %d at most, off by %d", r.n, r.most, n)
	}
}

// TestRowsKeepWhatIsUsed checks that the rows used last are kept, and that Want does not drop rows
// it was asked for.
func TestRowsKeepWhatIsUsed(t *testing.T) {
	g := simulated(t, 20_000)
	rows := NewRows(g, 3*(2*int64(len(g.Sides[pair.B].Size))+112))
	rows.Of(0)
	rows.Of(1)
	rows.Of(2)
	rows.Of(0)
	rows.Of(3)
	if rows.made[1] != nil || rows.made[0] == nil || rows.made[2] == nil {
		t.Error("not the one used longest ago was dropped")
	}
	kept := rows.made[2]
	rows.Want([]uint32{9, 8, 7, 6, 5, 2, 5})
	if rows.made[2] != kept || rows.made[5] == nil || rows.made[6] == nil || rows.n != 3 {
		t.Error("of the rows wanted those that fit are not there")
	}
}

// BenchmarkRows measures a look-up in rows that are kept, making rows in the cheapest order and in
// a bad one, and how many times as long it takes to compare two sets without rows.
func BenchmarkRows(b *testing.B) {
	g := simulated(b, 1_000_000)
	a, calls := g.Sides[pair.A], g.Sides[pair.B]
	const n, tries = 1000, 10_000
	classes := make([]uint32, n)
	for k := range classes {
		classes[k] = uint32(k * len(a.Size) / n)
	}
	began := time.Now()
	rows := NewRows(g, math.MaxInt64)
	rows.Want(classes)
	ordered := time.Since(began)
	began = time.Now()
	jumping := NewRows(g, math.MaxInt64)
	for k := range n {
		jumping.Of(classes[k*337%n])
	}
	unordered := time.Since(began)
	began = time.Now()
	for k := range tries {
		g.Similarity(k*(a.Len()/tries), k*(calls.Len()/tries))
	}
	plain := float64(time.Since(began).Nanoseconds()) / tries
	asked := make([]uint32, tries)
	for k := range asked {
		asked[k] = calls.Class(k * (calls.Len() / tries))
	}
	sum := 0.0
	for b.Loop() {
		for _, class := range classes[:100] {
			w := rows.Of(class)
			for _, k := range asked {
				sum += w.Similarity(k)
			}
		}
	}
	look := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / 100 / tries
	b.ReportMetric(float64(ordered.Microseconds())/n, "µs/row")
	b.ReportMetric(float64(unordered.Microseconds())/n, "µs/row-jumping")
	b.ReportMetric(look, "ns/look-up")
	b.ReportMetric(plain/look, "×plain")
}
