package input

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]Memory{
		"512MiB": 512 << 20, "2GB": 2e9, "5KB": 5e3, "2g": 2 << 30, "64mib": 64 << 20, "1.5G": 3 << 29, "100": 100, "7k": 7 << 10, "3 TiB": 3 << 40,
		"64B": 64, "50%": Memory(machineMemory() / 2), "1kB": 1000,
	} {
		if got, err := parseMemory(text); err != nil || got-want > 1 || want-got > 1 {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "0", "GB", "1e30", "NaN", "5 apples", "0%", "101%"} {
		if got, err := parseMemory(text); err == nil {
			t.Errorf("%q becomes %d", text, got)
		}
	}
}

// TestMemoryIsReadAsItIsWritten: what a message tells the user to give is about what was meant.
func TestMemoryIsReadAsItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Memory(rapid.Int64Range(1, 1<<50).Draw(t, "bytes"))
		got, err := parseMemory(m.String())
		if d := float64(got-m) / float64(m); err != nil || d > 0.06 || d < -0.06 {
			t.Errorf("%d is written as %v and read as %d, %v", m, m, got, err)
		}
	})
}

// TestLines holds Lines against splitting the whole text.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\r\n\x00")), 0, 200, -1).Draw(t, "text")
		var got []string
		for line, err := range Lines(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line)
		}
		if want := slices.Collect(strings.Lines(text)); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestBudgetEndsOnce: the first limit that is exceeded is the one that is told, and nothing is read
// after it.
func TestBudgetEndsOnce(t *testing.T) {
	b := newBudget(context.Background(), "dir", 1<<20)
	first := b.over("dir/a", "it has more than %v", Memory(9))
	second := b.over("dir/b", "it has more than %v", Memory(7))
	r := &reader{from: strings.NewReader("text"), budget: b, most: -1}
	_, err := r.Read(make([]byte, 4))
	if first != second || err != first || !errors.Is(err, ErrLimit) || err.Error() !=
		"dir/a: it has more than 9B, the limit with --memory=1MiB; --memory=2MiB raises it" {
		t.Errorf("%v, %v, %v", first, second, err)
	}
}

// TestGroupLimits: a group's limit is sought in its own file and in those of the groups around it,
// in both versions of control groups.
func TestGroupLimits(t *testing.T) {
	got := groupLimits("12:cpu,memory:/a/b\n3:cpu:/c\n0::/d/../../e\nnothing\n")
	want := []string{
		"/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"/sys/fs/cgroup/e/memory.max",
		"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
