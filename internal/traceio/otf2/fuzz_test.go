package otf2

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// The files of an archive as one input: each after its length, two bytes. Names are given.
var fuzzed = []string{"a.otf2", "a.def", "a/0.def", "a/0.evt", "a/1.def", "a/1.evt"}

func joined(dir fstest.MapFS) (data []byte) {
	for _, name := range fuzzed {
		if f := dir[name]; f != nil {
			data = append(binary.LittleEndian.AppendUint16(data, uint16(len(f.Data))), f.Data...)
		} else {
			data = append(data, 0, 0)
		}
	}
	return data
}

func apart(data []byte) fstest.MapFS {
	dir := fstest.MapFS{}
	for _, name := range fuzzed {
		if len(data) < 2 {
			break
		}
		n := min(int(binary.LittleEndian.Uint16(data)), len(data)-2)
		if n > 0 {
			dir[name] = &fstest.MapFile{Data: data[2 : 2+n]}
		}
		data = data[2+n:]
	}
	return dir
}

// check loads an archive and fails if calls lie badly, or if an error does not name its file.
func check(t *testing.T, dir fstest.MapFS) {
	Sniff(&input.Source{Dir: dir})
	tr, err := loadFiles(dir)
	if loadtest.Sound(t, tr, err); err != nil {
		return
	}
	for _, c := range tr.Correspondences {
		if w := tr.Threads[c.Wait.Thread]; c.Idle == 0 && (c.At < w.Start(int(c.Wait.Call)) || c.At > w.End(int(c.Wait.Call))) {
			t.Fatalf("a wait ends at %d\n%s", c.At, show(tr))
		}
	}
}

// FuzzLoad looks for archives that make the loader panic or hang, or give calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range cases {
		f.Add(joined(c.make()))
	}
	f.Fuzz(func(t *testing.T, data []byte) { check(t, apart(data)) })
}

// mutated returns an archive with one file changed: bytes flipped, a piece cut out, or a piece of
// another file put in.
func mutated(r *rand.Rand, dir fstest.MapFS, names []string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range dir {
		out[name] = f
	}
	pick := func() string { return names[r.IntN(len(names))] }
	name := pick()
	data := bytes.Clone(dir[name].Data)
	at := r.IntN(len(data))
	switch r.IntN(4) {
	case 0:
		data = data[:at]
	case 1:
		for range 1 + r.IntN(8) {
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
		}
	case 2:
		data = slices.Delete(data, at, min(at+1+r.IntN(30), len(data)))
	default:
		other := dir[pick()].Data
		from := r.IntN(len(other))
		data = slices.Insert(data, at, other[from:min(from+1+r.IntN(60), len(other))]...)
	}
	out[name] = &fstest.MapFile{Data: data}
	return out
}

// slack is what a load may take besides 8 times the file: windows, pools and the trace itself.
const slack = 64 << 20

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMutations loads archives with changes: none may panic, hang, or take more memory than 8 times
// the files and 64 MB. All that is allocated on the way bounds what is held at once.
func TestMutations(t *testing.T) {
	var archives []fstest.MapFS
	for _, c := range cases {
		archives = append(archives, c.make())
	}
	r := rand.New(rand.NewPCG(3, 5))
	worst := uint64(0)
	for i := range testtrace.Sized(300, 100_000) {
		dir := archives[i%len(archives)]
		var names []string
		size := uint64(0)
		for name, f := range dir {
			names, size = append(names, name), size+uint64(len(f.Data))
		}
		slices.Sort(names)
		dir = mutated(r, dir, names)
		taken := allocated(func() { check(t, dir) })
		if taken > 8*size+slack {
			t.Errorf("mutation %d of case %d takes %d bytes", i, i%len(archives), taken)
		}
		worst = max(worst, taken)
	}
	t.Logf("at most %d KiB for a load", worst>>10)
}

// TestCorruption holds that damage in one file is told, and that the rest is kept.
func TestCorruption(t *testing.T) {
	make := func() fstest.MapFS {
		s := newScene(2)
		for i := range uint64(50) {
			s.call(0, 10+100*i, 60+100*i, s.test, mpiRequestTest, 1)
			s.call(1, 10+100*i, 60+100*i, s.test, mpiRequestTest, 1)
		}
		return s.archive()
	}
	for what, c := range map[string]struct {
		damage func(dir fstest.MapFS)
		code   trace.Code
		least  int // calls that are kept
	}{
		"zeros among the events": {func(d fstest.MapFS) { clear(d["a/0.evt"].Data[200:260]) }, trace.BadRecord, 92},
		"an event of a length that cannot be": {func(d fstest.MapFS) { d["a/0.evt"].Data[28] = 200 },
			trace.BadRecord, 98},
		"a header that is none":   {func(d fstest.MapFS) { d["a/0.evt"].Data[1] = 0 }, trace.BadRecord, 50},
		"half of the events":      {func(d fstest.MapFS) { d["a/0.evt"].Data = d["a/0.evt"].Data[:700] }, trace.Truncated, 60},
		"half of the definitions": {func(d fstest.MapFS) { d["a.def"].Data = d["a.def"].Data[:len(d["a.def"].Data)/2] }, trace.Truncated, 0},
		"broken local definitions": {func(d fstest.MapFS) {
			d["a/0.def"].Data = append(d["a/0.def"].Data[:18], mappingTable, 3, 3, 1, 9, endOfFile)
		}, trace.BadRecord, 100},
	} {
		dir := make()
		c.damage(dir)
		tr := mustLoad(t, dir)
		found := slices.ContainsFunc(tr.Diagnostics, func(d trace.Diagnostic) bool { return d.Code == c.code })
		if n := tr.Calls(); !found || n < c.least {
			t.Errorf("%s: %d calls, want %d; %v", what, n, c.least, tr.Diagnostics)
		}
	}
}
