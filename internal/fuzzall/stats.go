package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// stats are the figures of one target.
type stats struct {
	inputs, found int
	elapsed       time.Duration
	cpu           time.Duration // of all processes
}

// rate returns the inputs tried a second.
func (s stats) rate() float64 { return s.per(s.elapsed) }

// rateOfCPU returns the inputs tried a second of processor time.
func (s stats) rateOfCPU() float64 { return s.per(s.cpu) }

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

// slowTargets are minimums of single targets: inputs a second by package.Target.
type slowTargets map[string]float64

func (s *slowTargets) String() string { return "" }

// Set reads `gotrace.FuzzLoad=200,…`.
func (s *slowTargets) Set(text string) error {
	*s = slowTargets{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(part, "=")
		n, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || n <= 0 || !strings.Contains(name, ".") {
			return fmt.Errorf("%q is not pkg.Target=N", part)
		}
		(*s)[name] = n
	}
	return nil
}
