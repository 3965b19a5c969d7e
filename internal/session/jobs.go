package session

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Job is cancellable work in the background.
type Job struct {
	Label   string
	Started time.Time

	id     int
	slot   string          // a new job in the same slot cancels the old one
	loads  bool            // it loads a trace
	side   pair.Side       // into which it loads that
	path   string          // from which it loads that
	growth growth          // of that
	undo   func(st *State) // what cancelling it changes; may be nil
	apart  bool            // it is about nothing that is open
	finds  bool            // it finds what it is about, if the sides are exchanged meanwhile
	cancel context.CancelFunc

	done, total atomic.Int64
	waits       atomic.Bool // for a program that writes to the named pipe that is to be loaded
}

// Progress returns the part done in [0, 1], or −1 if it cannot be told.
func (j *Job) Progress() float64 {
	total := j.total.Load()
	if total <= 0 {
		return -1
	}
	return min(float64(j.done.Load())/float64(total), 1)
}

// Title returns the name of the trace that the job loads.
func (j *Job) Title() string { return Title(j.path) }

// Loads reports whether the job loads a trace, which is shown as it grows.
func (j *Job) Loads() bool { return j.loads }

// Waits reports whether the job cannot begin: nobody writes yet to the named pipe that it reads.
func (j *Job) Waits() bool { return j.waits.Load() }

func (j *Job) report(done, total int64) {
	j.waits.Store(false)
	j.done.Store(done)
	j.total.Store(total)
}

// delivery is a finished job's result, applied by Drain unless the job is stale.
type delivery struct {
	job   *Job
	apply func()
}

// work is what a job does, in a goroutine of its own.
type work func(ctx context.Context, j *Job) (apply func())

// start runs work. What it returns is called by Drain on the interface's goroutine, unless the job
// was cancelled or replaced meanwhile.
func (s *Session) start(slot, label string, work work) *Job { return s.later(slot, label, 0, work) }

// later starts work after a while, so that what changes often can replace the job before it does
// anything. A Session that settles does not wait.
func (s *Session) later(slot, label string, wait time.Duration, work work) *Job {
	return s.begin(slot, label, wait, nil, work)
}

// begin starts work after a while and when gate is closed, if it is not nil.
func (s *Session) begin(slot, label string, wait time.Duration, gate <-chan struct{}, work work) *Job {
	s.cancel(slot)
	ctx, cancel := context.WithCancel(s.life)
	s.lastJob++
	j := &Job{Label: label, Started: time.Now().Add(wait), id: s.lastJob, slot: slot, cancel: cancel}
	s.jobs = append(s.jobs, j)
	hurry := s.hurry
	go func() {
		if !pause(ctx, wait, hurry) || gate != nil && !passed(ctx, gate, hurry) {
			return
		}
		apply := s.guarded(ctx, j, work)
		if ctx.Err() != nil && time.Since(j.Started) >= longWork {
			s.waste()
		}
		select {
		case s.results <- delivery{j, apply}:
			s.wake()
		case <-ctx.Done(): // nobody wants it, and perhaps nobody drains any more
		}
	}()
	return j
}

// longWork is how long work takes that may have taken much memory, too.
const longWork = time.Second

func (s *Session) waste() {
	if s.Wasted != nil {
		s.Wasted()
	}
}

// Fault is a job that failed by a fault of the program's own.
type Fault struct {
	Label string // what the job was to do
	Why   string
	Stack string
}

// guarded runs work. A panic becomes a Fault, so that the window and all other work go on, unless a
// stored trace is to blame that was damaged while it was in use: that is read anew.
func (s *Session) guarded(ctx context.Context, j *Job, work work) (apply func()) {
	p := progress.Try(func() { apply = work(ctx, j) })
	if p == nil {
		return apply
	}
	lost, found := s.Traces.Blame(p)
	return func() {
		if s.readAnew(lost) || len(found) > 0 {
			s.ask(j.slot) // it may be about a trace that no side shows
			s.apply(func(*State) {})
			return
		}
		fault := Fault{Label: j.Label, Why: fmt.Sprint(p.Value), Stack: string(p.Stack)}
		s.Say(fault.Label + " failed by a fault of Diptych's own: see Problems")
		s.apply(func(st *State) { st.Faults = append(slices.Clone(st.Faults), fault) })
	}
}

// pause waits for d to pass or hurry to be closed. It reports whether ctx was not cancelled.
func pause(ctx context.Context, d time.Duration, hurry <-chan struct{}) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-hurry:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// passed waits for gate or hurry to be closed. It reports whether ctx was not cancelled.
func passed(ctx context.Context, gate, hurry <-chan struct{}) bool {
	select {
	case <-gate:
	case <-hurry:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// job returns the job in slot, or nil.
func (s *Session) job(slot string) *Job {
	for _, j := range s.jobs {
		if j.slot == slot {
			return j
		}
	}
	return nil
}

// cancel stops the job in slot, if there is one.
func (s *Session) cancel(slot string) {
	for i, j := range s.jobs {
		if j.slot == slot {
			j.cancel()
			s.jobs = append(s.jobs[:i:i], s.jobs[i+1:]...)
			s.openGates()
			return
		}
	}
}

// Jobs returns what is running, oldest first.
func (s *Session) Jobs() []*Job { return s.jobs }

// Loading returns the job that loads a trace into side, or nil.
func (s *Session) Loading(side pair.Side) *Job {
	for _, j := range s.jobs {
		if j.loads && j.side == side {
			return j
		}
	}
	return nil
}

// Cancel stops a job; its result is dropped.
func (s *Session) Cancel(j *Job) {
	s.cancel(j.slot)
	if j.undo != nil {
		s.apply(j.undo)
	}
	if j.loads || j.slot == heirsSlot {
		s.resume() // which may have waited for it
	}
	s.Say(j.Label + ": cancelled")
}

// End stops all jobs, also those that begin later, because the program ends. It may be called from
// any goroutine.
func (s *Session) End() { s.end() }

// stopAll stops every job because what they work on goes.
func (s *Session) stopAll() {
	for _, j := range slices.Clone(s.jobs) {
		if !j.apart {
			s.cancel(j.slot)
		}
	}
}

// CancelAll stops every job that has begun; those that wait for the view to rest are no burden.
func (s *Session) CancelAll() {
	now := time.Now()
	for _, j := range slices.Clone(s.jobs) {
		if !now.Before(j.Started) {
			s.Cancel(j)
		}
	}
}

// Drain applies the results of finished jobs. It returns whether anything changed. The interface
// calls it once a frame.
func (s *Session) Drain() bool {
	changed := false
	for {
		select {
		case d := <-s.results:
			changed = s.deliver(d) || changed
		default:
			return s.grow() || changed
		}
	}
}

// deliver applies a result unless its job was cancelled or replaced.
func (s *Session) deliver(d delivery) bool {
	defer d.job.cancel()
	for i, j := range s.jobs {
		if j == d.job {
			s.jobs = append(s.jobs[:i:i], s.jobs[i+1:]...)
			d.apply()
			s.noteDamage()
			s.openGates()
			return true
		}
	}
	return false
}

// Settle waits for all jobs and those that they lead to, applies their results and brings what is
// gliding to its end, for use without an interface.
func (s *Session) Settle(ctx context.Context) {
	close(s.hurry)
	s.drawNothing()
	defer func() { s.hurry, s.moved = make(chan struct{}), time.Time{} }()
	for s.arrive(); len(s.jobs) > 0; s.arrive() {
		select {
		case d := <-s.results:
			s.deliver(d)
		case <-ctx.Done():
			s.stopAll()
			return
		}
	}
}

// Ready waits until every running job has its result, applies none, and returns how many there are.
// With Take a test can apply them in any order.
func (s *Session) Ready(ctx context.Context) int {
	if !s.hurries() {
		close(s.hurry)
		s.drawNothing()
	}
	for len(s.held) < len(s.jobs) {
		select {
		case d := <-s.results:
			if slices.Contains(s.jobs, d.job) {
				s.held = append(s.held, d)
			}
		case <-ctx.Done():
			return 0
		}
		s.held = slices.DeleteFunc(s.held, func(d delivery) bool { return !slices.Contains(s.jobs, d.job) })
	}
	return len(s.held)
}

func (s *Session) hurries() bool {
	select {
	case <-s.hurry:
		return true
	default:
		return false
	}
}

// Take applies the i-th of the results that Ready waited for.
func (s *Session) Take(i int) {
	d := s.held[i]
	s.held = slices.Delete(s.held, i, i+1)
	s.deliver(d)
}
