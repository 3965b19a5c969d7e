package perfetto_test

import (
	"testing"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// TestSnapshotsInReverse has clock snapshots that get earlier and earlier. To keep all would take the
// time of their number squared; a thousand are kept, and the others counted.
func TestSnapshotsInReverse(t *testing.T) {
	const snapshots = 50_000
	var file []byte
	for i := range int64(snapshots) {
		file = append(file, packet(sub(6, clockShows(6, 2*snapshots-i), clockShows(3, 3*snapshots-i)))...)
	}
	tr := mustLoad(t, append(file, at(0, begin(2, "f"))...))
	if d := tr.Diagnostics; len(d) == 0 || d[0].Code != trace.BadRecord || d[0].Count < snapshots-2000 {
		t.Errorf("%+v", d)
	}
}

// TestNewClocks has snapshots with one further clock each, and events on the first one between them
// or behind them, which take about as long: a new clock makes no route of the others shorter.
func TestNewClocks(t *testing.T) {
	const clocks = 5000
	var between, snapshots, events []byte
	for i := range int64(clocks) {
		snapshot := packet(sub(6, clockShows(128+i, 9), clockShows(129+i, 9)))
		event := packet(num(8, 100+i), num(58, 128), instant(1, "i"))
		snapshots, events = append(snapshots, snapshot...), append(events, event...)
		between = append(append(between, snapshot...), event...)
	}
	began := time.Now()
	want := texttest.Show(mustLoad(t, append(snapshots, events...)))
	usual := time.Since(began)
	began = time.Now()
	got := texttest.Show(mustLoad(t, between))
	if took := time.Since(began); took > 20*usual || got != want {
		t.Errorf("%v, and %v with all snapshots first; as many bytes: %d, %d", took, usual, len(got), len(want))
	}
}
