// Command fuzzall runs the fuzz targets of a module, one after the other, and says of each how many
// inputs it tried a second and how much it found that is new. A target that is slow finds nothing,
// whatever its name promises, so one below its minimum is a failure; where the machine is busy with
// other work, a second of processor time counts instead. `make fuzz` runs it. It knows nothing of
// what the targets test.
//
//	go run ./internal/fuzzall -time 10s -budget 60s ./internal/...
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	each, budget, minimize time.Duration
	least                  float64
	slow                   slowTargets
	start                  int
}

func main() {
	var o options
	flag.DurationVar(&o.each, "time", 30*time.Second, "how long to fuzz each target")
	flag.DurationVar(&o.budget, "budget", 0, "begin no target that would end later than this; 0 for all")
	flag.DurationVar(&o.minimize, "minimize", 2*time.Second, "how long to shorten one input at most")
	flag.Float64Var(&o.least, "least", 1000, "inputs a second below which a target fails")
	flag.Var(&o.slow, "slow", "pkg.Target=N,…: another minimum for some targets")
	flag.IntVar(&o.start, "start", 0, "which target is first, modulo their number")
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
	var failed, left []string
	total := 0
	fmt.Printf("%-22s %10s %9s %9s %6s\n", "target", "inputs", "a second", "a CPU s", "new")
	for _, t := range rotate(targets, o.start) {
		if o.budget > 0 && time.Since(began)+2*o.each > o.budget {
			left = append(left, t.String()) // building takes about as long as fuzzing
			continue
		}
		s, err := programs.fuzz(ctx, t, o)
		total += s.inputs
		fmt.Printf("%-22s %10d %9.0f %9.0f %6d\n", t, s.inputs, s.rate(), s.rateOfCPU(), s.found)
		least := cmp.Or(o.slow[t.String()], o.least)
		switch {
		case err != nil:
			failed = append(failed, fmt.Sprintf("%s: %v", t, err))
		case max(s.rate(), s.rateOfCPU()) < least:
			failed = append(failed, fmt.Sprintf("%s: %.0f inputs a second are fewer than %.0f",
				t, s.rate(), least))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Printf("%-22s %10d in %s\n", "all", total, time.Since(began).Round(time.Second))
	if len(left) > 0 {
		fmt.Printf("no time for %s\n", strings.Join(left, ", "))
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d targets failed:\n%s", len(failed), len(targets), strings.Join(failed, "\n"))
	}
	return nil
}

// rotate begins a list at another place, so that runs with a small budget get around to all.
func rotate[T any](list []T, start int) []T {
	if len(list) == 0 {
		return nil
	}
	k := start % len(list)
	return slices.Concat(list[k:], list[:k])
}
