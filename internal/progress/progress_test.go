package progress

import (
	"context"
	"errors"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestMeter holds what a Meter promises: reports rise by at least the step asked for, the first and
// the last work are reported, and done is never above the total.
func TestMeter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.Int64Range(0, 20).Draw(t, "every")
		steps := rapid.SliceOf(rapid.Int64Range(0, 9)).Draw(t, "steps")
		expected := rapid.Int64Range(0, 60).Draw(t, "expected")
		var told []int64
		m := NewMeter(func(done, total int64) {
			if done > total {
				t.Fatalf("%d of %d", done, total)
			}
			told = append(told, done)
		}, every)
		m.Expect(expected)
		sum := int64(0)
		for _, n := range steps {
			if err := m.Add(context.Background(), n); err != nil {
				t.Fatal(err)
			}
			if sum += n; sum > 0 && len(told) == 0 {
				t.Fatalf("nothing is told of the first %d", sum)
			}
		}
		for k := 1; k < len(told); k++ {
			if d := told[k] - told[k-1]; d < max(every, 1) {
				t.Fatalf("told %v, every %d", told, every)
			}
		}
		m.Finish()
		m.Finish()
		if n := len(told); n == 0 || told[n-1] != max(sum, expected) || n > 1 && told[n-1] == told[n-2] {
			t.Fatalf("told %v of %d, %d expected", told, sum, expected)
		}
	})
}

// TestCancel holds that work is told to end by the report that cancels it, and that nothing is
// reported afterwards.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	told := 0
	m := NewMeter(func(int64, int64) { told++; cancel() }, 0)
	for range 3 {
		if err := m.Add(ctx, 1); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// TestTicker holds that no step is lost between goroutines that count in portions, but for the
// parts of a unit that each has left.
func TestTicker(t *testing.T) {
	var last int64
	m := NewMeter(func(done, _ int64) { last = done }, 0)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			tick := Ticker{Meter: m, Every: 100, Unit: 8}
			for range 1000 {
				if err := tick.Add(context.Background(), 3); err != nil {
					t.Error(err)
				}
			}
			if err := tick.Flush(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if m.Finish(); last != 4*3000/8 {
		t.Errorf("%d units, want %d", last, 4*3000/8)
	}
}

// TestNobodyAsks holds that a nil Func is one that does not care.
func TestNobodyAsks(t *testing.T) {
	m := NewMeter(nil, 0)
	m.Expect(1)
	if err := m.Add(context.Background(), 2); err != nil {
		t.Error(err)
	}
	m.Finish()
}
