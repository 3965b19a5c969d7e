package words

import (
	"testing"

	"diptych/internal/pair"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

func TestWaitsInOneLine(t *testing.T) {
	st := compared(t, session.Threads).State()
	for function, want := range map[string]string{
		"sem_wait":     "waited 5.50 µs for semaphore items  ·  released by 1 producer in main at 5.00 µs",
		"lock":         "waited 3.00 µs for mutex  ·  released by 3 owner in own at 4.40 µs",
		"sem_post":     "ended 5.50 µs of waiting of 2 consumer",
		"mutex_unlock": "ended 3.00 µs of waiting of 1 producer",
		"use":          "",
	} {
		if got := WaitLine(st, callOf(t, st, pair.A, function, 0)); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
	if got := WaitLine(st, session.Target{}); got != "" {
		t.Errorf("of no call it says %q", got)
	}
	if got, want := WaitCounts(st), "A 2 released waits   B 1 released wait"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	st.WaitsOf(pair.A).EndedAside = 1234
	if got, want := WaitCounts(st), "A 2 released waits + 1\u2009234 of the runtime   B 1 released wait"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCodesAreNotShown holds that a thread goes by its name where its id is a code of the recorder's.
func TestCodesAreNotShown(t *testing.T) {
	for _, c := range []struct{ id, name, want string }{
		{"536870911", "P#1T#0", "P#1T#0"}, {"4194303", "worker 7", "4194303 worker 7"},
		{"536870911", "main", "536870911 main"}, {"139843208234", "python thread 139843208", "139843208234 python thread 139843208"},
	} {
		b := trace.NewBuilder("test")
		th := b.Thread(c.id, -1)
		th.SetName(c.name)
		th.Complete(0, 1, b.Function(trace.Function{Name: "f"}))
		a, err := wait.Find(t.Context(), testtrace.Build(t, b), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := ThreadText(a, 0); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestChangedPairs(t *testing.T) {
	if got := ChangedPairs(nil); got != "" {
		t.Errorf("of nothing it says %q", got)
	}
	if got := ChangedPairs(&session.Changes{}); got != "" {
		t.Errorf("of no waits it says %q", got)
	}
	if got := ChangedPairs(&session.Changes{Count: 2, All: 5}); got != "2 of 5 changed" {
		t.Errorf("it says %q", got)
	}
}

func TestTipsOfTheThreadsView(t *testing.T) {
	st := compared(t, session.Threads).State()
	a := st.WaitsOf(pair.A)
	hit := func(function string) *threads.Hit {
		ref := callOf(t, st, pair.A, function, 0).Ref
		return &threads.Hit{Part: threads.OnCall, Thread: int(ref.Thread), Call: int(ref.Call),
			Wait: a.Waits.Find(ref), Release: trace.CallRef{Thread: -1, Call: -1}}
	}
	for function, want := range map[string][]string{
		"sem_wait": {"sem_wait", "5.50 µs at 500 ns  ·  2 consumer", "waiting 100 %  ·  I/O 0 %",
			"waited 5.50 µs for semaphore items", "released by 1 producer in main at 5.00 µs",
			"which itself waited 2.90 µs for 3 owner of that"},
		"sem_post": {"sem_post", "500 ns at 5.00 µs  ·  1 producer", "waiting 0 %  ·  I/O 0 %",
			"releases on items", "ended 5.50 µs of waiting of 2 consumer"},
		"use": {"use", "1.00 µs at 7.00 µs  ·  2 consumer", "waiting 0 %  ·  I/O 0 %"},
	} {
		says(t, function, CallTip(a, hit(function)), want)
	}
	says(t, "the correspondence", RibbonTip(a, hit("sem_wait")), []string{
		"2 consumer waited 5.50 µs for semaphore items", "in sem_wait in run from 500 ns",
		"released by 1 producer in main at 5.00 µs", "which itself waited 2.90 µs for 3 owner of that"})
	says(t, "a thread", LabelTip(a, hit("sem_wait"), []int{1}), []string{"2 consumer",
		"waiting 61 %  ·  I/O 0 %  ·  1 wait, 0 releases", "waited 5.50 µs in 1 wait for 1 producer",
		"click: wider  ·  drag: swap or focus  ·  double-click: hide"})
	says(t, "two threads, each for one outside", LabelTip(a, hit("use"), []int{1, 2}), []string{
		"2 threads like 2 consumer", "waiting 31 %  ·  I/O 0 %  ·  1 wait, 1 release",
		"waited 5.50 µs in 1 wait for 1 producer", "2 consumer", "3 owner",
		"click: one section per thread  ·  double-click: hide"})
	says(t, "several threads", LabelTip(a, hit("use"), []int{1, 2, 3, 0}), []string{
		"4 threads like 2 consumer", "waiting 24 %  ·  I/O 0 %  ·  2 waits, 2 releases",
		"waited 8.50 µs in 2 waits for each other", "2 consumer", "3 owner", "4 idle", "1 producer",
		"click: one section per thread  ·  double-click: hide"})
}

// TestWaitsOfNoLengthExplainNothing checks that a tooltip does not tell of a releasing thread that
// it waited for no time.
func TestWaitsOfNoLengthExplainNothing(t *testing.T) {
	st := compared(t, session.Threads).State()
	told := 0
	for _, side := range []pair.Side{pair.A, pair.B} {
		a := st.WaitsOf(side)
		for w := range a.Waits.Len() {
			chain := a.Chain(w, 2)
			short := len(chain) < 2 ||
				float64(chain[1].To-chain[1].From) < telling*float64(max(a.Waits.Dur(w), 1))
			if text := chainText(a, w); (text == "") != short {
				t.Errorf("wait %d of %s: %q", w, side, text)
			} else if text != "" {
				told++
			}
		}
	}
	if told == 0 {
		t.Error("nothing is explained")
	}
}
