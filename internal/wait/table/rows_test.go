package table

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

func TestShortID(t *testing.T) {
	for id, want := range map[string]string{"7/12": "12", "12": "12", "p/": "p/", "/12": "12", "a/b/c": "b/c",
		"": ""} {
		if got := ShortID(id); got != want {
			t.Errorf("%q is shortened to %q, want %q", id, got, want)
		}
	}
}

func TestShortObjects(t *testing.T) {
	for name, want := range map[string]string{
		"0x55d001800040": "…0040",
		"0x1234567":      "…4567",
		"0x123456":       "0x123456", // little would be saved
		"0x12":           "0x12",
		"log.txt":        "log.txt",
		"":               "",
	} {
		if got := shortObject(name); got != want {
			t.Errorf("%q is shortened to %q, want %q", name, got, want)
		}
	}
}

func TestJoinedNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"mutex a"}, "mutex a"},
		{[]string{"mutex a", "mutex b"}, "mutex a | b"},
		{[]string{"mutex a", "semaphore b"}, "mutex a | semaphore b"},
		{[]string{"log", "data"}, "log | data"},
		{[]string{"mutexes a", "mutex b"}, "mutexes a | mutex b"},
	} {
		if got := joinNames(tt.names); got != tt.want {
			t.Errorf("%q are joined as %q, want %q", tt.names, got, tt.want)
		}
	}
}

// TestObjectsAreNamed: by kind and name, where the name does not say the kind itself.
func TestObjectsAreNamed(t *testing.T) {
	tr := texttest.Parse(t, `
thread 1
  0+1 pthread_mutex_lock wait=0x1000001
  2+1 sem_wait wait=jobs
  4+1 read io=log.txt
`)
	a, err := wait.Find(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"mutex …0001", "semaphore jobs"}
	for o, name := range want {
		if got := ObjectName(a, trace.ObjectID(o)); got != name {
			t.Errorf("object %d is named %q, want %q", o, got, name)
		}
	}
	if got := ObjectName(a, trace.NoObject); got != "" {
		t.Errorf("no object is named %q", got)
	}
}

// TestCalledIn names a call with its caller; of a state the caller comes first, as that is the
// function which waits.
func TestCalledIn(t *testing.T) {
	tr := texttest.Parse(t, `
func "blocked: chan receive" kind=state
thread 1
  0+9 main
    1+2 lock
    4+2 "blocked: chan receive"
`)
	a := &wait.Analysis{Trace: tr}
	for call, want := range []string{"main", "lock in main", "main (chan receive)"} {
		if got := CalledIn(a, tr.Threads[0], call); got != want {
			t.Errorf("call %d: %q, want %q", call, got, want)
		}
	}
}

// TestGapsAreNamed: a wait that is an idle gap has no function; the row says what came after it.
func TestGapsAreNamed(t *testing.T) {
	table := makeTable(t, texttest.Parse(t, `
thread 1 name=main
  0+100 main
    35+1 post release
thread 2 name=worker
  0+30 task
  40+20 paint
thread 3 name=gc runtime
  0+90 run
    5+10 blocked wait
correspond 2:1 1:1 at=35 idle=10`), nil)
	rows := table.Rows(ByThread, 0)
	if len(rows) != 1 || rows[0].Object != "idle before paint" || rows[0].WaitNs[0] != 10 {
		t.Errorf("rows are %+v", rows)
	}
	if rows := table.Rows(Totals, 0); len(rows) != 1 || rows[0].WaitNs[0] != 10 {
		t.Errorf("totals are %+v", rows)
	}
}

// TestRestingComesLast: what the runtime's own goroutines wait for is no news, so it comes after
// every other wait, however long it is.
func TestRestingComesLast(t *testing.T) {
	table := makeTable(t, texttest.Parse(t, `
func "blocked: system goroutine wait" kind=state
thread 1 name=gc
  0+900 worker
    0+900 "blocked: system goroutine wait" wait
thread 2 name=main
  0+900 main
    10+5 sem_wait wait=s
thread 3 name=helper
  0+900 run
    12+1 sem_post release=s
`), nil)
	for o := range orders {
		rows := table.Rows(ByThread, o)
		if len(rows) != 2 || rows[0].Last || !rows[1].Last || rows[1].WaitNs[0] != 900 {
			t.Errorf("order %d: %s", o, said(rows))
		}
	}
	if got := table.Ended(ByThread); got != 1 {
		t.Errorf("%d rows are of waits that something ended", got)
	}
}

// TestOrders holds each order against its definition.
func TestOrders(t *testing.T) {
	shape := testtrace.Shape{Threads: testtrace.Range{2, 5}, Records: testtrace.Range{5, 40},
		Start: testtrace.Range{0, 9}, Step: testtrace.Range{0, 30}, Depth: 4, Close: true,
		Objects: testtrace.Range{1, 3}, Stated: true,
		Functions: []string{"sem_wait", "mutex_lock", "run"}}
	rapid.Check(t, func(t *rapid.T) {
		table := makeTable(t, shape.Draw(t, "a"), shape.Draw(t, "b"))
		for k := range kinds {
			for o, value := range map[Order]func(r *Row) uint64{
				ByChange: func(r *Row) uint64 {
					a, b := uint64(r.WaitNs[0]), uint64(r.WaitNs[1])
					return max(a, b) - min(a, b)
				},
				ByTime:  func(r *Row) uint64 { return uint64(max(r.WaitNs[0], r.WaitNs[1])) },
				ByCount: func(r *Row) uint64 { return max(r.Count[0], r.Count[1]) },
			} {
				rows := table.Rows(k, o)
				n := table.Ended(k)
				for _, part := range [][]*Row{rows[:n], rows[n:]} {
					if !slices.IsSortedFunc(part, func(x, y *Row) int {
						return cmp.Compare(value(y), value(x))
					}) {
						t.Fatalf("kind %d in order %d:\n%s", k, o, said(rows))
					}
				}
			}
		}
	})
}

// TestManyRowsAreShownByRole: above fifty pairs of threads the table opens by role.
func TestManyRowsAreShownByRole(t *testing.T) {
	for n, want := range map[int]Kind{mostByThread: ByThread, mostByThread + 1: ByRole} {
		table := &Table{}
		for range n {
			table.rows[ByThread] = append(table.rows[ByThread], Row{})
		}
		table.rows[ByThread] = append(table.rows[ByThread], Row{Last: true}) // does not count
		table.sort(ByThread)
		if got := table.Usual(); got != want {
			t.Errorf("%d rows are shown as kind %d, want %d", n, got, want)
		}
	}
}

// TestRolesMergeObjects: by role there is one row for all that threads of one role waited for from
// another role, it says how many objects that were, and each is found by its name.
func TestRolesMergeObjects(t *testing.T) {
	table := makeTable(t, texttest.Parse(t, `
thread 1 name=owner
  0+100 run
    10+1 pthread_mutex_unlock release=0xa001
    20+1 pthread_mutex_unlock release=0xa002
    30+1 sem_post release=jobs
thread 2 name=worker#1
  5+6 pthread_mutex_lock wait=0xa001
  15+6 pthread_mutex_lock wait=0xa002
thread 3 name=worker#2
  25+6 sem_wait wait=jobs
`), nil)
	rows := table.Rows(ByRole, ByTime)
	if len(rows) != 1 || rows[0].Count[0] != 3 || rows[0].WaitNs[0] != 18 ||
		rows[0].Object != "2 mutexes, 1 semaphore" {
		t.Fatalf("%d rows, the first of %v waits for %q", len(rows), rows[0].Count, rows[0].Object)
	}
	for query, n := range map[string]int{"jobs": 1, "0xa002": 1, "owner": 1, "pipe": 0} {
		if got := found(table.Rows(ByRole, ByTime), query); len(got) != n {
			t.Errorf("%q finds %d rows", query, len(got))
		}
	}
}

// TestRowsSayWhoHeldTheLock: by thread and by role, a row says who held the lock longest.
func TestRowsSayWhoHeldTheLock(t *testing.T) {
	table := makeTable(t, texttest.Parse(t, `
thread 1 name=owner
  0+2 pthread_mutex_lock wait=0xa001
  20+1 pthread_mutex_unlock release=0xa001
thread 2 name=worker#1
  5+17 pthread_mutex_lock wait=0xa001
  30+1 pthread_mutex_unlock release=0xa001
thread 3 name=worker#2
  6+26 pthread_mutex_lock wait=0xa001
`), nil)
	for kind, want := range map[Kind]map[string]string{
		ByThread: {"worker#1 ← owner": "owner", "worker#2 ← worker#1": "owner"},
		ByRole:   {"worker ← owner": "owner", "worker ← worker": "owner"},
	} {
		for _, r := range table.Rows(kind, ByTime) {
			if who, ok := want[r.Title()]; ok && r.Holder[0] != who || r.HeldNs[0] <= 0 && ok {
				t.Errorf("%s: held by %q for %d ns, want %q", r.Title(), r.Holder[0], r.HeldNs[0], who)
			}
			delete(want, r.Title())
		}
		if len(want) > 0 {
			t.Errorf("kind %d has no rows %v", kind, want)
		}
	}
}
