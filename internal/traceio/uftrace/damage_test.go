package uftrace

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// recordings are the repository's own, made by testdata/record.
const recordings = "../../../testdata/uftrace/"

func unroll(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			out[filepath.ToSlash(filepath.Clean(h.Name))] = &fstest.MapFile{Data: data}
		}
	}
}

// TestRecordings compares what was recorded with real programs with golden files: all calls of the
// short ones, a summary of the others.
func TestRecordings(t *testing.T) {
	names, err := filepath.Glob(recordings + "*.data.tar.gz")
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".data.tar.gz")
		t.Run(base, func(t *testing.T) {
			tr := load(t, unroll(t, name))
			got := summary(tr)
			if tr.Calls() < 1000 {
				got += show(tr)
			}
			golden := filepath.Join("testdata", base+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s:\n%s", golden, got)
			}
		})
	}
}

func summary(tr *trace.Trace) string {
	var b strings.Builder
	counts := map[string]int{}
	for _, th := range tr.Threads {
		args := 0
		for i := range th.Len() {
			counts[tr.FunctionOf(th, i).Name]++
			if th.Args(i) != "" {
				args++
			}
		}
		fmt.Fprintf(&b, "%s %s: %d calls, %d with arguments, %d levels\n",
			th.ID, th.Name, th.Len(), args, th.MaxDepth())
	}
	fmt.Fprintf(&b, "%s, %d ns\n", tr.Tool, tr.Duration)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%7d %s\n", counts[name], name)
	}
	for _, d := range tr.Diagnostics {
		fmt.Fprintf(&b, "! %s %d: %s\n", d.Code, d.Count, d.Example)
	}
	return b.String()
}

// TestDamage cuts and spoils a recording in many places. It must load or fail, in bounded memory.
func TestDamage(t *testing.T) {
	files := unroll(t, recordings+"family.data.tar.gz")
	names := slices.Sorted(maps.Keys(files))
	intact := allocated(files)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 256 {
		name := names[rng.IntN(len(names))]
		was := files[name]
		if len(was.Data) == 0 {
			continue
		}
		data := slices.Clone(was.Data)
		at := rng.IntN(len(data))
		if i%2 == 0 {
			data = data[:at]
		} else {
			data[at] ^= byte(1 + rng.IntN(255))
		}
		files[name] = &fstest.MapFile{Data: data}
		if got := allocated(files); got > 4*intact {
			t.Errorf("%s, byte %d: %d bytes allocated, %d when intact", name, at, got, intact)
		}
		files[name] = was
	}
}

// allocated loads and returns how much memory that took in all.
func allocated(files fstest.MapFS) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = tryLoad(files)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// sample is a recording with a little of everything.
func sample() fstest.MapFS {
	d := newDir()
	d.specs = "argspec:work@arg1/s,arg2/x\nretspec:work@retval\n"
	d.debug = "F: 1000 main\nL: 3 m.c\nE: enum a {B,C=3}\n"
	d.enter(100, 0, 0x1010)
	d.enter(110, 1, 0x2010, 1, 0, 'a', 0, 1, 2, 3, 4, 5, 6, 7, 8)
	d.leave(120, 1, 0x2010, 1, 2, 3, 4, 5, 6, 7, 8)
	d.record(7, 0, lostRecord, 0, 3)
	d.record(7, 125, eventRecord, 0, 100002, 2, 0, 1, 1)
	d.comm(126, 7, "p")
	d.switches(130, switchOut)
	d.switches(140, 0)
	d.leave(150, 0, 0x1010)
	return d.files("")
}

// FuzzTexts spoils what describes a recording.
func FuzzTexts(f *testing.F) {
	seeds.Add(f)
	files := sample()
	f.Add(files["info"].Data, files["task.txt"].Data, files["sid-aa.map"].Data,
		files["prog.sym"].Data, files["prog.dbg"].Data)
	f.Fuzz(func(t *testing.T, info, task, sid, sym, dbg []byte) {
		for name, data := range map[string][]byte{"info": info, "task.txt": task,
			"sid-aa.map": sid, "prog.sym": sym, "prog.dbg": dbg} {
			files[name] = &fstest.MapFile{Data: data}
		}
		tr, err := tryLoad(files)
		loadtest.Sound(t, tr, err)
	})
}

// FuzzRecords spoils the records.
func FuzzRecords(f *testing.F) {
	seeds.Add(f)
	files := sample()
	f.Add(files["7.dat"].Data, files["perf-cpu0.dat"].Data)
	f.Fuzz(func(t *testing.T, dat, perf []byte) {
		files["7.dat"] = &fstest.MapFile{Data: dat}
		files["perf-cpu0.dat"] = &fstest.MapFile{Data: perf}
		tr, err := tryLoad(files)
		if loadtest.Sound(t, tr, err); err != nil {
			t.Fatal(err)
		}
		if most := len(dat)/recordSize + len(perf)/perfHeader; tr.Calls() > most {
			t.Errorf("%d calls from at most %d records", tr.Calls(), most)
		}
		checkNesting(t, tr)
	})
}
