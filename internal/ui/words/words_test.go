package words

import (
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// Two runs of a small program: a consumer waits for a producer, which in A is itself kept waiting by
// a mutex. In B the producer works for longer, parses once more and does not log.
const (
	runA = `trace text
func open package=os
thread 1 name=producer
  0+9000 main
    0+1000 open args=a.txt
    1000+4000 parse
      1500+3000 lock wait=mutex
    5000+500 sem_post release=items
    6000+500 log
thread 2 name=consumer
  0+9000 run
    500+5500 sem_wait wait=items
    7000+1000 use
thread 3 name=owner
  0+9000 own
    4400+100 mutex_unlock release=mutex
thread 4 name=idle
  0+9000 rest
`
	runB = `trace text
func open package=os
thread 1 name=producer
  0+12000 main
    0+1000 open
      100+300 stat
    1000+6000 parse
    7500+500 sem_post release=items
    8000+1000 parse
thread 7 name=consumer
  0+12000 run
    500+8000 sem_wait wait=items
    9000+1000 use
thread 3 name=owner
  0+9000 own
    4400+100 mutex_unlock release=mutex
`
)

// compared returns a session with both runs, all that it finds out about them known.
func compared(t *testing.T, view session.View) *session.Session {
	t.Helper()
	s := session.New(func() {})
	for side, src := range []string{runA, runB} {
		put(t, s, pair.Side(side), src)
	}
	s.SetView(view)
	s.Settle(t.Context())
	return s
}

func put(t *testing.T, s *session.Session, side pair.Side, src string) {
	t.Helper()
	s.Put(side, side.String()+".txt", texttest.Parse(t, src))
}

// callOf returns the n-th call of a function.
func callOf(t *testing.T, st *session.State, side pair.Side, function string, n int) session.Target {
	t.Helper()
	tr := st.Sides[side].Trace
	for k, th := range tr.Threads {
		for i := range th.Len() {
			if tr.FunctionOf(th, i).Name != function {
				continue
			}
			if n == 0 {
				ref := trace.CallRef{Thread: int32(k), Call: int32(i)}
				return session.Target{Side: side, Ref: ref, OK: true}
			}
			n--
		}
	}
	t.Fatalf("%s has no call of %s", side, function)
	return session.Target{}
}

// says compares what is said with what should be.
func says(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("of %s it says\n%q, want\n%q", what, got, want)
	}
}

func TestUnitOf(t *testing.T) {
	s := session.New(func() {})
	if got := UnitOf(s.State()); got != "ns" {
		t.Errorf("of nothing it is %q", got)
	}
	put(t, s, pair.B, "trace text unit=bytes\nthread 1\n  0+1 main\n")
	s.Settle(t.Context())
	if got := UnitOf(s.State()); got != "bytes" {
		t.Errorf("it is %q", got)
	}
}
