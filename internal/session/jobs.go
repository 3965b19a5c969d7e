package session

import (
	"context"
	"sync/atomic"
	"time"

	"diptych/internal/pair"
)

// Job is cancellable work in the background.
type Job struct {
	Label   string
	Started time.Time

	id          int
	slot        string // a new job in the same slot cancels the old one
	cancel      context.CancelFunc
	done, total atomic.Int64
}

// Progress returns the part done in [0, 1], or −1 if it cannot be told.
func (j *Job) Progress() float64 {
	total := j.total.Load()
	if total <= 0 {
		return -1
	}
	return min(float64(j.done.Load())/float64(total), 1)
}

func (j *Job) report(done, total int64) {
	j.done.Store(done)
	j.total.Store(total)
}

// delivery is a finished job's result, applied by Drain unless the job is stale.
type delivery struct {
	job   *Job
	apply func()
}

// start runs work in its own goroutine. What work returns is called by Drain on the interface's
// goroutine, unless the job was cancelled or replaced meanwhile.
func (s *Session) start(slot, label string, work func(ctx context.Context, j *Job) func()) *Job {
	s.cancel(slot)
	ctx, cancel := context.WithCancel(context.Background())
	s.lastJob++
	j := &Job{Label: label, Started: time.Now(), id: s.lastJob, slot: slot, cancel: cancel}
	s.jobs = append(s.jobs, j)
	go func() {
		apply := work(ctx, j)
		s.results <- delivery{j, apply}
		s.wake()
	}()
	return j
}

// cancel stops the job in slot, if there is one.
func (s *Session) cancel(slot string) {
	for i, j := range s.jobs {
		if j.slot == slot {
			j.cancel()
			s.jobs = append(s.jobs[:i:i], s.jobs[i+1:]...)
			return
		}
	}
}

// Jobs returns what is running, oldest first.
func (s *Session) Jobs() []*Job { return s.jobs }

// Loading returns the job that loads a trace into side, or nil.
func (s *Session) Loading(side pair.Side) *Job {
	for _, j := range s.jobs {
		if j.slot == "load"+side.String() {
			return j
		}
	}
	return nil
}

// Cancel stops a job; its result is dropped.
func (s *Session) Cancel(j *Job) {
	s.cancel(j.slot)
	s.say(j.Label + ": cancelled")
}

// CancelAll stops every job.
func (s *Session) CancelAll() {
	for len(s.jobs) > 0 {
		s.Cancel(s.jobs[0])
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
			return changed
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
			return true
		}
	}
	return false
}

// Settle waits for all jobs and applies their results, for use without an interface.
func (s *Session) Settle(ctx context.Context) {
	for len(s.jobs) > 0 {
		select {
		case d := <-s.results:
			s.deliver(d)
		case <-ctx.Done():
			s.CancelAll()
			return
		}
	}
}
