package perfetto

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
)

// bundle feeds an FtraceEventBundle: events of one processor, in order. The kernel names threads by
// numbers that are unique while they run.
func (f *feed) bundle(message []byte) {
	k := clock{0, clockBoot}
	var cpu, kernel, boot uint64
	w := fieldsOf(message)
	for w.next() { // what holds for all events may come after them
		switch w.number {
		case bundleCPU:
			cpu = w.n
		case bundleClock:
			k = ftraceClock(w.n)
		case bundleKernel:
			kernel = w.n
		case bundleBoot:
			boot = w.n
		case bundleLost:
			if w.n != 0 {
				f.b.Diagnose(trace.LostRecords, 1, "packet before offset %d: events of the kernel "+
					"before it, on processor %d", f.at, cpu)
			}
		}
	}
	if w.broken {
		f.bad("a bundle of kernel events")
	}
	if kernel != 0 && (kernel > trace.Limit || boot > trace.Limit ||
		!f.clocks.relateAll([]shown{{k, int64(kernel)}, {clock{0, clockBoot}, int64(boot)}})) {
		f.bad("a bundle's times")
	}
	for w := fieldsOf(message); w.next(); {
		switch {
		case w.is(bundleEvent, protowire.BytesType):
			f.ftraceEvent(cpu, k, w.body)
		case w.is(bundleCompact, protowire.BytesType):
			f.compact(cpu, k, w.body)
		}
	}
}

// ftraceClock returns the clock of a bundle that names one. Those that only the kernel has are
// related to others by what the bundles themselves say, if they do.
func ftraceClock(id uint64) clock {
	switch id {
	case ftraceBoot:
		return clock{0, clockBoot}
	case ftraceRaw:
		return clock{0, clockRaw}
	}
	return clock{1<<64 - 1, id}
}

// kernelTime turns a time of the kernel's into one on the trace's clock.
func (f *feed) kernelTime(k clock, at uint64) (int64, bool) {
	if at > trace.Limit {
		f.bad("a kernel event's time")
		return 0, false
	}
	out, ok := f.clocks.convert(k, int64(at))
	if !ok {
		f.lose(k)
	}
	return out, ok
}

// ftraceEvent feeds an FtraceEvent.
func (f *feed) ftraceEvent(cpu uint64, k clock, message []byte) {
	var stamp uint64
	var by int64
	var body []byte
	var number protowire.Number
	w := fieldsOf(message)
	for w.next() {
		switch w.number {
		case ftraceTime:
			stamp = w.n
		case ftraceThread:
			by = int64(int32(w.n))
		default:
			if w.kind == protowire.BytesType {
				number, body = w.number, w.body
			}
		}
	}
	if w.broken {
		f.bad("a kernel event")
		return
	}
	at, ok := f.kernelTime(k, stamp)
	if !ok {
		return
	}
	f.b.Observe(at)
	f.latest = max(f.latest, at)
	switch number {
	case ftraceSwitch:
		f.schedSwitch(cpu, at, body)
	case ftraceWaking, ftraceWakeup:
		woken := int64(int32(firstNumber(body, wokenThread)))
		f.schedule.wake(waking{at, by, woken})
	case ftracePrint:
		f.print(at, by, body)
	case ftraceEnter:
		f.kernelStack(cpu, by).Begin(at, f.kernelFunction(firstNumber(body, enteredFunc)))
	case ftraceLeave:
		f.kernelStack(cpu, by).EndNamed(at, f.kernelFunction(firstNumber(body, leftFunc)))
	case 0:
	default:
		f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: field %d of FtraceEvent", f.at,
			number)
	}
}

// kernelStack returns what takes the kernel's functions that a thread calls: the thread itself, as
// they are callees of what it was doing. Each processor is idle in a thread of its own, for all of
// which the kernel has the number 0.
func (f *feed) kernelStack(cpu uint64, tid int64) *trace.ThreadBuilder {
	if tid != 0 {
		return f.kernelThread(tid).ThreadBuilder
	}
	id := "0/" + strconv.FormatUint(cpu, 10)
	th := f.lanes[id]
	if th == nil {
		th = f.b.Thread(id, -1)
		th.SetName("swapper/" + strconv.FormatUint(cpu, 10))
		th.SetRole("swapper", true)
		th.SetKind(trace.Runtime)
		f.lanes[id] = th
	}
	return th
}

// kernelFunction returns a function of the kernel. Its number is that of a text of the sequence, or
// its address if the recorder did not look its symbol up.
func (f *feed) kernelFunction(number uint64) trace.FuncID {
	name, ok := f.sequence.texts[symbols][number]
	if !ok {
		name = "0x" + strconv.FormatUint(number, 16)
	}
	return f.b.Function(trace.Function{Name: name, Package: "kernel"})
}

// schedSwitch feeds a SchedSwitchFtraceEvent.
func (f *feed) schedSwitch(cpu uint64, at int64, message []byte) {
	s := change{at: at}
	var prev, next string
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case prevComm:
			prev = w.text()
		case prevThread:
			s.from = int64(int32(w.n))
		case prevState:
			s.ready, s.over = w.n&waitingStates == 0, w.n&overStates != 0
		case nextComm:
			next = w.text()
		case nextThread:
			s.to = int64(int32(w.n))
		}
	}
	f.schedule.name(s.from, prev)
	f.schedule.name(s.to, next)
	f.schedule.change(cpu, s)
}

// columns are those of a CompactSched: an entry for each event.
type columns struct{ times, states, threads, comms []uint64 }

// compact feeds a CompactSched. Its times are differences to the event before; of a switch it has
// only the thread that comes, since the one that leaves came with the switch before.
func (f *feed) compact(cpu uint64, k clock, message []byte) {
	var switches, wakings columns
	var comms []string
	w := fieldsOf(message)
	list := func(to *[]uint64) { w.each(func(n uint64) { *to = append(*to, n) }) }
	for w.next() {
		switch w.number {
		case switchTime:
			list(&switches.times)
		case switchState:
			list(&switches.states)
		case switchNext:
			list(&switches.threads)
		case switchComm:
			list(&switches.comms)
		case wakingTime:
			list(&wakings.times)
		case wakingThread:
			list(&wakings.threads)
		case compactStrings:
			comms = append(comms, w.text())
		}
	}
	if w.broken || len(switches.threads) != len(switches.times) ||
		len(switches.states) != len(switches.times) || len(wakings.threads) != len(wakings.times) {
		f.bad("compact kernel events")
		return
	}
	f.compactSwitches(cpu, k, switches, comms)
	f.compactWakings(k, cpu, wakings)
}

func (f *feed) compactSwitches(cpu uint64, k clock, c columns, comms []string) {
	sum := uint64(0)
	for i, d := range c.times {
		sum += d
		at, ok := f.kernelTime(k, sum)
		if !ok {
			continue
		}
		f.b.Observe(at)
		to := int64(int32(c.threads[i]))
		if i < len(c.comms) && c.comms[i] < uint64(len(comms)) {
			f.schedule.name(to, comms[c.comms[i]])
		}
		f.schedule.change(cpu, change{at: at, from: inferred, to: to,
			ready: c.states[i]&waitingStates == 0, over: c.states[i]&overStates != 0})
	}
}

// compactWakings feeds the wakings of a CompactSched, whose wakers are the threads that run there.
func (f *feed) compactWakings(k clock, cpu uint64, c columns) {
	sum := uint64(0)
	for i, d := range c.times {
		sum += d
		if at, ok := f.kernelTime(k, sum); ok {
			f.b.Observe(at)
			f.schedule.wakeFrom(cpu, waking{at, inferred, int64(int32(c.threads[i]))})
		}
	}
}
