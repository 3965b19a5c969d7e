package synth

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Plain readers of both outputs, written from the formats' descriptions.

type call struct {
	name       string
	start, end int64
	depth      int
	object     string // first argument of a library call
}

// readSide reads the calls of each thread in pre-order.
func readSide(t *testing.T, path string) map[int][]call {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return readUftrace(t, path)
	}
	return readChrome(t, path)
}

func readChrome(t *testing.T, path string) map[int][]call {
	t.Helper()
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Tid      int
			Ts, Dur  float64
			Args     struct{ Arguments string }
		}
		DisplayTimeUnit string
	}
	if err := json.NewDecoder(unpack(t, path)).Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.DisplayTimeUnit != "ns" {
		t.Errorf("displayTimeUnit is %q", file.DisplayTimeUnit)
	}
	out := map[int][]call{}
	for _, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		start := int64(math.Round(e.Ts * 1000))
		object := strings.Trim(e.Args.Arguments, "()")
		object, _, _ = strings.Cut(object, ",")
		out[e.Tid] = append(out[e.Tid],
			call{e.Name, start, start + int64(math.Round(e.Dur*1000)), 0, strings.Trim(object, `"`)})
	}
	for tid, calls := range out {
		slices.SortFunc(calls, func(a, b call) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
		})
		nest(t, tid, calls)
	}
	return out
}

// nest sets the depths and checks that calls nest with time to spare.
func nest(t *testing.T, tid int, calls []call) {
	t.Helper()
	var stack []call
	for i, c := range calls {
		for len(stack) > 0 && stack[len(stack)-1].end <= c.start {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && stack[len(stack)-1].end <= c.end {
			t.Fatalf("thread %d: %v does not nest in %v", tid, c, stack[len(stack)-1])
		}
		if i > 0 && calls[i-1].start == c.start || c.end <= c.start {
			t.Fatalf("thread %d: call %d: %v has no time of its own", tid, i, c)
		}
		calls[i].depth = len(stack)
		stack = append(stack, c)
	}
}

func unpack(t *testing.T, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	switch filepath.Ext(path) {
	case ".gz":
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		return z
	case ".zst":
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(z.Close)
		return z
	}
	return f
}

func readUftrace(t *testing.T, dir string) map[int][]call {
	t.Helper()
	symbols := readSymbols(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.dat"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[int][]call{}
	for _, name := range files {
		var tid int
		if _, err := fmt.Sscanf(filepath.Base(name), "%d.dat", &tid); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[tid] = readTask(t, data, symbols)
	}
	return out
}

func readTask(t *testing.T, data []byte, symbols map[uint64]string) (calls []call) {
	t.Helper()
	var stack []int
	last := int64(0)
	for len(data) > 0 {
		ns, word := int64(binary.LittleEndian.Uint64(data)), binary.LittleEndian.Uint64(data[8:])
		data = data[16:]
		name, ok := symbols[word>>16-imageBase]
		if word>>3&7 != 5 || !ok || ns < last {
			t.Fatalf("bad record %x at %d (%q)", word, ns, name)
		}
		last = ns - bootTime
		exit := word&3 == 1
		var object string
		if word&4 != 0 {
			object, data = readPayload(name, exit, data)
		}
		if exit {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			calls[top].end = ns - bootTime
			if calls[top].name != name || calls[top].depth != int(word>>6&0x3ff) {
				t.Fatalf("exit of %s at depth %d closes %v", name, word>>6&0x3ff, calls[top])
			}
			continue
		}
		calls = append(calls, call{name, ns - bootTime, 0, len(stack), object})
		stack = append(stack, len(calls)-1)
	}
	if len(stack) > 0 {
		t.Fatalf("%d calls stay open", len(stack))
	}
	return calls
}

func readPayload(name string, exit bool, data []byte) (string, []byte) {
	le := binary.LittleEndian
	switch {
	case exit:
		return "", data[8:]
	case name == "open":
		n := int(le.Uint16(data))
		return string(data[2 : 2+n]), data[((2+n+3)/4*4+8+7)/8*8:]
	case name == "read" || name == "write":
		return fmt.Sprint(le.Uint32(data)), data[24:]
	case name == "fsync":
		return fmt.Sprint(le.Uint64(data)), data[8:]
	case name == "pthread_create", name == "pthread_cond_wait", name == "pthread_cond_timedwait":
		return fmt.Sprintf("0x%x", le.Uint64(data)), data[16:]
	}
	return fmt.Sprintf("0x%x", le.Uint64(data)), data[8:]
}

func readSymbols(t *testing.T, dir string) map[uint64]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, processName+".sym"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[uint64]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text()) // address, kind, name
		if len(words) != 3 {
			continue
		}
		if address, err := strconv.ParseUint(words[0], 16, 64); err == nil {
			out[address] = words[2]
		}
	}
	return out
}
