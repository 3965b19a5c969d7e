// Command fuzzall runs the fuzz targets of a module, one after the other, and says of each how many
// inputs it tried a second and how much it found that is new. A target that is slow finds nothing,
// whatever its name promises, so one below the minimum is a failure; where the machine is busy with
// other work, a second of processor time counts instead. `make fuzz` runs it. It knows nothing of
// what the targets test.
//
// The clock of a machine that does other work too proves nothing, so continuous integration asks
// only that nothing fails, with -anyrate.
//
//	go run ./internal/fuzzall -time 10s -anyrate ./internal/...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	each     time.Duration
	minimize int
	least    float64
	anyRate  bool
}

func main() {
	var o options
	flag.DurationVar(&o.each, "time", 30*time.Second, "how long to fuzz each target")
	flag.IntVar(&o.minimize, "minimize", 200, "how many inputs to try while shortening one")
	flag.Float64Var(&o.least, "least", 1000, "inputs a second below which a target fails")
	flag.BoolVar(&o.anyRate, "anyrate", false, "report the rates, but let no target fail for its rate")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
		os.Exit(1)
	}
}

// run fuzzes all targets of the packages. It goes on after a failure, and fails at the end.
func run(ctx context.Context, o options, patterns []string) error {
	targets, err := list(ctx, patterns)
	if err != nil {
		return err
	}
	began := time.Now()
	programs, err := newPrograms()
	if err != nil {
		return err
	}
	defer programs.remove()
	var failed []string
	total := 0
	fmt.Printf("%-22s %10s %9s %9s %6s\n", "target", "inputs", "a second", "a CPU s", "new")
	for _, t := range targets {
		s, err := programs.fuzz(ctx, t, o)
		total += s.inputs
		fmt.Printf("%-22s %10d %9.0f %9.0f %6d\n", t, s.inputs, s.rate(), s.rateOfCPU(), s.found)
		if err == nil {
			err = o.judge(s)
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", t, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Printf("%-22s %10d in %s\n", "all", total, time.Since(began).Round(time.Second))
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d targets failed:\n%s", len(failed), len(targets), strings.Join(failed, "\n"))
	}
	return nil
}

// judge returns an error if a target tried too few inputs a second. One that tried none did not
// run, whatever rates are asked for.
func (o options) judge(s stats) error {
	switch {
	case s.inputs == 0:
		return errors.New("no input was tried")
	case !o.anyRate && max(s.rate(), s.rateOfCPU()) < o.least:
		return fmt.Errorf("%.0f inputs a second are fewer than %.0f", s.rate(), o.least)
	}
	return nil
}
