package otf2

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// randomly draws an archive, and with it what a plain reader makes of each location: a line for each
// call in the order of their beginnings, with its depth.
func randomly(t *rapid.T, chunk int) (dir fstest.MapFS, want map[string]string) {
	order := rapid.SampledFrom([]byteOrders{binary.LittleEndian, binary.BigEndian}).Draw(t, "order")
	w := newWriter(order)
	w.chunk = chunk
	n := rapid.IntRange(1, 3).Draw(t, "ranks")
	w.ranks([]string{"rank 0", "rank 1", "rank 2"}[:n]...)
	var names []string
	for i := range rapid.IntRange(1, 300).Draw(t, "regions") {
		names = append(names, fmt.Sprint("function ", i))
		w.region(names[i], 1, paradigmUser)
	}
	want = map[string]string{}
	for location := range uint64(n) {
		if text := w.calls(t, location, names); text != "" {
			want[strconv.FormatUint(location, 10)] = text
		}
	}
	return w.archive(), want
}

// calls writes random calls of a location, among events that make none.
func (w *writer) calls(t *rapid.T, location uint64, names []string) string {
	type open struct {
		region uint64
		line   int
	}
	var stack []open
	var lines []string
	now := uint64(1000)
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		now += rapid.SampledFrom([]uint64{0, 0, 1, 255, 1 << 20, 1 << 33}).Draw(t, "pause")
		switch k := len(stack) - 1; rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0, 1:
			r := rapid.Uint64Range(0, uint64(len(names)-1)).Draw(t, "region")
			w.at(location, now, enter, r)
			stack = append(stack, open{r, len(lines)})
			lines = append(lines, fmt.Sprint(strings.Repeat(" ", k+1), now, " ", names[r]))
		case 2:
			if k >= 0 {
				w.at(location, now, leave, stack[k].region)
				lines[stack[k].line] += fmt.Sprint(" ", now)
				stack = stack[:k]
			}
		default:
			w.at(location, now, 76, 3, rapid.Uint64().Draw(t, "id"))
		}
	}
	for k := len(stack) - 1; k >= 0; k-- {
		w.at(location, now, leave, stack[k].region)
		lines[stack[k].line] += fmt.Sprint(" ", now)
	}
	return strings.Join(lines, "\n")
}

// TestAsRead holds archives in both byte orders, and in chunks of all sizes, against what is read of
// them by a plain reader.
func TestAsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunk := rapid.SampledFrom([]int{64, 65, 100, 1000, 1 << 20}).Draw(t, "chunk")
		dir, want := randomly(t, chunk)
		tr, err := loadFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, th := range tr.Threads {
			var lines []string
			for i := range th.Len() {
				lines = append(lines, fmt.Sprint(strings.Repeat(" ", int(th.Depth(i))), th.Start(i)+tr.Origin, " ",
					tr.FunctionOf(th, i).Name, " ", th.End(i)+tr.Origin))
			}
			if th.Len() > 0 {
				got[th.ID] = strings.Join(lines, "\n")
			}
		}
		for id := range want {
			if got[id] != want[id] {
				t.Fatalf("location %s:\n%s\nwant\n%s", id, got[id], want[id])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d threads, want %d", len(got), len(want))
		}
		for _, d := range tr.Diagnostics {
			if d.Code != "not-read" && d.Code != "lost-records" {
				t.Fatalf("diagnostic %+v", d)
			}
		}
	})
}

// TestWriterAsPrinted holds what the tests write against otf2-print, so that neither the writer nor
// the reader of these tests can be wrong in the same way.
func TestWriterAsPrinted(t *testing.T) {
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, _ := randomly(rt, 1<<20)
		for id := range 3 {
			name := fmt.Sprint("a/", id)
			if dir[name+".def"] != nil && dir[name+".evt"] == nil {
				return // otf2-print wants the files of all locations
			}
		}
		if n++; n > 10 {
			return
		}
		at := t.TempDir()
		for name, file := range dir {
			path := filepath.Join(at, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		compareWithPrint(t, filepath.Join(at, "a.otf2"))
	})
}
