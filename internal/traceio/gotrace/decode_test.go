package gotrace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// recording returns the largest recording of one version.
func recording(t *testing.T, version string) []byte {
	all := slices.Collect(maps.Values(recordings(t)))
	all = slices.DeleteFunc(all, func(d []byte) bool { return !bytes.HasPrefix(d, []byte(version)) })
	if len(all) == 0 {
		t.Fatalf("no recording of %s", version)
	}
	return slices.MaxFunc(all, func(x, y []byte) int { return len(x) - len(y) })
}

// decoders counts the goroutines that run a decoder.
func decoders() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "gotrace.(*decoder).run(")
}

// noDecoderLeft fails if a decoder outlives its loader.
func noDecoderLeft(t *testing.T) {
	t.Helper()
	for range 200 {
		if decoders() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d decoders are left", decoders())
}

// TestDecodedAhead: however many batches ahead, the events are those that the library reads one by
// one, in full batches but for the last, with the tasks of those that are of tasks.
func TestDecodedAhead(t *testing.T) {
	data := recording(t, "go 1.26")
	want, tasks := eventsOf(t, data)
	for _, ahead := range []int{1, 2, ahead, 64} {
		d, n, k := decode(bytes.NewReader(data), ahead), 0, 0
		var end error
		for b := range d.full {
			for i, e := range b.events {
				if n >= len(want) || e.Time() != want[n].Time() || e.Kind() != want[n].Kind() {
					t.Fatalf("%d ahead: event %d of a batch is not event %d", ahead, i, n)
				}
				if !ofTask(e.Kind()) { // whose names the library may be adding
					if got := e.String(); got != want[n].String() {
						t.Fatalf("%d ahead: event %d is %s, want %s", ahead, n, got, want[n])
					}
				} else if got := b.task(); got != tasks[n] {
					t.Fatalf("%d ahead: event %d is of task %v, want %v", ahead, n, got, tasks[n])
				}
				n++
			}
			if b.told < len(b.tasks) || b.end == nil && len(b.events) != eventsIn(k) || b.skipped != nil {
				t.Fatalf("%d ahead: %d tasks are left of %d events; %v", ahead, len(b.tasks), len(b.events),
					b.skipped)
			}
			if end = b.end; end != nil {
				break
			}
			d.empty <- b
			k++
		}
		if d.stop(); n != len(want) || end != io.EOF {
			t.Errorf("%d ahead: %d of %d events, %v", ahead, n, len(want), end)
		}
	}
	noDecoderLeft(t)
}

// eventsOf reads all events of a trace, and the tasks of some, by their number.
func eventsOf(t *testing.T, data []byte) (all []xtrace.Event, tasks map[int]xtrace.Task) {
	r, err := xtrace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	tasks = map[int]xtrace.Task{}
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return all, tasks
		}
		if err != nil {
			t.Fatal(err)
		}
		if ofTask(e.Kind()) {
			tasks[len(all)] = e.Task()
		}
		all = append(all, e)
	}
}

// TestDecoderStops: a decoder ends wherever its reader leaves it: before the first batch, with batches
// that nobody has taken, and after the end.
func TestDecoderStops(t *testing.T) {
	data := recording(t, "go 1.26")
	for _, taken := range []int{0, 1, 2, ahead, ahead + 1, 1 << 20} {
		d := decode(bytes.NewReader(data), ahead)
		for k := 0; k < taken; k++ {
			b, ok := <-d.full
			if !ok || b.end != nil {
				break
			}
			d.empty <- b
		}
		d.stop()
	}
	noDecoderLeft(t)
}

// cutAfter passes on so many bytes and then does something else.
type cutAfter struct {
	io.Reader
	left int
	then func() error
}

func (c *cutAfter) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, c.then()
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// TestPanicsAreCarriedOver: what our stream panics with on the decoder's goroutine is what the loader
// panics with on the caller's, in the header, in the first events and in the middle.
func TestPanicsAreCarriedOver(t *testing.T) {
	type ours struct{ at int }
	for _, version := range []string{"go 1.26", "go 1.21"} {
		data := recording(t, version)
		for _, at := range []int{0, 5, headerLen, headerLen + 1, len(data) / 2, len(data) - 1} {
			src := source(data)
			src.Stream = &cutAfter{src.Stream, at, func() error { panic(ours{at}) }}
			func() {
				defer func() {
					if got := recover(); got != (ours{at}) {
						t.Errorf("%s, after %d bytes: panicked with %v", version, at, got)
					}
				}()
				_ = Load(context.Background(), src, input.Options{}, trace.NewBuilder("gotrace"))
			}()
		}
	}
	noDecoderLeft(t)
}

// cancelledAt is a context that ends when it is asked the n-th time.
type cancelledAt struct {
	context.Context
	n int
}

func (c *cancelledAt) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledInTheMiddle: a load that is cancelled before any batch says so, whatever was read, and
// leaves no goroutine behind.
func TestCancelledInTheMiddle(t *testing.T) {
	data := recording(t, "go 1.26")
	events, _ := eventsOf(t, data)
	batches := len(events)/fewEvents + 1
	for _, n := range []int{0, 1, 2, batches / 2, batches} {
		ctx := &cancelledAt{context.Background(), n}
		err := Load(ctx, source(data), input.Options{}, trace.NewBuilder("gotrace"))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before batch %d of %d: %v", n, batches, err)
		}
	}
	noDecoderLeft(t)
}

// TestStreamFailsInTheMiddle: what was read before a stream fails is kept or refused, and the cause
// is told in either case; no goroutine is left.
func TestStreamFailsInTheMiddle(t *testing.T) {
	data := recording(t, "go 1.26")
	for _, at := range []int{headerLen, len(data) / 2, len(data) - 1} {
		src := source(data)
		src.Stream = &cutAfter{src.Stream, at, func() error { return errors.New("the disk is gone") }}
		b := trace.NewBuilder("gotrace")
		err := Load(context.Background(), src, input.Options{}, b)
		told := err != nil && strings.Contains(err.Error(), "the disk is gone")
		if err == nil {
			tr, err := b.Build(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			told = slices.ContainsFunc(tr.Diagnostics, func(d trace.Diagnostic) bool {
				return strings.Contains(d.Example, "the disk is gone")
			})
		}
		if !told {
			t.Errorf("after %d of %d bytes the cause is not told: %v", at, len(data), err)
		}
	}
	noDecoderLeft(t)
}
