package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// makeTable makes the table of one trace or two.
func makeTable(t testtrace.TB, a, b *trace.Trace) *Table {
	t.Helper()
	ctx := context.Background()
	p := pair.New(a, b, pair.Rules{})
	var sides [2]*wait.Analysis
	for s, tr := range []*trace.Trace{a, b} {
		if tr != nil {
			var err error
			if sides[s], err = wait.Find(ctx, tr, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	var c *wait.Comparison
	if a != nil && b != nil {
		var err error
		if c, err = wait.Compare(ctx, sides[0], sides[1], p); err != nil {
			t.Fatal(err)
		}
	}
	table, err := New(ctx, p, sides, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// said writes rows, a line each.
func said(rows []*Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s | %s | %s | %d %d | %d %d | %d %d", r.Title(), r.Roles, r.Object,
			r.Count[0], r.Count[1], r.WaitNs[0], r.WaitNs[1], r.Longest[0], r.Longest[1])
		if r.Last {
			b.WriteString(" last")
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

const runA = `
thread p/1 name=main
  0+100 main
    10+1 sem_post release=0x1000001
    50+1 sem_post release=0x1000001
    90+5 sem_wait wait=0x1000002
thread p/2 name=worker#1
  5+8 sem_wait wait=0x1000001
thread p/3 name=worker#2
  40+12 sem_wait wait=0x1000001
  60+9 read io=log
`

const runB = `
thread p/1 name=main
  0+100 main
    10+1 sem_post release=0x2000009
    70+1 sem_post release=0x2000009
thread p/2 name=worker#1
  5+8 sem_wait wait=0x2000009
thread p/4 name=worker#2
  40+32 sem_wait wait=0x2000009
`

func TestTable(t *testing.T) {
	tests := []struct {
		name  string
		b     string
		kind  Kind
		order Order
		query string
		want  string
	}{
		{"by thread", runB, ByThread, ByChange, "", `
worker#2 ← main |  | semaphore …0001 | …0009 | 1 1 | 12 32 | 2 1
worker#1 ← main |  | semaphore …0001 | …0009 | 1 1 | 8 8 | 1 0
main ← nobody |  | semaphore …0002 | 1 0 | 5 0 | 0 -1 last`},
		{"of one name", strings.ReplaceAll(runB, "worker#2", "worker#1"), ByThread, ByChange, "", `
4 ← main | worker | semaphore …0001 | …0009 | 0 1 | 0 32 | -1 1
worker#2 ← main |  | semaphore …0001 | …0009 | 1 0 | 12 0 | 2 -1
2 ← main | worker | semaphore …0001 | …0009 | 1 1 | 8 8 | 1 0
main ← nobody |  | semaphore …0002 | 1 0 | 5 0 | 0 -1 last`},
		{"by role", runB, ByRole, ByTime, "", `
worker ← main |  | semaphore …0001 | …0009 | 2 2 | 20 40 | 2 1
main ← nobody |  | semaphore …0002 | 1 0 | 5 0 | 0 -1 last`},
		{"totals", runB, Totals, ByName, "", `
main |  |  | 1 0 | 5 0 | -1 -1
worker#1 |  |  | 1 1 | 8 8 | -1 -1
worker#2 |  |  | 1 1 | 12 32 | -1 -1`},
		{"one trace, by name", "", ByThread, ByName, "", `
worker#1 ← main |  | semaphore …0001 | 1 0 | 8 0 | 1 -1
worker#2 ← main |  | semaphore …0001 | 1 0 | 12 0 | 2 -1
main ← nobody |  | semaphore …0002 | 1 0 | 5 0 | 0 -1 last`},
		{"filtered", runB, ByThread, ByTime, "nobody", `
main ← nobody |  | semaphore …0002 | 1 0 | 5 0 | 0 -1 last`},
		{"filtered by what has no text", runB, Totals, ByTime, "i/o",
			`worker#2 |  |  | 1 1 | 12 32 | -1 -1`},
		{"filtered by an id", runB, ByThread, ByTime, "3|4", `
worker#2 ← main |  | semaphore …0001 | …0009 | 1 1 | 12 32 | 2 1`},
	}
	for _, c := range tests {
		var b *trace.Trace
		if c.b != "" {
			b = texttest.Parse(t, c.b)
		}
		table := makeTable(t, texttest.Parse(t, runA), b)
		if got, want := said(found(table.Rows(c.kind, c.order), c.query)), strings.TrimSpace(c.want); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
	table := makeTable(t, texttest.Parse(t, runA), texttest.Parse(t, runB))
	if n := table.Ended(ByThread); n != 2 || table.Usual() != ByThread {
		t.Errorf("%d rows of waits that something ended; shown at first is %d", n, table.Usual())
	}
}

// TestWaitsOfARole: of a row by role the longest wait is shown and, on the other side, one of the
// thread that is paired with the one that waited so long, although another one waited longer there.
func TestWaitsOfARole(t *testing.T) {
	const b = `
thread p/1 name=main
  0+100 main
    20+1 sem_post release=0x2000009
    49+1 sem_post release=0x2000009
thread p/2 name=worker#1
  1+20 sem_wait wait=0x2000009
thread p/3 name=worker#2
  40+10 sem_wait wait=0x2000009
`
	const a = `
thread p/1 name=main
  0+100 main
    10+1 sem_post release=0x1000001
    80+1 sem_post release=0x1000001
thread p/2 name=worker#1
  5+8 sem_wait wait=0x1000001
thread p/3 name=worker#2
  40+42 sem_wait wait=0x1000001
`
	table := makeTable(t, texttest.Parse(t, a), texttest.Parse(t, b))
	r := table.Rows(ByRole, ByTime)[0]
	if r.Longest != [2]int{1, 0} || table.Waits(r) != [2]int{1, 1} {
		t.Errorf("the longest are %v, shown are %v", r.Longest, table.Waits(r))
	}
}

// TestEndless: waits that never ended are listed unless they are part of a deadlock.
func TestEndless(t *testing.T) {
	table := makeTable(t, texttest.Parse(t, texttest.Hang), nil)
	if want := []Endless{{pair.A, 4}}; !slices.Equal(table.Endless, want) {
		t.Errorf("%v, want %v", table.Endless, want)
	}
}

// TestTableLosesNothing: in whatever kind and order, all waits of the sides are there once, keys
// tell rows apart, what comes last does, and a query keeps the rows that hold it.
func TestTableLosesNothing(t *testing.T) {
	shape := testtrace.Shape{Threads: testtrace.Range{1, 5}, Records: testtrace.Range{0, 40},
		Start: testtrace.Range{0, 9}, Step: testtrace.Range{0, 30}, Depth: 4, Close: true,
		Objects: testtrace.Range{1, 3}, Stated: true,
		Functions: []string{"sem_wait", "mutex_lock", "run"}}
	rapid.Check(t, func(t *rapid.T) {
		a := shape.Draw(t, "a")
		var b *trace.Trace
		if rapid.Bool().Draw(t, "both") {
			b = shape.Draw(t, "b")
		}
		table := makeTable(t, a, b)
		for k := range kinds {
			checkRows(t, table, k)
		}
	})
}

// found returns the rows that a filter shows.
func found(rows []*Row, query string) []*Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool {
		return !strings.Contains(r.Search(), query)
	})
}

func checkRows(t *rapid.T, table *Table, k Kind) {
	by := table.Rows(k, ByName)
	for o := range orders {
		rows := table.Rows(k, o)
		keys := map[string]bool{}
		var count [2]uint64
		for i, r := range rows {
			for s := range count {
				count[s] += r.Count[s]
			}
			if keys[r.Key] && k != ByThread {
				t.Fatalf("two rows %q", r.Key)
			}
			keys[r.Key] = true
			if i > 0 && (rows[i-1].Last && !r.Last) {
				t.Fatal("a last row is not last")
			}
		}
		for s, a := range table.Sides {
			want := waitsOf(a, k)
			if count[s] != want {
				t.Fatalf("kind %d: %d waits of side %d, want %d", k, count[s], s, want)
			}
		}
		if len(rows) != len(by) || table.Ended(k) != len(ended(rows)) {
			t.Fatalf("%d rows, of which %d are ended", len(rows), table.Ended(k))
		}
		for _, query := range []string{"sem", "nobody", "1"} {
			var want []*Row
			for _, r := range rows {
				if strings.Contains(strings.ToLower(r.Key), query) {
					want = append(want, r)
				}
			}
			got := found(rows, query)
			if k == ByRole { // these are also found by the names of objects that they add up
				got = slices.DeleteFunc(got, func(r *Row) bool {
					return !slices.Contains(want, r)
				})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q keeps other rows", query)
			}
		}
	}
}

// waitsOf counts the waits that a kind of row adds up.
func waitsOf(a *wait.Analysis, k Kind) (n uint64) {
	if a == nil {
		return 0
	}
	if k == Totals {
		return uint64(a.Waits.Len())
	}
	for w := range a.Waits.Len() {
		if a.Waits.Outermost(w) {
			n++
		}
	}
	return n
}

func ended(rows []*Row) []*Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.Last })
}

// TestSpread: how far runs of one side are apart is that of the side where they are furthest apart,
// the shown run included.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		others [2][]int64
		want   int64
		ok     bool
	}{
		{[2][]int64{}, 0, false},
		{[2][]int64{{12}, nil}, 2, true},
		{[2][]int64{{12}, {30, 15}}, 15, true},
		{[2][]int64{nil, {20}}, 0, true},
	} {
		r := Row{WaitNs: [2]int64{10, 20}, others: c.others}
		if got, ok := r.Spread(); got != c.want || ok != c.ok {
			t.Errorf("%v: %d, %v, want %d", c.others, got, ok, c.want)
		}
	}
}
