package uftrace

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// result is all that a trace says, but for its diagnostics.
func result(tr *trace.Trace) string {
	calls, _, _ := strings.Cut("\n"+show(tr), "\n! ")
	return fmt.Sprint(tr.Tool, tr.Functions, calls)
}

// TestSweep cuts the texts of a recording, and puts bytes into them that no text has. What is not as
// it was, is told: a trace that differs from the intact one has a diagnostic that the intact one has
// not.
func TestSweep(t *testing.T) {
	sweep(t, sample(), testtrace.Sized(60, 1<<20))
	sweep(t, unroll(t, recordings+"family.data.tar.gz"), testtrace.Sized(8, 1<<20))
}

// sweep damages each text at so many places.
func sweep(t *testing.T, files fstest.MapFS, places int) {
	intact := load(t, files)
	want, known := result(intact), fmt.Sprint(intact.Diagnostics)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".dat") {
			continue
		}
		was := files[name].Data
		try := func(what string, data []byte) {
			damaged := maps.Clone(files)
			damaged[name] = &fstest.MapFile{Data: data}
			tr, err := tryLoad(damaged)
			if err == nil && result(tr) != want && fmt.Sprint(tr.Diagnostics) == known {
				t.Errorf("%s, %s: nothing is told of it, and the trace differs", name, what)
			}
		}
		from := 0
		if strings.HasSuffix(name, "info") {
			from = headerSize
		}
		for at := from; at < len(was); at += 1 + len(was)/places {
			if !unmarked(name, was, at) {
				try(fmt.Sprintf("cut at %d", at), was[:at])
			}
			for _, c := range []byte{0, '\n', 0xff} {
				data := bytes.Clone(was)
				data[at] = c
				try(fmt.Sprintf("%#x at %d", c, at), data)
			}
		}
	}
}

// unmarked reports whether a file that ends at a byte looks complete: the file of debug information
// does not say how long it is, so an end between two lines cannot be told from the real one.
func unmarked(name string, data []byte, at int) bool {
	return strings.HasSuffix(name, ".dbg") && (at == 0 || data[at-1] == '\n')
}

// TestTextFaults names what is told of each kind of defect.
func TestTextFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(d *dir)
		want   string
	}{
		{"a symbol without a name", func(d *dir) { d.syms = strings.Replace(d.syms, "T main", "T", 1) },
			`bad-record 1: prog.sym:6: "0000000000001000 T"`},
		{"symbols are missing", func(d *dir) { d.syms = d.syms[:strings.Index(d.syms, "0000000000005000")] },
			`truncated 1: prog.sym: 4 of 5 symbols are there`},
		{"another module's symbols", func(d *dir) { d.syms = strings.NewReplacer("/bin/prog", "/x", "id: 12", "id: 13").Replace(d.syms) },
			`bad-record 1: prog.sym does not say that its symbols are those of /bin/prog`},
		{"a line that is cut", func(d *dir) { d.tasks = strings.TrimSuffix(d.tasks, "\n") },
			`truncated 1: task.txt: the last line has no end`},
		{"a task that is not told of", func(d *dir) { d.tasks, _, _ = strings.Cut(d.tasks, "TASK") },
			`truncated 1: task.txt does not tell of the task of 7.dat`},
		{"a session that is not told of", func(d *dir) { d.tasks = strings.Replace(d.tasks, "sid=aa", "sid=bb", 1) },
			`truncated 2: task.txt does not tell of the session of sid-aa.map`},
		{"a process without a program", func(d *dir) { d.tasks = strings.Replace(d.tasks, "pid=7 sid", "pid=8 sid", 1) },
			`bad-record 1: task.txt names no program for task 7: its functions have no names`},
		{"no stack", func(d *dir) { d.maps, _, _ = strings.Cut(d.maps, "7ffc") },
			`truncated 1: sid-aa.map ends before the stack, which is mapped last`},
		{"a mapping that ends before it begins", func(d *dir) { d.maps = "5-4 r-xp 0 0:0 0 /bin/x\n" + d.maps },
			`bad-record 1: sid-aa.map:1: "5-4 r-xp 0 0:0 0 /bin/x"`},
		{"debug information of no symbol", func(d *dir) { d.debug = "F: 1001 main\n" },
			`bad-record 1: prog.dbg:1: "F: 1001 main"`},
		{"debug information of two functions in one line", func(d *dir) { d.debug = "F: 1000 main\nL: 3 m.c\xffF: 2000 work\nL: 12 w.c\n" },
			`bad-record 1: prog.dbg:3: "L: 12 w.c"`},
		{"a symbol of no kind", func(d *dir) { d.syms = strings.Replace(d.syms, "T main", "\xff main", 1) },
			"bad-record 1: prog.sym:6: \"0000000000001000 \\xff main\""},
		{"a layout that is none", func(d *dir) { d.specs = "argspec:main@arg1/q\n" },
			`bad-record 1: info: "main@arg1/q" is no specification of arguments`},
		{"a pattern that is none", func(d *dir) { d.specs = "pattern_type:regex\nargspec:ma(in@arg1\n" },
			`bad-record 1: info: "ma(in@arg1" is no specification of arguments`},
		{"too few layouts", func(d *dir) { d.specs = "argspec:lines=2\nargspec:main@arg1\n" },
			`truncated 1: info: 1 of 2 lines of argument layouts are there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDir()
			d.enter(100, 0, 0x1010)
			d.leave(150, 0, 0x1010)
			c.damage(d)
			if got := show(load(t, d.files(""))); !strings.Contains(got, "! "+c.want+"\n") {
				t.Errorf("got\n%swant\n! %s", got, c.want)
			}
		})
	}
}

// TestInfoIsComplete: the header of info says which lines there are.
func TestInfoIsComplete(t *testing.T) {
	d := newDir()
	d.enter(100, 0, 0x1010)
	d.leave(150, 0, 0x1010)
	files := d.files("")
	files["info"].Data[24] |= 1 << 3 // the command line
	if got := show(load(t, files)); got != "thread 7 prog of prog\n0+50 main\n! truncated 1: info: no line says cmdline, which the header announces\n" {
		t.Errorf("got %s", got)
	}
}

// lines lists faults as show does.
func lines(f input.Faults) (out []string) {
	b := trace.NewBuilder("uftrace")
	f.HandOver(b)
	for _, d := range b.Diagnosed() {
		out = append(out, fmt.Sprintf("%s %d: %s", d.Code, d.Count, d.Example))
	}
	return out
}
