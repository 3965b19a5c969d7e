package tracefile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/testtrace/deepeq"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

const testdata = "../../testdata"

// all compares traces with all that they hide. Columns of numbers are compared as wholes: one by one
// they cost a hundred times as much.
var all = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty(),
	cmp.FilterValues(areColumns, cmp.Comparer(func(a, b any) bool { return reflect.DeepEqual(a, b) })),
}

// difference returns how two traces differ, or "". That they are equal is found far sooner than how
// they differ.
func difference(want, got any) string {
	if deepeq.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got, all)
}

// areColumns is of two slices of numbers, or of structures of numbers, that are not both empty.
func areColumns(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if v.Kind() != reflect.Slice || w.Kind() != reflect.Slice || v.Len()+w.Len() == 0 {
		return false
	}
	return isNumeric(v.Type().Elem())
}

func isNumeric(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return reflect.Int <= t.Kind() && t.Kind() <= reflect.Float64
	}
	for i := range t.NumField() {
		if !isNumeric(t.Field(i).Type) {
			return false
		}
	}
	return true
}

// written returns the file of a trace, in memory that columns may lie in.
func written(t testing.TB, tr *trace.Trace, note string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeTrace(&b, tr, []byte(note)); err != nil {
		t.Fatal(err)
	}
	return inMemory(b.Bytes())
}

func inMemory(b []byte) []byte {
	room := alignedBytes(len(b))
	copy(room, b)
	return room
}

// saved writes a file with that content.
func saved(t testing.TB, b []byte) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRecordings: a recording of each format is the same trace after it was written and read.
func TestRecordings(t *testing.T) {
	for _, format := range traceio.FormatNames() {
		folder := filepath.Join(testdata, format)
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, e := range entries {
			tr, err := traceio.Load(context.Background(), filepath.Join(folder, e.Name()), input.Options{})
			if err != nil {
				continue // a part of another recording
			}
			read++
			got, note, _, err := readTrace(saved(t, written(t, tr, e.Name())), nil)
			if err != nil || string(note) != e.Name() {
				t.Errorf("%s/%s: %q, %v", format, e.Name(), note, err)
			} else if d := difference(tr, got); d != "" {
				t.Errorf("%s/%s: %s", format, e.Name(), d)
			}
		}
		if read == 0 {
			t.Errorf("%s: nothing was read", format)
		}
	}
}

// TestRandom holds the same for random traces, and that a second writing gives the same bytes.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := testtrace.Shape{Records: testtrace.Range{0, 50}, Step: testtrace.Range{0, 9},
			Counts: testtrace.Range{0, 20}}.Draw(rt, "trace")
		file := written(t, tr, "")
		got, _, err := decode(file)
		if err != nil {
			rt.Fatal(err)
		}
		if d := difference(tr, got); d != "" {
			rt.Fatal(d)
		}
		if !bytes.Equal(file, written(t, got, "")) {
			rt.Fatal("written otherwise")
		}
	})
}

// small is a trace that has something of everything.
func small(t testing.TB) *trace.Trace {
	b := trace.NewBuilder("test")
	b.SampleType, b.Exact = "cpu", true
	p := b.Process("1")
	b.SortProcess(p, -3)
	main, other := b.Thread("main", p), b.Thread("other", -1)
	f, g := b.Function(trace.Function{Name: "f", File: "f.go", Line: 7}), b.Function(trace.Function{Name: "gö"})
	root := main.Begin(0, f)
	for at := int64(1); at < 40; at += 2 {
		main.Complete(at, at+1, g)
	}
	main.Args(root, []byte("x=1"))
	main.Block(root, trace.Wait, b.Object("lock"))
	main.Instant(3, g)
	main.Stall(4, 5)
	main.End(50)
	call := other.Complete(0, 60, g)
	other.Begin(70, f) // without an end
	b.Correspond(root, call, b.Object("lock"))
	b.Link(root, call, 2, 5)
	b.Count(p, "heap", 4, 0.5)
	b.CountCalls(f, g, 1000)
	b.Request(trace.Request{ID: "r", Shown: true})
	b.Diagnose(trace.NotRead, 3, "some")
	return testtrace.Build(t, b)
}

// previewed makes all traces have a preview.
func previewed(t testing.TB) {
	was := previewCalls
	previewCalls = 1
	t.Cleanup(func() { previewCalls = was })
}

// TestPreview: before a file is checked, what can be seen of it is shown, unless that is damaged.
func TestPreview(t *testing.T) {
	previewed(t)
	tr := small(t)
	file := written(t, tr, "note")
	var shown []trace.Glimpse
	show := func(g trace.Glimpse) { shown = append(shown, g) }
	bad := inMemory(file)
	bad[9] ^= 1 // in a column
	if _, _, _, err := readTrace(saved(t, bad), show); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	if want := trace.Preview(tr, previewThreads); len(shown) != 1 || difference(want, shown[0]) != "" {
		t.Errorf("%v", shown)
	}
	f := saved(t, file)
	for i := int(trailerOf(file).preview); i < len(file)-trailerLen; i++ {
		put := func(b byte) {
			if _, err := f.WriteAt([]byte{b}, int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		put(file[i] ^ 0x10)
		shown = nil
		if _, _, _, err := readTrace(f, show); !errors.Is(err, errDamaged) || len(shown) > 0 {
			t.Fatalf("byte %d: %v, %v", i, err, shown)
		}
		put(file[i])
	}
}

// TestPreviewOfManyThreads: many threads take long to check, even if each has few calls.
func TestPreviewOfManyThreads(t *testing.T) {
	for _, threads := range []int{previewCalls / (2 * threadCalls), previewCalls / threadCalls} {
		b := trace.NewBuilder("test")
		f := b.Function(trace.Function{Name: "f"})
		for k := range threads {
			b.Thread(strconv.Itoa(k), -1).Complete(0, 1, f)
		}
		got, err := previewOf(testtrace.Build(t, b))
		if want := threads*(threadCalls+1) >= previewCalls; err != nil || (got != nil) != want {
			t.Errorf("%d threads: %d bytes, %v", threads, len(got), err)
		}
	}
}

// TestEveryByte changes each byte of a file, and cuts it everywhere: that is found, by the sums, or
// the trace is the same.
func TestEveryByte(t *testing.T) {
	previewed(t)
	tr := small(t)
	file := written(t, tr, "note")
	if got, _, err := decode(file); err != nil || difference(tr, got) != "" {
		t.Fatalf("%v %s", err, difference(tr, got))
	}
	for i := range file {
		for _, bits := range []byte{1, 0x80, 0xff} {
			bad := inMemory(file)
			bad[i] ^= bits
			if _, _, err := decode(bad); !errors.Is(err, errDamaged) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	}
	f := saved(t, file)
	for n := len(file) - 1; n >= 0; n-- {
		if err := f.Truncate(int64(n)); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := readTrace(f, nil); !errors.Is(err, errDamaged) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// walk looks at everything of a trace.
func walk(tr *trace.Trace) {
	trace.Count(context.Background(), tr)
	for _, c := range tr.CallCounts {
		_, _ = tr.Functions[c.Caller], tr.Functions[c.Callee]
	}
	for k, th := range tr.Threads {
		th.Busy()
		th.Title()
		_, _, _ = th.NextWide(0, th.Len(), 2), th.NextDeep(0, th.Len(), 1), th.Kind.String()
		if th.Len() > 0 {
			th.DeepestIn(0, th.Len())
		}
		for i := range th.Len() {
			_, _, _ = th.Self(i), th.Args(i), th.Flags(i)
			for _, b := range th.BlocksOf(i) {
				_ = b.Kind.String()
			}
			for range tr.Causes(trace.CallRef{Thread: int32(k), Call: int32(i)}) {
			}
		}
	}
	_ = writeTrace(io.Discard, tr, nil)
}

// TestPipes: a named pipe in the place of a file is not waited for.
func TestPipes(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	for _, ending := range []string{recordEnding, traceEnding} {
		write(t, path, recording)
		load(t, c, path, input.Options{})
		at := files(t, c, ending)[0]
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		testtrace.Pipe(t, at)
		load(t, c, path, input.Options{})
		entries, err := os.ReadDir(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.sweepRecords(entries); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(c.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzForm reads outlines and columns whose sums are right and whose content is anything.
func FuzzForm(f *testing.F) {
	seeds.Add(f)
	tr := small(f)
	file := written(f, tr, "note")
	last := trailerOf(file)
	f.Add(uint16(0), uint64(0), uint16(1), uint64(1))
	f.Add(uint16(last.outline/8+3), uint64(1<<40), uint16(9), uint64(1<<63))
	f.Fuzz(func(t *testing.T, at uint16, v uint64, at2 uint16, v2 uint64) {
		bad := inMemory(file)
		words, _ := columnOver[uint64](bad[:last.end])
		words[int(at)%len(words)] = v
		words[int(at2)%len(words)] = v2
		tr, _, err := build(bad[:last.texts], bad[last.texts:last.outline], bad[last.outline:last.end])
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			return
		}
		walk(tr)
	})
}

// FuzzFile reads files of any content, as they are and with sums that are right: what is accepted
// can be looked at.
func FuzzFile(f *testing.F) {
	seeds.Add(f)
	previewed(f)
	file := written(f, small(f), "note")
	f.Add(file, uint32(0), uint64(0))
	f.Add(file[:len(file)/2], uint32(8), uint64(1))
	f.Add(file, uint32(len(file)/8-5), uint64(8))
	f.Add(file[:16], uint32(0), uint64(0))
	for k := 3; k <= 6; k++ { // places beyond the file, in its trailer
		f.Add(file, uint32(len(file)/8-k), uint64(1<<40))
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint32, v uint64) {
		bad := inMemory(b)
		if words, ok := columnOver[uint64](bad[:len(bad)/8*8]); ok && len(words) > 0 {
			words[int(at)%len(words)] ^= v
		}
		if len(bad) < trailerLen || fits(bad[len(bad)-trailerLen:], int64(len(bad))) != nil {
			if _, _, err := decode(bad); !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			return
		}
		last := trailerOf(bad)
		showPreview(bytes.NewReader(bad), last, func(g trace.Glimpse) { walk(g.Trace) })
		sums, _ := columnOver[uint64](bad[last.end:last.preview])
		for i := range sums {
			sums[i] = xxh3.Hash(bad[i*block : min((i+1)*block, int(last.end))])
		}
		last.sum = xxh3.Hash(bad[last.end : len(bad)-8])
		switch tr, _, err := decode(bad); {
		case err == nil:
			walk(tr)
		case !errors.Is(err, errDamaged):
			t.Fatal(err)
		}
	})
}
