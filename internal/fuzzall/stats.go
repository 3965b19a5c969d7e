package main

import (
	"regexp"
	"strconv"
	"time"
)

// stats are the figures of one target.
type stats struct {
	inputs, found int
	elapsed       time.Duration
	cpu           time.Duration // of all processes
	workers       int           // that try inputs at once
}

// rate returns the inputs tried a second.
func (s stats) rate() float64 { return s.per(s.elapsed) }

// rateOfCPU returns the inputs tried a second of processor time.
func (s stats) rateOfCPU() float64 { return s.per(s.cpu) }

// rateAlone returns the inputs tried a second had no other program wanted the processors: each
// worker has one. So a busy machine is held to what it would do if it were not.
func (s stats) rateAlone() float64 {
	return max(s.rate(), s.rateOfCPU()*float64(s.workers))
}

func (s stats) per(d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(s.inputs) / d.Seconds()
}

// progress is a line that go test prints every three seconds while it fuzzes.
var progress = regexp.MustCompile(
	`fuzz: elapsed: (\S+), execs: (\d+) \(\d+/sec\), new interesting: (\d+)`)

// parseStats returns the figures of the last line of progress. Those are totals, over the time from
// when the known inputs had been tried.
func parseStats(out string) (s stats) {
	for _, m := range progress.FindAllStringSubmatch(out, -1) {
		if d, err := time.ParseDuration(m[1]); err == nil {
			s.elapsed = d
		}
		s.inputs, _ = strconv.Atoi(m[2])
		s.found, _ = strconv.Atoi(m[3])
	}
	return s
}
