package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// drawTurns returns a run in which threads take one of two locks in turns, and wait for each
// other.
func drawTurns(tb testing.TB, t *rapid.T) *trace.Trace {
	names := []string{"main", "worker#1", "worker#2", "worker#3", "reader#1", "reader#2"}
	calls, free := make([]string, len(names)), make([]int64, len(names))
	for lock := range 2 {
		for now, turns := int64(1), rapid.IntRange(0, 9).Draw(t, "turns"); turns > 0; turns-- {
			k := rapid.IntRange(0, len(names)-1).Draw(t, "thread")
			from := max(now-rapid.Int64Range(0, 20).Draw(t, "early"), free[k])
			got := max(now, from) + rapid.Int64Range(1, 4).Draw(t, "pause")
			until := got + rapid.Int64Range(1, 9).Draw(t, "held")
			calls[k] += fmt.Sprintf("  %d+%d pthread_mutex_lock wait=0xa00%d\n", from, got-from, lock) +
				fmt.Sprintf("  %d+1 pthread_mutex_unlock release=0xa00%d\n", until, lock)
			now, free[k] = until+1, until+1
		}
	}
	text := ""
	for k, name := range names {
		text += fmt.Sprintf("thread %d name=%s\n%s", k, name, calls[k])
	}
	return texttest.Parse(tb, text)
}

// plainSum is what the waits of a row come to, by the definition.
type plainSum struct {
	held    [2]map[string]int64 // by side and name
	most    [2]int64            // the longest wait; −1 for none
	squares float64
}

// sumPlainly goes through all waits. name says who the threads of a line are, and key in which row
// the waits of one for another are for an object.
func sumPlainly(t *Table, name func(line int32) string,
	key func(waiter, releaser int32, object string) string) map[string]*plainSum {
	out := map[string]*plainSum{}
	for s, a := range t.Sides {
		of := func(thread int32) int32 {
			if thread < 0 {
				return -1
			}
			return int32(t.Pair.Of(pair.Side(s), int(thread)))
		}
		for w := range a.Waits.Len() {
			at := slices.IndexFunc(t.objects, func(o wait.ObjectPair) bool {
				return [2]int32{o.A, o.B}[s] == int32(a.Object(w))
			})
			k := key(of(a.Waits.Thread[w]), of(a.Waits.By[w].Thread), t.object(int32(at), [2]int{-1, -1}))
			sum := out[k]
			if sum == nil {
				sum = &plainSum{held: [2]map[string]int64{{}, {}}, most: [2]int64{-1, -1}}
				out[k] = sum
			}
			for h := range a.Held(w) {
				sum.held[s][name(of(h.Thread))] += h.To - h.From
			}
			d := a.Waits.Dur(w)
			sum.most[s] = max(sum.most[s], d)
			sum.squares += float64(d * d)
		}
	}
	return out
}

// TestRowsAgreeWithPlainSums: who held the locks longest, the longest waits and the squares of rows
// by thread and by role are those found by going through all waits for each name.
func TestRowsAgreeWithPlainSums(tb *testing.T) {
	rapid.Check(tb, func(t *rapid.T) {
		table := makeTable(t, drawTurns(tb, t), drawTurns(tb, t))
		check(t, table, ByThread, sumPlainly(table, table.name,
			func(waiter, releaser int32, object string) string {
				return table.name(waiter) + " ← " + table.name(releaser) + "|" + object
			}), func(r *Row) string { return r.Title() + "|" + r.Object })
		check(t, table, ByRole, sumPlainly(table, table.roleOrName,
			func(waiter, releaser int32, _ string) string {
				return table.roleOrName(waiter) + " ← " + table.roleOrName(releaser)
			}), (*Row).Title)
	})
}

func check(t *rapid.T, table *Table, kind Kind, want map[string]*plainSum, key func(*Row) string) {
	for _, r := range table.Rows(kind, ByTime) {
		sum := want[key(r)]
		if sum == nil {
			t.Fatalf("kind %d: %q is no row of %v", kind, key(r), slices.Collect(maps.Keys(want)))
		}
		delete(want, key(r))
		for s := range table.Sides {
			who, ns := mostOf(sum.held[s])
			most := int64(-1)
			if r.Longest[s] >= 0 {
				most = table.dur(pair.Side(s), r.Longest[s])
			}
			if r.Holder[s] != who || r.HeldNs[s] != ns || most != sum.most[s] || r.Squares != sum.squares {
				t.Fatalf("kind %d, %s: held by %q for %d, longest %d, squares %v; want %q, %d, %d, %v", kind,
					strings.ReplaceAll(key(r), "\n", " "), r.Holder[s], r.HeldNs[s], most, r.Squares,
					who, ns, sum.most[s], sum.squares)
			}
		}
	}
	if len(want) > 0 {
		t.Fatalf("kind %d has no rows %v", kind, slices.Collect(maps.Keys(want)))
	}
}

// mostOf returns the name with the largest sum that is not zero, the first of equal ones.
func mostOf(sums map[string]int64) (who string, ns int64) {
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		if sums[n] > ns {
			who, ns = n, sums[n]
		}
	}
	return who, ns
}
