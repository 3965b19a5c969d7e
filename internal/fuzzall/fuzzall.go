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
//
// What was found lies in Go's cache, which every machine has for itself. With -corpus, as `make
// corpus` runs it, the program does not fuzz but copies a few of these inputs to testdata, where
// they are tests of their own and the start of whoever fuzzes next.
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
	corpus   bool
}

func main() {
	var o options
	flag.DurationVar(&o.each, "time", 30*time.Second, "how long to fuzz each target")
	flag.IntVar(&o.minimize, "minimize", 200, "how many inputs to try while shortening one")
	flag.Float64Var(&o.least, "least", 1000, "inputs a second below which a target fails")
	flag.BoolVar(&o.anyRate, "anyrate", false, "report the rates, but let no target fail for its rate")
	flag.BoolVar(&o.corpus, "corpus", false, "do not fuzz: keep a few of the inputs found so far in testdata")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := fuzz
	if o.corpus {
		run = enrich
	}
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
		os.Exit(1)
	}
}

// each calls do for all targets of the packages, one after the other. It goes on after a failure
// and fails at the end.
func each(ctx context.Context, patterns []string, do func(*programs, target) error) error {
	targets, err := list(ctx, patterns)
	if err != nil {
		return err
	}
	programs, err := newPrograms()
	if err != nil {
		return err
	}
	defer programs.remove()
	var failed []string
	for _, t := range targets {
		if err := do(programs, t); err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", t, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d targets failed:\n%s", len(failed), len(targets), strings.Join(failed, "\n"))
	}
	return nil
}

// fuzz fuzzes all targets of the packages and prints a line about each.
func fuzz(ctx context.Context, o options, patterns []string) error {
	began, total := time.Now(), 0
	fmt.Printf("%-22s %10s %9s %9s %6s\n", "target", "inputs", "a second", "a CPU s", "new")
	err := each(ctx, patterns, func(p *programs, t target) error {
		s, err := p.fuzz(ctx, t, o)
		total += s.inputs
		fmt.Printf("%-22s %10d %9.0f %9.0f %6d\n", t, s.inputs, s.rate(), s.rateOfCPU(), s.found)
		if err != nil {
			return err
		}
		return o.judge(s)
	})
	fmt.Printf("%-22s %10d in %s\n", "all", total, time.Since(began).Round(time.Second))
	return err
}

// judge returns an error if a target tried too few inputs a second. One that tried none did not
// run, whatever rates are asked for.
func (o options) judge(s stats) error {
	switch {
	case s.inputs == 0:
		return errors.New("no input was tried")
	case !o.anyRate && s.rateAlone() < o.least:
		return fmt.Errorf("%.0f inputs a second are fewer than %.0f", s.rateAlone(), o.least)
	}
	return nil
}
