package synth

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWaitsAreAsManyAsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		calls, threads, waits int
		situations            []string
		ending                string
	}{
		{3000, 1, 100, nil, ".json"},
		{5000, 3, 30, nil, ".json"},
		{8000, 8, 800, nil, ".data"},
		{25_000, 43, 900, nil, ".data"},
		// What never ended is no complete event; the plain reader of the other format wants all ends.
		{12_000, 8, 500, staged(), ".json"},
		{12_000, 1, 500, []string{"deadlock", "hang-monitor", "polling", "polling"}, ".json"},
	} {
		t.Run(fmt.Sprint(tt.calls, tt.threads, tt.waits), func(t *testing.T) {
			o := Options{Calls: tt.calls, Threads: tt.threads, Seed: 5, Waits: tt.waits,
				Situations: tt.situations}
			a, _, truth := generate(t, o, tt.ending)
			side, waits := readSide(t, a), 0
			for _, calls := range side {
				for _, c := range calls {
					waits += oneIf(slices.Contains([]string{"pthread_mutex_lock", "sem_wait", "pthread_join",
						"pthread_cond_wait", "pthread_cond_timedwait"}, c.name))
				}
			}
			stuck := 0
			for _, s := range truth.Situations {
				stuck += 2 * oneIf(s.Name == "deadlock")
			}
			if waits+stuck != tt.waits || truth.Waits.A.Calls != int64(tt.waits) {
				t.Errorf("%d waits and %d that never end, the truth says %d", waits, stuck,
					truth.Waits.A.Calls)
			}
			if truth.Calls.A != int64(tt.calls) || truth.Waits.A.Unreleased != int64(stuck) {
				t.Errorf("%d calls, %d unreleased", truth.Calls.A, truth.Waits.A.Unreleased)
			}
		})
	}
}

// staged are the situations that are played beside the program.
func staged() []string {
	return slices.DeleteFunc(SituationNames(), func(s string) bool { return s == perturbation })
}

// Each situation alone shows what it is there to show.
func TestSituationsShowWhatTheySay(t *testing.T) {
	for _, tt := range []struct {
		name string
		want func(s *story) bool
	}{
		{"hang-monitor", func(s *story) bool {
			return s.by(0, mainThread).Count == 1 && s.by(0, mainThread).WaitNs > s.lasts[0]*9/10
		}},
		{"idle-worker", func(s *story) bool {
			return s.by(0, mainThread).Count > 5 && s.by(0, mainThread).WaitNs > s.lasts[0]*6/10
		}},
		{"polling", func(s *story) bool {
			nobody := s.by(0, nobodyAtAll)
			return s.by(0, mainThread).Count <= 1 && nobody.Count > 100 && nobody.WaitNs > s.lasts[0]/2
		}},
		{"compositor", func(s *story) bool {
			return s.by(0, mainThread).Count > 10 && s.by(mainThread, 0).Count > 10
		}},
		{"producer-consumer", func(s *story) bool {
			return s.by(1, 0).Count > 3 && s.by(2, 0).Count > 3 &&
				s.by(0, 1).Count+s.by(0, 2).Count > 3
		}},
		{"lock-convoy", func(s *story) bool {
			var ns, all int64
			for who := range 4 {
				for by := range 4 {
					ns += s.by(who, by).WaitNs
				}
				all += s.lasts[who]
			}
			return ns > all/3
		}},
		{"io-bound", func(s *story) bool { return s.by(0, mainThread).Count > 5 }},
		{"deadlock", func(s *story) bool {
			return s.by(0, nobodyAtAll).Unreleased == 1 && s.by(1, nobodyAtAll).Unreleased == 1
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, _, truth := generate(t, Options{Calls: 70_000, Seed: 8, Threads: 4,
				Situations: []string{tt.name}}, ".data")
			s := &story{truth: truth, lasts: map[int]int64{}}
			if tt.name != "deadlock" { // the plain reader wants every call's end
				side := readSide(t, a)
				for who, id := range truth.Situations[0].Threads {
					calls := side[id]
					s.lasts[who] = calls[0].end - calls[0].start
				}
			}
			if !tt.want(s) {
				t.Errorf("threads last %v, waits are %+v", s.lasts, truth.Waits.A.Edges)
			}
		})
	}
	if len(staged()) != 8 || strings.Count(SituationHelp(), "\n") != 9 {
		t.Errorf("situations are\n%s", SituationHelp())
	}
}

// story is what became of the only situation of a trace.
type story struct {
	truth *Truth
	lasts map[int]int64 // by thread of the situation, ns
}

const nobodyAtAll = -2

// by sums up the waits of one thread of the situation, or the main thread, that another ended.
func (s *story) by(waiter, releaser int) (sum WaitEdge) {
	id := func(who int) int {
		if who < 0 {
			return tid(0)
		}
		return s.truth.Situations[0].Threads[who]
	}
	for _, e := range s.truth.Waits.A.Edges {
		nobody := e.Releaser == nil
		if !slices.Contains(s.truth.Situations[0].Objects, e.Object) || e.Waiter != id(waiter) ||
			nobody != (releaser == nobodyAtAll) || !nobody && *e.Releaser != id(releaser) {
			continue
		}
		sum.Count += e.Count
		sum.Unreleased += e.Unreleased
		sum.WaitNs += e.WaitNs
	}
	return sum
}

// waitedInAll sums up the waits for the objects of situations that something ended.
func waitedInAll(t *Truth, side *WaitTruth) (ns int64) {
	for _, e := range side.Edges {
		if e.Releaser != nil && slices.Contains(t.Situations[0].Objects, e.Object) {
			ns += e.WaitNs
		}
	}
	return ns
}

func TestEditsChangeWaits(t *testing.T) {
	o := Options{Calls: 40_000, Seed: 8, Threads: 4, Situations: []string{"lock-convoy"}}
	for _, tt := range []struct {
		kind Kind
		want func(a, b int64) bool
	}{
		{Contend, func(a, b int64) bool { return b > a*11/10 }},
		{Shard, func(a, b int64) bool { return b < a/2 }},
	} {
		o.Edits = map[Kind]float64{tt.kind: 1}
		_, _, truth := generate(t, o, ".data")
		a, b := waitedInAll(truth, &truth.Waits.A), waitedInAll(truth, &truth.Waits.B)
		if !tt.want(a, b) || truth.Counts[tt.kind] == 0 || len(truth.Counts) != 1 {
			t.Errorf("%v: %v, waits %d ns become %d", tt.kind, truth.Counts, a, b)
		}
	}
}
