package icicle

import (
	"testing"

	"diptych/internal/trace"
)

// TestTrackTitles holds that a track tells its thread, and its process where that says more.
func TestTrackTitles(t *testing.T) {
	of := func(process int32, name string) *trace.Thread { return &trace.Thread{Name: name, Process: process} }
	tr := &trace.Trace{Processes: []trace.Process{{ID: "1", Name: "P#1"}, {ID: "2", Name: "gateway"}},
		Threads: []*trace.Thread{of(0, "P#1T#0"), of(1, "gateway"), of(1, "gateway · 2"), of(1, "worker"), of(-1, "lone")}}
	d := &Drawing{Plot: Plot{Trace: tr, Threads: []int{0, 1, 2, 3, 4}}}
	for k, want := range []string{"P#1T#0", "gateway", "gateway · 2", "worker  ·  gateway", "lone"} {
		if got := d.trackTitle(k); got != want {
			t.Errorf("track %d is %q, want %q", k, got, want)
		}
	}
}
