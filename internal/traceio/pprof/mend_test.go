package pprof

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/pprof/profile"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// plainProfile is a profile without compression.
func plainProfile(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCutProfilesAreKept: a profile that is cut anywhere behind its first sample is shown up to the
// cut, and that is told. The longer it is, the more of it is kept.
func TestCutProfilesAreKept(t *testing.T) {
	data, intact := plainProfile(t, small()), load(t, small(), "")
	kept := 0
	for n := range data {
		tr, err := tryLoad(data[:n], "")
		if err != nil {
			if kept > 0 {
				t.Fatalf("cut at %d of %d: %v", n, len(data), err)
			}
			continue
		}
		if _, err := profile.ParseData(data[:n]); err == nil {
			continue // between two fields of which the second says nothing of the first
		}
		d := tr.Diagnostics
		if len(d) == 0 || d[len(d)-1].Code != trace.Truncated {
			t.Fatalf("cut at %d: %v", n, d)
		}
		if tr.Calls() < kept {
			t.Fatalf("cut at %d: %d calls, of shorter files %d", n, tr.Calls(), kept)
		}
		kept = tr.Calls()
	}
	if kept < intact.Calls() {
		t.Errorf("%d calls are kept of %d", kept, intact.Calls())
	}
}

// TestStandIns: what is missing has a name that says so.
func TestStandIns(t *testing.T) {
	data := plainProfile(t, small())
	at := bytes.Index(data, []byte("main.go"))
	tr, err := tryLoad(data[:at], "")
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, f := range tr.Functions {
		names += f.Name + " " + f.File + "\n"
	}
	if !strings.Contains(names, "?") || strings.Contains(names, "main.go") {
		t.Errorf("functions\n%s", names)
	}
}

// TestReadErrorKeepsTheProfile: what was read before an error, as a cut archive gives, is kept.
func TestReadErrorKeepsTheProfile(t *testing.T) {
	data := plainProfile(t, small())
	broken := errors.New("unexpected end")
	b := trace.NewBuilder("pprof")
	src := &input.Source{Path: "p", Stream: io.MultiReader(bytes.NewReader(data[:len(data)-20]),
		iotest.ErrReader(broken))}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		t.Fatal(err)
	}
	tr, err := b.Build(context.Background())
	if err != nil || tr.Calls() == 0 || !strings.Contains(tr.Diagnostics[len(tr.Diagnostics)-1].Example,
		"p ends too early or is broken (unexpected end)") {
		t.Errorf("%v, %v", tr.Diagnostics, err)
	}
}

// TestMendIsBounded: numbers that damage made up are no reason to invent as many strings.
func TestMendIsBounded(t *testing.T) {
	data := plainProfile(t, small())
	data = appendNumber(data, 14, 1<<40) // the default sample type
	if mend(data) != nil {
		t.Error("a profile that names string 2⁴⁰ is mended")
	}
}
