package otf2

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

const world, self = 0, 1

// scene is two or more ranks and the regions that the cases use.
type scene struct {
	*writer
	run, send, recv, wait, test, reduce, lock, join, barrier uint64
}

func newScene(ranks int) *scene {
	w := newWriter(binary.LittleEndian)
	var names []string
	for i := range ranks {
		names = append(names, fmt.Sprint("rank ", i))
	}
	w.ranks(names...)
	mpi := func(name string) uint64 { return w.region(name, 1, paradigmMPI) }
	return &scene{w, w.region("run", 1, paradigmUser), mpi("MPI_Send"), mpi("MPI_Recv"), mpi("MPI_Waitall"),
		mpi("MPI_Test"), mpi("MPI_Allreduce"), w.region("pthread_mutex_lock", 1, 7),
		w.region("pthread_join", 1, 7), w.region("!$omp barrier", roleBarrier, paradigmOpenMP)}
}

// call writes a call with an event in its middle.
func (s *scene) call(location, from, to, region uint64, kind byte, vs ...uint64) {
	s.at(location, from, enter, region)
	s.at(location, (from+to)/2, kind, vs...)
	s.at(location, to, leave, region)
}

// cases are archives and what of them is worth saying: lines that must occur in what show writes,
// and with a ! before them lines that must not.
var cases = []struct {
	name  string
	make  func() fstest.MapFS
	lines []string
}{
	{"calls nest, and a host holds processes", func() fstest.MapFS {
		s := newScene(3)
		s.at(0, 10, enter, s.run)
		s.call(0, 20, 30, s.test, mpiRequestTest, 4)
		s.at(0, 40, leave, s.run)
		return s.archive()
	}, []string{`process 0 "rank 0" 0`, "  0-30 run", "    10-20 MPI_Test [MPI]"}},
	{"calling contexts", func() fstest.MapFS {
		s := newScene(1)
		run := s.def(defContext, "www", s.run, 0, undefined)
		send := s.def(defContext, "www", s.send, 0, run)
		lock := s.def(defContext, "www", s.lock, 0, send)
		s.at(0, 10, contextEnter, send, 2) // run was unwound
		s.at(0, 15, contextSample, lock, 1, 0)
		s.at(0, 30, contextLeave, send)
		s.at(0, 32, contextEnter, send, 1)
		s.at(0, 34, contextEnter, send, 1) // again, as a sibling
		s.at(0, 40, contextSample, run, 1, 0)
		s.at(0, 41, contextLeave, lock)
		s.at(0, 42, contextEnter, 77, 1)
		return s.archive()
	}, []string{"  0-32 run", "    0-20 MPI_Send", "      5-20 pthread_mutex_lock", "    22-24 MPI_Send",
		"    24-30 MPI_Send", "unmatched-end 1", "bad-record 1", "!unmatched-begin", "!not-read"}},
	{"a call is left before one that it calls", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, s.run)
		s.at(0, 20, enter, s.test)
		s.at(0, 30, leave, s.run)
		s.at(0, 40, leave, s.test)
		return s.archive()
	}, []string{"  0-20 run", "  10-30 MPI_Test [MPI]", "overlap-lane 1"}},
	{"a message that comes late was waited for", func() fstest.MapFS {
		s := newScene(2)
		s.call(1, 10, 50, s.recv, mpiRecv, 0, world, 7, 8)
		s.call(0, 20, 30, s.send, mpiSend, 1, world, 7, 8)
		return s.archive()
	}, []string{"15 0/0 releases 1/0", "15-20 0/0 causes 1/0", "1/0 wait [WORLD 0 → 1, tag 7]",
		"0/0 release [WORLD 0 → 1, tag 7]", "from=0 tag=7 bytes=8 comm=WORLD"}},
	{"a message that was there was not waited for", func() fstest.MapFS {
		s := newScene(2)
		s.call(0, 10, 20, s.send, mpiSend, 1, world, 7, 8)
		s.call(1, 30, 50, s.recv, mpiRecv, 0, world, 7, 8)
		return s.archive()
	}, []string{"5-30 0/0 causes 1/0", "1/0 wait [WORLD 0 → 1, tag 7]", "!releases", "!0/0 release"}},
	{"receives get messages in the order in which they are posted", func() fstest.MapFS {
		s := newScene(2)
		s.at(1, 5, mpiIrecvRequest, 100)
		s.at(1, 6, mpiIrecvRequest, 200)
		s.at(1, 10, enter, s.wait)
		s.at(1, 40, mpiIrecv, 0, world, 7, 8, 200) // posted second, ends first
		s.at(1, 50, mpiIrecv, 0, world, 7, 8, 100)
		s.at(1, 60, leave, s.wait)
		s.call(0, 20, 22, s.send, mpiIsend, 1, world, 7, 8, 1)
		s.call(0, 30, 32, s.send, mpiIsend, 1, world, 7, 8, 2)
		return s.archive()
	}, []string{"16-45 0/0 causes 1/0", "26-35 0/1 causes 1/0", "16 0/0 releases 1/0", "26 0/1 releases 1/0"}},
	{"a test does not wait", func() fstest.MapFS {
		s := newScene(2)
		s.call(1, 10, 50, s.test, mpiIrecv, 0, world, 7, 8, 1)
		s.call(0, 20, 30, s.send, mpiSend, 1, world, 7, 8)
		return s.archive()
	}, []string{"15-20 0/0 causes 1/0", "!wait", "!releases"}},
	{"a function that calls others is not the one that waits", func() fstest.MapFS {
		s := newScene(2)
		s.at(1, 5, enter, s.run)
		s.call(1, 6, 8, s.lock, threadAcquireLock, 7, 1, 1)
		s.at(1, 20, mpiRecv, 0, world, 7, 8)
		s.at(1, 60, leave, s.run)
		s.call(0, 12, 14, s.send, mpiSend, 1, world, 7, 8)
		return s.archive()
	}, []string{"8-15 0/0 causes 1/0", "!1/0 wait", "!releases", "1/1 wait [lock 1 (rank 1)]"}},
	{"messages without a partner are counted", func() fstest.MapFS {
		s := newScene(2)
		s.call(0, 10, 20, s.send, mpiSend, 1, world, 7, 8)
		s.call(0, 20, 30, s.send, mpiSend, 9, world, 7, 8)
		s.call(0, 30, 40, s.send, mpiSend, 1, 77, 7, 8)
		return s.archive()
	}, []string{"unbound-flow 3", "!causes"}},
	{"clocks that differ are told", func() fstest.MapFS {
		s := newScene(2)
		s.call(1, 10, 20, s.recv, mpiRecv, 0, world, 7, 8)
		s.call(0, 30, 40, s.send, mpiSend, 1, world, 7, 8)
		return s.archive()
	}, []string{"clock-skew 1", "25-25 0/0 causes 1/0", "!releases"}},
	{"all wait for the last in a collective operation", func() fstest.MapFS {
		s := newScene(3)
		for i, from := range []uint64{10, 30, 20} {
			s.at(uint64(i), from, enter, s.reduce)
			s.at(uint64(i), from+1, mpiCollectiveBegin)
			s.at(uint64(i), 50, mpiCollectiveEnd, 11, world, undefined, 8, 16)
			s.at(uint64(i), 51, leave, s.reduce)
		}
		return s.archive()
	}, []string{"21 1/0 releases 0/0", "21 1/0 releases 2/0", "!releases 1/0", "1/0 wait [WORLD]",
		"1/0 release [WORLD]", "!0/0 release", "sent=8 received=16 comm=WORLD"}},
	{"in a broadcast they wait for the root", func() fstest.MapFS { return rooted(1, 10, 20, 30) },
		[]string{"10 1/0 releases 0/0", "!releases 2/0", "!releases 1/0"}},
	{"in a reduction the root waits", func() fstest.MapFS { return rooted(12, 30, 10, 20) },
		[]string{"20 0/0 releases 1/0", "!releases 0/0", "!releases 2/0"}},
	{"in a scan they wait for lower ranks", func() fstest.MapFS { return rooted(14, 20, 30, 10) },
		[]string{"20 1/0 releases 2/0", "!releases 0/0", "!releases 1/0"}},
	{"operations that differ are no operation", func() fstest.MapFS {
		s := newScene(2)
		s.call(0, 10, 20, s.reduce, mpiCollectiveEnd, 0, world, undefined, 0, 0)
		s.call(1, 10, 20, s.reduce, mpiCollectiveEnd, 1, world, 0, 0, 0)
		s.call(1, 30, 40, s.reduce, mpiCollectiveEnd, 0, self, undefined, 0, 0)
		return s.archive()
	}, []string{"unbound-flow 2", "!wait"}},
	{"locks have names in their process", func() fstest.MapFS {
		s := newScene(2)
		s.call(0, 10, 20, s.lock, threadAcquireLock, 7, 4, 1)
		s.call(0, 30, 40, s.lock, threadReleaseLock, 7, 4, 1)
		s.call(1, 30, 40, s.lock, rmaAcquireLock, 0, 1, 3, 0)
		return s.archive()
	}, []string{"0/0 wait [lock 4 (rank 0)]", "0/1 release [lock 4 (rank 0)]",
		"1/0 wait [lock 3 of window 0 at rank 1]"}},
	{"threads are created and joined", func() fstest.MapFS {
		s := newScene(1)
		s.thread(9, "worker", 0)
		s.call(0, 10, 20, s.run, threadCreate, 0, 5)
		s.at(9, 18, threadBegin, 0, 5)
		s.at(9, 19, enter, s.run)
		s.at(9, 40, leave, s.run)
		s.at(9, 40, threadEnd, 0, 5)
		s.at(0, 30, enter, s.join)
		s.at(0, 45, threadWait, 0, 5)
		s.at(0, 50, leave, s.join)
		return s.archive()
	}, []string{"5-8 0/0 causes 9/0", "30-35 9/0 causes 0/1"}},
	{"a team forks, meets at a barrier and joins", func() fstest.MapFS {
		s := newScene(1)
		s.thread(9, "worker", 0)
		s.at(0, 10, enter, s.run)
		s.at(0, 11, threadFork, 3, 2)
		for i, id := range []uint64{0, 9} {
			s.at(id, 12, threadTeamBegin, world)
			s.at(id, 20+10*uint64(i), enter, s.barrier)
			s.at(id, 35, leave, s.barrier)
			s.at(id, 36, threadTeamEnd, world)
		}
		s.at(0, 37, threadJoin, 3)
		s.at(0, 40, leave, s.run)
		return s.archive()
	}, []string{"1-2 0/0 causes 9/0", "26-27 9/0 causes 0/0", "20 9/0 releases 0/1", "!releases 9/0"}},
	{"input and output name their file", func() fstest.MapFS {
		s := newScene(1)
		file := s.def(defIoFile, "ww", s.str("/etc/hosts"), 0)
		s.def(defIoHandle, "ww", s.str("h"), file)
		s.call(0, 10, 20, s.run, ioOperationBegin, 0, 1, 0, 512, 1)
		return s.archive()
	}, []string{"0/0 io [/etc/hosts]"}},
	{"a flush is a call, the others are instants and arguments", func() fstest.MapFS {
		s := newScene(1)
		p := s.def(defParameter, "wb", s.str("step"), 1)
		s.at(0, 5, programBegin, s.str("prog"), 0)
		s.at(0, 10, enter, s.run)
		s.at(0, 12, parameterInt, p, math.MaxUint64-2)
		s.at(0, 13, parameterString, p, s.str("last"))
		s.at(0, 20, bufferFlush, 30)
		s.at(0, 40, leave, s.run)
		s.at(0, 41, measurementOnOff, 2)
		s.at(0, 42, programEnd, 1<<63)
		return s.archive()
	}, []string{"  5-35 run step=-3 step=last", "    15-25 buffer flush [tracer] event", "at 0 program begin prog",
		"at 36 measurement off", "at 37 program end"}},
	{"attributes are arguments", func() fstest.MapFS {
		s := newScene(1)
		mutex, other := s.def(defAttribute, "wbw", s.str("mutex"), typeUint64, 0),
			s.def(defAttribute, "wbw", s.str("what"), typeString, 0)
		s.with(0, 10, [][3]uint64{{mutex, typeUint64, 0x7f00}}, enter, s.lock)
		s.at(0, 20, leave, s.lock)
		s.with(0, 30, [][3]uint64{{mutex, typeUint64, 7}, {other, typeString, s.str("it")}}, enter, s.lock)
		s.at(0, 40, leave, s.lock)
		return s.archive()
	}, []string{"0-10 pthread_mutex_lock [pthread] (0x7f00)", "20-30 pthread_mutex_lock [pthread] mutex=7 what=it"}},
	{"regions and times go through the location's definitions", func() fstest.MapFS {
		s := newScene(1)
		s.local[0] = append(framed(s.order, mappingTable, s.values(nil, "bqbqqqq", 3, 2, 1, 70, s.run, 71, s.send)),
			framed(s.order, clockOffset, s.values(nil, "tit", 100, 50, 0))...)
		s.local[0] = append(s.local[0], framed(s.order, clockOffset, s.values(nil, "tit", 200, 150, 0))...)
		s.at(0, 100, enter, 70) // 150
		s.at(0, 150, enter, 71) // 250
		s.at(0, 160, leave, 71) // 270
		s.at(0, 300, leave, 70) // 550
		return s.archive()
	}, []string{"  0-400 run", "    100-120 MPI_Send"}},
	{"a region that is not defined keeps its number", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, 4000)
		s.at(0, 20, leave, 4000)
		return s.archive()
	}, []string{"0-10 region 4000", "bad-record 1"}},
	{"a time that cannot be is left out", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, s.run)
		s.at(0, 20, leave, s.run)
		s.at(0, 1<<63, enter, s.run)
		return s.archive()
	}, []string{"0-10 run", "clock-jump 1"}},
	{"a file without its end is cut", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, s.run)
		s.at(0, 20, leave, s.run)
		dir := s.archive()
		dir["a/0.evt"].Data = dir["a/0.evt"].Data[:len(dir["a/0.evt"].Data)-2]
		return dir
	}, []string{"0-10 run", "truncated 1"}},
	{"a file of events that is missing is told", func() fstest.MapFS {
		s := newScene(2)
		s.at(0, 10, enter, s.run)
		s.at(0, 20, leave, s.run)
		return s.archive()
	}, []string{"0-10 run", "lost-records 1"}},
	{"records that are none are passed over", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, s.run)
		s.at(0, 20, leave, s.run)
		s.events[0].put(25, []byte{enter, 99, 1, 2, 3})
		s.at(0, 30, enter, s.run)
		s.at(0, 40, leave, s.run)
		return s.archive()
	}, []string{"0-10 run", "20-30 run", "bad-record 1"}},
	{"kinds that are not known are counted", func() fstest.MapFS {
		s := newScene(1)
		s.at(0, 10, enter, s.run)
		s.events[0].put(12, framed(s.order, 95, make([]byte, 300)))
		s.events[0].put(12, framed(s.order, metric, []byte{0, 1, 4, 1, 7}))
		s.at(0, 20, leave, s.run)
		return s.archive()
	}, []string{"0-10 run", "not-read 2"}},
}

// rooted is an operation of three ranks with the second as its root, and when they come.
func rooted(op uint64, times ...uint64) fstest.MapFS {
	s := newScene(3)
	for i, from := range times {
		s.at(uint64(i), from, enter, s.reduce)
		s.at(uint64(i), from, mpiCollectiveBegin)
		s.at(uint64(i), 50, mpiCollectiveEnd, op, world, 1, 8, 16)
		s.at(uint64(i), 51, leave, s.reduce)
	}
	return s.archive()
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := show(mustLoad(t, c.make()))
			for _, line := range c.lines {
				absent, not := strings.CutPrefix(line, "!")
				if strings.Contains(got, absent) == not {
					t.Errorf("%q is wrong in\n%s", line, got)
				}
			}
		})
	}
}

// TestHosts holds that a process has the machine that it ran on.
func TestHosts(t *testing.T) {
	s := newScene(3)
	s.at(0, 10, enter, s.run)
	s.at(0, 20, leave, s.run)
	tr := mustLoad(t, s.archive())
	for i, want := range []string{"host 0", "host 0", "host 1"} {
		if got := tr.Processes[i].Host; got != want {
			t.Errorf("process %d runs on %q, want %q", i, got, want)
		}
	}
	if tr.Tool != "tester" || !tr.Symbols || tr.Kind != trace.Timeline {
		t.Errorf("tool %q, symbols %v, %v", tr.Tool, tr.Symbols, tr.Kind)
	}
}

// TestRefusals holds that what is no whole archive is refused with what to open instead.
func TestRefusals(t *testing.T) {
	whole := func() fstest.MapFS { s := newScene(1); s.at(0, 1, enter, s.run); return s.archive() }
	without := func(names ...string) fstest.MapFS {
		dir := whole()
		for _, n := range names {
			delete(dir, n)
		}
		return dir
	}
	sion := whole()
	sion["a.otf2"].Data[28] = substrateSion
	packed := whole()
	packed["a.otf2"].Data[29] = compressionZlib
	two := whole()
	two["b.otf2"] = two["a.otf2"]
	cut := whole()
	cut["a.otf2"].Data = cut["a.otf2"].Data[:20]
	inner := fstest.MapFS{"0.evt": whole()["a/0.evt"], "0.def": whole()["a/0.def"]}
	for want, dir := range map[string]fstest.MapFS{
		"d: this is an OTF2 archive whose anchor file, NAME.otf2, is missing":      without("a.otf2"),
		"d: these are the files of single locations of an OTF2 archive":            inner,
		"d: it holds 2 OTF2 archives: open the anchor file of one, such as a.otf2": two,
		"d/a.otf2: this OTF2 archive is stored in SIONlib containers":              sion,
		"d/a.otf2: this OTF2 archive is compressed by its own means":               packed,
		"d/a.otf2:20: the anchor file ends too early":                              cut,
		"d/a.def: cannot open the definitions: file does not exist":                without("a.def"),
	} {
		src := &input.Source{Path: "d", Dir: dir}
		_, err := loadFiles(dir)
		if !Sniff(src) || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("known %v, %v, want %s", Sniff(src), err, want)
		}
	}
	for name, file := range whole() {
		src := &input.Source{Path: name, Head: file.Data}
		if _, err := locate(src); !Sniff(src) || err == nil || !strings.Contains(err.Error(), "OTF2 archive") {
			t.Errorf("%s: known %v, %v", name, Sniff(src), err)
		}
	}
	if Sniff(&input.Source{Head: []byte{3, 0x42, 1}}) || Sniff(&input.Source{Dir: fstest.MapFS{
		"x.otf2": {Data: []byte("no anchor")}, "x.def": {Data: []byte("no definitions at all")}}}) {
		t.Error("what is no archive is taken for one")
	}
}
