package table

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// TestRangesMatchDefinition holds the ranges of all rows against the rows of each other run by
// itself, in which the runs are sides of a table of their own.
func TestRangesMatchDefinition(t *testing.T) {
	shape := testtrace.Shape{Threads: testtrace.Range{1, 4}, Records: testtrace.Range{0, 30},
		Step: testtrace.Range{0, 5}, Close: true, Objects: testtrace.Range{1, 2}, Marks: 4}
	rapid.Check(t, func(t *rapid.T) {
		shown := [2]*trace.Trace{shape.Draw(t, "a"), shape.Draw(t, "b")}
		plain := makeTable(t, shown[0], shown[1])
		others := NewRuns()
		var alone [2][]*Table // by side and other run
		for sd := range shown {
			for k := range rapid.IntRange(0, 2).Draw(t, "other runs") {
				x := makeTable(t, shown[sd], shape.Draw(t, fmt.Sprint("run ", sd, k)))
				c, err := wait.Compare(context.Background(), x.Sides[0], x.Sides[1], x.Pair)
				if err != nil {
					t.Fatal(err)
				}
				others.Add(pair.Side(sd), c)
				alone[sd] = append(alone[sd], x)
			}
		}
		c, err := wait.Compare(context.Background(), plain.Sides[0], plain.Sides[1], plain.Pair)
		if err != nil {
			t.Fatal(err)
		}
		table, err := New(context.Background(), plain.Pair, plain.Sides, c, others)
		if err != nil {
			t.Fatal(err)
		}
		for k := range table.rows[Totals] {
			r := &table.rows[Totals][k]
			for sd := range shown {
				th := table.Pair.Threads[r.Line].On(pair.Side(sd))
				values := []int64{r.WaitNs[sd]}
				for _, x := range alone[sd] {
					values = append(values, waitedIn(x, th))
				}
				least, most, ok := r.Range(pair.Side(sd))
				if ok != (len(alone[sd]) > 0) {
					t.Fatalf("a range of %d other runs: %v", len(alone[sd]), ok)
				}
				if ok && (least != slices.Min(values) || most != slices.Max(values)) {
					t.Fatalf("%s: %d to %d, want %v", r.Title(), least, most, values)
				}
			}
		}
		holdsSums(t, table, len(alone[0]), len(alone[1]))
	})
}

// waitedIn returns how long the thread waited that is paired with thread th of A.
func waitedIn(x *Table, th int) int64 {
	if th < 0 {
		return 0
	}
	b := x.Pair.Partner(pair.A, th)
	if b < 0 {
		return 0
	}
	return x.Sides[pair.B].Threads[b].WaitNs
}

// holdsSums holds that rows by role have the sums of the rows by thread, in every other run.
func holdsSums(t *rapid.T, table *Table, runs ...int) {
	for sd, n := range runs {
		for k := range n {
			var byThread, byRole int64
			for i := range table.rows[ByThread] {
				byThread += table.rows[ByThread][i].others[sd][k]
			}
			for i := range table.rows[ByRole] {
				byRole += table.rows[ByRole][i].others[sd][k]
			}
			if byThread != byRole {
				t.Fatalf("run %d of side %d: %d by thread, %d by role", k, sd, byThread, byRole)
			}
		}
	}
}

// TestTheSameRunAgain holds that another run that is no other has the same times in every row.
func TestTheSameRunAgain(t *testing.T) {
	a, b := texttest.Parse(t, runA), texttest.Parse(t, runB)
	table, others := makeTable(t, a, b), NewRuns()
	for sd, tr := range []*trace.Trace{a, b} {
		x := makeTable(t, tr, tr)
		c, err := wait.Compare(context.Background(), x.Sides[0], x.Sides[1], x.Pair)
		if err != nil {
			t.Fatal(err)
		}
		others.Add(pair.Side(sd), c)
	}
	c, err := wait.Compare(context.Background(), table.Sides[0], table.Sides[1], table.Pair)
	if err != nil {
		t.Fatal(err)
	}
	if table, err = New(context.Background(), table.Pair, table.Sides, c, others); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{ByThread, ByRole, Totals} {
		for _, r := range table.Rows(kind, ByName) {
			if spread, ok := r.Spread(); !ok || spread != 0 {
				t.Errorf("%s: one run and the same again are %d ns apart", r.Title(), spread)
			}
			for sd, ns := range r.WaitNs {
				if least, most, ok := r.Range(pair.Side(sd)); !ok || least != ns || most != ns {
					t.Errorf("%s: %d to %d, want %d", r.Title(), least, most, ns)
				}
			}
		}
	}
}
