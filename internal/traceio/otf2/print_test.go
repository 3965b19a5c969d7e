package otf2

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// printed is an event as otf2-print shows it: its kind, location and time, and the numbers in the
// rest of the line.
type printed struct {
	kind, location, time string
	values, attributes   []string
}

func (p printed) String() string {
	return fmt.Sprintf("%s %s %s %v %v", p.kind, p.location, p.time, p.values, p.attributes)
}

var (
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	grouped = regexp.MustCompile(`\([^()]*\)|\{[^{}]*\}`)
	valued  = regexp.MustCompile(`-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\bUNDEFINED\b|\bRoot: NONE\b`)
	listed  = regexp.MustCompile(`\( ?<(\d+)>; (\w+); ([^)]*)\)`)
)

// printEvents runs otf2-print, or skips the test where it is not installed.
func printEvents(t *testing.T, anchor string) (byLocation map[string][]printed) {
	t.Helper()
	tool, err := exec.LookPath("otf2-print")
	if err != nil {
		t.Skip("otf2-print is not installed (Debian: otf2-tools), so nothing is compared with it")
	}
	var out, told bytes.Buffer
	cmd := exec.Command(tool, anchor)
	cmd.Stdout = &out
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("otf2-print %s: %v: %s", anchor, err, told.String())
	}
	byLocation = map[string][]printed{}
	in := bufio.NewScanner(&out)
	in.Buffer(nil, 1<<20)
	last := ""
	for in.Scan() {
		line := quoted.ReplaceAllString(in.Text(), "")
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "ADDITIONAL ATTRIBUTES:"); ok {
			list := byLocation[last]
			for _, a := range listed.FindAllStringSubmatch(text, -1) {
				list[len(list)-1].attributes = append(list[len(list)-1].attributes,
					a[1]+" "+strings.Trim(a[3], "<> "))
			}
			continue
		}
		words := strings.Fields(line)
		if len(words) < 3 || strings.Trim(words[1], "0123456789") != "" {
			continue
		}
		last = words[1]
		rest := grouped.ReplaceAllString(strings.Join(words[3:], " "), "{}")
		if words[0] == "BUFFER_FLUSH" {
			rest = strings.Replace(rest, "Stop Time", "", 1)
		}
		p := printed{kind: words[0], location: words[1], time: words[2]}
		for _, v := range valued.FindAllString(rest, -1) {
			p.values = append(p.values, strings.TrimPrefix(v, "Root: "))
		}
		if n, ok := lists[p.kind]; ok {
			p.values = p.values[:n]
		}
		byLocation[last] = append(byLocation[last], p)
	}
	return byLocation
}

// lists are the kinds of events that end with a list, and how many values come before it.
var lists = map[string]int{"PROGRAM_BEGIN": 2, "METRIC": 2}

// ownEvents decodes all events of an archive.
func ownEvents(t *testing.T, anchor string) (byLocation map[string][]printed) {
	t.Helper()
	src, err := input.Open(context.Background(), anchor, input.Options{}, Sniff)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	a, err := locate(src)
	if err != nil {
		t.Fatal(err)
	}
	a.b, a.ctx = trace.NewBuilder("otf2"), context.Background()
	if err := a.readDefinitions(); err != nil {
		t.Fatal(err)
	}
	byLocation = map[string][]printed{}
	for i := range a.defs.locations {
		tr := a.newTrack(&a.defs.locations[i])
		id := strconv.FormatUint(tr.at.id, 10)
		f, done, err := a.open(a.name+"/"+id+".evt", true)
		if err != nil {
			continue
		}
		err = a.eachRecord(a.name+"/"+id+".def", &tr.faults, func(kind byte, f *fields) error {
			tr.decoder.local.read(kind, f)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		for {
			r, err := f.next()
			if err != nil {
				break
			}
			e, err := tr.decode(r, f.order)
			if err != nil {
				t.Errorf("location %s: %v", id, err)
			} else if e != nil {
				byLocation[id] = append(byLocation[id], asPrinted(id, e))
			}
		}
		done()
	}
	return byLocation
}

// asPrinted writes an event as otf2-print does. Values that it prints as words are left out.
func asPrinted(location string, e *event) printed {
	p := printed{kind: name(e.kind), location: location, time: strconv.FormatUint(e.time, 10)}
	layout := eventKinds[e.kind].layout
	for i, v := range e.v[:len(layout)] {
		letter := layout[i]
		switch {
		case e.kind == metric && i == 1:
			p.values = append(p.values, fmt.Sprint(v))
		case letter == 'b', worded[e.kind]&(1<<i) != 0:
		case e.kind == programEnd && v == 1<<63:
			p.values = append(p.values, "UNDEFINED")
		case letter == 'i':
			p.values = append(p.values, fmt.Sprint(int64(v)))
		case letter == 'q' || letter == 't' || v != undefined:
			p.values = append(p.values, fmt.Sprint(v))
		case e.kind == mpiCollectiveEnd:
			p.values = append(p.values, "NONE")
		default:
			p.values = append(p.values, "UNDEFINED")
		}
	}
	for _, a := range e.attrs {
		p.attributes = append(p.attributes, fmt.Sprintf("%d %s", a.id, a.text(nil)))
	}
	return p
}

// worded are the values that otf2-print prints as words, by the bits of their places.
var worded = map[byte]int{38: 1 << 1, 39: 1 << 0, 69: 6 << 1, 71: 1 << 2, 73: 1 << 1, ioOperationBegin: 1 << 2}

// compareWithPrint holds all events of an archive against what otf2-print shows.
func compareWithPrint(t *testing.T, anchor string) {
	t.Helper()
	want, got := printEvents(t, anchor), ownEvents(t, anchor)
	n := 0
	for location, list := range want {
		own := got[location]
		if len(own) != len(list) {
			t.Errorf("%s, location %s: %d events, otf2-print has %d", anchor, location, len(own), len(list))
		}
		for i := range min(len(own), len(list)) {
			n++
			if own[i].String() != list[i].String() {
				t.Fatalf("%s, location %s, event %d:\n\t%v\notf2-print has\n\t%v", anchor, location, i,
					own[i], list[i])
			}
		}
	}
	if n == 0 || len(got) != len(want) {
		t.Errorf("%s: %d events of %d locations, otf2-print has %d locations", anchor, n, len(got), len(want))
	}
	t.Logf("%s: %d events are equal", anchor, n)
}

// extracted unpacks a recording of testdata and returns its anchor file.
func extracted(t *testing.T, archive string) string {
	t.Helper()
	data, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	unpacked, err := gzip.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	dir, anchor := t.TempDir(), ""
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return anchor
		}
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(at, 0o755)
		} else {
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(at, content, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(at) == suffix {
			anchor = at
		}
	}
}

// TestEventsAsPrinted compares the recordings of testdata, and those of a folder that the variable
// DIPTYCH_OTF2 names, event by event with otf2-print.
func TestEventsAsPrinted(t *testing.T) {
	archives, err := filepath.Glob("../../../testdata/otf2/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, archive := range archives {
		compareWithPrint(t, extracted(t, archive))
	}
	more, err := filepath.Glob(filepath.Join(os.Getenv("DIPTYCH_OTF2"), "*", "*.otf2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, anchor := range more {
		compareWithPrint(t, anchor)
	}
}
