package synth

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestMulDivIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64Range(0, 1<<62).Draw(t, "a")
		c := rapid.Uint64Range(1, 1<<62).Draw(t, "c")
		b := rapid.Uint64Range(0, c).Draw(t, "b")
		big := func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
		want := big(a)
		want.Mul(want, big(b)).Div(want, big(c))
		if got := mulDiv(a, b, c); !want.IsInt64() || got != want.Int64() {
			t.Fatalf("%d·%d/%d is %s, not %d", a, b, c, want, got)
		}
	})
}

// somePlan draws a program that can be planned.
func somePlan(t *rapid.T) (Options, *program, *plan) {
	threads := rapid.IntRange(1, 30).Draw(t, "threads")
	o := Options{Threads: threads, Functions: rapid.IntRange(minFunctions, 400).Draw(t, "functions"),
		Calls: rapid.IntRange(200, 20_000).Draw(t, "calls") * threads,
		Seed:  rapid.Uint64().Draw(t, "seed")}
	if rapid.Bool().Draw(t, "waits are given") {
		o.Waits = o.Calls / rapid.IntRange(40, 200).Draw(t, "calls for a wait")
	}
	prog := newProgram(o)
	p, err := newPlan(o, prog)
	if err != nil {
		t.Skip(err)
	}
	return o, prog, p
}

// TestPlanHasExactlyTheCallsAskedFor: what is fixed and what is to be grown add up to the calls, and
// with the guarded sections to the waits.
func TestPlanHasExactlyTheCallsAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, prog, p := somePlan(t)
		calls, waits := fixed(o, prog, p.frames)
		for thread, quota := range p.quota {
			if len(quota) != p.frames {
				t.Fatalf("thread %d has %d frames of %d", thread, len(quota), p.frames)
			}
			for frame, q := range quota {
				if q < 0 {
					t.Fatalf("thread %d is to grow %d calls in frame %d", thread, q, frame)
				}
			}
			calls += p.calls(thread)
		}
		for thread, n := range p.sections {
			if n < 0 || 2*n > p.calls(thread) {
				t.Fatalf("thread %d has %d sections in %d calls", thread, n, p.calls(thread))
			}
			waits += n
		}
		if calls != o.Calls {
			t.Errorf("%d calls, want %d", calls, o.Calls)
		}
		if o.Waits > 0 && waits != o.Waits {
			t.Errorf("%d waits, want %d", waits, o.Waits)
		}
	})
}

// TestThousandsOfThreadsCanBePlanned: as many threads as are allowed have a role and calls each.
func TestThousandsOfThreadsCanBePlanned(t *testing.T) {
	o, err := Options{Calls: 100_000, Threads: maxThreads, Functions: minFunctions}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	prog := newProgram(o)
	p, err := newPlan(o, prog)
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := fixed(o, prog, p.frames)
	for thread := range p.quota {
		calls += p.calls(thread)
	}
	if calls != o.Calls || len(p.quota) != maxThreads {
		t.Errorf("%d threads have %d calls", len(p.quota), calls)
	}
}

// TestPhasesFollowOneAnother: a run starts up, does its kinds of work in turn, and shuts down; a
// run of one or two frames only works.
func TestPhasesFollowOneAnother(t *testing.T) {
	for frames := 1; frames < 40; frames++ {
		p := &plan{frames: frames}
		last := 0
		for frame := range frames {
			phase := p.phase(frame)
			if phase < last || phase >= phases {
				t.Fatalf("%d frames: phase %d after %d", frames, phase, last)
			}
			border := frame == 0 || frame == frames-1
			if ends := phase == startup || phase == shutdown; ends != (border && frames > 2) {
				t.Errorf("%d frames: frame %d is in phase %d", frames, frame, phase)
			}
			last = phase
		}
	}
}

func TestHotFunctionsAreOfTheTopLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, prog, p := somePlan(t)
		top := map[uint32]bool{}
		for level := range 3 {
			for _, fn := range prog.byLevel[level] {
				top[fn] = true
			}
		}
		for phase := range p.hot {
			for role, hot := range p.hot[phase] {
				if len(hot) != len(p.rank) {
					t.Fatalf("phase %d, role %d: %d hot functions for %d ranks", phase, role, len(hot), len(p.rank))
				}
				for _, fn := range hot {
					if !top[fn] {
						t.Fatalf("%s is hot and not of the top levels", prog.functions[fn].name)
					}
				}
			}
		}
	})
}

func TestRolesOfThreads(t *testing.T) {
	for thread, want := range []int{0, 1, 2, 3, 1, 2, 3, 1} {
		if got := roleOf(thread); got != want {
			t.Errorf("thread %d has role %d, want %d", thread, got, want)
		}
	}
}

// TestObjectsAreNumberedOnce: no two objects of a program share a number, and what is asked for by
// name lies in the part where it belongs.
func TestObjectsAreNumberedOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 6, 7, 13, 64} {
		o := objects{threads: threads, staged: []int{1, 0, 3}}
		seen := map[uint32]string{}
		note := func(object uint32, what string, units int) {
			if other, ok := seen[object]; ok && other != what {
				t.Errorf("%d threads: object %d is %s and %s", threads, object, other, what)
			}
			if seen[object] = what; o.units(object) < units || int(object) >= o.count() {
				t.Errorf("%d threads: %s %d of %d has %d units", threads, what, object, o.count(),
					o.units(object))
			}
		}
		for thread := range threads {
			for i := range uint32(shardMutexes) {
				note(o.number(mutex, i, thread), "mutex", 1)
			}
			for i := range uint32(shardPools) {
				note(o.number(pool, i, thread), "pool", 2)
			}
			note(o.start(thread), "start", 0)
			note(o.pipe(thread), "pipe", 0)
		}
		note(o.done(), "done", 0)
		for i := range o.staged {
			note(uint32(o.program()+i), "staged", o.staged[i])
		}
		names := map[string]bool{}
		for object := range seen {
			names[o.name(object)] = true
		}
		if len(names) != len(seen) {
			t.Errorf("%d objects have %d names", len(seen), len(names))
		}
	}
}

func TestMutexesAreSharedByNeighbours(t *testing.T) {
	o := objects{threads: 3 * shardThreads}
	for thread := range o.threads {
		neighbour := thread / shardThreads * shardThreads
		for i := range uint32(shardMutexes) {
			own := o.number(mutex, i, thread)
			if own != o.number(mutex, i, neighbour) {
				t.Errorf("threads %d and %d have different mutexes %d", thread, neighbour, i)
			}
			everybody := own == o.number(mutex, i, 0)
			if far := thread >= shardThreads; far && everybody != (i < sharedByAll) {
				t.Errorf("mutex %d of thread %d is %d", i, thread, own)
			}
		}
	}
}
