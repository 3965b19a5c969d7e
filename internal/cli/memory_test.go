package cli

import (
	"strings"
	"testing"
	"time"

	"diptych/internal/traceio/input"
)

// inUse makes Main believe that it takes that much memory, of as much as the machine has.
func inUse(t *testing.T, used, has input.Memory) {
	wasUsed, was := memoryInUse, machine
	memoryInUse, machine = func() input.Memory { return used }, func() input.Memory { return has }
	t.Cleanup(func() { memoryInUse, machine = wasUsed, was })
	t.Setenv("GOMEMLIMIT", "off") // the limit of the tests stays as it is
}

// TestMoreThanStated: a command that took more than its --memory says how much, and one that keeps
// to it, or that was given none, says nothing.
func TestMoreThanStated(t *testing.T) {
	inUse(t, 300<<20, 8<<30)
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"--memory", "200MiB"}, "align took 300MiB of memory"},
		{[]string{"--memory", "400MiB"}, ""},
		{nil, ""},
	} {
		args := append([]string{"align", "--json", "--no-cache"}, x.args...)
		status, _, errs := run(t, append(args, builds...)...)
		if status != 0 || !strings.Contains(errs, x.says) || x.says == "" && errs != "" {
			t.Errorf("%v: status %d, %q", x.args, status, errs)
		}
	}
}

// TestOutOfMemory: work that would take all memory is cancelled, with an error that says how much it
// needs.
func TestOutOfMemory(t *testing.T) {
	inUse(t, 950<<20, 1<<30)
	status, _, errs := run(t, append([]string{"diff", "--no-cache"}, builds...)...)
	if want := "diff: this needs more than 950MiB of memory, and the machine has 1GiB"; status != 1 ||
		!strings.Contains(errs, want) {
		t.Errorf("status %d, %q, want %q", status, errs, want)
	}
}

// TestIdleLooks: memory is looked at seldom while it stays as it is and there is plenty.
func TestIdleLooks(t *testing.T) {
	for _, c := range []struct {
		last            time.Duration
		was, now, limit input.Memory
		want            time.Duration
	}{
		{watchEvery, 1 << 30, 1<<30 + 1000, 8 << 30, 2 * watchEvery},
		{watchIdle, 1 << 30, 1<<30 - 1000, 8 << 30, watchIdle},
		{watchIdle, 1 << 30, 1<<30 + 2<<20, 8 << 30, watchEvery},
		{watchIdle, 1 << 30, 1<<30 - 2<<20, 8 << 30, watchEvery},
		{watchIdle, 5 << 30, 5 << 30, 8 << 30, watchEvery},
	} {
		if got := nextLook(c.last, c.was, c.now, c.limit); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestTooManyCalls: a comparison that would take all memory at once is refused before it begins.
func TestTooManyCalls(t *testing.T) {
	inUse(t, 0, 1<<10)
	for _, command := range []string{"match", "align", "diff", "report"} {
		args := append([]string{command, "--no-cache"}, builds...)
		if command == "report" {
			args = append(args, "-o", "-", "--to", "md")
		}
		status, _, errs := run(t, args...)
		if status != 1 || !strings.Contains(errs, command+": this needs more than") {
			t.Errorf("%s: status %d, %q", command, status, errs)
		}
	}
}
