package uftrace

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/fstest"

	"diptych/internal/testtrace/deepeq"
	"diptych/internal/trace"
)

// manyTasks is a recording of tasks that share some functions and meet them in different orders, some
// of them with arguments. Every third task executes another program, which maps the same file
// elsewhere.
func manyTasks(r *rand.Rand) fstest.MapFS {
	d := newDir()
	d.specs = "argspec:work@arg1/i32\n"
	d.tasks += "SESS timestamp=0.000005000 pid=9 sid=bb exename=\"/bin/prog\"\n"
	for tid := 7; tid < 19; tid++ {
		d.tasks += fmt.Sprintf("TASK timestamp=0.000000003 tid=%d pid=7\n", tid)
		if tid%3 == 0 {
			d.tasks += fmt.Sprintf("TASK timestamp=0.000005000 tid=%d pid=9\n", tid)
		}
		now, open := uint64(100), []uint64{}
		for range 200 + r.IntN(300) {
			now += uint64(r.IntN(50))
			if len(open) > 0 && r.IntN(2) == 0 {
				last := len(open) - 1
				d.record(tid, now, exitRecord, last, textBase+open[last])
				open = open[:last]
				continue
			}
			offset := offsets[r.IntN(len(offsets))]
			if r.IntN(30) == 0 {
				offset += uint64(r.IntN(0x9000)) // unknown, or inside another
			}
			var payload []byte
			if offset == offsets[1] {
				payload = []byte{byte(r.IntN(256)), 1, 0, 0, 0, 0, 0, 0}
			}
			d.record(tid, now, entryRecord, len(open), textBase+offset, payload...)
			open = append(open, offset)
		}
	}
	files := d.files("")
	files["sid-bb.map"] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
		"%x-%x r-xp 00000000 00:00 0 /bin/prog build-id:12\n7ffc0000-7ffd0000 rw-p 0 0:0 0 [stack]\n",
		textBase-0x1000, textBase+0x10000))}
	return files
}

// TestProcessors holds that a trace is the same for any number of processors, also that of a damaged
// recording.
func TestProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		files := manyTasks(r)
		for _, f := range files {
			for range round % 4 * r.IntN(20) {
				f.Data[r.IntN(len(f.Data))] ^= byte(1 << r.IntN(8))
			}
		}
		var first *trace.Trace
		for _, procs := range []int{1, 2, 8} {
			before := runtime.GOMAXPROCS(procs)
			tr, err := tryLoad(files)
			runtime.GOMAXPROCS(before)
			switch {
			case err != nil && round%4 == 0:
				t.Fatal(err)
			case procs == 1:
				first = tr
			case !deepeq.Equal(first, tr):
				t.Errorf("round %d: %d processors make another trace than one", round, procs)
			}
		}
	}
}
