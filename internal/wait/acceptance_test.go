package wait

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

const testdata = "../../testdata"

func load(t testing.TB, file string) *trace.Trace {
	t.Helper()
	tr, err := traceio.Load(context.Background(), filepath.Join(testdata, file),
		input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// facts are counts made by other means than ours.
type facts struct {
	Sync     map[string]uint64 `json:"sync_calls"`
	Args     int               `json:"arg_lines"`
	IO       map[string]uint64 `json:"io_calls"`
	Unblocks *uint64           `json:"unblocks"`
}

func readFacts(t *testing.T) map[string]facts {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]facts
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRecordings holds real recordings against facts about them, and what is found in them against
// the quadratic definition.
func TestRecordings(t *testing.T) {
	for file, fact := range readFacts(t) {
		if !strings.HasPrefix(file, "gotrace/") && fact.Sync == nil {
			continue
		}
		tr := load(t, file)
		a, err := FindAll(context.Background(), tr, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fact.Unblocks != nil && a.Stated != *fact.Unblocks {
			t.Errorf("%s: %d stated, %d unblocks", file, a.Stated, *fact.Unblocks)
		}
		if fact.Sync != nil {
			waits := fact.Sync["sem_wait"] + fact.Sync["pthread_mutex_lock"] +
				fact.Sync["pthread_cond_wait"] + fact.Sync["pthread_join"] + fact.Sync["waitpid"]
			releases := fact.Sync["sem_post"] + fact.Sync["pthread_mutex_unlock"] +
				fact.Sync["pthread_cond_signal"]
			if fact.Args > 0 { // then a wait for a condition names the mutex that it releases
				releases += fact.Sync["pthread_cond_wait"]
			}
			if file == "uftrace/family.data.tar.gz" { // its child exits, and they share a pipe
				waits, releases = waits+fact.IO["read"], releases+fact.IO["write"]+1
			}
			if n := uint64(a.Waits.Len()); n != waits {
				t.Errorf("%s: %d waits, want %d", file, n, waits)
			}
			if n := uint64(a.Releases.Len()); n != releases {
				t.Errorf("%s: %d releases, want %d", file, n, releases)
			}
		}
		var got []pairOf
		for w := range a.Waits.Len() {
			for c := range a.Of(w) {
				got = append(got, a.pair(c))
			}
		}
		slices.SortFunc(got, byPair)
		if want := plainPairs(tr); !slices.Equal(got, want) ||
			a.Correspondences != uint64(len(want)) {
			t.Errorf("%s: %d correspondences, %d listed, want %d", file, a.Correspondences,
				len(got), len(want))
		}
	}
}

// TestQueueObjects holds the objects of a queue of four slots against how the program is written:
// producers and consumers take and give each semaphore as often, and one lock is everybody's.
func TestQueueObjects(t *testing.T) {
	for file, gets := range map[string]uint64{
		"uftrace/queue-2p2c.data.tar.gz": 122, "uftrace/queue-1p3c.data.tar.gz": 123} {
		kinds := map[ObjectKind]int{}
		a := mustFind(t, load(t, file))
		for o := range a.Objects {
			sum := &a.Objects[o]
			kinds[sum.Kind]++
			if sum.Kind == Semaphore &&
				(sum.Waits != gets || sum.Releases != gets || !sum.Shared()) {
				t.Errorf("%s: semaphore %+v, want %d waits and releases", file, sum, gets)
			}
			if sum.Kind == Mutex && sum.Waits > 100 && (sum.Waits != 2*gets || sum.Waiters != 5) {
				t.Errorf("%s: mutex %+v", file, sum)
			}
		}
		for kind, n := range map[ObjectKind]int{Semaphore: 2, Mutex: 2, Condition: 1, Joinable: 4,
			File: 1, Other: 0} {
			if kinds[kind] != n {
				t.Errorf("%s: %d objects are a %s, want %d", file, kinds[kind], kind, n)
			}
		}
	}
}

// TestQueuePair holds that two recordings of one program have their objects paired. The program
// lies elsewhere each time, but its variables keep their place within a page.
func TestQueuePair(t *testing.T) {
	c := mustCompare(t, load(t, "uftrace/queue-1p3c.data.tar.gz"),
		load(t, "uftrace/queue-2p2c.data.tar.gz"))
	for _, o := range c.Objects {
		if o.A < 0 || o.B < 0 {
			t.Fatalf("objects %v", c.Objects)
		}
		a, b := c.Sides[0].Trace.Objects[o.A].Name, c.Sides[1].Trace.Objects[o.B].Name
		if kind := c.Sides[0].Objects[o.A].Kind; kind != c.Sides[1].Objects[o.B].Kind ||
			kind != Joinable && a[len(a)-3:] != b[len(b)-3:] {
			t.Errorf("%s %s is paired with %s", kind, a, b)
		}
	}
}
