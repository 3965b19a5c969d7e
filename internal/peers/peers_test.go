//go:build unix

package peers

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestProcessorTime: what is measured of work is at least what it used.
func TestProcessorTime(t *testing.T) {
	busy := func() {
		for began := processorTime(); processorTime()-began < 20*time.Millisecond; {
		}
	}
	if s := Measure(busy); s.CPU < 20*time.Millisecond || s.Elapsed <= 0 {
		t.Errorf("%v of processor time in %v, want at least 20 ms", s.CPU, s.Elapsed)
	}
}

// TestRace: the side that does ten times the work takes several times as long, and both run.
func TestRace(t *testing.T) {
	ran := [2]int{}
	side := func(k int, d time.Duration) func() {
		return func() {
			ran[k]++
			for began := processorTime(); processorTime()-began < d; {
			}
		}
	}
	r := testing.Benchmark(func(b *testing.B) { Race(b, side(0, time.Millisecond), side(1, 10*time.Millisecond)) })
	if ran[0] != ran[1] || ran[0] < rounds {
		t.Errorf("the sides ran %d times", ran)
	}
	if r.Extra["×peer"] < 2 || r.Extra["ours-ms"] < 1 || r.Extra["peer-ms"] < 10 {
		t.Errorf("measured %v", r.Extra)
	}
}

func TestOnDisk(t *testing.T) {
	testing.Benchmark(func(b *testing.B) {
		dir := OnDisk(b, map[string][]byte{"x/y/z": []byte("deep"), "top": []byte("flat")})
		for name, want := range map[string]string{"x/y/z": "deep", "top": "flat"} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
		sum := EachFile(b, filepath.Join(dir, "*/*/z"), func(r *bufio.Reader) (uint64, error) {
			n, err := io.Copy(io.Discard, r)
			return uint64(n), err
		})
		if sum != 4 {
			t.Errorf("the file has %d bytes, want 4", sum)
		}
	})
}
